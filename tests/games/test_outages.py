"""The outage ledger: what is entered, whose clocks are credited, and no flag falls unaccounted."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from games import beats, crediting, outages, play, sweeps, vacations
from games.clock import Fischer
from games.models import EntryNode, EntryPoint, Outage, Participant, Seat, Via, WayIn
from games.refusals import TimeRanOut
from games.table import look
from tests.conftest import NOW, days
from tests.games.acts import as_stored, both_move, move, position_of, submit, to_move
from tests.games.threads import at_once

FLAG = NOW + days(3)
MINUTE = timedelta(minutes=1)


def beat(now, way_in=WayIn.WEB, node=""):
    outages.beat(way_in=way_in, node=node, now=now)


def ledger():
    rows = Outage.objects.order_by("began_at").values_list("way_in", "began_at", "ended_at")
    return [tuple(row) for row in rows]


@pytest.fixture
def begun(start):
    """Games in which both have moved, with Alice to move."""

    def begun(now=NOW, via=Via.WEB, **terms):
        game = start(now=now, **terms)
        for _ in range(2):
            play.submit_move(
                game_id=game.pk,
                player_id=to_move(game).pk,
                text=str(position_of(game).legal_moves()[0]),
                ply=as_stored(game).ply,
                now=now,
                via=via,
            )
        return game

    return begun


# What is entered


def test_a_gap_between_beats_is_an_outage_from_beat_to_beat(db):
    beat(NOW)
    beat(NOW + MINUTE)
    assert ledger() == []
    beat(NOW + days(1))
    assert ledger() == [("web", NOW + MINUTE, NOW + days(1))]
    beat(NOW)
    assert len(ledger()) == 1
    assert EntryPoint.objects.get().beat_at == NOW + days(1)


def test_each_way_in_has_its_own(db):
    for minute in range(60):
        beat(NOW + minute * MINUTE, WayIn.WEB)
    beat(NOW, WayIn.MAIL)
    beat(NOW + 59 * MINUTE, WayIn.MAIL)
    assert ledger() == [("mail", NOW, NOW + 59 * MINUTE)]


def test_while_one_of_two_nodes_beats_there_is_no_outage(db):
    beat(NOW, node="first")
    for minute in range(10):
        beat(NOW + minute * MINUTE, node="second")
    beat(NOW + 10 * MINUTE, node="first")
    assert ledger() == []
    assert list(EntryNode.objects.order_by("name").values_list("name", flat=True)) == [
        "first",
        "second",
    ]


def test_an_outage_that_goes_on_is_entered_once_and_grows(db):
    beat(NOW)
    outages.note_silence(now=NOW + MINUTE)
    assert ledger() == []
    outages.note_silence(now=NOW + 5 * MINUTE)
    outages.note_silence(now=NOW + 9 * MINUTE)
    assert ledger() == [("web", NOW, NOW + 9 * MINUTE)]
    assert not Outage.objects.get().is_over
    beat(NOW + 12 * MINUTE)
    assert ledger() == [("web", NOW, NOW + 12 * MINUTE)]
    assert Outage.objects.get().is_over


@pytest.mark.django_db(transaction=True)
def test_two_nodes_that_come_back_at_once_enter_one_outage():
    beat(NOW)
    back = NOW + days(1)
    assert at_once(lambda: beat(back, node="a"), lambda: beat(back, node="b")) == [None, None]
    assert ledger() == [("web", NOW, back)]


def test_a_beat_is_by_the_clock_of_the_database(db):
    outages.beat(way_in=WayIn.WEB)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        assert cursor.fetchone()[0] - EntryPoint.objects.get().beat_at < MINUTE


def test_a_move_is_a_beat_if_there_was_none_for_a_while(begun, settings, monkeypatch):
    settings.BEATS = True
    monkeypatch.setattr(outages, "_beaten_here_at", {})
    game = begun()
    first = EntryPoint.objects.get(pk=WayIn.WEB).beat_at
    move(game, now=NOW + MINUTE)
    assert EntryPoint.objects.get(pk=WayIn.WEB).beat_at == first
    monkeypatch.setattr(outages, "_beaten_here_at", {})
    move(game, now=NOW + 2 * MINUTE)
    assert EntryPoint.objects.get(pk=WayIn.WEB).beat_at > first


def test_a_process_whose_own_door_is_not_answered_does_not_beat(db, caplog):
    is_answered = False

    def ask():
        if not is_answered:
            raise TimeoutError("timed out")

    beater = beats.Beater(WayIn.WEB, 8000, ask)
    for _ in range(3):
        beater._beat()
    assert not EntryPoint.objects.exists()
    assert [one.message for one in caplog.records] == [
        "no move can get in by web: TimeoutError: timed out"
    ]
    is_answered = True
    beater._beat()
    assert EntryPoint.objects.filter(way_in=WayIn.WEB).exists()
    assert EntryNode.objects.get().name.endswith(":8000")


# No flag falls in a minute that is not accounted for


def test_a_flag_does_not_fall_while_the_web_is_silent(begun):
    game = begun()
    beat(NOW + days(2))
    assert sweeps.end_games_on_time(now=FLAG + days(1)) == 0
    assert ledger() == [("web", NOW + days(2), FLAG + days(1))]
    beat(FLAG + days(1))
    assert sweeps.end_games_on_time(now=FLAG + days(1)) == 0
    assert look([game.pk])[0].flag_falls_at() == FLAG + days(2)
    beat(FLAG + days(2) + MINUTE / 2)


def test_a_flag_does_not_fall_in_the_last_seconds_that_no_beat_covers(begun):
    begun()
    beat(FLAG - timedelta(seconds=1))
    assert sweeps.end_games_on_time(now=FLAG + sweeps.GRACE) == 0
    assert ledger() == []
    beat(FLAG + sweeps.GRACE)
    assert sweeps.end_games_on_time(now=FLAG + sweeps.GRACE) == 1


def test_a_late_worker_is_no_outage(begun):
    begun()
    for hour in range(96):
        beat(NOW + timedelta(hours=hour))
        beat(NOW + timedelta(hours=hour, minutes=1))
    Outage.objects.all().delete()
    assert sweeps.end_games_on_time(now=NOW + timedelta(hours=95)) == 1


def test_a_move_that_could_not_come_earlier_is_in_time(begun):
    game = begun()
    beat(NOW + days(2))
    move(game, now=FLAG + days(1))
    assert as_stored(game).ply == 3


def test_a_site_without_mail_for_days_has_none(begun):
    game = begun(via=Via.MAIL)
    beat(NOW, WayIn.MAIL)
    for hour in range(24 * 9):
        EntryPoint.objects.update_or_create(
            pk=WayIn.WEB, defaults={"beat_at": NOW + timedelta(hours=hour)}
        )
    later = NOW + timedelta(hours=24 * 9 - 1)
    assert sweeps.end_games_on_time(now=later) == 1
    assert ledger() == [("mail", NOW, NOW + outages.LONGEST_BY_MAIL)]
    assert as_stored(game).reason == "time"


# Whose clocks are credited


@pytest.mark.parametrize(
    ("via", "way_in", "is_credited"),
    [
        (Via.WEB, WayIn.WEB, True),
        (Via.API, WayIn.WEB, True),
        (Via.MAIL, WayIn.WEB, False),
        (Via.WEB, WayIn.MAIL, False),
        (Via.API, WayIn.MAIL, False),
        (Via.MAIL, WayIn.MAIL, True),
    ],
)
def test_a_clock_is_credited_with_the_outages_of_its_player_s_way_in(
    begun, via, way_in, is_credited
):
    game = begun(via=via)
    Outage.objects.create(way_in=way_in, began_at=NOW + days(1), ended_at=NOW + days(2))
    expected = FLAG + days(1) if is_credited else FLAG
    assert look([game.pk])[0].flag_falls_at() == expected
    crediting.credit_outages(now=NOW + days(2))
    assert as_stored(game).deadline_at == expected
    with pytest.raises(TimeRanOut):
        submit(game, to_move(game), "a1-a3", now=expected)


def test_a_credit_stays_when_the_player_moves_elsewhere_by_another_way(begun, start):
    game = begun(via=Via.MAIL)
    Outage.objects.create(way_in=WayIn.MAIL, began_at=NOW + days(1), ended_at=NOW + days(2))
    move(start(now=NOW + days(2)), now=NOW + days(2))
    assert look([game.pk])[0].flag_falls_at() == FLAG + days(1)


def test_a_new_game_begins_with_the_way_in_of_the_last_move(begun, start, alice):
    begun(via=Via.MAIL)
    assert Participant.objects.get(pk=alice.pk).moves_by_mail
    game = start(now=NOW)
    assert Seat.objects.get(game=game, player=alice).moves_by_mail
    move(game, now=NOW)
    assert not Seat.objects.get(game=game, player=alice).moves_by_mail
    assert Seat.objects.get(game=game, player=alice).began_by_mail
    assert not Participant.objects.get(pk=alice.pk).moves_by_mail


def test_a_conditional_move_says_nothing_of_its_player_s_way_in(begun):
    game = begun(via=Via.MAIL)
    play.submit_move(
        game_id=game.pk,
        player_id=to_move(game).pk,
        text=str(position_of(game).legal_moves()[0]),
        ply=2,
        now=NOW,
        via=Via.CONDITIONAL,
    )
    assert Seat.objects.get(game=game, number=0).moves_by_mail


# Stored deadlines follow


def test_an_outage_moves_the_deadline_of_every_running_game_that_it_touched(begun):
    games = [begun(), begun(clock=Fischer(bank_hours=72, increment_hours=0, cap_hours=72))]
    later = begun(now=NOW + days(2))
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    assert crediting.credit_outages(now=NOW + days(2)) == 2
    assert [as_stored(game).deadline_at for game in games] == [FLAG + days(1)] * 2
    assert as_stored(later).deadline_at == FLAG + days(2)
    assert crediting.credit_outages(now=NOW + days(2)) == 0


def test_weekends_and_vacations_are_counted_with_it(begun, alice):
    type(alice).objects.filter(pk=alice.pk).update(joined_at=NOW - days(80))
    games = [begun(weekends=True), begun()]
    vacations.begin(player_id=alice.pk, until=NOW + days(2), now=NOW + days(1))
    Outage.objects.create(began_at=NOW + days(1.5), ended_at=NOW + days(2.5))
    crediting.credit_outages(now=NOW + days(3))
    tables = {table.id: table.flag_falls_at() for table in look([game.pk for game in games])}
    assert {game.pk: as_stored(game).deadline_at for game in games} == tables
    assert tables[games[1].pk] == FLAG + days(1.5)


def test_an_outage_that_goes_on_is_credited_when_it_is_over(begun):
    begun()
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2), is_over=False)
    assert crediting.credit_outages(now=NOW + days(2)) == 0
    Outage.objects.update(is_over=True)
    assert crediting.credit_outages(now=NOW + days(2)) == 1


def test_what_a_sweep_has_stored_already_is_not_counted_twice(begun):
    game = begun()
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    assert sweeps.end_games_on_time(now=FLAG + MINUTE) == 0
    assert as_stored(game).deadline_at == FLAG + days(1)
    crediting.credit_outages(now=FLAG + MINUTE)
    assert as_stored(game).deadline_at == FLAG + days(1)


def test_crediting_goes_on_where_it_was_killed(begun, monkeypatch):
    games = [begun() for _ in range(3)]
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    monkeypatch.setattr(crediting, "SLICE", 1)
    slices, move_deadlines = [], crediting._move_deadlines

    def killed_at_the_second(outage):
        slices.append(outage.credited_to)
        if len(slices) == 2:
            raise SystemExit
        return move_deadlines(outage)

    monkeypatch.setattr(crediting, "_move_deadlines", killed_at_the_second)
    with pytest.raises(SystemExit):
        crediting.credit_outages(now=NOW + days(2))
    assert not Outage.objects.get().is_credited
    assert crediting.credit_outages(now=NOW + days(2)) == 2
    assert slices == [0, games[0].pk, games[0].pk, games[1].pk, games[2].pk]
    assert Outage.objects.get().is_credited
    assert [as_stored(game).deadline_at for game in games] == [FLAG + days(1)] * 3


def test_a_slice_ends_when_its_time_is_over(begun, monkeypatch):
    begun(), begun()
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    monkeypatch.setattr(crediting, "SLICE", 1)
    assert crediting.credit_outages(now=NOW + days(2), seconds=0) == 0
    assert crediting.credit_outages(now=NOW + days(2)) == 2


@pytest.mark.django_db(transaction=True)
def test_crediting_waits_for_no_game_that_somebody_holds_while_it_holds_others(start):
    """The held one follows alone, once it is free."""
    games = [start(now=NOW) for _ in range(3)]
    for game in games:
        both_move(game, now=NOW)
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    moved = threading.Event()

    def credit():
        try:
            crediting.credit_outages(now=NOW + days(2))
        finally:
            moved.set()
            connection.close()

    with transaction.atomic():
        held = type(games[1]).objects.select_for_update().get(pk=games[1].pk)
        worker = threading.Thread(target=credit)
        worker.start()
        for _ in range(200):
            if as_stored(games[2]).deadline_at == FLAG + days(1):
                break
            moved.wait(0.05)
        assert [as_stored(game).deadline_at for game in (games[0], games[2])] == [
            FLAG + days(1)
        ] * 2
        assert as_stored(held).deadline_at == FLAG
    worker.join(20)
    assert as_stored(held).deadline_at == FLAG + days(1)
