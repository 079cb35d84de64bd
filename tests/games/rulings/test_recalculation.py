"""Many ratings after a ruling are recalculated in slices, while games go on ending."""

import random

import pytest
from django.db import connection
from django.urls import reverse

from games import elo, play, ratings, refolding, rulings
from games.elo import RatingState, Result
from games.models import Rating, RatingEntry, RatingPool
from games.tasks import recalculate_ratings
from tests.conftest import NOW, days, make_player
from tests.games.acts import both_move, resigned_by
from tests.games.rulings.ground import all_is_well

LONG = NOW + days(60)


@pytest.fixture
def season(start, alice, bob, charlie, monkeypatch):
    """Twelve games in one pool; every slice of a recalculation is four of them."""
    monkeypatch.setattr(refolding, "SLICE", 4)
    monkeypatch.setattr(refolding, "PAUSE", 0)
    monkeypatch.setattr(elo, "MOST_K_TIMES_GAMES", 40)
    pairs = [(alice, bob), (bob, charlie), (charlie, alice)] * 4
    return [
        resigned_by(
            pair[at % 2], start("tritt-classic", *pair, now=NOW + days(at)), now=NOW + days(at)
        )
        for at, pair in enumerate(pairs)
    ]


@pytest.fixture
def strike(dora):
    def struck(game, now=LONG):
        return rulings.make_void(game_id=game.pk, by=dora, reason="So be it.", now=now)

    return struck


def pool():
    return RatingPool.objects.get()


def from_scratch():
    states = {}
    entries = RatingEntry.objects.filter(is_void=False).order_by("number")
    results = [Result(e.first_id, e.second_id, e.score, e.rated_at) for e in entries]
    for result, (first, second) in zip(results, elo.fold(results), strict=True):
        states[result.first], states[result.second] = first.after, second.after
    return states


def stored():
    rows = Rating.objects.values_list("player_id", "rating", "games", "peak")
    return {player: RatingState(*state) for player, *state in rows}


def test_a_short_rest_of_the_ledger_is_recalculated_with_the_ruling(season, strike):
    ruling = strike(season[-3])
    assert pool().recalculate_from is None
    assert any(ruling.detail["ratings"])
    assert stored() == from_scratch()


def test_a_long_rest_is_left_to_the_worker(season, strike):
    before = stored()
    ruling = strike(season[0])
    assert pool().recalculate_from == 1
    assert ruling.detail["ratings"] == [None, None]
    assert stored() == before != from_scratch()
    recalculate_ratings()
    assert pool().recalculate_from is None
    assert stored() == from_scratch()
    assert ratings.mismatches() == []


def test_a_ledger_is_checked_as_far_as_it_is_exact(season, strike):
    strike(season[2])
    assert ratings.mismatches() == []
    refolding.recalculate_slice(pool().pk)
    assert pool().recalculate_from == 7
    assert ratings.mismatches() == []
    RatingEntry.objects.filter(number=6).update(first_after=1)
    assert ratings.mismatches() != []


def test_a_second_ruling_goes_back_as_far_as_it_must(season, strike):
    strike(season[1])
    refolding.recalculate_slice(pool().pk)
    assert pool().recalculate_from == 6
    strike(season[9])
    assert pool().recalculate_from == 6
    strike(season[3])
    assert pool().recalculate_from == 4
    recalculate_ratings()
    assert stored() == from_scratch()


def test_who_has_no_rated_game_left_has_no_rating(start, season, strike, bob):
    """Whose last games are void is as good as the last that stands, however early that was."""
    eve = make_player("eve")
    guest_appearance = resigned_by(eve, start("tritt-classic", eve, bob, now=LONG), now=LONG)
    for game in season:
        strike(game)
    strike(guest_appearance)
    recalculate_ratings()
    assert stored() == {}


def test_a_killed_worker_loses_nothing(season, strike, monkeypatch):
    strike(season[0])

    def killed(_seconds):
        raise SystemExit

    monkeypatch.setattr(refolding.time, "sleep", killed)
    with pytest.raises(SystemExit):
        recalculate_ratings()
    assert pool().recalculate_from == 5
    monkeypatch.undo()
    recalculate_ratings()
    assert pool().recalculate_from is None
    assert ratings.mismatches() == []


def test_a_worker_whose_time_is_up_leaves_the_rest_to_the_next(season, strike):
    strike(season[0])
    assert refolding.recalculate_all(seconds=-1) == 1
    assert pool().recalculate_from == 5
    assert refolding.recalculate_all(seconds=10) == 2
    assert refolding.recalculate_all(seconds=10) == 0


def test_a_slice_takes_as_many_statements_however_long_it_is(
    season, strike, monkeypatch, django_assert_num_queries
):
    strike(season[0])
    pool_id = pool().pk
    with django_assert_num_queries(10):
        refolding.recalculate_slice(pool_id)
    RatingPool.objects.update(recalculate_from=1)
    monkeypatch.setattr(refolding, "SLICE", 8)
    with django_assert_num_queries(10):
        refolding.recalculate_slice(pool_id)


@pytest.mark.django_db(transaction=True)
def test_games_end_between_slices_and_are_recalculated_in_their_turn(
    start, season, strike, alice, bob, charlie, monkeypatch
):
    going = [start("tritt-classic", alice, bob, now=LONG) for _ in range(2)]
    going += [start("tritt-classic", charlie, make_player("eve"), now=LONG)]
    for game in going:
        both_move(game, now=LONG)
    strike(season[0])

    def end_one(_seconds):
        assert not connection.in_atomic_block
        if going:
            game = going.pop()
            loser = game.seats.get(number=0).player_id
            play.resign(game_id=game.pk, player_id=loser, now=LONG)

    monkeypatch.setattr(refolding.time, "sleep", end_one)
    recalculate_ratings()
    assert going == []
    assert pool().last_entry == 15
    assert stored() == from_scratch()
    all_is_well(now=LONG)


@pytest.mark.parametrize("seed", range(5))
def test_rulings_slices_and_endings_in_any_order_come_to_the_same(
    start, season, strike, dora, alice, bob, charlie, seed
):
    chance = random.Random(seed)
    made, now = [], LONG
    for _ in range(25):
        now += days(1)
        what = chance.choice(["strike", "undo", "slice", "slice", "end", "score"])
        game = chance.choice(season)
        if what == "strike" and not game.rulings.filter(kind="void", undone_at=None).exists():
            made.append(strike(game, now))
        elif what == "undo" and made:
            rulings.undo(ruling_id=made.pop().pk, by=dora, now=now)
        elif what == "score":
            score = chance.choice([0, 1, 2])
            rulings.set_result(game_id=game.pk, score=score, by=dora, reason="So.", now=now)
        elif what == "end":
            pair = chance.sample([alice, bob, charlie], 2)
            resigned_by(pair[0], start("tritt-classic", *pair, now=now), now=now)
        elif what == "slice":
            refolding.recalculate_slice(pool().pk)
        assert ratings.mismatches() == []
    recalculate_ratings()
    assert stored() == from_scratch()
    all_is_well(now=now)


def test_everybody_is_told_while_it_goes_on(season, strike, client, api_of, alice):
    told = "Ratings are being recalculated after a ruling."
    pages = [reverse("leaders"), reverse("leaders_of", args=["tritt-classic"])]
    assert not any(told in client.get(page).content.decode() for page in pages)
    strike(season[0])
    assert all(told in client.get(page).content.decode() for page in pages)
    (shown,) = api_of(alice).get("/api/v1/pools").json()["pools"]
    assert shown["recalculating"] is True
