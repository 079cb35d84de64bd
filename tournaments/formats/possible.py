"""The places that everybody can still reach, whatever happens in the games that are left."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from tournaments.formats.cards import games_of_a_match, worth
from tournaments.formats.history import History, Values

Bounds = tuple[int, int]
"""The best place and the worst one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The least and the most points that a player can end with."""

    least: Fraction
    most: Fraction


def possible_places(
    history: History,
    *,
    to_come: Iterable[tuple[int, int]] = (),
    undrawn_rounds: int = 0,
    games: int = 1,
) -> dict[int, Bounds]:
    """The best and the worst final place of each, by points; a tie can be broken either way.

    Every place that can come about lies between the two; they close in with each game that
    ends and never open again. Games left are those that run, those `to_come` and, of whoever
    has not left, those of rounds not drawn yet, each of so many `games`.
    """
    left = [(game.first, game.second) for game in history.meetings if not game.scores]
    left += to_come
    ends = _reaches(history, left, undrawn_rounds, games)
    pool = None if undrawn_rounds else len(left) * _most_of_a_game(history.values)
    return {number: _bounds(number, ends, pool) for number in ends}


def points_so_far(history: History) -> dict[int, Fraction]:
    """Everybody's points from decided games and from rounds sat out."""
    points = {entrant.number: Fraction(0) for entrant in history.entrants}
    for game in history.meetings:
        if game.scores:
            points[game.first] += game.scores[0]
            points[game.second] += game.scores[1]
    games = games_of_a_match(history)
    for idle in history.idles:
        points[idle.number] += worth(idle, history.values, games=games)
    return points


def _reaches(
    history: History, left: Iterable[tuple[int, int]], undrawn_rounds: int, games: int
) -> dict[int, Reach]:
    values = history.values
    count = Counter(number for pair in left for number in pair)
    gone = {entrant.number for entrant in history.entrants if entrant.left}
    best = max(values.win, values.draw, values.loss)
    best_round = max(best * games, values.bye)
    ends = {}
    for number, points in points_so_far(history).items():
        rounds = 0 if number in gone else undrawn_rounds
        ends[number] = Reach(
            least=points + _worst(values) * (count[number] + rounds * games),
            most=points + best * count[number] + best_round * rounds,
        )
    return ends


def _worst(values: Values) -> Fraction:
    """Of a game or a round, a ruling against both included."""
    return min(values.win, values.draw, values.loss, values.absent, Fraction(0))


def _most_of_a_game(values: Values) -> Fraction:
    """The most that a game gives to both together beyond what they have in the worst case."""
    losing = max(values.loss, values.absent, Fraction(0))
    return max(values.win + losing, 2 * values.draw) - 2 * _worst(values)


def _bounds(number: int, ends: Mapping[int, Reach], pool: Fraction | None) -> Bounds:
    own = ends[number]
    others = [end for other, end in ends.items() if other != number]
    surely_above = sum(end.least > own.most for end in others)
    perhaps_above = [end for end in others if end.most >= own.least]
    if pool is None:
        return 1 + surely_above, 1 + len(perhaps_above)
    needed = accumulate(sorted(max(Fraction(0), own.least - end.least) for end in perhaps_above))
    return 1 + surely_above, 1 + sum(points <= pool for points in needed)
