"""What is good in both editions of Tritt: wins in one, threats of one, and room for more."""

import random
from collections.abc import Iterator

from games.bots.knowledge import EVEN, Plain, shuffled
from games.bots.tritt_threats import (
    FAR_SHIFTS,
    SHORT_SHIFTS,
    Shift,
    Wins,
    entries_that_win,
    entries_touching,
    open_shifts,
    pairing,
    slides_that_win,
    wins_by_entry_and_slide,
)
from games.rules import tritt_classic, tritt_reloaded
from games.rules.tritt_board import (
    BOARD,
    CANONICAL,
    COVERS,
    NAMES,
    Places,
    completing,
    picked,
    places_for,
)
from games.rules.tritt_classic import HAND, SWAP, TrittClassic
from games.rules.tritt_reloaded import TrittReloaded

CORNERS = ("a1-c3", "a6-c6", "f1-f3", "f9-f11", "i3-k1", "i6-k6")
"""The openings of Classic that point from a corner at the centre: too strong to be left."""

MOST_THREATS = 3
MANY_WINS = 6
"""The length in bits of a number of wins that is as good as any larger one."""

SAMPLES = 60
"""Moves of Reloaded that are tried before all are listed."""


def for_seat_0(value: float, seat: int) -> float:
    """A value for the seat to move, kept away from what is certain, as one for seat 0."""
    kept = min(max(value, 0.02), 0.98)
    return 1.0 - kept if seat else kept


class ClassicKnowledge(Plain):
    spread = 1.6
    daring = 0.35

    threat = 0.12
    """How much an open threat of the opponent's takes from the value of a position."""

    room = 0.004
    """How much a dot from which a threat can be made adds to it."""

    def book(self, position: TrittClassic, chance: random.Random) -> tritt_classic.Move | None:
        """Opens in a corner, and swaps where the opponent did; it was studied by single steps."""
        orange, blue = position.trittons
        if position.terms.slide != "one":
            return None
        if position.may_swap and NAMES[orange[0]] in CORNERS:
            return SWAP
        if not orange and not blue:
            return tritt_classic.ENTRIES[CANONICAL[chance.choice(CORNERS)]]
        return None

    def win(self, position: TrittClassic) -> tritt_classic.Move | None:
        mine, theirs = _seen_by(position, position.colour)
        entries = entries_that_win(mine, theirs) & position.entries
        if entries:
            return tritt_classic.ENTRIES[entries.bit_length() - 1]
        slides = slides_that_win(mine, theirs, _shifts(position, position.theirs))
        return slides[0] if slides else None

    def value(self, position: TrittClassic, chance: random.Random) -> float:
        colour = position.colour
        mine, theirs = _seen_by(position, colour)
        free = BOARD & ~(mine | theirs)
        room = pairing(mine, free).bit_count() - pairing(theirs, free).bit_count()
        threats = min(_classic_threats(position), MOST_THREATS)
        value = EVEN + self.room * room - self.threat * threats
        return for_seat_0(value, colour ^ position.terms.swapped)

    def candidates(
        self, position: TrittClassic, chance: random.Random
    ) -> Iterator[tritt_classic.Move]:
        """Blocks where the opponent threatens, then own threats, slides, and all the rest."""
        colour = position.colour
        mine, theirs = _seen_by(position, colour)
        free, entries = BOARD & ~(mine | theirs), position.entries
        if position.may_swap:
            yield SWAP
        suicidal = entries & ~places_for(free & ~completing(theirs), free)
        sound = entries & ~suicidal
        blocking = sound & entries_touching(completing(theirs) & free, free)
        building = sound & ~places_for(free, free & ~pairing(mine, free))
        yield from _entries(blocking & building, chance)
        yield from _entries(blocking & ~building, chance)
        slides = [shift.slide for shift in _shifts(position, position.theirs)]
        yield from shuffled(slides, chance)
        yield from _entries(building & ~blocking, chance)
        yield from _entries(sound & ~building & ~blocking, chance)
        yield from _entries(suicidal, chance)


def _seen_by(position: TrittClassic, colour: int) -> tuple[int, int]:
    return position.dots[colour], position.dots[1 - colour]


def _shifts(position: TrittClassic, trittons: Places) -> list[Shift]:
    shifts = SHORT_SHIFTS if position.terms.slide == "one" else FAR_SHIFTS
    return open_shifts(shifts, trittons, position.dots[0] | position.dots[1])


def _classic_threats(position: TrittClassic) -> int:
    """How many wins the side that is not to move would have if it were, a dot counted once."""
    colour = position.colour
    theirs, mine = _seen_by(position, colour)
    threats = 0
    if len(position.trittons[1 - colour]) < HAND and entries_that_win(mine, theirs):
        threats = (completing(mine) & BOARD & ~(mine | theirs)).bit_count()
    return threats + len(
        slides_that_win(mine, theirs, _shifts(position, position.trittons[colour]))
    )


def _entries(places: int, chance: random.Random) -> Iterator[tritt_classic.Move]:
    return shuffled(picked(tritt_classic.ENTRIES, places), chance)


class ReloadedKnowledge(Plain):
    spread = 1.6
    daring = 0.35

    threat = 0.3
    """How much the opponent's takes from the value of a position if it could win in many ways."""

    room = 0.004
    """How much a place where only the seat to move may enter adds to it."""

    def win(self, position: TrittReloaded) -> tritt_reloaded.Move | None:
        found = _wins(position, position.seat, position.entries).first()
        return found and tritt_reloaded.Move(*found)

    def value(self, position: TrittReloaded, chance: random.Random) -> float:
        seat = position.seat
        their_entries = _reloaded_entries(position, 1 - seat)
        threats = _wins(position, 1 - seat, their_entries).total()
        pressure = min(threats.bit_length(), MANY_WINS) / MANY_WINS * self.threat
        room = position.entries.bit_count() - their_entries.bit_count()
        return for_seat_0(EVEN - pressure + self.room * room, seat)

    def candidates(
        self, position: TrittReloaded, chance: random.Random
    ) -> Iterator[tritt_reloaded.Move]:
        """Some at random, slides of any tritton as likely as none; then all the others."""
        tried = set()
        entries = picked(tritt_reloaded.ENTRIES, position.entries)
        occupied = position.dots[0] | position.dots[1]
        shifts = open_shifts(FAR_SHIFTS, position.theirs, occupied)
        for _ in range(min(SAMPLES, len(entries))):
            move = _sampled(chance.choice(entries), shifts, chance)
            if move not in tried:
                tried.add(move)
                yield move
        for move in shuffled(position.legal_moves(), chance):
            if move not in tried:
                yield move


def _sampled(
    entry: tritt_reloaded.Move, shifts: list[Shift], chance: random.Random
) -> tritt_reloaded.Move:
    if not shifts or chance.random() < 1 / 4:
        return entry
    shift = chance.choice(shifts)
    if int.from_bytes(shift.way, "little") & COVERS[entry.entry]:
        return entry
    return tritt_reloaded.Move(entry.entry, shift.slide)


def _wins(position: TrittReloaded, seat: int, entries: int) -> Wins:
    """What wins for a seat if it may enter its trittons in these places."""
    return wins_by_entry_and_slide(
        position.dots[seat], position.dots[1 - seat], position.trittons[1 - seat], entries
    )


def _reloaded_entries(position: TrittReloaded, seat: int) -> int:
    """Where a seat might enter a tritton if it were to move."""
    mine, theirs = position.dots[seat], position.dots[1 - seat]
    free = BOARD & ~(mine | theirs)
    return places_for(free & ~completing(mine), free & ~completing(theirs))
