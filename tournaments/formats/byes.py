"""Who sits out a round of an odd number: the lowest score, the fewest rests, the lowest rank."""

from collections.abc import Sequence

import rustworkx

from tournaments.formats.cards import Card


def in_line_for_bye(cards: Sequence[Card]) -> list[Card]:
    """Those who may have the bye, first who should: nobody twice, nor after a win by forfeit."""
    eligible = (card for card in cards if not card.had_free_win)
    return sorted(eligible, key=lambda card: (card.score, card.unplayed, -card.number))


def bye_that_leaves_a_round(cards: Sequence[Card], line: Sequence[Card]) -> Card | None:
    """The first in line without whom all others can be paired."""
    places = {card.number: place for place, card in enumerate(cards)}
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(cards) + 1))
    graph.add_edges_from(
        [
            (upper, lower, 0)
            for upper, card in enumerate(cards)
            for lower in range(upper + 1, len(cards))
            if cards[lower].number not in card.barred
        ]
    )
    rest = len(cards)
    graph.add_edges_from([(places[card.number], rest, -wait) for wait, card in enumerate(line)])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(found) <= len(cards):
        return None
    sitting = next(sum(pair) - rest for pair in found if rest in pair)
    return cards[sitting]
