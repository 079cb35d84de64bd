"""A flag falls with nobody on line, once, and never on a clock that stands still."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import crediting, dice, outbox, play, ratings, sweeps, tasks, vacations
from games.clock import Fischer, PerMove
from games.models import Outage, Participant, RatingEntry, Status, Vacation
from games.refusals import TimeRanOut
from games.table import look
from tests.conftest import NOW, days
from tests.games.acts import as_stored, both_move, move, position_of, submit, to_move
from tests.games.hearing import names_of_facts

FLAG = NOW + days(3)


def sweep(now):
    return sweeps.end_games_on_time(now=now)


@pytest.fixture
def begun(start):
    """Games in which both have moved, with Alice to move."""

    def begun(now=NOW, **terms):
        game = start(now=now, **terms)
        both_move(game, now=now)
        return game

    return begun


def save_up(player, number, *, automatic=False):
    """The player has this many days of vacation at NOW."""
    type(player).objects.filter(pk=player.pk).update(joined_at=NOW - 8 * days(number))
    Participant.objects.update_or_create(
        player=player, defaults={"takes_vacation_automatically": automatic}
    )


# What a fallen flag is worth


@pytest.mark.parametrize("plies", [0, 1])
def test_a_game_in_which_not_both_have_moved_is_void(start, plies):
    game = start()
    for _ in range(plies):
        move(game)
    assert sweep(FLAG + days(1)) == 1
    over = as_stored(game)
    assert (over.status, over.reason, over.score) == (Status.VOID, "time", None)
    assert not RatingEntry.objects.exists()


@pytest.mark.parametrize(("more", "score"), [(0, 0), (1, 2)])
def test_otherwise_whoever_was_to_move_has_lost(begun, more, score):
    game = begun()
    for _ in range(more):
        move(game)
    sweep(FLAG + days(1))
    over = as_stored(game)
    assert (over.status, over.reason, over.score) == (Status.FINISHED, "time", score)
    assert RatingEntry.objects.get(game=game).score == score


def test_an_opponent_who_cannot_win_any_more_gets_a_draw(start, monkeypatch):
    chance = random.Random(241)
    monkeypatch.setattr(
        dice, "throw", lambda **_derivation: (chance.randint(1, 6), chance.randint(1, 6))
    )
    game = start("tritoc")
    while position_of(game).forfeited_by(as_stored(game).seat_to_move).scores != (0.5, 0.5):
        move(game, str(chance.choice(position_of(game).legal_moves())))
    sweep(FLAG + days(1))
    over = as_stored(game)
    assert (over.status, over.reason, over.score) == (Status.FINISHED, "time", 1)


def test_a_time_out_is_told(begun, everything_is_heard):
    game = begun()
    sweep(FLAG + days(1))
    assert names_of_facts()[-1] == "game_finished"
    assert as_stored(game).ended_at == FLAG + days(1)


def test_the_ending_the_ratings_and_the_facts_are_one(begun, monkeypatch, everything_is_heard):
    game = begun()
    before = names_of_facts()
    monkeypatch.setattr(ratings, "enter", lambda games: 1 / 0)
    assert sweep(FLAG + days(1)) == 0
    assert as_stored(game).is_running
    assert names_of_facts() == before


def test_a_game_that_cannot_be_ended_holds_up_no_other(begun, monkeypatch):
    broken, others = begun(), [begun(), begun()]
    ending = play._ending_on_time

    def break_one(table):
        return 1 / 0 if table.id == broken.pk else ending(table)

    monkeypatch.setattr(play, "_ending_on_time", break_one)
    assert sweep(FLAG + days(1)) == 2
    assert [as_stored(game).is_running for game in (broken, *others)] == [True, False, False]


def test_a_sweep_that_has_no_time_left_ends_nothing(begun):
    game = begun()
    assert sweeps.end_games_on_time(now=FLAG + days(1), seconds=0) == 0
    assert as_stored(game).is_running


# When it falls


def test_a_move_that_arrived_in_time_has_some_grace_to_get_through(begun):
    game = begun()
    assert sweep(FLAG + sweeps.GRACE - timedelta(microseconds=1)) == 0
    assert sweep(FLAG + sweeps.GRACE) == 1
    assert not as_stored(game).is_running


def test_a_game_ends_once(begun, everything_is_heard):
    begun()
    assert [sweep(FLAG + days(1)), sweep(FLAG + days(1))] == [1, 0]
    assert names_of_facts().count("game_finished") == 1
    assert RatingEntry.objects.count() == 1


def test_games_beyond_one_batch_end_too(begun, monkeypatch):
    monkeypatch.setattr(sweeps, "BATCH", 2)
    for _ in range(5):
        begun()
    assert sweep(FLAG + days(1)) == 5


def test_the_worker_ends_games_with_nobody_on_line(begun):
    long_ago = timezone.now() - days(10)
    game = begun(now=long_ago)
    tasks.end_games_on_time()
    assert as_stored(game).reason == "time"


def test_weekends_in_the_players_zone_stop_the_clock(begun):
    # Monday noon, Berlin: five days reach Saturday, which is off, as Sunday is.
    game = begun(clock=PerMove(5), weekends=True)
    assert as_stored(game).deadline_at == NOW + days(7)
    assert sweep(NOW + days(6)) == 0
    assert sweep(NOW + days(8)) == 1


def test_the_sweep_costs_what_is_due_and_not_what_there_is(begun):
    def statements(now):
        with CaptureQueriesContext(connection) as queries:
            assert sweep(now) == 1
        return len(queries)

    begun()
    sweep(FLAG + days(1))
    begun()
    Participant.objects.update(absent_since=None)
    alone = statements(FLAG + days(1))
    begun()
    Participant.objects.update(absent_since=None)
    for _ in range(20):
        begun(clock=PerMove(14))
    assert statements(FLAG + days(1)) == alone


# Disappearing


def test_of_a_disappearance_only_the_first_time_out_is_rated(begun, alice):
    games = [begun(clock=PerMove(number)) for number in (1, 2, 2)]
    sweep(NOW + days(1.5))
    assert Participant.objects.get(player=alice).absent_since == NOW + days(1.5)
    sweep(NOW + days(3))
    assert [entry.game for entry in RatingEntry.objects.all()] == [games[0]]
    assert [as_stored(game).rated for game in games] == [True, False, False]
    assert all(as_stored(game).score == 0 for game in games)
    assert Participant.objects.get(player=alice).running_games == 0


def test_of_games_that_end_together_the_first_due_is_rated(begun):
    late, early = begun(clock=PerMove(3)), begun(clock=PerMove(2))
    sweep(FLAG + days(1))
    assert RatingEntry.objects.get().game == early
    assert not as_stored(late).rated


def test_a_move_ends_the_absence(begun, start, alice):
    begun(clock=PerMove(1))
    second = begun(clock=PerMove(3))
    third = begun(clock=PerMove(3))
    sweep(NOW + days(2))
    move(second, now=NOW + days(2))
    assert Participant.objects.get(player=alice).absent_since is None
    sweep(NOW + days(4))
    assert RatingEntry.objects.filter(game=third).exists()


def test_a_void_game_is_no_disappearance(start, begun, alice):
    start(clock=PerMove(1))
    game = begun(clock=PerMove(2))
    sweep(NOW + days(3))
    assert RatingEntry.objects.get().game == game


# Vacation


def test_a_vacation_moves_the_deadline_by_the_outbox(begun, alice):
    save_up(alice, 5)
    game = begun()
    vacations.begin(player_id=alice.pk, until=NOW + days(2), now=NOW)
    assert as_stored(game).deadline_at == FLAG
    outbox.relay(now=NOW)
    assert as_stored(game).deadline_at == FLAG + days(2)
    vacations.end(player_id=alice.pk, now=NOW + days(1))
    outbox.relay(now=NOW + days(1))
    assert as_stored(game).deadline_at == FLAG + days(1)


def test_a_flag_does_not_fall_in_a_vacation_of_which_the_deadline_knows_nothing(begun, alice):
    save_up(alice, 5)
    game = begun()
    vacations.begin(player_id=alice.pk, until=NOW + days(2), now=NOW)
    assert sweep(FLAG + days(1)) == 0
    assert as_stored(game).deadline_at == FLAG + days(2)
    assert sweep(FLAG + days(3)) == 1


def test_the_vacation_of_the_opponent_stops_nothing(begun, bob):
    save_up(bob, 5)
    game = begun()
    vacations.begin(player_id=bob.pk, now=NOW)
    outbox.relay(now=NOW)
    assert as_stored(game).deadline_at == FLAG
    move(game, now=NOW + days(1))
    assert as_stored(game).deadline_at == NOW + days(5 + 3)


def test_a_game_may_bar_vacations(begun, alice):
    save_up(alice, 5)
    game = begun(vacation_allowed=False)
    vacations.begin(player_id=alice.pk, now=NOW)
    outbox.relay(now=NOW)
    assert as_stored(game).deadline_at == FLAG
    assert sweep(FLAG + days(1)) == 1


def test_automatic_vacation_is_taken_from_the_fall_of_the_flag(begun, alice):
    save_up(alice, 4, automatic=True)
    game = begun()
    assert sweep(FLAG + days(1)) == 0
    saved = days(4) + days(3) / 8
    taken = Vacation.objects.get(player=alice)
    assert (taken.began_at, taken.ends_at, taken.automatic) == (FLAG, FLAG + saved, True)
    assert as_stored(game).deadline_at == FLAG + saved
    assert sweep(FLAG + saved + days(1)) == 1
    assert Vacation.objects.count() == 1


def test_automatic_vacation_is_a_players_choice(begun, alice):
    save_up(alice, 4)
    begun()
    assert sweep(FLAG + days(1)) == 1
    assert not Vacation.objects.exists()


def test_nobody_goes_on_a_vacation_that_helps_no_game(begun, alice):
    save_up(alice, 4, automatic=True)
    begun(vacation_allowed=False)
    assert sweep(FLAG + days(1)) == 1
    assert not Vacation.objects.exists()


def test_a_late_move_finds_the_vacation_that_saves_it(begun, alice):
    save_up(alice, 4, automatic=True)
    game = begun()
    move(game, now=FLAG + days(1))
    assert as_stored(game).ply == 3
    assert Vacation.objects.get(player=alice).began_at == FLAG
    assert as_stored(game).deadline_at == FLAG + days(1) + days(3)


def test_a_late_move_where_vacations_are_barred_is_late(begun, alice):
    save_up(alice, 4, automatic=True)
    barred, open_to_them = begun(vacation_allowed=False), begun()
    with pytest.raises(TimeRanOut):
        move(barred, now=FLAG + days(1))
    assert as_stored(barred).reason == "time"
    assert as_stored(open_to_them).is_running


def test_one_vacation_saves_all_the_games_of_a_player(begun, alice):
    save_up(alice, 10, automatic=True)
    games = [begun(clock=PerMove(number)) for number in (1, 2, 3)]
    assert sweep(NOW + days(4)) == 0
    assert Vacation.objects.get(player=alice).began_at == NOW + days(1)
    assert all(as_stored(game).is_running for game in games)


def test_an_automatic_vacation_gives_way_to_one_that_began_since(begun, alice):
    save_up(alice, 4, automatic=True)
    begun()
    later = vacations.begin(player_id=alice.pk, now=FLAG + timedelta(seconds=20))
    assert sweep(FLAG + timedelta(minutes=1)) == 0
    automatic = Vacation.objects.get(player=alice, automatic=True)
    assert (automatic.began_at, automatic.ends_at) == (FLAG, later.began_at)


def test_no_vacation_is_spent_on_an_outage(begun, alice):
    save_up(alice, 4, automatic=True)
    begun()
    Outage.objects.create(began_at=NOW + days(2), ended_at=NOW + days(4))
    assert sweep(FLAG + days(1) + sweeps.GRACE) == 0
    assert not Vacation.objects.exists()


# The deadline that a player sees


@pytest.mark.parametrize("weekends", [False, True])
@pytest.mark.parametrize(
    "clock", [PerMove(3), Fischer(bank_hours=50, increment_hours=7, cap_hours=90)]
)
def test_the_deadline_shown_is_the_flag_and_no_game_ends_before_it(
    begun, alice, bob, clock, weekends
):
    save_up(alice, 6)
    game = begun(clock=clock, weekends=weekends)
    vacations.begin(player_id=alice.pk, until=NOW + days(3), now=NOW + days(0.5))
    Outage.objects.create(began_at=NOW + days(2), ended_at=NOW + days(4))
    crediting.credit_outages(now=NOW + days(4))
    outbox.relay(now=NOW + days(4))
    shown = as_stored(game).deadline_at
    [table] = look([game.pk])
    assert shown == table.flag_falls_at() > NOW + days(4)
    assert sweep(shown) == 0
    submit(
        game,
        to_move(game),
        str(position_of(game).legal_moves()[0]),
        now=shown - timedelta(seconds=1),
    )
    assert as_stored(game).is_running
