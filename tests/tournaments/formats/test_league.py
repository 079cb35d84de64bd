"""The league: seasons, and who plays where in the next one."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.playing import RESULTS, at_random, entrants, play_out
from tournaments.formats.format import InvalidSetting
from tournaments.formats.history import Entrant, History
from tournaments.formats.league import League

LEAGUE = League(size=4, up=1, down=1)
TABLES = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))
ALL = frozenset(range(1, 13))


def divisions(new):
    return [set(division) for division in new]


def test_the_first_season_is_by_rating():
    field = [Entrant(number=number, rating=1000 + 10 * (number % 5)) for number in range(1, 9)]
    assert LEAGUE.first_season(field) == ((4, 3, 8, 2), (7, 1, 6, 5))


def test_the_best_go_up_and_the_last_go_down():
    new = LEAGUE.next_season(TABLES, staying=ALL)
    assert divisions(new) == [{1, 2, 3, 5}, {4, 6, 7, 9}, {8, 10, 11, 12}]


def test_a_free_place_saves_the_last_before_another_goes_up():
    new = LEAGUE.next_season(TABLES, staying=ALL - {2})
    assert divisions(new) == [{1, 3, 4, 5}, {6, 7, 8, 9}, {10, 11, 12}]


def test_who_does_not_stay_is_not_promoted():
    new = LEAGUE.next_season(TABLES, staying=ALL - {5})
    assert divisions(new)[0] == {1, 2, 3, 6}


def test_newcomers_begin_at_the_bottom():
    new = LEAGUE.next_season(TABLES, staying=ALL, newcomers=[20, 21, 4, 20])
    assert divisions(new)[:2] == divisions(LEAGUE.next_season(TABLES, staying=ALL))[:2]
    assert divisions(new)[2:] == [{8, 10, 11, 12}, {20, 21}]


def test_more_may_go_up_than_down():
    new = League(size=4, up=2, down=1).next_season(TABLES[:2], staying=ALL)
    assert divisions(new) == [{1, 2, 5, 6}, {3, 4, 7, 8}]


def test_too_few_for_a_division_join_the_one_above():
    assert [len(each) for each in LEAGUE.divide(range(13))] == [4, 4, 5]
    assert [len(each) for each in LEAGUE.divide(range(14))] == [4, 4, 4, 2]
    assert [len(each) for each in LEAGUE.divide(range(1))] == [1]
    assert LEAGUE.divide([]) == ()


def test_zones_are_known_beforehand():
    assert [LEAGUE.zones(3, division, 4) for division in (1, 2, 3)] == [(0, 1), (1, 1), (1, 0)]
    assert LEAGUE.zones(1, 1, 4) == (0, 0)
    assert League(size=4, up=2, down=2).zones(3, 2, 3) == (2, 1)


@given(
    size=st.integers(3, 8),
    up=st.integers(1, 3),
    down=st.integers(1, 3),
    count=st.integers(0, 60),
    chance=st.integers(0, 2**32).map(random.Random),
)
def test_season_after_season_players_are_kept_and_divisions_have_their_size(
    size, up, down, count, chance
):
    league = League(size=size, up=up, down=down)
    players = list(range(count))
    tables = league.divide(players)
    for season in range(1, 5):
        staying = {player for table in tables for player in table if chance.random() < 0.85}
        newcomers = [1000 * season + number for number in range(chance.randint(0, 5))]
        new = league.next_season(tables, staying=staying, newcomers=newcomers)
        assert sorted(player for division in new for player in division) == sorted(
            [*staying, *newcomers]
        )
        assert new == league.next_season(tables, staying=set(staying), newcomers=newcomers)
        sizes = [len(division) for division in new]
        assert all(each == size for each in sizes[:-1])
        assert len(sizes) < 2 or size <= 2 * sizes[-1] < 3 * size
        tables = [chance.sample(division, len(division)) for division in new]


@given(st.integers(3, 8), st.integers(1, 3), st.integers(2, 6), st.data())
def test_in_a_full_league_exactly_the_zones_move(size, moving, count, data):
    moving = min(moving, size // 2)
    league = League(size=size, up=moving, down=moving)
    tables = [data.draw(st.permutations(range(100 * at, 100 * at + size))) for at in range(count)]
    new = league.next_season(tables, staying={player for table in tables for player in table})
    where = {player: at for at, division in enumerate(new) for player in division}
    for at, table in enumerate(tables):
        up, down = league.zones(count, at + 1, size)
        moves = [where[player] - at for player in table]
        assert moves == [-1] * up + [0] * (size - up - down) + [1] * down


def test_every_division_plays_a_round_robin_of_its_own():
    chance = random.Random(1)
    end = play_out(
        LEAGUE, History(entrants=entrants(10)), by=at_random(chance, RESULTS), chance=chance
    )
    met = {frozenset({game.first, game.second}) for game in end.meetings}
    homes = LEAGUE.first_season(entrants(10))
    assert met == {
        frozenset({one, other}) for home in homes for one in home for other in home if one < other
    }


def test_divisions_that_were_assigned_are_kept():
    field = [Entrant(number=number, section=1 + number % 2) for number in range(1, 7)]
    draw = LEAGUE.next(History(entrants=field), seed="")
    assert all((game.first + game.second) % 2 == 0 for game in draw.pairings)
    assert len(draw.pairings) == 6


def test_more_cannot_move_than_there_are():
    with pytest.raises(InvalidSetting, match="Of a division of 4, 3 cannot go up and 2 go down"):
        League(size=4, up=3, down=2).check(12)
