"""Games begin in slices, by a worker: whoever starts an event does not wait for them."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Player
from games.models import Game, Participant
from notifications.models import Kind, Letter
from tests.conftest import make_player
from tests.games.threads import at_once
from tests.tournaments.life import Stage, fresh, logged
from tournaments import advancing, beginning, directing, leaving, results
from tournaments.formats.format import TooManyGames
from tournaments.models import Event, Meeting, State

Crowd = Callable[[int], list[Player]]


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "SLICE", 4)


def paired(stage: Stage, players: list[Player], **fields: object) -> Event:
    """Started and paired, with no game begun."""
    event = stage.open(**fields)
    stage.enter(event, *players)
    advancing.start(event_id=event.pk, by=stage.organiser, now=stage.now)
    results.catch_up(event_id=event.pk, now=stage.now)
    return fresh(event)


def test_whoever_starts_an_event_begins_no_game(
    stage: Stage, alice: Player, crowd: Crowd, as_player: Callable[[Player], Client]
) -> None:
    event = stage.open()
    stage.enter(event, *crowd(6))
    as_player(alice).post(reverse("event_act", args=[event.pk, "start"]))
    assert fresh(event).state == State.RUNNING
    assert not event.meetings.exists()
    page = as_player(alice).get(reverse("event", args=[event.pk])).content.decode()
    assert "The first games are being paired" in page
    assert results.catch_up_all(now=stage.now) == 16
    assert Game.objects.filter(event_id=event.pk).count() == 15


def test_games_begin_slice_by_slice_and_the_progress_is_shown(
    stage: Stage, crowd: Crowd, client: Client, api_of: Callable[..., APIClient]
) -> None:
    event = paired(stage, crowd(6))
    assert (event.meetings.count(), Game.objects.count()) == (15, 0)
    assert beginning.begin_slice(event_id=event.pk, now=stage.now) == 4
    page = client.get(reverse("event", args=[event.pk])).content.decode()
    assert "4 of 15 games begun" in page
    told = api_of(stage.organiser).get(f"/api/v1/events/{event.pk}").json()
    assert (told["games_begun"], told["games_paired"]) == (4, 15)
    assert beginning.begin_waiting_games(now=stage.now) == 11
    assert Game.objects.filter(event_id=event.pk).count() == 15
    assert fresh(event).unbegun_from is None
    assert set(Participant.objects.values_list("running_games", flat=True)) == {5}


def test_no_clock_runs_before_its_game_has_begun(stage: Stage, crowd: Crowd) -> None:
    event = paired(stage, crowd(4))
    beginning.begin_slice(event_id=event.pk, now=stage.now)
    later = stage.now + timedelta(hours=5)
    beginning.begin_slice(event_id=event.pk, now=later)
    began = [meeting.game.started_at for meeting in event.meetings.order_by("id") if meeting.game]
    assert began == [stage.now] * 4 + [later] * 2
    last = event.meetings.order_by("id").last()
    assert last is not None
    assert last.game is not None
    assert last.game.clock_from == later


def test_what_a_worker_left_is_found_without_a_bell(stage: Stage, crowd: Crowd) -> None:
    event = paired(stage, crowd(6))
    beginning.begin_slice(event_id=event.pk, now=stage.now)
    assert results.catch_up_all(now=stage.now) == 11
    assert results.catch_up_all(now=stage.now) == 0


def test_a_game_that_fails_to_begin_holds_up_no_other_and_is_ruled_on(
    stage: Stage,
    crowd: Crowd,
    monkeypatch: pytest.MonkeyPatch,
    as_player: Callable[[Player], Client],
    api_of: Callable[..., APIClient],
) -> None:
    event = paired(stage, crowd(6))
    broken = list(event.meetings.order_by("id"))[1]
    begin = beginning.begin_game

    def begin_or_fail(event: Event, meeting: Meeting, *, now: datetime) -> None:
        begin(event, meeting, now=now)
        if meeting.pk == broken.pk:
            raise ValueError("after the game was stored")

    monkeypatch.setattr(beginning, "begin_game", begin_or_fail)
    results.catch_up_all(now=stage.now)
    assert Game.objects.filter(event_id=event.pk).count() == 14
    assert fresh(event).unbegun_from is None
    assert logged(event).count("not-begun") == 1
    page = as_player(stage.organiser).get(reverse("event_console", args=[event.pk])).text
    assert "Could not begin" in page
    assert reverse("rule_in_event", args=[event.pk, broken.pk]) in page
    attention = api_of(stage.organiser).get(f"/api/v1/events/{event.pk}/attention").json()
    assert [one["id"] for one in attention["not_begun"]] == [broken.pk]
    directing.rule(
        event_id=event.pk, meeting_id=broken.pk, score=1, other_score=1, by=stage.organiser,
        reason="Our error.", now=stage.now,
    )  # fmt: skip
    assert stage.play_out(event).state == State.FINISHED


def test_a_large_event_lets_other_work_have_its_turn(
    stage: Stage, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[bool] = []
    monkeypatch.setattr(beginning, "PASSES", 2)
    monkeypatch.setattr("tournaments.errands.ring", lambda: rung.append(True))
    paired(stage, crowd(6))
    rung.clear()
    assert beginning.begin_waiting_games(now=stage.now) == 8
    assert rung == [True]


def test_whoever_leaves_first_begins_no_game(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = paired(stage, players)
    leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
    stage.work()
    assert not Game.objects.filter(seats__player=players[0]).exists()
    assert Game.objects.filter(event_id=event.pk).count() == 3


def test_everybody_gets_one_letter_about_all_games_of_a_pairing(stage: Stage, crowd: Crowd) -> None:
    players = crowd(6)
    paired(stage, players)
    stage.work()
    letters = Letter.objects.filter(kind=Kind.ROUND_PAIRED, channel="mail")
    assert {letter.player_id for letter in letters} == {player.pk for player in players}
    assert [len(letter.details["games"]) for letter in letters] == [5] * 6


@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_time_begin_every_game_once(stage: Stage) -> None:
    event = paired(stage, [make_player(f"player{at:02}") for at in range(1, 7)])
    begun = at_once(*[lambda: beginning.begin_slice(event_id=event.pk, now=stage.now)] * 4)
    assert sum(begun) == 15
    assert Game.objects.filter(event_id=event.pk).count() == 15
    assert set(Participant.objects.values_list("running_games", flat=True)) == {5}


def test_an_event_with_too_many_games_is_refused_when_it_is_saved(stage: Stage) -> None:
    with pytest.raises(TooManyGames, match="5000 players would make 12497500 games"):
        stage.draft(most_entrants=5000)


def test_an_event_from_before_the_limits_is_refused_when_it_starts(
    stage: Stage, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = stage.open()
    stage.enter(event, *crowd(6))
    monkeypatch.setattr("tournaments.formats.format.MOST_GAMES", 14)
    with pytest.raises(TooManyGames, match="6 players would make 15 games"):
        advancing.start(event_id=event.pk, by=stage.organiser, now=stage.now)
    assert fresh(event).state == State.OPEN


def test_a_single_game_is_said_in_the_singular(stage: Stage, client: Client) -> None:
    event = stage.open(most_entrants=3)
    page = client.get(reverse("event", args=[event.pk])).content.decode()
    assert "2 players: 1 game each, 1 in all" in page


def test_how_many_games_there_will_be_is_said_before_the_start(
    stage: Stage, client: Client, crowd: Crowd, api_of: Callable[..., APIClient]
) -> None:
    event = stage.open(most_entrants=12)
    stage.enter(event, *crowd(4))
    page = client.get(reverse("event", args=[event.pk])).content.decode()
    assert "4 players: 3 games each, 6 in all" in page
    assert "12 players: 11 games each, 66 in all" in page
    told = api_of(stage.organiser).get(f"/api/v1/events/{event.pk}").json()["games_expected"]
    assert told[1] == {"entrants": 12, "per_player": 11, "total": 66, "at_once": 11}
