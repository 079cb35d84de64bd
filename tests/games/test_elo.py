from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from games import elo
from games.elo import RatingState, Result, expected_percent, rate

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)

SETTLED = RatingState(rating=1500_00, games=100, peak=1600_00)
NEWCOMER = RatingState(rating=1500_00, games=20, peak=1500_00)
MASTER = RatingState(rating=2350_00, games=100, peak=2400_00)
PROVISIONAL = RatingState(rating=1500_00, games=11, peak=1500_00)


@st.composite
def states(draw: st.DrawFn) -> RatingState:
    rating = draw(st.integers(0, 3000_00))
    return RatingState(rating, draw(st.integers(0, 200)), draw(st.integers(rating, 3000_00)))


scores = st.integers(0, 2)
recents = st.integers(1, 800)


# The table

ROWS_AS_PRINTED = {
    50: (0, 3),
    51: (4, 10),
    52: (11, 17),
    53: (18, 25),
    60: (69, 76),
    63: (92, 98),
    75: (189, 197),
    76: (198, 206),
    85: (291, 302),
    88: (329, 344),
    91: (375, 391),
}


@pytest.mark.parametrize("percent", ROWS_AS_PRINTED)
def test_the_table_is_the_printed_one(percent: int) -> None:
    least, most = ROWS_AS_PRINTED[percent]
    assert expected_percent(least) == expected_percent(most) == percent
    assert expected_percent(most + 1) == percent + 1
    assert expected_percent(-most) == 100 - percent


def test_the_table_has_a_row_for_each_per_cent_from_50_to_99() -> None:
    assert len(elo.LARGEST_DIFFERENCES) == 50
    assert list(elo.LARGEST_DIFFERENCES) == sorted(set(elo.LARGEST_DIFFERENCES))
    assert elo.LARGEST_DIFFERENCES[-1] == 735


def test_the_table_is_close_to_the_logistic_curve() -> None:
    for difference in range(401):
        curve = 100 / (1 + 10 ** (-difference / 400))
        assert abs(expected_percent(difference) - curve) <= 1.5


@given(st.integers(4, 5000))
def test_what_one_expects_the_other_does_not(difference: int) -> None:
    assert expected_percent(difference) + expected_percent(-difference) == 100


@given(st.integers(-3, 3))
def test_ratings_that_are_nearly_equal_expect_a_draw(difference: int) -> None:
    assert expected_percent(difference) == 50


@given(st.integers(-5000, 5000))
def test_a_larger_difference_expects_no_less(difference: int) -> None:
    assert expected_percent(difference) <= expected_percent(difference + 1)


@given(st.integers(400, 5000))
def test_a_difference_above_400_counts_as_400(difference: int) -> None:
    assert expected_percent(difference) == 92
    assert expected_percent(-difference) == 8


@pytest.mark.parametrize(
    ("rating", "points"),
    [(1500_00, 1500), (1500_49, 1500), (1500_50, 1501), (-49, 0), (-50, -1), (-150, -2)],
)
def test_a_rating_is_shown_in_whole_points_with_halves_away_from_zero(
    rating: int, points: int
) -> None:
    assert elo.displayed(rating) == points


# K


@pytest.mark.parametrize(
    ("player", "k"),
    [
        (RatingState(), 40),
        (RatingState(games=29), 40),
        (RatingState(rating=2500_00, games=29, peak=2500_00), 40),
        (RatingState(games=30), 20),
        (RatingState(rating=2399_49, games=30, peak=2399_49), 20),
        (RatingState(rating=2399_50, games=30, peak=2399_50), 10),
        (MASTER, 10),
    ],
)
def test_k_falls_from_40_over_20_to_10(player: RatingState, k: int) -> None:
    assert elo.k_factor(player, SETTLED, 1) == k


@pytest.mark.parametrize(("player", "k"), [(NEWCOMER, 20), (SETTLED, 10), (MASTER, 5)])
def test_a_game_against_a_provisional_player_counts_half(player: RatingState, k: int) -> None:
    assert elo.k_factor(player, PROVISIONAL, 1) == k


def test_a_player_is_provisional_until_he_has_played_twelve_games() -> None:
    assert RatingState(games=11).provisional
    assert not RatingState(games=12).provisional


@pytest.mark.parametrize(
    ("player", "recent", "k"),
    [
        (NEWCOMER, 17, 40),
        (NEWCOMER, 18, 38),
        (SETTLED, 35, 20),
        (SETTLED, 36, 19),
        (MASTER, 70, 10),
        (MASTER, 71, 9),
        (MASTER, 701, 0),
    ],
)
def test_many_games_in_a_month_share_700(player: RatingState, recent: int, k: int) -> None:
    assert elo.k_factor(player, SETTLED, recent) == k


@given(states(), states(), recents)
def test_k_times_the_recent_games_is_at_most_700(
    player: RatingState, opponent: RatingState, recent: int
) -> None:
    k = elo.k_factor(player, opponent, recent)
    assert 0 <= k * recent <= 700
    assert k == elo.k_factor(player, opponent, 1) or (k + 1) * recent > 700


# A game


def test_a_newcomer_who_beats_an_equal_gains_twenty_points() -> None:
    first, second = rate(NEWCOMER, SETTLED, first_halves=2)
    assert (first.k, first.percent, first.change) == (40, 50, 20_00)
    assert first.after == RatingState(1520_00, 21, 1520_00)
    assert (second.k, second.percent, second.change) == (20, 50, -10_00)
    assert second.after == RatingState(1490_00, 101, 1600_00)


def test_a_draw_with_a_stronger_player_gains_what_the_table_says() -> None:
    weaker = RatingState(1500_00, 40, 1500_00)
    stronger = RatingState(1700_00, 40, 1700_00)
    first, second = rate(weaker, stronger, first_halves=1)
    assert (first.percent, second.percent) == (24, 76)
    assert (first.change, second.change) == (20 * 26, -20 * 26)


def test_the_difference_is_that_of_the_ratings_as_shown() -> None:
    shown_1504 = RatingState(1503_50, 40, 1503_50)
    shown_1500 = RatingState(1500_49, 40, 1500_49)
    shown_1501 = RatingState(1500_50, 40, 1500_50)
    assert rate(shown_1504, shown_1500, first_halves=1)[0].percent == 51
    assert rate(shown_1504, shown_1501, first_halves=1)[0].percent == 50


def test_a_loss_against_a_much_weaker_player_costs_at_most_92_per_cent_of_k() -> None:
    weaker = RatingState(800_00, 40, 800_00)
    _, second = rate(weaker, MASTER, first_halves=2)
    assert second.change == -10 * 92
    assert second.after == RatingState(2340_80, 101, 2400_00)


def test_the_first_move_can_be_given_a_worth() -> None:
    first, second = rate(SETTLED, SETTLED, first_halves=1, advantage=12)
    assert (first.percent, second.percent) == (52, 48)


@pytest.mark.parametrize(("score", "halves"), [(1.0, 2), (0.5, 1), (0.0, 0)])
def test_a_score_is_counted_in_halves(score: float, halves: int) -> None:
    assert elo.halves(score) == halves


@pytest.mark.parametrize("halves", [-1, 3])
def test_there_is_no_other_score(halves: int) -> None:
    with pytest.raises(ValueError, match="halves"):
        rate(SETTLED, SETTLED, first_halves=halves)


@given(states(), states(), scores, recents, recents)
def test_what_one_wins_the_other_loses_if_their_k_is_the_same(
    first: RatingState, second: RatingState, score: int, one: int, other: int
) -> None:
    entries = rate(first, second, first_halves=score, recent=(one, other))
    assume(entries[0].k == entries[1].k)
    assert entries[0].change == -entries[1].change


@given(states(), states(), scores, recents, st.integers(-50, 50))
def test_the_seats_are_treated_alike(
    first: RatingState, second: RatingState, score: int, recent: int, advantage: int
) -> None:
    there = rate(first, second, first_halves=score, recent=(recent, 1), advantage=advantage)
    back = rate(second, first, first_halves=2 - score, recent=(1, recent), advantage=-advantage)
    assert there == (back[1], back[0])


@given(states(), states(), recents)
def test_a_better_score_never_gives_a_lower_rating(
    first: RatingState, second: RatingState, recent: int
) -> None:
    ratings = [
        rate(first, second, first_halves=score, recent=(recent, 1))[0].after.rating
        for score in (0, 1, 2)
    ]
    assert ratings == sorted(ratings)


@given(states(), states(), scores, recents)
def test_a_change_is_whole_and_bounded(
    first: RatingState, second: RatingState, score: int, recent: int
) -> None:
    for entry in rate(first, second, first_halves=score, recent=(recent, recent)):
        after = entry.after
        assert {type(after.rating), type(after.games), type(after.peak)} == {int}
        assert abs(entry.change) <= 92 * entry.k <= 92 * 40
        assert after.games == entry.before.games + 1
        assert after.peak == max(entry.before.peak, after.rating)


# The ledger

PLAYERS = ["alice", "bob", "charlie"]


@st.composite
def results(draw: st.DrawFn) -> list[Result[str]]:
    """Games in the order of a ledger, whose finishing times need not be in order."""
    pairs = st.permutations(PLAYERS).map(lambda order: order[:2])
    return [
        Result(first, second, draw(scores), NOW + draw(hours))
        for first, second in draw(st.lists(pairs, max_size=60))
    ]


hours = st.integers(0, 80 * 24).map(lambda hour: timedelta(hours=hour))


@given(results())
def test_a_fold_is_one_rating_after_the_other(ledger: list[Result[str]]) -> None:
    states = dict.fromkeys(PLAYERS, RatingState())
    for index, (game, entries) in enumerate(zip(ledger, elo.fold(ledger), strict=True)):
        pair = game.first, game.second
        recent = [
            1
            + sum(
                player in (earlier.first, earlier.second)
                and game.finished_at - earlier.finished_at < 30 * DAY
                for earlier in ledger[:index]
            )
            for player in pair
        ]
        assert entries == rate(
            states[game.first],
            states[game.second],
            first_halves=game.first_halves,
            recent=(recent[0], recent[1]),
        )
        states |= {player: entry.after for player, entry in zip(pair, entries, strict=True)}


@given(results(), st.integers(0, 60))
def test_a_fold_of_a_beginning_is_the_beginning_of_the_fold(
    ledger: list[Result[str]], length: int
) -> None:
    assert list(elo.fold(ledger[:length])) == list(elo.fold(ledger))[:length]


@given(results(), st.permutations(["x", "y", "z"]))
def test_a_fold_does_not_depend_on_who_is_who(ledger: list[Result[str]], names: list[str]) -> None:
    other = dict(zip(PLAYERS, names, strict=True))
    renamed = [
        Result(other[game.first], other[game.second], game.first_halves, game.finished_at)
        for game in ledger
    ]
    assert list(elo.fold(renamed)) == list(elo.fold(ledger))


def last_k_of_alice(finishes: list[datetime]) -> int:
    """Her K in the last of these games, against players who are provisional no more."""
    bobs = [Result(f"bob {n % 3}", f"bob {(n + 1) % 3}", 1, NOW) for n in range(60)]
    games = [Result("alice", f"bob {n % 3}", 1, finish) for n, finish in enumerate(finishes)]
    *_, (alice, _) = elo.fold([*bobs, *games])
    return alice.k


def test_a_game_that_is_thirty_days_old_is_not_recent_any_more() -> None:
    assert last_k_of_alice([NOW] * 35 + [NOW + 30 * DAY]) == 20
    assert last_k_of_alice([NOW] * 35 + [NOW + 30 * DAY - TICK]) == 700 // 36


def test_recent_games_are_found_when_the_ledger_is_not_in_order_of_time() -> None:
    later = NOW + 40 * DAY
    assert last_k_of_alice([later] * 40 + [NOW] * 40 + [later]) == 700 // 41


def test_a_worth_of_the_first_move_is_folded_in() -> None:
    [(first, second)] = elo.fold([Result("alice", "bob", 1, NOW, advantage=12)])
    assert (first.percent, second.percent) == (52, 48)
