"""Tie-breaks by an entrant's own record: wins, colours, rounds played, progress."""

from collections.abc import Callable
from fractions import Fraction

from tournaments.formats.tie_breaks_slots import Slot, Table


def wins(table: Table) -> dict[int, Fraction]:
    """7.1: whatever brought the points of a win."""
    return _count(table, lambda slot: _decided(slot) and slot.points == table.win)


def games_won(table: Table) -> dict[int, Fraction]:
    """7.2: over the board."""
    return _count(table, lambda slot: _on_record(table, slot) and slot.result == 2)


def games_with_second_colour(table: Table) -> dict[int, Fraction]:
    """7.3: in chess, with Black."""
    return _count(table, lambda slot: _on_record(table, slot) and slot.second)


def games_won_with_second_colour(table: Table) -> dict[int, Fraction]:
    """7.4: in chess, with Black."""
    return _count(table, lambda slot: _on_record(table, slot) and slot.second and slot.result == 2)


def rounds_elected_to_play(table: Table) -> dict[int, Fraction]:
    """7.6: all but requested byes and forfeit losses."""
    return _count(table, lambda slot: not slot.voluntary)


def standard_points(table: Table) -> dict[int, Fraction]:
    """7.7: one for a win and a half for a draw, whatever they are worth here."""
    return {
        number: Fraction(sum(_standard_halves(table, slot) for slot in slots if _decided(slot)), 2)
        for number, slots in table.slots.items()
    }


def progressive_scores(table: Table, cut: int) -> dict[int, Fraction]:
    """7.5: the sum of the scores after each round, without the first `cut` of them."""
    return {
        number: table.fraction(
            sum(slot.points * max(0, table.last - max(slot.round - 1, cut)) for slot in slots)
        )
        for number, slots in table.slots.items()
    }


def game_points(table: Table) -> dict[int, Fraction]:
    """What an entrant's games counted, where a game keeps score."""
    return {
        number: Fraction(sum(slot.game_points for slot in slots))
        for number, slots in table.slots.items()
    }


def _count(table: Table, counts: Callable[[Slot], bool]) -> dict[int, Fraction]:
    return {
        number: Fraction(sum(1 for slot in slots if counts(slot)))
        for number, slots in table.slots.items()
    }


def _decided(slot: Slot) -> bool:
    return slot.kind != "running"


def _on_record(table: Table, slot: Slot) -> bool:
    """15.2: a forfeit loss stays an unplayed round even where forfeits are treated as games."""
    return table.counts_as_game(slot) and not slot.lost_by_default


def _standard_halves(table: Table, slot: Slot) -> int:
    if slot.kind == "game":
        return slot.result
    return 2 if slot.points > table.draw else 1 if slot.points == table.draw else 0
