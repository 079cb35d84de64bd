"""Nobody decides a game they play in: neither directly nor through an act on the event."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import games
import tournaments
from accounts.models import Player
from games import budgets, ruling_requests, rulings
from games.models import Game, Ruling, RulingRequest, Status
from games.refusals import NotAllowed, OwnGame
from tests.conftest import make_player
from tests.games.acts import both_move
from tests.tournaments.life import Stage
from tournaments import (
    advancing,
    deciding,
    directing,
    entering,
    entrants_csv,
    event_log,
    handing_over,
    leaving,
    opening,
    sweeps,
)
from tournaments.models import Event
from tournaments.pages.console import ACTS

NO_ACTS = re.compile(r"\.(api|pages|migrations|management|formats|rules|boards|bots|models)\b")
"""Rooms that only look, or call the acts of others."""
Act = Callable[..., Any]


class Own:
    """Alice organises and plays a game with Bob that runs; Charlie plays as well."""

    def __init__(self, stage: Stage, alice: Player, bob: Player, charlie: Player) -> None:
        self.now = stage.now
        self.alice, self.bob, self.charlie = alice, bob, charlie
        self.event = stage.started(alice, bob, charlie, format="swiss", settings={"rounds": 3})
        self.meeting = self.event.meetings.get()
        assert self.meeting.game is not None
        self.game = self.meeting.game
        seats = set(self.game.seats.values_list("player", flat=True))
        self.opponent = next(p for p in (bob, charlie) if p.pk in seats)
        self.other = next(p for p in (bob, charlie) if p.pk not in seats)
        assert alice.pk in seats
        both_move(self.game, now=stage.now)

    def act(self, door: Act, **given: Any) -> None:
        door(by=self.alice, now=self.now, **given)

    def at(self, door: Act, **given: Any) -> None:
        self.act(door, event_id=self.event.pk, **given)

    def about(self, door: Act, **given: Any) -> None:
        self.act(door, game_id=self.game.pk, reason="I am better.", **given)


def undo(own: Own) -> None:
    made = rulings.give_time(
        game_id=own.game.pk, seat=0, hours=9, by=make_player("dora", is_staff=True),
        reason="The post was late.", now=own.now,
    )  # fmt: skip
    own.act(rulings.undo, ruling_id=made.pk)


def settle(own: Own) -> None:
    asked = ruling_requests.ask(
        game_id=own.game.pk, player=own.opponent, text="She cheats.", now=own.now
    )
    own.act(ruling_requests.settle, request_id=asked.pk, answer="No.")


REFUSED: dict[Act, Callable[[Own], None]] = {
    rulings.make_void: lambda own: own.about(rulings.make_void),
    rulings.set_result: lambda own: own.about(rulings.set_result, score=2),
    rulings.reopen: lambda own: own.about(rulings.reopen),
    rulings.give_time: lambda own: own.about(rulings.give_time, seat=0, hours=5),
    rulings.correct_clock: lambda own: own.about(rulings.correct_clock, seat=1, hours=1),
    rulings.undo: undo,
    ruling_requests.settle: settle,
    directing.rule: lambda own: own.at(
        directing.rule, meeting_id=own.meeting.pk, score=2, other_score=0, reason="Mine."
    ),
    directing.finish_now: lambda own: own.at(directing.finish_now),
    directing.give_bye: lambda own: own.at(directing.give_bye, player=own.alice, kind="F"),
    leaving.expel: lambda own: own.at(leaving.expel, player=own.opponent, reason="Rude."),
}
"""Acts that would decide a game of whoever acts, or give them a point."""

DECIDES_NOTHING = {
    advancing.start, opening.open_entries, opening.change, opening.call_off, directing.postpone,
    directing.appoint, directing.dismiss, directing.step_down, entering.invite, entering.reach,
    entering.uninvite, entering.enter_bot, entering.enter_by_director, entrants_csv.enter_all,
}  # fmt: skip
"""Acts before any game runs, or on people and not on results."""

BY_RULE = {
    # Whoever calls these has asked already, and passes on who acts.
    sweeps.decide_by_rule, leaving.take_out, handing_over.hand_over, event_log.write,
    event_log.write_once, budgets.spend_on_ruling,
    # Ask it themselves; every act that decides games ends there.
    deciding.decide, deciding.require_not_own,
}  # fmt: skip


def modules() -> Iterator[ModuleType]:
    for package in (games, tournaments):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not NO_ACTS.search(found.name):
                yield import_module(found.name)


def acts_of(module: ModuleType) -> Iterator[Act]:
    for name, door in inspect.getmembers(module, inspect.isfunction):
        is_door = door.__module__ == module.__name__ and not name.startswith("_")
        if is_door and "by" in inspect.signature(door).parameters:
            yield door


def test_every_act_says_whether_it_decides_a_game() -> None:
    """A new act of directors or staff is put into one of these sets first."""
    found = {door for module in modules() for door in acts_of(module)}
    decided = REFUSED.keys() | DECIDES_NOTHING | BY_RULE
    assert {door.__qualname__ for door in found ^ decided} == set()
    assert {act.door for act in ACTS.values()} <= decided


@pytest.mark.parametrize("is_staff", [False, True])
@pytest.mark.parametrize("door", REFUSED, ids=lambda door: door.__qualname__)
def test_nobody_decides_a_game_they_play_in(
    stage: Stage, alice: Player, bob: Player, charlie: Player, door: Act, is_staff: bool
) -> None:
    alice.is_staff = is_staff
    alice.save()
    own = Own(stage, alice, bob, charlie)
    with pytest.raises(NotAllowed, match="another director or the staff"):
        REFUSED[door](own)
    game = Game.objects.get(pk=own.game.pk)
    assert (game.status, game.score) == (Status.RUNNING, None)
    assert not Ruling.objects.filter(made_by=alice).exists()
    assert not RulingRequest.objects.filter(settled_by=alice).exists()
    assert not own.event.rests.filter(entry__player=alice, kind="F").exists()


def test_a_result_of_ones_own_is_not_struck_by_expelling(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    """She lost it, and would have it vanish from the table."""
    event = stage.started(alice, bob, charlie)
    own = event.meetings.filter(first__player__in=[alice, bob], second__player__in=[alice, bob])
    stage.win(own.select_related("game").get().game, bob)
    stage.work()
    with pytest.raises(OwnGame):
        leaving.expel(event_id=event.pk, player=bob, by=alice, reason="Too strong.", now=stage.now)


def test_another_director_or_the_staff_can(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    own = Own(stage, alice, bob, charlie)
    dora = make_player("dora", is_staff=True)
    leaving.expel(event_id=own.event.pk, player=own.opponent, by=dora, reason="Rude.", now=own.now)
    assert Game.objects.get(pk=own.game.pk).status == Status.FINISHED
    assert Ruling.objects.get().made_by == dora


def test_a_rule_decides_also_the_organisers_games(stage: Stage, alice: Player, bob: Player) -> None:
    event: Event = stage.started(alice, bob, ends_at=stage.now + timedelta(days=2))
    game = event.meetings.get().game
    assert game is not None
    both_move(game, now=stage.now)
    stage.later(days=2)
    assert Game.objects.get(pk=game.pk).score == 1
    assert Ruling.objects.get().made_by is None


def test_a_director_who_plays_gives_nobody_a_bye(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    own = Own(stage, alice, bob, charlie)
    with pytest.raises(NotAllowed, match="You play in this event yourself"):
        own.at(directing.give_bye, player=own.other, kind="Z")


def test_a_director_on_a_ladder_expels_nobody_above(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.started(bob, alice, charlie, format="ladder", rated=False)
    given = {"event_id": event.pk, "by": alice, "reason": "Rude.", "now": stage.now}
    with pytest.raises(NotAllowed, match="bob is above you on this ladder"):
        leaving.expel(player=bob, **given)
    leaving.expel(player=charlie, **given)
