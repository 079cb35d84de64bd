"""The outage ledger: what is entered, whose clocks are credited, and no flag falls unaccounted."""

import threading
from datetime import timedelta

import pytest
from django.db import InterfaceError, connection, transaction
from django.utils import timezone

from accounts.background import SetAside
from games import beats, crediting, outages, play, sweeps, tasks, vacations
from games.clock import Fischer
from games.models import (
    EntryNode,
    EntryPoint,
    Outage,
    Participant,
    Seat,
    Vacation,
    Via,
    WayIn,
)
from games.refusals import TimeRanOut
from games.table import look
from tests.conftest import NOW, days
from tests.games.acts import as_stored, both_move, move, position_of, submit, to_move
from tests.games.threads import at_once

FLAG = NOW + days(3)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


def beat(now, way_in=WayIn.WEB, node=""):
    outages.beat(way_in=way_in, node=node, now=now)


def known_until(at, way_in=WayIn.WEB):
    """It has beaten all the time, up to then."""
    EntryPoint.objects.update_or_create(pk=way_in, defaults={"beat_at": at})


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


@pytest.fixture
def clock_of_the_database(monkeypatch):
    """Sets it, for what asks it by itself."""
    return lambda now: monkeypatch.setattr(outages, "database_now", lambda: now)


@pytest.fixture
def beats_count(settings, monkeypatch):
    """As in a process that takes moves, and that has not beaten yet."""
    settings.BEATS = True
    monkeypatch.setattr(outages, "_beaten_here_at", {})


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


def test_a_beat_takes_back_an_outage_that_was_none(db):
    beat(NOW)
    beat(NOW, WayIn.MAIL)
    outages.note_silence(now=NOW + 2 * MINUTE)
    assert len(ledger()) == 2
    beat(NOW + MINUTE / 2)
    assert ledger() == []


def test_a_beat_takes_back_no_outage_of_the_other_way_in(db):
    beat(NOW)
    beat(NOW, WayIn.MAIL)
    outages.note_silence(now=NOW + 2 * MINUTE)
    beat(NOW + 3 * MINUTE, WayIn.MAIL)
    assert {(one.way_in, one.ended_at, one.is_over) for one in Outage.objects.all()} == {
        ("mail", NOW + 3 * MINUTE, True),
        ("web", NOW + 3 * MINUTE, False),
    }


def test_a_worker_whose_clock_runs_ahead_enters_no_outage(db, monkeypatch):
    outages.beat(way_in=WayIn.WEB)
    ahead = timezone.now() + 2 * MINUTE
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    tasks.end_games_on_time()
    assert ledger() == []


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


def test_a_move_is_a_beat_if_there_was_none_for_a_while(begun, beats_count, monkeypatch):
    game = begun()
    first = EntryPoint.objects.get(pk=WayIn.WEB).beat_at
    move(game, now=NOW + MINUTE)
    assert EntryPoint.objects.get(pk=WayIn.WEB).beat_at == first
    monkeypatch.setattr(outages, "_beaten_here_at", {})
    move(game, now=NOW + 2 * MINUTE)
    assert EntryPoint.objects.get(pk=WayIn.WEB).beat_at > first


def test_a_move_is_played_whatever_becomes_of_its_beat(begun, beats_count, monkeypatch, caplog):
    game = begun()
    monkeypatch.setattr(outages, "_beaten_here_at", {})
    monkeypatch.setattr(outages, "beat", lambda **_of: 1 / 0)
    assert move(game, now=NOW + MINUTE).ply == as_stored(game).ply == 3
    assert "could not be noted" in caplog.text


def test_an_outage_that_a_move_ends_is_not_time_that_it_took(
    begun, beats_count, clock_of_the_database
):
    clock_of_the_database(NOW)
    game = begun(clock=Fischer(bank_hours=72, increment_hours=0, cap_hours=72))
    known_until(NOW + days(1))
    outages._beaten_here_at.clear()
    clock_of_the_database(NOW + days(2))
    move(game, now=NOW + days(2))
    assert ledger()[-1] == ("web", NOW + days(1), NOW + days(2))
    assert Seat.objects.get(game=game, number=0).bank == days(2)


def test_the_beats_of_a_process_survive_every_error(monkeypatch, caplog):
    errors = [InterfaceError("the cursor is closed"), RuntimeError("no more threads")]
    monkeypatch.setattr(outages, "BEAT_EVERY", 0)

    def ask():
        if errors:
            raise errors.pop(0)

    beater = beats.Beater(WayIn.WEB, 8000, ask)
    monkeypatch.setattr(outages, "beat", lambda **_of: beater.ended.set())
    beater.run()
    assert "InterfaceError: the cursor is closed" in caplog.text
    assert caplog.messages[-1] == "moves get in by web again"


def test_the_beats_of_a_process_survive_what_happens_while_they_are_reported(monkeypatch, caplog):
    monkeypatch.setattr(outages, "BEAT_EVERY", 0)
    beater = beats.Beater(WayIn.WEB, 8000, lambda: None)
    reports = []

    def report(trouble):
        reports.append(trouble)
        if len(reports) == 2:
            beater.ended.set()
        raise OSError("the log is full")

    monkeypatch.setattr(outages, "beat", lambda **_of: None)
    monkeypatch.setattr(beater, "_report", report)
    beater.run()
    assert reports == [None, None]
    assert "a beat of web failed" in caplog.text


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


def test_no_time_out_is_decided_before_it_is_known_that_moves_got_in(begun):
    game = begun()
    beat(FLAG - 10 * SECOND)
    assert not play.end_on_time(game_id=game.pk, now=FLAG + 20 * SECOND)
    assert as_stored(game).is_running
    beat(FLAG + 20 * SECOND)
    assert play.end_on_time(game_id=game.pk, now=FLAG + 20 * SECOND)


def test_a_time_out_in_an_outage_that_is_entered_later_is_none(begun):
    game = begun()
    beat(FLAG - 10 * SECOND)
    assert not play.end_on_time(game_id=game.pk, now=FLAG + 20 * SECOND)
    beat(FLAG + 5 * MINUTE)
    assert not play.end_on_time(game_id=game.pk, now=FLAG + 5 * MINUTE)
    assert look([game.pk])[0].flag_falls_at() == FLAG + 5 * MINUTE + 10 * SECOND


def test_no_vacation_is_taken_before_it_is_known_that_moves_got_in(begun, alice):
    type(alice).objects.filter(pk=alice.pk).update(joined_at=NOW - days(80))
    begun()
    Participant.objects.filter(pk=alice.pk).update(takes_vacation_automatically=True)
    beat(FLAG - 10 * SECOND)
    sweeps.end_games_on_time(now=FLAG + 45 * SECOND)
    assert not Vacation.objects.exists()
    beat(FLAG + 45 * SECOND)
    sweeps.end_games_on_time(now=FLAG + 45 * SECOND)
    assert Vacation.objects.get().began_at == FLAG


def test_a_player_who_leaves_before_it_is_known_has_resigned(begun, alice):
    game = begun()
    beat(FLAG - 10 * SECOND)
    play.give_up(game_id=game.pk, player_id=alice.pk, now=FLAG + 20 * SECOND)
    assert as_stored(game).reason == "resignation"


def test_a_late_move_ends_the_game_if_the_web_was_up_all_the_time(
    begun, beats_count, clock_of_the_database
):
    clock_of_the_database(NOW)
    game = begun()
    known_until(FLAG - 10 * SECOND)
    clock_of_the_database(FLAG + 20 * SECOND)
    with pytest.raises(TimeRanOut):
        move(game, now=FLAG + 20 * SECOND)
    assert as_stored(game).reason == "time"
    assert EntryPoint.objects.get(pk=WayIn.WEB).beat_at == FLAG + 20 * SECOND


def test_a_late_move_after_an_outage_of_the_web_is_in_time(
    begun, beats_count, clock_of_the_database
):
    clock_of_the_database(NOW)
    game = begun()
    known_until(FLAG - 10 * SECOND)
    clock_of_the_database(FLAG + 5 * MINUTE)
    move(game, now=FLAG + 5 * MINUTE)
    assert as_stored(game).ply == 3
    assert Outage.objects.latest("ended_at").is_over


def test_a_late_move_while_mail_is_silent_is_refused_and_ends_nothing(
    begun, beats_count, clock_of_the_database
):
    """By the web, by a player whose way in was mail."""
    clock_of_the_database(NOW)
    game = begun(via=Via.MAIL)
    known_until(FLAG - 10 * SECOND, WayIn.MAIL)
    clock_of_the_database(FLAG + 20 * SECOND)
    with pytest.raises(TimeRanOut, match="unless an outage"):
        move(game, now=FLAG + 20 * SECOND)
    assert as_stored(game).is_running
    clock_of_the_database(FLAG + 2 * MINUTE)
    move(game, now=FLAG + 2 * MINUTE)
    assert as_stored(game).ply == 3


def test_a_broken_game_by_web_holds_up_no_other_while_mail_is_silent(begun, monkeypatch):
    monkeypatch.setattr(sweeps, "failed", SetAside())
    broken, other = begun(), begun()
    beat(FLAG - MINUTE / 2, WayIn.MAIL)
    beat(FLAG + MINUTE)
    ending = play._ending_on_time
    monkeypatch.setattr(
        play, "_ending_on_time", lambda table: 1 / 0 if table.id == broken.pk else ending(table)
    )
    assert sweeps.end_games_on_time(now=FLAG + MINUTE / 2) == 1
    assert [as_stored(game).is_running for game in (broken, other)] == [True, False]
    assert list(sweeps.failed) == [broken.pk]


def test_a_late_worker_is_no_outage(begun):
    begun()
    for hour in range(96):
        beat(NOW + timedelta(hours=hour))
        beat(NOW + timedelta(hours=hour, minutes=1))
    Outage.objects.all().delete()
    assert sweeps.end_games_on_time(now=NOW + timedelta(hours=95)) == 1


def test_a_move_that_could_not_come_earlier_is_in_time(begun, clock_of_the_database):
    game = begun()
    beat(NOW + days(2))
    clock_of_the_database(FLAG + days(1))
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


def without_mail(since=None):
    """No mail server of ours beats: there was never one, or it has been silent since."""
    if since:
        beat(since, WayIn.MAIL)


@pytest.mark.parametrize("mail_silent_since", [None, NOW - days(4)])
def test_where_mail_comes_in_by_the_web_an_outage_of_the_web_is_one_of_mail(
    begun, mail_silent_since
):
    without_mail(mail_silent_since)
    game = begun(via=Via.MAIL)
    beat(NOW + days(1))
    outages.note_silence(now=NOW + days(1.5))
    assert ("mail", NOW + days(1), NOW + days(1.5)) in ledger()
    beat(NOW + days(2))
    assert {row for row in ledger() if row[1] == NOW + days(1)} == {
        ("web", NOW + days(1), NOW + days(2)),
        ("mail", NOW + days(1), NOW + days(2)),
    }
    assert all(outage.is_over for outage in Outage.objects.all())
    crediting.credit_outages(now=NOW + days(2))
    assert as_stored(game).deadline_at == FLAG + days(1)


@pytest.mark.parametrize("mail_silent_since", [None, NOW - days(4)])
def test_where_mail_comes_in_by_the_web_no_time_out_is_decided_while_the_web_is_silent(
    begun, mail_silent_since
):
    without_mail(mail_silent_since)
    game = begun(via=Via.MAIL)
    beat(FLAG - 10 * SECOND)
    assert sweeps.end_games_on_time(now=FLAG + 45 * SECOND) == 0
    beat(FLAG + 45 * SECOND)
    assert sweeps.end_games_on_time(now=FLAG + 45 * SECOND) == 1
    assert as_stored(game).reason == "time"


def test_a_mail_server_that_comes_back_ends_the_outage_of_mail_alone(begun):
    begun(via=Via.MAIL)
    beat(NOW)
    beat(NOW + 5 * MINUTE, WayIn.MAIL)
    assert set(ledger()) == {("web", NOW, NOW + 5 * MINUTE), ("mail", NOW, NOW + 5 * MINUTE)}
    beat(NOW + 6 * MINUTE, WayIn.MAIL)
    beat(NOW + 7 * MINUTE)
    assert set(ledger()) == {("web", NOW, NOW + 7 * MINUTE), ("mail", NOW, NOW + 5 * MINUTE)}


def test_an_outage_of_the_web_during_which_mail_is_given_up_counts_from_then_on(begun):
    begun(via=Via.MAIL)
    beat(NOW, WayIn.MAIL)
    beat(NOW + days(2))
    beat(NOW + days(5))
    given_up = NOW + outages.LONGEST_BY_MAIL
    assert set(ledger()) == {
        ("mail", NOW, given_up),
        ("web", NOW + days(2), NOW + days(5)),
        ("mail", given_up, NOW + days(5)),
    }


def test_where_nobody_moves_by_mail_an_outage_of_the_web_is_that_alone(begun):
    begun()
    beat(NOW)
    beat(NOW + 5 * MINUTE)
    assert ledger() == [("web", NOW, NOW + 5 * MINUTE)]


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
def test_crediting_waits_for_no_game_that_somebody_holds(start):
    """The worker comes back while it is held; the game follows when it is free."""
    games = [start(now=NOW) for _ in range(3)]
    for game in games:
        both_move(game, now=NOW)
    Outage.objects.create(began_at=NOW + days(1), ended_at=NOW + days(2))
    later = Outage.objects.create(way_in=WayIn.MAIL, began_at=NOW + days(1), ended_at=NOW + days(2))
    moved = []

    def credit():
        try:
            moved.append(crediting.credit_outages(now=NOW + days(2)))
        finally:
            connection.close()

    with transaction.atomic():
        held = type(games[1]).objects.select_for_update().get(pk=games[1].pk)
        worker = threading.Thread(target=credit)
        worker.start()
        worker.join(25)
        assert moved == [2]
        assert [as_stored(game).deadline_at for game in games] == [
            FLAG + days(1),
            FLAG,
            FLAG + days(1),
        ]
    worker.join(20)
    later.refresh_from_db()
    assert later.is_credited
    assert not Outage.objects.get(way_in=WayIn.WEB).is_credited
    assert crediting.credit_outages(now=NOW + days(2)) == 1
    assert as_stored(held).deadline_at == FLAG + days(1)
    assert Outage.objects.get(way_in=WayIn.WEB).is_credited
