"""Ratings follow rulings, done and undone in any order, to the hundredth of a point."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import elo, ratings, rulings, sweeps
from games.elo import RatingState, Result
from games.models import Rating
from games.refusals import TooLate
from tests.conftest import NOW, days
from tests.games.acts import as_stored, resigned_by
from tests.games.rulings.ground import HOUR, all_is_well, result_of

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
        played = self.games[game_id].seats_moved == 0b11
        if score is not None and played and game_id not in self.order:
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


@pytest.mark.locks_in_any_order
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
