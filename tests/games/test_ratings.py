"""Ratings are the fold of an append-only ledger, to the hundredth of a point."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from games import elo, play, ratings, records
from games.elo import Result
from games.models import Game, Rating, RatingEntry, RatingPool
from tests.conftest import NOW, days, make_player
from tests.games.acts import both_move, resigned_by


def decided(start, loser, *players, now=NOW, **terms):
    return resigned_by(loser, start("tritt-classic", *players, now=now, **terms), now=now)


def drawn(start, *players, now=NOW, **terms):
    game = start("tritt-classic", *players, now=now, **terms)
    both_move(game, now=now)
    for player in players:
        play.offer_draw(game_id=game.pk, player_id=player.pk, now=now)
    return game


def checked():
    said = StringIO()
    call_command("check_ratings", stdout=said)
    return said.getvalue().strip()


# The ledger


def test_a_rated_game_is_an_entry_of_its_pool(start, alice, bob):
    game = decided(start, alice)
    entry = RatingEntry.objects.get()
    assert (entry.pool.key, entry.number, entry.game) == ("tritt-classic", 1, game)
    assert (entry.first, entry.second, entry.score) == (alice, bob, 0)
    # Newcomers' K of 40, halved against a provisional opponent, for a game expected to be even.
    assert (entry.first_before, entry.first_after) == (150_000, 149_000)
    assert (entry.second_before, entry.second_after) == (150_000, 151_000)
    assert (entry.first_k, entry.second_k) == (20, 20)
    assert entry.rated_at == NOW


def test_ratings_are_the_fold_of_the_results_in_the_order_of_finish(start, alice, bob, charlie):
    pairs = [(alice, bob), (bob, charlie), (charlie, alice), (bob, alice), (alice, charlie)]
    results = []
    for number, (first, second) in enumerate(pairs * 3):
        now = NOW + days(number)
        loser = (first, second)[number % 2]
        decided(start, loser, first, second, now=now)
        results.append(Result(first.pk, second.pk, 0 if loser == first else 2, now))
    folded = {}
    for result, (one, other) in zip(results, elo.fold(results), strict=True):
        folded[result.first], folded[result.second] = one.after, other.after
    stored = {
        row.player_id: elo.RatingState(row.rating, row.games, row.peak)
        for row in Rating.objects.all()
    }
    assert stored == folded
    assert checked() == "Every rating is what its games make it."


def test_a_void_game_is_not_rated(start, alice):
    game = start()
    play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert not RatingEntry.objects.exists()


def test_an_unrated_game_is_not_rated(start, alice):
    decided(start, alice, rated=False)
    assert not RatingEntry.objects.exists()


def test_a_game_is_entered_once(start, alice):
    game = decided(start, alice)
    with pytest.raises(play.GameIsOver):
        play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert RatingEntry.objects.filter(game=game).count() == 1


# Pools


@pytest.mark.parametrize(
    ("ruleset", "options", "pool"),
    [
        ("tritt-classic", {"swap": True, "slide": "one"}, "tritt-classic"),
        ("tritt-classic", {"swap": False, "slide": "one"}, "tritt-classic:swap=False"),
        ("tritt-classic", {"swap": False, "slide": "any"}, "tritt-classic:swap=False:slide=any"),
        ("tritoc", {"dice": "equal"}, "tritoc:dice=equal"),
        ("tri-trac", {"move_limit": 9}, "tri-trac"),
        ("triotrio", {}, "triotrio"),
    ],
)
def test_options_that_matter_make_a_pool_and_lengths_do_not(ruleset, options, pool):
    assert ratings.pool_key(ruleset, options) == pool


def test_pools_do_not_mix(start, alice):
    decided(start, alice)
    decided(start, alice, options={"swap": False})
    assert list(RatingPool.objects.order_by("key").values_list("key", "last_entry")) == [
        ("tritt-classic", 1),
        ("tritt-classic:swap=False", 1),
    ]
    assert {entry.first_before for entry in RatingEntry.objects.all()} == {150_000}


# check_ratings


@pytest.mark.parametrize(
    "tamper",
    [
        lambda: RatingEntry.objects.filter(number=2).update(score=1),
        lambda: RatingEntry.objects.filter(number=2).update(first_after=150_001),
        lambda: RatingEntry.objects.filter(number=2).update(second_k=10),
        lambda: RatingEntry.objects.filter(number=2).delete(),
        lambda: RatingEntry.objects.filter(number=3).delete(),
        lambda: Rating.objects.filter(player__name="alice").update(rating=150_001),
        lambda: Rating.objects.filter(player__name="alice").update(games=4),
        lambda: Rating.objects.filter(player__name="bob").delete(),
        lambda: RatingPool.objects.update(last_entry=4),
    ],
    ids=["score", "after", "k", "gap", "last", "rating", "games", "missing", "number"],
)
def test_tampering_is_found(start, alice, tamper):
    for _ in range(3):
        decided(start, alice)
    assert checked() == "Every rating is what its games make it."
    tamper()
    with pytest.raises(CommandError, match="not what their games make them"):
        checked()


# What is read off it


def seasoned(name, points, games=12, **fields):
    player = make_player(name, **fields)
    pool, _ = RatingPool.objects.get_or_create(key="tritoc", ruleset="tritoc")
    Rating.objects.create(pool=pool, player=player, rating=points, games=games, peak=points)
    return player


def test_leaders_are_those_with_twelve_games_who_still_play(db):
    seasoned("newcomer", 180_000, games=11)
    seasoned("gone", 170_000, is_active=False)
    second, first = seasoned("second", 160_000), seasoned("first", 160_001)
    assert [row.player for row in records.leaders("tritoc")] == [first, second]
    assert not records.leaders("tritt-classic").exists()


def test_a_player_is_provisional_until_his_twelfth_game(start, alice, bob, api_of):
    for number in range(12):
        shown = api_of(bob).get("/api/v1/players/alice").json()["ratings"]
        if number:
            assert shown["tritt-classic"]["provisional"]
        decided(start, alice, now=NOW + days(number))
    shown = api_of(bob).get("/api/v1/players/alice").json()["ratings"]
    assert shown["tritt-classic"]["games"] == 12
    assert not shown["tritt-classic"]["provisional"]


def test_a_history_is_a_players_curve_in_order(start, alice, bob):
    games = [
        decided(start, loser, now=NOW + days(n)) for n, loser in enumerate([alice, alice, bob])
    ]
    curve = records.history(bob.pk, "tritt-classic")
    assert [point.game_id for point in curve] == [game.pk for game in games]
    assert [point.at for point in curve] == [NOW + days(n) for n in range(3)]
    assert (curve[0].rating, curve[0].change) == (1510, 10)
    assert curve[1].rating == curve[0].rating + curve[1].change
    assert curve[2].change < 0
    assert [point.game_id for point in records.history(bob.pk, "tritt-classic", most=1)] == [
        games[2].pk
    ]


def test_a_record_counts_each_opponent(start, alice, bob, charlie):
    decided(start, alice, alice, bob)
    decided(start, bob, alice, bob)
    decided(start, bob, bob, alice)
    drawn(start, bob, alice)
    decided(start, charlie, charlie, alice)
    decided(start, charlie, alice, charlie, private=True)
    void = start("tritt-classic", alice, charlie)
    play.abort(game_id=void.pk, player_id=alice.pk, now=NOW)
    assert list(records.record_against_others(alice.pk)) == [
        {"player__name": "bob", "games": 4, "won": 2, "drawn": 1, "lost": 1},
        {"player__name": "charlie", "games": 1, "won": 1, "drawn": 0, "lost": 0},
    ]


def test_private_games_are_left_out_of_what_others_see(start, alice):
    public, private = start(), start(private=True)
    assert list(records.games_of(alice.pk, private=False)) == [public]
    assert set(records.games_of(alice.pk, private=True)) == {public, private}
    assert Game.objects.count() == 2
