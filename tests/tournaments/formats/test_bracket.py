"""Brackets of 2 to 64: who can meet whom, and where losers go."""

from collections import Counter

import pytest

from tournaments.formats.bracket import (
    bracket_size,
    double_elimination,
    seed_order,
    single_elimination,
)

ENTRANTS = range(2, 65)


def origins(matches):
    """From which seeds the players of each match can come."""
    found = {}
    for match in matches:
        found[match.number] = set()
        for source in match.sources:
            found[match.number] |= {source.of} if source.kind == "seed" else found[source.of]
    return found


def test_seeds_are_where_they_always_are():
    assert seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert seed_order(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])
def test_the_best_seeds_meet_as_late_as_possible(size):
    matches = single_elimination(size)
    for match in matches:
        left = size >> match.stage
        assert sum(seed <= 2 * left for seed in origins(matches)[match.number]) == 2


def test_a_single_elimination_has_every_seed_once_and_one_final():
    for entrants in ENTRANTS:
        matches = single_elimination(entrants)
        size = bracket_size(entrants)
        assert entrants <= size < 2 * max(entrants, 2)
        assert len(matches) == size - 1
        used = Counter(source for match in matches for source in match.sources)
        assert set(used.values()) == {1}
        assert {source.of for source in used if source.kind == "seed"} == set(range(1, size + 1))
        winners = {source.of for source in used if source.kind == "winner"}
        assert winners == {match.number for match in matches[:-1]}


def test_byes_go_to_the_top_seeds():
    for entrants in ENTRANTS:
        opening = [match for match in single_elimination(entrants) if match.stage == 1]
        free = {
            min(source.of for source in match.sources)
            for match in opening
            if max(source.of for source in match.sources) > entrants
        }
        assert free == set(range(1, bracket_size(entrants) - entrants + 1))


def test_every_match_of_a_double_elimination_feeds_once():
    for entrants in ENTRANTS:
        matches = double_elimination(entrants, reset=False)
        size = bracket_size(entrants)
        used = Counter(source for match in matches for source in match.sources)
        assert set(used.values()) == {1}
        winners = {source.of for source in used if source.kind == "winner"}
        losers = {source.of for source in used if source.kind == "loser"}
        assert winners == {match.number for match in matches[:-1]}
        assert losers == {match.number for match in matches if match.side == "main"}
        assert len(matches) == 2 * size - 2


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("entrants", ENTRANTS)
def test_feeders_come_before_what_they_feed(entrants, reset):
    seen = {}
    for match in double_elimination(entrants, reset=reset):
        feeders = [source.of for source in match.sources if source.kind != "seed"]
        assert all(seen[feeder] < match.stage for feeder in feeders)
        seen[match.number] = match.stage


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_a_loser_does_not_come_down_to_those_he_has_beaten(size):
    """As long as two or more come down at a time and there is a way: in all but the last rounds."""
    matches = double_elimination(size, reset=False)
    by_number = {match.number: match for match in matches}
    coming = origins(matches)
    dropping = [
        (match, loser, other)
        for match in matches
        for loser, other in (match.sources, match.sources[::-1])
        if match.side == "losers" and loser.kind == "loser" and other.kind == "winner"
    ]
    free = [
        by_number[loser.of].stage
        for _, loser, other in dropping
        if not coming[loser.of] & coming[other.of]
    ]
    assert Counter(free) == {
        stage: count
        for stage, count in Counter(by_number[loser.of].stage for _, loser, _ in dropping).items()
        if count >= {8: 2, 16: 4, 32: 4, 64: 4}[size]
    }


def test_no_two_matches_of_a_side_are_drawn_on_the_same_spot():
    for entrants in ENTRANTS:
        for matches in (single_elimination(entrants), double_elimination(entrants, reset=True)):
            spots = [(match.side, match.column, match.row) for match in matches]
            assert len(spots) == len(set(spots))


def test_a_match_is_drawn_between_its_feeders():
    for match in (matches := {match.number: match for match in single_elimination(16)}).values():
        if match.stage > 1:
            one, other = (matches[source.of] for source in match.sources)
            assert match.row == (one.row + other.row) / 2
            assert match.column == one.column + 1
