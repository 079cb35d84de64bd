"""Every format says beforehand how many games it makes, and is refused beyond the limits."""

import random
from collections import Counter

import pytest

from tests.tournaments.formats.playing import RESULTS, at_random, entrants, play_out
from tournaments.formats.format import MOST_AT_ONCE, MOST_GAMES, Format, TooManyGames, check_games
from tournaments.formats.history import History
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.league import League
from tournaments.formats.registry import FORMATS
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.stages import Stages
from tournaments.formats.swiss import Swiss

EXACT: list[Format] = [
    RoundRobin(),
    RoundRobin(double=True),
    RoundRobin(section_size=5),
    RoundRobin(at_once=2),
    League(size=4, up=1, down=1),
    League(size=4, up=1, down=1, double=True, at_once=3),
]
AT_MOST: list[Format] = [
    Swiss(rounds=5),
    Swiss(rounds=3, games=2),
    Knockout(),
    Knockout(games=2, drawn="replay", replays=3),
    Knockout(double=True, reset=True),
    Knockout(double=True),
    Stages(section_size=4, qualify=2, final="round-robin"),
    Stages(section_size=4, qualify=2, final="knockout", drawn="replay"),
]


def played(format: Format, count: int, seed: int) -> tuple[int, int]:
    """Games of the busiest player, and of all."""
    chance = random.Random(seed)
    by = at_random(chance, RESULTS)
    rounds = int(getattr(format, "rounds", 0))
    after = play_out(format, History(entrants=entrants(count), rounds=rounds), by=by, chance=chance)
    busy = Counter(number for game in after.meetings for number in (game.first, game.second))
    return max(busy.values()), len(after.meetings)


@pytest.mark.parametrize("count", [8, 9, 13])
@pytest.mark.parametrize("format", EXACT, ids=repr)
def test_a_round_robin_makes_as_many_as_it_said(format: Format, count: int) -> None:
    games = format.games_for(count)
    assert played(format, count, seed=count) == (games.per_player, games.total)


@pytest.mark.parametrize("count", [8, 9, 13])
@pytest.mark.parametrize("format", AT_MOST, ids=repr)
def test_a_format_never_makes_more_than_it_said(format: Format, count: int) -> None:
    games = format.games_for(count)
    for seed in range(5):
        each, total = played(format, count, seed)
        assert each <= (games.per_player or 0)
        assert total <= (games.total or 0)


def test_on_a_ladder_the_limits_hold_at_any_one_time() -> None:
    games = Ladder(outgoing=3, incoming=5).games_for(40)
    assert (games.per_player, games.total, games.at_once) == (None, None, 8)


@pytest.mark.parametrize("key", FORMATS)
def test_no_format_goes_beyond_the_limits_with_any_number_of_entrants(key: str) -> None:
    """What is not refused stays within them; every format is asked, also one that is new."""
    format = FORMATS[key]()
    for count in (2, 16, 100, 200, 201, 1000, 5000):
        games = format.games_for(count)
        allowed = (games.total or 0) <= MOST_GAMES and games.at_once <= MOST_AT_ONCE
        if allowed:
            check_games(format, count)
        else:
            with pytest.raises(TooManyGames):
                check_games(format, count)


@pytest.mark.parametrize(
    ("format", "count", "words"),
    [
        (RoundRobin(), 5000, "5000 players would make 12497500 games"),
        (RoundRobin(double=True, at_once=10), 200, "200 players would make 39800 games"),
        (RoundRobin(section_size=100, double=True), 5000, "would make 495000 games"),
        (RoundRobin(double=True), 110, "everybody would play 218 games at once"),
    ],
)
def test_too_many_games_are_refused_with_a_sentence(format: Format, count: int, words: str) -> None:
    with pytest.raises(TooManyGames, match=words):
        check_games(format, count)
