"""What directors decide, and who is one."""

from collections.abc import Callable

import pytest

from accounts.models import Player
from games import rulings
from games.models import Game, RatingEntry, Status
from tests.games.acts import both_move
from tests.tournaments.life import Stage, entry, fresh, logged, moment
from tournaments import directing
from tournaments.models import State
from tournaments.refusals import BadEvent, NotYourEvent, WrongMoment

Crowd = Callable[[int], list[Player]]


def test_the_organiser_appoints_directors_and_dismisses_them(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    with pytest.raises(NotYourEvent):
        directing.appoint(event_id=event.pk, player=charlie, by=bob, now=stage.now)
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert logged(event).count("director") == 1
    with pytest.raises(NotYourEvent):
        directing.appoint(event_id=event.pk, player=charlie, by=bob, now=stage.now)
    directing.dismiss(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert not event.directors.exists()


def test_a_result_that_is_ruled_stands_whatever_the_game_comes_to(
    stage: Stage, alice: Player, crowd: Crowd
) -> None:
    one, two = crowd(2)
    event = stage.started(one, two)
    meeting = event.meetings.get()
    assert meeting.game is not None
    both_move(meeting.game, now=stage.now)
    directing.rule(
        event_id=event.pk, meeting_id=meeting.pk, score=2, other_score=0, by=alice,
        reason="Abuse.", now=stage.now,
    )  # fmt: skip
    stage.work()
    meeting.refresh_from_db()
    assert (meeting.score, meeting.ruled, meeting.forfeit) == (2, True, False)
    assert Game.objects.get(pk=meeting.game_id).score == 2
    assert RatingEntry.objects.filter(game=meeting.game, is_void=False).count() == 1
    assert fresh(event).state == State.FINISHED


def test_neither_may_get_a_point(stage: Stage, alice: Player, crowd: Crowd) -> None:
    event = stage.started(*crowd(3))
    meeting = event.meetings.order_by("id")[0]
    rule = {"event_id": event.pk, "meeting_id": meeting.pk, "by": alice, "now": stage.now}
    with pytest.raises(BadEvent, match="2-0, 1-1, 0-2 or 0-0"):
        directing.rule(score=2, other_score=2, reason="Both nice.", **rule)
    directing.rule(score=0, other_score=0, reason="Neither came.", **rule)
    meeting.refresh_from_db()
    assert (meeting.score, meeting.other_score, meeting.forfeit) == (0, 0, True)
    assert Game.objects.get(pk=meeting.game_id).status == Status.VOID


def test_a_director_does_not_decide_his_own_games(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.started(alice, bob)
    meeting = event.meetings.get()
    assert meeting.game is not None
    with pytest.raises(BadEvent, match="You play this game yourself"):
        directing.rule(
            event_id=event.pk, meeting_id=meeting.pk, score=2, other_score=0, by=alice,
            reason="I am better.", now=stage.now,
        )  # fmt: skip
    assert not rulings.may_rule(alice, meeting.game)


def test_directors_may_rule_on_the_games_of_their_events_alone(
    stage: Stage, alice: Player, bob: Player, charlie: Player, crowd: Crowd
) -> None:
    event = stage.started(*crowd(2))
    game = event.meetings.get().game
    assert game is not None
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert rulings.may_rule(alice, game)
    assert rulings.may_rule(bob, game)
    assert not rulings.may_rule(charlie, game)
    game.event_id = None
    assert not rulings.may_rule(bob, game)


def test_a_late_ruling_changes_the_table_but_no_pairing(
    stage: Stage, alice: Player, crowd: Crowd
) -> None:
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    stage.stronger_wins_all(event)
    second = list(event.meetings.filter(round=2).values_list("first", "second"))
    meeting = event.meetings.filter(round=1).select_related("game").order_by("id")[0]
    assert meeting.game is not None
    rulings.set_result(game_id=meeting.game.pk, score=1, by=alice, reason="A fault.", now=stage.now)
    stage.work()
    meeting.refresh_from_db()
    assert (meeting.score, meeting.other_score) == (1, 1)
    assert list(event.meetings.filter(round=2).values_list("first", "second")) == second


def test_a_bye_is_given_for_a_round_to_come(stage: Stage, alice: Player, crowd: Crowd) -> None:
    players = crowd(4)
    event = stage.started(*players, format="swiss", settings={"rounds": 3})
    give = {"event_id": event.pk, "player": players[0], "by": alice, "now": stage.now}
    with pytest.raises(WrongMoment, match="Round 1 is paired already"):
        directing.give_bye(kind="H", round=1, **give)
    with pytest.raises(BadEvent, match="F for a point"):
        directing.give_bye(kind="X", **give)
    directing.give_bye(kind="H", **give)
    stage.stronger_wins_all(event)
    assert not event.meetings.filter(round=2, first__player=players[0]).exists()
    assert not event.meetings.filter(round=2, second__player=players[0]).exists()
    assert event.meetings.filter(round=2).count() == 1


def test_an_event_can_be_finished_at_once(stage: Stage, alice: Player, crowd: Crowd) -> None:
    event = stage.started(*crowd(3))
    ended = directing.finish_now(event_id=event.pk, by=alice, now=stage.now)
    assert ended.state == State.FINISHED
    assert not event.meetings.filter(settled_at=None).exists()
    assert not Game.objects.filter(event_id=event.pk, status=Status.RUNNING).exists()
    assert {each.rank for each in event.entries.all()} == {1}


def test_an_open_event_can_be_given_more_time(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.open(least_entrants=2, starts_at=moment(stage.now, days=1))
    later = moment(stage.now, days=5)
    directing.postpone(event_id=event.pk, by=alice, starts_at=later, now=stage.now)
    stage.later(days=2)
    assert fresh(event).state == State.OPEN
    stage.enter(event, alice, bob)
    stage.later(days=4)
    assert fresh(event).state == State.RUNNING
    assert entry(event, bob).number == 2
