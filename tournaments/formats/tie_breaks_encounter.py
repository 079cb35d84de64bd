"""Direct encounter: the order of those who are tied, by their games among themselves alone."""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from tournaments.formats.tie_breaks_slots import Table

Group = list[int]
Met = Mapping[int, Mapping[int, Fraction]]
"""The score of each of the tied against each whom he met."""


def separated(table: Table, tied: Collection[int]) -> list[Group]:
    """The tied in order; who stays together cannot be told apart (article 6)."""
    met = {number: _averages(table, number) for number in tied}
    return list(_groups(met, sorted(tied), table.win))


def _averages(table: Table, number: int) -> dict[int, Fraction]:
    """6.1: the score against each opponent; the average where there were several games."""
    games: dict[int, list[int]] = {}
    for slot in table.slots[number]:
        if table.counts_as_game(slot):
            games.setdefault(slot.opponent, []).append(slot.points)
    return {opponent: Fraction(sum(points), len(points)) for opponent, points in games.items()}


def _groups(met: Met, tied: Group, win: int) -> Iterator[Group]:
    among = {one: _among(met[one], set(tied)) for one in tied}
    if all(len(scores) == len(tied) - 1 for scores in among.values()):
        groups = _by_score(among)
    else:
        groups = _surely_placed(among, win)
    if len(groups) == 1:
        yield from groups
        return
    for group in groups:
        yield from _groups(met, group, win)


def _among(scores: Mapping[int, Fraction], tied: set[int]) -> list[Fraction]:
    return [score for opponent, score in scores.items() if opponent in tied]


def _by_score(among: Mapping[int, list[Fraction]]) -> list[Group]:
    """6.2: all have met, so the table among themselves decides."""
    groups: dict[Fraction, Group] = {}
    for one, scores in among.items():
        groups.setdefault(sum(scores, Fraction(0)), []).append(one)
    return [groups[score] for score in sorted(groups, reverse=True)]


def _surely_placed(among: Mapping[int, list[Fraction]], win: int) -> list[Group]:
    """6.3: who is alone on a place however the missing games might end, from the top down."""
    least = {one: sum(scores, Fraction(0)) for one, scores in among.items()}
    most = {one: least[one] + win * (len(among) - 1 - len(scores)) for one, scores in among.items()}
    left = sorted(among, key=lambda one: (-least[one], one))
    placed: list[Group] = []
    while len(left) > 1 and least[left[0]] > max(most[one] for one in left[1:]):
        placed.append([left.pop(0)])
    return [*placed, sorted(left)]
