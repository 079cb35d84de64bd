"""Rulings on games: what each kind does on each status, undone in any order, ratings exact."""

from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import elo, invariants, play, ratings, records, rulings, sweeps
from games.clock import Fischer
from games.elo import RatingState, Result
from games.models import Game, Participant, Rating, RatingEntry, Ruling, Seat, Status
from games.refusals import BadRequest, GameIsOver, NotAllowed, TooLate
from tests.conftest import NOW, days, make_player
from tests.games.acts import (
    as_stored,
    both_move,
    move,
    play_to_the_end,
    position_of,
    resigned_by,
    submit,
)
from tests.games.hearing import facts, names_of_facts
from tests.games.threads import Meanwhile, at_once

HOUR = timedelta(hours=1)
LATER = NOW + days(1)


@pytest.fixture
def dora(db):
    return make_player("dora", is_staff=True)


@pytest.fixture
def rule(dora):
    """A ruling by Dora, with a reason."""

    def ruled(act, game, *, now=LATER, **terms):
        return act(game_id=game.pk, by=dora, reason="The server lied.", now=now, **terms)

    return ruled


@pytest.fixture
def undo(dora):
    return lambda ruling, *, now=LATER: rulings.undo(ruling_id=ruling.pk, by=dora, now=now)


@pytest.fixture
def running(start):
    """Both have moved; Alice is to move, with three days from now on."""
    game = start()
    both_move(game)
    return game


@pytest.fixture
def lost_by_alice(start, alice):
    return resigned_by(alice, start())


def result_of(game):
    game = as_stored(game)
    return game.status, game.score, game.reason


def rating_of(player):
    return list(Rating.objects.filter(player=player).values_list("rating", flat=True))


def counts():
    return dict(Participant.objects.values_list("player__name", "running_games"))


def all_is_well(now=LATER):
    assert list(invariants.breaches(now=now)) == []


# Void


def test_a_decided_game_that_is_made_void_is_rated_no_more(rule, lost_by_alice, alice, bob):
    ruling = rule(rulings.make_void, lost_by_alice)
    assert result_of(lost_by_alice) == (Status.VOID, None, "ruling")
    assert as_stored(lost_by_alice).ended_at == NOW
    assert (rating_of(alice), rating_of(bob)) == ([], [])
    assert RatingEntry.objects.get().is_void
    assert ruling.detail["ratings"] == [[149_000, None], [151_000, None]]
    all_is_well()


def test_a_running_game_that_is_made_void_is_over(rule, running, alice, everything_is_heard):
    play.offer_draw(game_id=running.pk, player_id=alice.pk, now=NOW)
    ruling = rule(rulings.make_void, running)
    assert result_of(running) == (Status.VOID, None, "ruling")
    assert as_stored(running).ended_at == LATER
    assert as_stored(running).draw_offered_by is None
    assert counts() == {"alice": 0, "bob": 0}
    assert facts()[-2:] == [
        ("GameFinished", {"game_id": running.pk, "reason": "ruling"}),
        ("RulingChanged", {"ruling_id": ruling.pk, "undone": False}),
    ]
    with pytest.raises(GameIsOver):
        move_by_hand(running, alice)


def move_by_hand(game, player):
    text = str(position_of(game).legal_moves()[0])
    return submit(game, player, text, now=LATER)


def test_a_void_game_is_not_made_void_again(rule, running):
    rule(rulings.make_void, running)
    with pytest.raises(TooLate, match="void already"):
        rule(rulings.make_void, running)
    assert Ruling.objects.count() == 1


# A result


@pytest.mark.parametrize("score", [0, 1, 2])
def test_a_result_is_set_on_a_decided_game(rule, lost_by_alice, score):
    rule(rulings.set_result, lost_by_alice, score=score)
    assert result_of(lost_by_alice) == (Status.FINISHED, score, "ruling")
    assert RatingEntry.objects.get(is_void=False).score == score
    all_is_well()


def test_a_result_is_set_on_a_running_game(rule, running, alice):
    rule(rulings.set_result, running, score=2)
    assert result_of(running) == (Status.FINISHED, 2, "ruling")
    assert as_stored(running).ended_at == LATER
    assert rating_of(alice) == [151_000]
    assert counts() == {"alice": 0, "bob": 0}
    all_is_well()


def test_a_result_on_a_game_that_was_void_is_entered_at_the_end(
    rule, undo, start, alice, bob, lost_by_alice
):
    unplayed = start()
    sweeps.end_games_on_time(now=NOW + days(4))
    assert result_of(unplayed) == (Status.VOID, None, "time")
    resigned_by(bob, start(now=NOW + days(5)), now=NOW + days(5))
    ruling = rule(rulings.set_result, unplayed, score=2, now=NOW + days(6))
    entry = RatingEntry.objects.get(game=unplayed)
    assert (entry.number, entry.score, entry.rated_at) == (3, 2, NOW + days(6))
    all_is_well(now=NOW + days(6))
    undo(ruling, now=NOW + days(6))
    assert result_of(unplayed) == (Status.VOID, None, "time")
    assert RatingEntry.objects.get(game=unplayed).is_void
    all_is_well(now=NOW + days(6))


def test_a_result_on_an_unrated_game_rates_nothing(rule, start, alice):
    game = resigned_by(alice, start(rated=False))
    rule(rulings.set_result, game, score=2)
    assert not RatingEntry.objects.exists()
    all_is_well()


def test_a_result_leaves_the_points_on_the_board(rule, start):
    game = play_to_the_end(start("tritoc"))
    assert game.points
    rule(rulings.make_void, game)
    assert as_stored(game).points == []
    rule(rulings.set_result, game, score=1)
    assert as_stored(game).points == game.points


def test_there_is_no_other_result_than_three(rule, running):
    with pytest.raises(BadRequest):
        rule(rulings.set_result, running, score=3)


# Going on


def test_a_game_that_is_reopened_goes_on_where_it_ended(rule, lost_by_alice, alice, bob):
    """Alice gave up with three days on her clock."""
    rule(rulings.reopen, lost_by_alice)
    game = as_stored(lost_by_alice)
    assert (game.status, game.score, game.reason, game.ended_at) == ("running", None, "", None)
    assert (game.seat_to_move, game.clock_from, game.deadline_at) == (0, LATER, LATER + days(3))
    assert counts() == {"alice": 1, "bob": 1}
    assert rating_of(alice) == []
    all_is_well()
    move(game, now=LATER + days(1))
    play.resign(game_id=game.pk, player_id=bob.pk, now=LATER + days(1))
    assert [(e.number, e.is_void, e.score) for e in RatingEntry.objects.filter(game=game)] == [
        (1, True, 0),
        (2, False, 2),
    ]
    assert rating_of(alice) == [151_000]
    all_is_well(now=LATER + days(1))


def test_only_what_was_left_of_the_clock_is_left(rule, running, alice):
    play.resign(game_id=running.pk, player_id=alice.pk, now=NOW + days(1))
    rule(rulings.reopen, running, now=NOW + days(9), hours=12)
    assert as_stored(running).deadline_at == NOW + days(9) + days(2.5)


def test_a_game_that_was_lost_on_time_needs_hours_to_go_on(rule, running):
    sweeps.end_games_on_time(now=NOW + days(4))
    with pytest.raises(BadRequest, match="say how many hours"):
        rule(rulings.reopen, running, now=NOW + days(5))
    rule(rulings.reopen, running, now=NOW + days(5), hours=24)
    assert as_stored(running).deadline_at == NOW + days(6)
    all_is_well(now=NOW + days(5))


def test_a_vacation_holds_the_clock_of_a_reopened_game(rule, lost_by_alice, alice):
    alice.vacations.create(began_at=NOW, ends_at=NOW + days(5))
    rule(rulings.reopen, lost_by_alice)
    assert as_stored(lost_by_alice).deadline_at == NOW + days(8)


def test_a_game_that_ended_on_the_board_does_not_go_on(rule, start):
    game = play_to_the_end(start())
    with pytest.raises(NotAllowed, match="on the board"):
        rule(rulings.reopen, game)


def test_a_game_that_runs_is_not_reopened(rule, running):
    with pytest.raises(TooLate, match="still being played"):
        rule(rulings.reopen, running)


def test_a_game_whose_seed_is_public_does_not_go_on(rule, undo, start, alice):
    """Both would know every throw to come."""
    game = resigned_by(alice, start("tritoc"))
    with pytest.raises(NotAllowed, match="seed"):
        rule(rulings.reopen, game)
    other = start("tritoc")
    ruling = rule(rulings.make_void, other)
    with pytest.raises(NotAllowed, match="seed"):
        undo(ruling)
    assert result_of(other) == (Status.VOID, None, "ruling")


# Clocks


def test_time_is_given_to_the_seat_to_move(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=0, hours=48)
    assert as_stored(running).deadline_at == NOW + days(5)
    all_is_well()
    undo(ruling)
    assert as_stored(running).deadline_at == NOW + days(3)
    all_is_well()


def test_time_is_given_to_the_seat_that_waits(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=1, hours=24)
    assert Seat.objects.get(game=running, number=1).bank == days(4)
    assert as_stored(running).deadline_at == NOW + days(3)
    undo(ruling)
    assert Seat.objects.get(game=running, number=1).bank == days(3)


def test_time_that_was_given_is_there_at_the_next_turn(rule, running):
    rule(rulings.give_time, running, seat=1, hours=24)
    move(running, now=LATER)
    assert as_stored(running).deadline_at == LATER + days(4)


@pytest.mark.parametrize("hours", [1, 200])
def test_a_clock_is_corrected(rule, undo, running, hours):
    ruling = rule(rulings.correct_clock, running, seat=0, hours=hours)
    assert as_stored(running).deadline_at == LATER + hours * HOUR
    assert as_stored(running).clock_from == NOW
    waiting = rule(rulings.correct_clock, running, seat=1, hours=hours)
    assert Seat.objects.get(game=running, number=1).bank == hours * HOUR
    all_is_well()
    undo(ruling)
    undo(waiting)
    assert as_stored(running).deadline_at == NOW + days(3)
    assert Seat.objects.get(game=running, number=1).bank == days(3)


def test_a_flag_that_fell_unseen_stands_again(rule, running):
    rule(rulings.correct_clock, running, seat=0, hours=10, now=NOW + days(4))
    assert as_stored(running).deadline_at == NOW + days(4) + 10 * HOUR


def test_gifts_add_up_and_a_correction_replaces_them(rule, undo, running):
    gift = rule(rulings.give_time, running, seat=0, hours=24)
    correction = rule(rulings.correct_clock, running, seat=0, hours=10)
    rule(rulings.give_time, running, seat=0, hours=5)
    assert as_stored(running).deadline_at == LATER + 15 * HOUR
    undo(gift)
    assert as_stored(running).deadline_at == LATER + 15 * HOUR
    undo(correction)
    assert as_stored(running).deadline_at == NOW + days(3) + 5 * HOUR


def test_time_that_has_been_used_is_not_taken_back(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=0, hours=48)
    with pytest.raises(TooLate, match="would have run out"):
        undo(ruling, now=NOW + days(4))
    assert as_stored(running).deadline_at == NOW + days(5)
    assert Ruling.objects.get().undone_at is None


def test_the_clocks_of_a_game_that_is_over_stand_still(rule, lost_by_alice):
    for act in (rulings.give_time, rulings.correct_clock):
        with pytest.raises(TooLate, match="stand still"):
            rule(act, lost_by_alice, seat=0, hours=3)


@pytest.mark.parametrize("hours", [0, -1, 1441])
def test_hours_have_limits(rule, running, hours):
    for act in (rulings.give_time, rulings.correct_clock):
        with pytest.raises(BadRequest, match="from 1 to 1440"):
            rule(act, running, seat=0, hours=hours)


def test_a_bank_keeps_what_it_was_given(rule, start):
    game = start(clock=Fischer(bank_hours=100, increment_hours=10, cap_hours=100))
    rule(rulings.give_time, game, seat=0, hours=50, now=NOW)
    move(game, now=NOW)
    assert Seat.objects.get(game=game, number=0).bank == 150 * HOUR


# Undoing


def test_undoing_a_void_gives_the_result_back_in_its_place(
    rule, undo, start, alice, bob, lost_by_alice
):
    resigned_by(bob, start(now=LATER), now=LATER)
    before = list(Rating.objects.order_by("player").values_list("rating", "games", "peak"))
    ruling = rule(rulings.make_void, lost_by_alice)
    undone = undo(ruling)
    assert result_of(lost_by_alice) == (Status.FINISHED, 0, "resignation")
    assert RatingEntry.objects.get(number=1, is_void=False).game == lost_by_alice
    assert list(Rating.objects.order_by("player").values_list("rating", "games", "peak")) == before
    made, taken_back = undone.detail["ratings"], undone.detail["ratings_undone"]
    assert taken_back == [pair[::-1] for pair in made]
    all_is_well()


def test_undoing_the_end_of_a_running_game_gives_its_clock_back(rule, undo, running):
    """A day was used; the three days for which it was void cost nothing."""
    ruling = rule(rulings.make_void, running)
    undo(ruling, now=NOW + days(4))
    game = as_stored(running)
    assert (game.status, game.seat_to_move) == (Status.RUNNING, 0)
    assert game.deadline_at == NOW + days(4) + days(2)
    assert counts() == {"alice": 1, "bob": 1}
    all_is_well(now=NOW + days(4))


def test_a_game_that_was_reopened_and_stopped_goes_on_where_it_was_stopped(
    rule, undo, lost_by_alice
):
    rule(rulings.reopen, lost_by_alice)
    ruling = rule(rulings.make_void, lost_by_alice, now=LATER + days(1))
    undo(ruling, now=LATER + days(4))
    assert as_stored(lost_by_alice).deadline_at == LATER + days(4) + days(2)


def test_undoing_the_first_of_two_endings_costs_no_time(rule, undo, running):
    first = rule(rulings.set_result, running, score=2)
    second = rule(rulings.make_void, running, now=NOW + days(2))
    undo(first, now=NOW + days(5))
    assert result_of(running) == (Status.VOID, None, "ruling")
    undo(second, now=NOW + days(6))
    assert as_stored(running).deadline_at == NOW + days(6) + days(2)


def test_undoing_a_reopening_is_as_if_it_had_not_been_made(rule, undo, running):
    sweeps.end_games_on_time(now=NOW + days(4))
    before = Game.objects.filter(pk=running.pk).values().get()
    ruling = rule(rulings.reopen, running, now=NOW + days(5), hours=24)
    rule(rulings.give_time, running, seat=0, hours=24, now=NOW + days(5))
    undo(ruling, now=NOW + days(5.5))
    after = Game.objects.filter(pk=running.pk).values().get()
    assert after | {"as_played": None} == before
    assert RatingEntry.objects.get().is_void is False
    all_is_well(now=NOW + days(6))


def test_what_is_left_of_several_rulings_is_the_last_that_stands(rule, undo, lost_by_alice):
    void = rule(rulings.make_void, lost_by_alice)
    drawn = rule(rulings.set_result, lost_by_alice, score=1)
    won = rule(rulings.set_result, lost_by_alice, score=2)
    undo(drawn)
    assert result_of(lost_by_alice) == (Status.FINISHED, 2, "ruling")
    undo(won)
    assert result_of(lost_by_alice) == (Status.VOID, None, "ruling")
    undo(void)
    assert result_of(lost_by_alice) == (Status.FINISHED, 0, "resignation")


def test_a_reopening_is_not_undone_once_the_game_has_gone_on(rule, undo, lost_by_alice):
    ruling = rule(rulings.reopen, lost_by_alice)
    move(lost_by_alice, now=LATER)
    with pytest.raises(TooLate, match="has gone on"):
        undo(ruling)
    assert as_stored(lost_by_alice).is_running


def test_a_reopening_is_not_undone_once_the_game_has_ended_again(rule, undo, lost_by_alice, bob):
    ruling = rule(rulings.reopen, lost_by_alice)
    play.resign(game_id=lost_by_alice.pk, player_id=bob.pk, now=LATER)
    with pytest.raises(TooLate, match="has gone on"):
        undo(ruling)
    void = rule(rulings.make_void, lost_by_alice)
    undo(void)
    assert result_of(lost_by_alice) == (Status.FINISHED, 2, "resignation")
    all_is_well()


def test_a_gift_is_not_undone_once_the_game_has_gone_on(rule, undo, running, alice, bob):
    gift = rule(rulings.give_time, running, seat=1, hours=24)
    move(running, now=LATER)
    second = rule(rulings.give_time, running, seat=1, hours=24)
    for ruling in (gift, second):
        if ruling is gift:
            with pytest.raises(TooLate, match="has gone on"):
                undo(ruling)
        else:
            undo(ruling)
    assert as_stored(running).deadline_at == LATER + days(4)


def test_what_was_undone_stays_undone_and_in_the_log(rule, undo, lost_by_alice, dora):
    ruling = rule(rulings.make_void, lost_by_alice)
    undo(ruling, now=LATER)
    undo(ruling, now=LATER + days(1))
    kept = Ruling.objects.get()
    assert (kept.undone_at, kept.undone_by) == (LATER, dora)


def test_both_are_told_that_a_ruling_was_undone(rule, undo, lost_by_alice, everything_is_heard):
    ruling = rule(rulings.make_void, lost_by_alice)
    undo(ruling)
    assert facts()[-1] == ("RulingChanged", {"ruling_id": ruling.pk, "undone": True})
    assert "GameFinished" not in names_of_facts()[-2:]


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001, "a\0b"])
def test_a_ruling_needs_a_reason(running, dora, reason):
    with pytest.raises(BadRequest, match="reason"):
        rulings.make_void(game_id=running.pk, by=dora, reason=reason, now=LATER)
    assert as_stored(running).is_running


def test_a_struck_entry_is_not_in_a_players_history(rule, start, alice, bob, lost_by_alice):
    other = resigned_by(bob, start(now=LATER), now=LATER)
    rule(rulings.make_void, lost_by_alice)
    assert [point.game_id for point in records.history(alice.pk, "tritt-classic")] == [other.pk]


def test_a_struck_entry_is_not_one_of_the_recent_games(
    rule, start, alice, lost_by_alice, monkeypatch
):
    monkeypatch.setattr(elo, "MOST_K_TIMES_GAMES", 20)
    rule(rulings.make_void, lost_by_alice)
    other = resigned_by(alice, start(now=LATER), now=LATER)
    assert RatingEntry.objects.get(game=other).first_k == 20
    assert ratings.mismatches() == []


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ({"status": "finished", "score": 2}, "not what its rulings make of it"),
        ({"as_played": None}, "by a ruling that there is not"),
        ({"points": [1, 2]}, "not what its rulings make of it"),
    ],
)
def test_a_game_that_is_not_what_was_ruled_is_found(rule, start, damage, complaint):
    game = start(rated=False)
    rule(rulings.make_void, game)
    all_is_well()
    Game.objects.filter(pk=game.pk).update(**damage)
    assert any(complaint in breach for breach in invariants.breaches(now=LATER))


def test_only_staff_may_rule(dora, alice, running):
    assert rulings.may_rule(dora, running)
    assert not rulings.may_rule(alice, running)


# Ratings follow, exactly


PAIRS = [(0, 1), (1, 2), (2, 0), (1, 0), (0, 2), (2, 1), (0, 1), (2, 0)]
VOID_ON_TIME = 6


@pytest.fixture
def season(start, alice, bob, charlie, monkeypatch):
    """Eight games of three players in one pool, in the order of their end; one is void on time.

    The players are as busy as others are with a hundred games: each recent game lowers K.
    """
    monkeypatch.setattr(elo, "MOST_K_TIMES_GAMES", 40)
    players = (alice, bob, charlie)
    games = []
    for number, (first, second) in enumerate(PAIRS):
        now = NOW + days(6 * number)
        pair = players[first], players[second]
        game = start("tritt-classic", *pair, now=now)
        games.append(game)
        if number == VOID_ON_TIME:
            sweeps.end_games_on_time(now=now + days(4))
        else:
            resigned_by(pair[number % 2], game, now=now)
    return [as_stored(game) for game in games]


class Ledger:
    """What the ratings must be, by an order of games and the rulings that stand on each."""

    def __init__(self, season):
        self.games = {game.pk: game for game in season}
        self.order = [game.pk for game in season if game.score is not None]
        self.rated_at = {game.pk: game.ended_at for game in season}
        self.standing = {game.pk: [] for game in season}
        self.players = {game.pk: [seat.player_id for seat in game.seats.all()] for game in season}

    def score(self, game_id):
        score = self.games[game_id].score
        for _ruling_id, decided in self.standing[game_id]:
            score = decided
        return score

    def make(self, game_id, ruling_id, score, now):
        self.standing[game_id].append((ruling_id, score))
        if score is not None and game_id not in self.order:
            self.order.append(game_id)
            self.rated_at[game_id] = now

    def undo(self, game_id, ruling_id):
        self.standing[game_id] = [one for one in self.standing[game_id] if one[0] != ruling_id]

    def folded(self):
        states = {}
        results = [
            Result(*self.players[game_id], self.score(game_id), self.rated_at[game_id])
            for game_id in self.order
            if self.score(game_id) is not None
        ]
        for result, (first, second) in zip(results, elo.fold(results), strict=True):
            states[result.first], states[result.second] = first.after, second.after
        return states


def stored_ratings():
    rows = Rating.objects.values_list("player_id", "rating", "games", "peak")
    return {player: RatingState(*state) for player, *state in rows}


DECIDE = {
    "void": (rulings.make_void, {}, None),
    "won": (rulings.set_result, {"score": 2}, 2),
    "drawn": (rulings.set_result, {"score": 1}, 1),
    "lost": (rulings.set_result, {"score": 0}, 0),
    "reopened": (rulings.reopen, {"hours": 9}, None),
}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(DECIDE)), st.integers(0, len(PAIRS) - 1)),
        st.tuples(st.just("undo"), st.integers(0, 30)),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_rulings_done_and_undone_in_any_order_give_the_ratings_of_what_stands(season, dora, steps):
    with transaction.atomic():
        ledger, made, now = Ledger(season), [], NOW + days(60)
        for what, which in steps:
            now += HOUR
            try:
                if what == "undo":
                    if not made:
                        continue
                    game_id, ruling_id = made.pop(which % len(made))
                    rulings.undo(ruling_id=ruling_id, by=dora, now=now)
                    ledger.undo(game_id, ruling_id)
                else:
                    act, terms, score = DECIDE[what]
                    game_id = season[which].pk
                    ruling = act(game_id=game_id, by=dora, reason="so be it", now=now, **terms)
                    made.append((game_id, ruling.pk))
                    ledger.make(game_id, ruling.pk, score, now)
            except TooLate:
                # Void twice, or reopened while it runs: refused, and nothing has changed.
                assert what in ("void", "reopened")
            assert stored_ratings() == ledger.folded()
        assert ratings.mismatches() == []
        for _game_id, ruling_id in reversed(made):
            rulings.undo(ruling_id=ruling_id, by=dora, now=now)
        for game in season:
            assert result_of(game) == (game.status, game.score, game.reason)
        all_is_well(now=now)
        transaction.set_rollback(True)


# At the same time


class TestAtOnce:
    pytestmark = pytest.mark.django_db(transaction=True)

    def test_a_move_that_waited_for_a_ruling_is_refused(self, rule, running, alice):
        text = str(position_of(running).legal_moves()[0])
        with transaction.atomic():
            rule(rulings.make_void, running)
            other = Meanwhile(lambda: submit(running, alice, text, ply=2, now=LATER)).begin()
            other.wait_until_it_waits()
        assert isinstance(other.end(), GameIsOver)
        assert as_stored(running).ply == 2

    def test_a_ruling_that_waited_for_a_move_rules_on_what_it_led_to(self, rule, running, undo):
        with transaction.atomic():
            move(running, now=LATER)
            other = Meanwhile(lambda: rule(rulings.make_void, running)).begin()
            other.wait_until_it_waits()
        undo(other.end())
        game = as_stored(running)
        assert (game.ply, game.seat_to_move, game.deadline_at) == (3, 1, LATER + days(3))

    def test_a_sweep_and_a_gift_of_time_leave_one_or_the_other(self, rule, running):
        for _attempt in range(5):
            now = as_stored(running).deadline_at + timedelta(minutes=1)
            given, ended = at_once(
                lambda now=now: rule(rulings.give_time, running, seat=0, hours=24, now=now),
                lambda now=now: sweeps.end_games_on_time(now=now),
            )
            game = as_stored(running)
            assert game.is_running == isinstance(given, Ruling) == (ended == 0)
            if not game.is_running:
                rule(rulings.reopen, running, hours=24, now=now)
        all_is_well(now=now)

    def test_rulings_and_endings_in_one_pool_wait_for_each_other(
        self, start, rule, dora, alice, bob, charlie
    ):
        over = [resigned_by(alice, start("tritt-classic", alice, bob)) for _ in range(4)]
        going = [start("tritt-classic", bob, charlie) for _ in range(4)]
        for game in going:
            both_move(game)
        answers = at_once(
            *[lambda game=game: rule(rulings.make_void, game) for game in over[:2]],
            *[lambda game=game: rule(rulings.set_result, game, score=1) for game in over[2:]],
            *[
                lambda game=game: play.resign(game_id=game.pk, player_id=bob.pk, now=LATER)
                for game in going
            ],
        )
        assert not [answer for answer in answers if isinstance(answer, Exception)]
        assert RatingEntry.objects.filter(is_void=False).count() == 6
        all_is_well()

    def test_a_ruling_undone_twice_at_once_is_undone_once(self, rule, undo, running):
        ruling = rule(rulings.make_void, running)
        assert at_once(*[lambda: undo(ruling)] * 3) == [ruling] * 3
        assert counts() == {"alice": 1, "bob": 1}
