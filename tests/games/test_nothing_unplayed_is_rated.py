"""Ratings follow games that were played: both must have moved, whatever ended the game."""

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from games import play, rulings
from games.models import Game, Rating, RatingEntry, Status
from games.rules import registry
from games.rules.position import Outcome
from games.sweeps import end_games_on_time
from tests.conftest import NOW, make_player
from tests.games.acts import as_stored, move
from tests.tournaments.life import Stage
from tournaments import directing, leaving
from tournaments.models import Event

Way = Callable[[Stage, Event, Game], None]


def players(game: Game) -> list[Player]:
    return [seat.player for seat in game.seats.select_related("player").order_by("number")]


def resign(stage: Stage, event: Event, game: Game) -> None:
    play.resign(game_id=game.pk, player_id=players(game)[0].pk, now=stage.now)


def give_up(stage: Stage, event: Event, game: Game) -> None:
    play.give_up(game_id=game.pk, player_id=players(game)[1].pk, now=stage.now)


def agree(stage: Stage, event: Event, game: Game) -> None:
    for player in players(game):
        play.offer_draw(game_id=game.pk, player_id=player.pk, now=stage.now)


def accept(stage: Stage, event: Event, game: Game) -> None:
    one, other = players(game)
    play.offer_draw(game_id=game.pk, player_id=one.pk, now=stage.now)
    play.accept_draw(game_id=game.pk, player_id=other.pk, now=stage.now)


def time_out(stage: Stage, event: Event, game: Game) -> None:
    end_games_on_time(now=stage.now + timedelta(days=30))


def end_on_time(stage: Stage, event: Event, game: Game) -> None:
    play.end_on_time(game_id=game.pk, now=stage.now + timedelta(days=30))


def late_move(stage: Stage, event: Event, game: Game) -> None:
    late = stage.now + timedelta(days=30)
    with pytest.raises(Exception, match="ran out"):
        move(game, now=late)


def rule(stage: Stage, event: Event, game: Game) -> None:
    rulings.set_result(game_id=game.pk, score=2, by=judge(), reason="…", now=stage.now)


def undo_a_void(stage: Stage, event: Event, game: Game) -> None:
    rule(stage, event, game)
    void = rulings.make_void(game_id=game.pk, by=judge(), reason="…", now=stage.now)
    rulings.undo(ruling_id=void.pk, by=judge(), now=stage.now)


def make_void(stage: Stage, event: Event, game: Game) -> None:
    rulings.make_void(game_id=game.pk, by=judge(), reason="…", now=stage.now)


def rule_in_event(stage: Stage, event: Event, game: Game) -> None:
    directing.rule(
        event_id=event.pk, meeting_id=event.meetings.get(game=game).pk, score=2, other_score=0,
        by=stage.organiser, reason="…", now=stage.now,
    )  # fmt: skip


def leave(stage: Stage, event: Event, game: Game) -> None:
    leaving.leave(event_id=event.pk, player=players(game)[0], now=stage.now)


def expel(stage: Stage, event: Event, game: Game) -> None:
    leaving.expel(
        event_id=event.pk, player=players(game)[0], by=stage.organiser, reason="…", now=stage.now
    )


def finish_now(stage: Stage, event: Event, game: Game) -> None:
    directing.finish_now(event_id=event.pk, by=stage.organiser, now=stage.now)


def reach_the_last_day(stage: Stage, event: Event, game: Game) -> None:
    Event.objects.filter(pk=event.pk).update(ends_at=stage.now, due_at=stage.now)
    stage.work()


def judge() -> Player:
    known = Player.objects.filter(name="judge").first()
    return known or make_player("judge", is_staff=True)


WAYS: dict[Way, tuple[Any, ...]] = {
    resign: (play.resign,),
    give_up: (play.give_up,),
    agree: (play.offer_draw,),
    accept: (play.accept_draw,),
    time_out: (play.forfeit_on_time,),
    end_on_time: (play.end_on_time,),
    late_move: (play.submit_move, play.play_move),
    rule: (rulings.set_result,),
    make_void: (rulings.make_void,),
    undo_a_void: (rulings.undo,),
    rule_in_event: (),
    leave: (),
    expel: (),
    finish_now: (),
    reach_the_last_day: (),
}
"""Every way in which a game of an event ends, and the doors that it goes through."""
ENDS_NOTHING = {
    play.decline_draw, play.withdraw_draw, play.ask_takeback, play.decline_takeback,
    play.accept_takeback, play.recount_deadline, play.recount_deadlines,
    play.throw_dice, rulings.play_each_other, rulings.reopen,
    rulings.give_time, rulings.correct_clock, rulings.may_rule, rulings.require_may_rule,
    rulings.find,
}  # fmt: skip
NOT_IN_EVENTS = {play.abort}


@pytest.fixture
def stage(alice: Player) -> Stage:
    return Stage(alice)


def test_every_door_of_a_game_says_whether_it_ends_it() -> None:
    """A new one is added to a way of ending or to those that end nothing."""
    doors = {
        door
        for module in (play, rulings)
        for name, door in inspect.getmembers(module, inspect.isfunction)
        if door.__module__ == module.__name__ and not name.startswith("_")
    }
    known = {door for ends in WAYS.values() for door in ends} | ENDS_NOTHING | NOT_IN_EVENTS
    assert {door.__qualname__ for door in doors ^ known} == set()


@pytest.mark.parametrize("moves", [0, 1])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_is_rated_before_both_have_moved(
    stage: Stage, bob: Player, charlie: Player, way: Way, moves: int
) -> None:
    event = stage.started(bob, charlie)
    game = event.meetings.get().game
    assert game is not None
    for _ in range(moves):
        move(game, now=stage.now)
    way(stage, event, game)
    assert as_stored(game).status != Status.RUNNING
    assert not RatingEntry.objects.filter(is_void=False).exists()
    assert not Rating.objects.exists()


def test_a_game_that_the_first_move_ends_is_not_rated(
    start: Callable[..., Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start()
    won = Outcome(scores=(1.0, 0.0), reason="board")
    position = type(registry.RULESETS[game.ruleset].start({}))
    monkeypatch.setattr(position, "play", lambda self, move: _Over(won, self))
    move(game)
    assert as_stored(game).status == Status.FINISHED
    assert not RatingEntry.objects.exists()


class _Over:
    def __init__(self, awaiting: Outcome, before: Any) -> None:
        self.awaiting, self.before = awaiting, before

    def to_json(self) -> Any:
        return self.before.to_json()


def test_a_game_that_the_second_move_ends_is_rated(
    start: Callable[..., Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start()
    move(game, now=NOW)
    position = type(registry.RULESETS[game.ruleset].start({}))
    won = Outcome(scores=(0.0, 1.0), reason="board")
    monkeypatch.setattr(position, "play", lambda self, move: _Over(won, self))
    move(game)
    assert RatingEntry.objects.count() == 1
