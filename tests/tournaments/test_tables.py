"""Tables, places that can be reached, reports and forecasts."""

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from tests.tournaments.life import Stage, entry, fresh
from tournaments import forecasts, leaving, reports
from tournaments.formats import trf
from tournaments.formats.cards import Steps, cards
from tournaments.formats.possible import points_so_far
from tournaments.formats.standing import standings
from tournaments.models import State
from tournaments.refusals import BadEvent
from tournaments.tables import board_of

Crowd = Callable[[int], list[Player]]


@pytest.mark.parametrize(
    ("format", "settings"),
    [
        ("round-robin", {}),
        ("swiss", {"rounds": 3}),
        ("knockout", {}),
        ("ladder", {}),
        ("stages", {"section_size": 3, "qualify": 1}),
    ],
)
def test_a_table_costs_the_same_for_few_and_for_many(
    stage: Stage, crowd: Crowd, format: str, settings: dict[str, object]
) -> None:
    players = crowd(8)
    small = stage.started(*players[:6], format=format, settings=settings)
    large = stage.started(*players, format=format, settings=settings)
    counts = []
    for event in (small, large):
        with CaptureQueriesContext(connection) as queries:
            board = board_of(fresh(event))
            names = [line.entry.player.name for part in board.sections for line in part.lines]
        assert len(names) == event.entries.count()
        counts.append(len(queries))
    assert counts == [4, 4], "the event, its entries, its meetings and its rests"


def test_games_left_are_those_that_run_and_those_to_come(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = stage.started(*players, settings={"at_once": 1})
    assert [line.left for line in board_of(event).sections[0].lines] == [3, 3, 3, 3]
    stage.stronger_wins_all(event)
    assert [line.left for line in board_of(event).sections[0].lines] == [2, 2, 2, 2]
    swiss = stage.started(*players, format="swiss", settings={"rounds": 3, "games": 2})
    assert [line.left for line in board_of(swiss).sections[0].lines] == [6, 6, 6, 6]


def test_possible_places_close_in_until_they_are_the_rank(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(4), settings={"at_once": 1})
    before = dict.fromkeys(range(1, 5), (1, 4))
    while True:
        lines = board_of(event).sections[0].lines
        now = {line.row.number: (line.best, line.worst) for line in lines}
        for number, (best, worst) in now.items():
            assert before[number][0] <= best <= worst <= before[number][1]
        for line in lines:
            assert line.best <= line.row.rank or line.left
        before = now
        if fresh(event).state == State.FINISHED:
            break
        stage.stronger_wins_all(event)
    assert now == {1: (1, 1), 2: (2, 2), 3: (3, 3), 4: (4, 4)}


def test_a_struck_player_is_in_no_table_and_nobody_waits_for_him(
    stage: Stage, crowd: Crowd
) -> None:
    players = crowd(4)
    event = stage.started(*players, settings={"at_once": 1})
    leaving.leave(event_id=event.pk, player=players[3], now=stage.now)
    stage.work()
    lines = board_of(event).sections[0].lines
    assert {line.entry.player for line in lines} == set(players[:3])
    assert [line.left for line in lines] == [2, 2, 2]
    assert all((line.best, line.worst) == (1, 3) for line in lines)
    stage.play_out(event)
    assert [entry(event, player).rank for player in players] == [1, 2, 3, None]


def test_a_bye_in_matches_of_two_games_is_worth_both_wherever_it_is_counted(
    stage: Stage, crowd: Crowd
) -> None:
    event = stage.started(*crowd(5), format="swiss", settings={"rounds": 3, "games": 2})
    stage.stronger_wins_all(event)
    board = board_of(event)
    shown = {line.row.number: line.row.points for line in board.sections[0].lines}
    assert shown == points_so_far(board.told.history)
    rest = event.rests.get(round=1).entry.number or 0
    assert shown[rest] == 2 + 2 * event.rests.filter(round=2, entry__number=rest).count()
    card = cards(board.told.history, before=2, virtual={}, steps=Steps.of(board.told.history, {}))[
        rest
    ]
    assert card.points == 2 * Steps.of(board.told.history, {}).per_point


# To take away


def test_the_report_file_of_a_swiss_event_has_the_same_table(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(5), format="swiss", settings={"rounds": 3})
    stage.play_out(event)
    event = fresh(event)
    report = trf.read(reports.as_trf(event=event))
    rows = standings(report.history, ["BH-C1", "BH", "SB"], format="swiss")
    lines = board_of(event).sections[0].lines
    assert {row.number: (row.points, row.values) for row in rows} == {
        line.row.number: (line.row.points, line.row.values[:3]) for line in lines
    }
    assert [player.name for player in report.players] == [f"player0{n}" for n in range(1, 6)]


def test_each_section_has_a_report_file_of_its_own(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(6), settings={"section_size": 3})
    with pytest.raises(BadEvent, match="several sections"):
        reports.as_trf(event=event)
    report = trf.read(reports.as_trf(event=event, section=2))
    assert [player.number for player in report.players] == [1, 2, 3]
    assert len(report.history.meetings) == 3
    with pytest.raises(BadEvent, match="several sections"):
        reports.as_trf(event=event, section=3)


def test_a_knockout_has_no_report_file(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.started(alice, bob, format="knockout")
    with pytest.raises(BadEvent, match="Only Swiss events and round robins"):
        reports.as_trf(event=event)


def test_the_table_as_csv_and_the_event_as_data(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(3))
    stage.play_out(event)
    rows = list(csv.DictReader(io.StringIO(reports.as_csv(event=fresh(event)))))
    assert [(row["rank"], row["player"], row["points"]) for row in rows] == [
        ("1", "player01", "2"),
        ("2", "player02", "1"),
        ("3", "player03", "0"),
    ]
    data = json.loads(json.dumps(reports.as_data(event=fresh(event))))
    assert len(data["games"]) == 3
    assert {tuple(game["scores"]) for game in data["games"]} <= {(1.0, 0.0), (0.0, 1.0)}
    assert [line["points"] for line in data["standings"][0]["lines"]] == [2, 1, 0]


def test_a_name_is_never_taken_for_a_formula(stage: Stage, alice: Player, bob: Player) -> None:
    Player.objects.filter(pk=bob.pk).update(name="=1+1")
    event = stage.started(alice, bob)
    assert "'=1+1" in reports.as_csv(event=event)


# When it ends


def test_the_end_is_forecast_from_how_long_they_take(stage: Stage, crowd: Crowd) -> None:
    players = crowd(5)
    event = stage.started(*players, settings={"at_once": 1})
    assert forecasts.forecast(event=event, now=stage.now) is None
    for _ in range(3):
        stage.now += timedelta(hours=1)
        stage.stronger_wins_all(event)
    ahead = forecasts.forecast(event=fresh(event), now=stage.now)
    assert ahead is not None
    assert stage.now < ahead.early <= ahead.likely <= ahead.late
    assert ahead.late - stage.now < timedelta(days=1)
    ladder = stage.started(*players, format="ladder")
    assert forecasts.forecast(event=ladder, now=stage.now) is None
