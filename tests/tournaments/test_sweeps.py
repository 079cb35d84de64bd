"""What time alone brings about, at the cost of what is due."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from games.models import RatingEntry
from tests.games.acts import both_move
from tests.tournaments.life import Stage, fresh, logged
from tournaments import sweeps
from tournaments.models import Event, State

Crowd = Callable[[int], list[Player]]
SWISS = {"format": "swiss", "settings": {"rounds": 3}}


def test_an_event_starts_at_its_time(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.open(starts_at=stage.now + timedelta(days=2))
    stage.enter(event, alice, bob)
    stage.later(days=1)
    assert fresh(event).state == State.OPEN
    stage.later(days=1)
    assert fresh(event).state == State.RUNNING


def test_a_round_waits_for_its_games_where_that_is_the_rule(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(4), **SWISS, round_days=1)
    stage.later(days=2)
    assert event.rounds.count() == 1
    assert fresh(event).due_at is None


@pytest.mark.parametrize("rule", [Event.RoundEnd.DRAW, Event.RoundEnd.FORFEIT])
def test_at_the_deadline_games_are_decided_by_the_rule_and_the_next_round_is_paired(
    stage: Stage, crowd: Crowd, rule: str
) -> None:
    event = stage.started(*crowd(4), **SWISS, round_days=2, round_end=rule)
    one, other = event.meetings.select_related("game").order_by("id")
    assert one.game is not None
    both_move(one.game, now=stage.now)
    stage.later(days=2)
    one.refresh_from_db()
    other.refresh_from_db()
    first_to_move = (0, 2)
    expected = (1, 1) if rule == Event.RoundEnd.DRAW else first_to_move
    assert (one.score, one.other_score, one.forfeit) == (*expected, False)
    assert (other.score, other.other_score, other.forfeit) == (*expected, True)
    assert RatingEntry.objects.filter(is_void=False).count() == 1
    assert event.rounds.count() == 2
    assert "round-ended" in logged(event)


def test_a_swiss_event_of_deadlines_alone_comes_to_its_end(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(4), **SWISS, round_days=1, round_end="draw")
    for _ in range(3):
        stage.later(days=1)
    assert fresh(event).state == State.FINISHED


def test_the_sweep_costs_what_is_due(stage: Stage, alice: Player, bob: Player) -> None:
    later = stage.now + timedelta(days=30)
    for number in range(6):
        event = stage.open(name=f"Event {number}", starts_at=later)
        stage.enter(event, alice, bob)
    with CaptureQueriesContext(connection) as queries:
        assert sweeps.look_at_due_events(now=stage.now) == 0
    assert len(queries) == 1


def test_one_event_that_fails_holds_up_no_other(
    stage: Stage, alice: Player, bob: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = stage.now + timedelta(days=1)
    events = [stage.open(name=f"Event {number}", starts_at=later) for number in range(2)]
    for event in events:
        stage.enter(event, alice, bob)
    whole = sweeps.look_at

    def look_at(*, event_id: int, now: object) -> None:
        if event_id == events[0].pk:
            raise RuntimeError("a broken wire")
        whole(event_id=event_id, now=now)  # type: ignore[arg-type]

    monkeypatch.setattr(sweeps, "look_at", look_at)
    sweeps.look_at_due_events(now=later)
    assert [fresh(event).state for event in events] == [State.OPEN, State.RUNNING]
