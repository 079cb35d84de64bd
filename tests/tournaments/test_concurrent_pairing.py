"""Two workers pair one round: one does it, the other waits and finds nothing to do."""

import pytest
from django.db import transaction

from games import play
from games.models import Game, Participant
from tests.conftest import make_player
from tests.games.acts import both_move
from tests.games.threads import Meanwhile, at_once
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import advancing, leaving, results
from tournaments.finding import lock
from tournaments.models import EntryState, Errand, Event, State
from tournaments.refusals import WrongMoment

pytestmark = pytest.mark.django_db(transaction=True)


def swiss(stage: Stage, entrants: int = 4) -> Event:
    players = [make_player(f"player{at:02}") for at in range(1, entrants + 1)]
    return stage.started(*players, format="swiss", settings={"rounds": 3})


def test_two_workers_pair_a_round_once(stage: Stage) -> None:
    event = swiss(stage)
    stage.work()
    for meeting in event.meetings.select_related("game", "first__player"):
        stage.win(meeting.game, meeting.first.player)
        Errand.objects.create(event=event, game_id=meeting.game_id, noted_at=stage.now)
    answers = at_once(
        *[lambda: results.catch_up(event_id=event.pk, now=stage.now)] * 3,
        lambda: advancing.advance(event_id=event.pk, now=stage.now),
    )
    assert answers == [None] * 4
    results.catch_up_all(now=stage.now)
    assert event.meetings.filter(round=2).count() == 2
    assert Game.objects.filter(event_id=event.pk).count() == 4
    assert logged(event).count("paired") == 2
    assert not Errand.objects.exists()


def test_whoever_comes_second_waits_for_the_first(stage: Stage) -> None:
    event = swiss(stage)
    for meeting in event.meetings.select_related("game", "first__player"):
        stage.win(meeting.game, meeting.first.player)
        results.settle(event, meeting.game_id or 0, now=stage.now)
    with transaction.atomic():
        held = lock(event.pk)
        second = Meanwhile(lambda: advancing.advance(event_id=event.pk, now=stage.now))
        second.begin().wait_until_it_waits()
        advancing.go_on(held, now=stage.now)
    assert second.end() is None
    assert event.meetings.filter(round=2).count() == 2


def test_an_event_that_two_start_is_started_once(stage: Stage) -> None:
    event = stage.open()
    stage.enter(event, *(make_player(f"player{at:02}") for at in range(1, 5)))
    answers = at_once(
        *[
            lambda: advancing.start(event_id=event.pk, by=stage.organiser, now=stage.now),
        ]
        * 2
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["Event", "WrongMoment"]
    assert any(isinstance(answer, WrongMoment) for answer in answers)
    stage.work()
    assert event.meetings.count() == 6
    assert set(Participant.objects.values_list("running_games", flat=True)) == {3}


def test_a_leave_and_the_last_results_do_not_wait_for_each_other(stage: Stage) -> None:
    """Events lock the event, then games, players and pools; games never wait for an event."""
    players = [make_player(f"player{at:02}") for at in range(1, 5)]
    event = stage.started(*players, drop_out="forfeit")
    games = [meeting.game for meeting in event.meetings.select_related("game")]
    for game in games:
        assert game is not None
        both_move(game, now=stage.now)
    answers = at_once(
        *(
            lambda game=game: play.resign(
                game_id=game.pk, player_id=game.seats.get(number=0).player_id, now=stage.now
            )
            for game in games
        ),
        lambda: leaving.leave(event_id=event.pk, player=players[0], now=stage.now),
        lambda: leaving.leave(event_id=event.pk, player=players[1], now=stage.now),
    )
    failed = [one for one in answers if isinstance(one, Exception) and "over" not in str(one)]
    assert failed == []
    stage.work()
    assert fresh(event).state == State.FINISHED
    assert {entry(event, one).state for one in players[:2]} == {EntryState.WITHDRAWN}
    assert set(Participant.objects.values_list("running_games", flat=True)) == {0}
    for meeting in event.meetings.select_related("game"):
        assert meeting.game is not None
        assert meeting.score == meeting.game.score
