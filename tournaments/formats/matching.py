"""The best round there is: one weighted matching of all players, what matters more first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import rustworkx

from tournaments.formats.cards import ABSOLUTE, NEITHER, Card, ranked
from tournaments.formats.lots import lots_of_pairs

MOST_BITS = 120
"""The matching adds weights up and doubles them in 128 bits."""
LOT_BITS = 32
LEAST_LOT_BITS = 12
FAR = 1000
"""Differences in score from here on are all the same."""
ALL_PAIRS = 100
"""Up to so many players every pair is weighed at once."""
FIRST_PAIRS = 12_000
"""About so many pairs are weighed at first in a larger field."""
LEAST_WINDOW = 6
MOST_CONFLICT = ABSOLUTE
MOST_FLOAT = 4
NO_WISH = (NEITHER, 0)

Pairs = list[tuple[Card, Card]]
Places = tuple[int, int]
"""Two places in the ranking, the higher one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a round is bound to besides the cards."""

    round: int
    lots: str
    """What the lots of this round are drawn from."""
    relaxed: Callable[[Card], bool] = lambda card: False
    """Whose colour limits count no more than other wishes: the leaders' in the last round."""
    colours_matter: bool = True
    bits: int = MOST_BITS


class Overflow(ValueError):
    """All that matters does not fit into one weight."""


def best_round(cards: Sequence[Card], rules: Rules) -> Pairs | None:
    """Everybody paired, cards being given by rank; None if there is no legal way at all.

    A pair far from each other is weighed only if it must be: the window of neighbours is
    doubled until there is a whole round that breaks no colour limit, or all pairs are in it.
    """
    field = Field(cards, rules)
    window = first_window(len(cards))
    try:
        while True:
            pairs = field.matching(window)
            whole = 2 * len(pairs) == len(cards)
            if window >= len(cards) or (whole and not any(field.breaks_limit(*at) for at in pairs)):
                return field.cards_of(pairs) if whole else None
            window *= 2
    except Overflow:
        return _group_by_group(cards, rules)


def first_window(players: int) -> int:
    return players if players <= ALL_PAIRS else max(LEAST_WINDOW, 2 * FIRST_PAIRS // players)


def _group_by_group(cards: Sequence[Card], rules: Rules) -> Pairs | None:
    """From the top down; who finds nobody joins the next group, at last pairs are undone again."""
    pairs: Pairs = []
    waiting: list[Card] = []
    for _, group in groupby(cards, key=lambda card: card.score):
        pool = [*waiting, *group]
        found = _most_pairs(pool, rules)
        taken = {card.number for pair in found for card in pair}
        waiting = [card for card in pool if card.number not in taken]
        pairs += found
    return _undone_for(waiting, pairs, rules)


def _undone_for(waiting: list[Card], pairs: Pairs, rules: Rules) -> Pairs | None:
    undo = 1
    while waiting:
        again = ranked([*waiting, *(card for pair in pairs[-undo:] for card in pair)])
        found = _most_pairs(again, rules)
        if 2 * len(found) == len(again):
            return pairs[:-undo] + found
        if undo >= len(pairs):
            return None
        undo *= 2
    return pairs


def _most_pairs(cards: Sequence[Card], rules: Rules) -> Pairs:
    field = Field(cards, rules, cut_short=True)
    return field.cards_of(field.matching(len(cards)))


class Field:
    """Players by rank, and what it costs to pair any two of them.

    A cost is one whole number in which each thing has a part wide enough for its sum over the
    round. From the highest: broken colour limits; squares of the differences in score; colour
    wishes; repeated floats; how far from the fold; lots.
    """

    def __init__(self, cards: Sequence[Card], rules: Rules, *, cut_short: bool = False) -> None:
        self.cards = cards
        self.rules = rules
        self.cut_short = cut_short
        self.lot = lots_of_pairs(rules.lots, rules.round)
        self.numbers = [card.number for card in cards]
        self.scores = [card.score for card in cards]
        self.wishes = [card.wish if rules.colours_matter else NO_WISH for card in cards]
        self.relaxed = [rules.relaxed(card) for card in cards]
        self.down = [_recent(card.downfloats, rules.round) for card in cards]
        self.up = [_recent(card.upfloats, rules.round) for card in cards]
        self.groups = list(_groups(self.scores))

    def cards_of(self, pairs: Sequence[Places]) -> Pairs:
        return [(self.cards[upper], self.cards[lower]) for upper, lower in pairs]

    def matching(self, window: int) -> list[Places]:
        """The best of the largest matchings among the pairs within a window."""
        graph = self.graph(window)
        found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
        return sorted((min(pair), max(pair)) for pair in found)

    def graph(self, window: int) -> "rustworkx.PyGraph[int, int]":
        graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from(range(len(self.cards)))
        graph.add_edges_from(list(self._edges(window)))
        return graph

    def breaks_limit(self, upper: int, lower: int) -> bool:
        """Whether one of them would get a colour for the third time in a row or for three more."""
        return (
            self.wishes[upper] == self.wishes[lower]
            and self.wishes[upper][1] == ABSOLUTE
            and not (self.relaxed[upper] or self.relaxed[lower])
        )

    def _edges(self, window: int) -> Iterator[tuple[int, int, int]]:
        at = self._widths(window)
        barred = [card.barred for card in self.cards]
        for upper, lower, off_fold in self._neighbours(window):
            if self.numbers[lower] not in barred[upper]:
                yield upper, lower, -self._cost(upper, lower, off_fold, at)

    def _neighbours(self, window: int) -> Iterator[tuple[int, int, int]]:
        """Pairs of places, and how far each pair is from the fold.

        Within a score group that is how far the lower one is from his half's mirror place, and
        more for two of the same half; a float goes best from the last of a group to the first
        of the next.
        """
        reach = window // 2 if window < len(self.cards) else window
        for start, end, half in self.groups:
            middle = start + start % 2 + half
            for upper in range(start, end):
                least = max(upper + 1, upper + half - reach)
                for lower in range(least, min(end, upper + half + reach + 1)):
                    same_half = lower < middle or upper >= middle
                    yield upper, lower, abs(lower - upper - half) + same_half * min(half, reach)
            for upper in range(max(start, end - window), end):
                for lower in range(end, min(len(self.cards), upper + window + 1)):
                    yield upper, lower, lower - upper - 1

    def _cost(self, upper: int, lower: int, off_fold: int, at: "_Parts") -> int:
        difference = min(self.scores[upper] - self.scores[lower], FAR)
        (wish, strength), (other_wish, other_strength) = self.wishes[upper], self.wishes[lower]
        cost = off_fold << at.fold
        if difference:
            cost += difference * difference << at.score
            cost += self.down[upper] + self.up[lower] << at.floats
        if wish == other_wish and (conflict := min(strength, other_strength)):
            cost += conflict << at.colour
            if conflict == ABSOLUTE and self.breaks_limit(upper, lower):
                cost += 1 << at.limit
        one, other = self.numbers[upper], self.numbers[lower]
        drawn = self.lot(one, other) if one < other else self.lot(other, one)
        return cost + (drawn >> 64 - at.lot_bits) >> at.spare

    def _widths(self, window: int) -> "_Parts":
        pairs = max(1, len(self.cards) // 2)
        span = min(self.scores[0] - self.scores[-1], FAR) if self.scores else 0
        fold = (pairs * 2 * min(window, len(self.cards))).bit_length()
        floats = (pairs * MOST_FLOAT).bit_length()
        colour = (pairs * MOST_CONFLICT).bit_length()
        score = (pairs * span * span).bit_length()
        room = self.rules.bits - (fold + floats + colour + score + 2 * pairs.bit_length())
        if room < LEAST_LOT_BITS and not self.cut_short:
            raise Overflow
        lots = max(LEAST_LOT_BITS, min(LOT_BITS, room)) + pairs.bit_length()
        return _Parts(
            lot_bits=lots - pairs.bit_length(),
            fold=lots,
            floats=lots + fold,
            colour=lots + fold + floats,
            score=lots + fold + floats + colour,
            limit=lots + fold + floats + colour + score,
            spare=max(0, LEAST_LOT_BITS - room),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """At which bit each part of a cost begins; `spare` bits at the low end are cut off."""

    lot_bits: int
    fold: int
    floats: int
    colour: int
    score: int
    limit: int
    spare: int


def _recent(floats: Sequence[int], number: int) -> int:
    """A float in the round before counts twice as much as one in the round before that."""
    return 2 * (number - 1 in floats) or int(number - 2 in floats)


def _groups(scores: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where each score group starts and ends, and half of those who stay in it.

    One comes from above if there is an odd number above, one goes down if that leaves one over.
    """
    start = 0
    for _, group in groupby(scores):
        end = start + len(list(group))
        staying = end - start - start % 2 - end % 2
        yield start, end, max(1, staying // 2)
        start = end
