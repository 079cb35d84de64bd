"""Who of two has the first move, by what both had before."""

from tournaments.formats.cards import ABSOLUTE, FIRST, NEITHER, Card

Sides = tuple[Card, Card]


def sides(upper: Card, lower: Card, *, initial: int) -> Sides:
    """First and second; `upper` is ranked higher, `initial` is what start number 1 begins with.

    The stronger wish is granted; of two equal ones that of the greater imbalance, then the
    opposite of the last round in which they differed, then that of the higher ranked.
    """
    (wish, strength), (other_wish, other_strength) = upper.wish, lower.wish
    if wish == other_wish == NEITHER:
        return _given(upper, lower, initial if upper.number % 2 else -initial)
    if wish != other_wish:
        return _given(upper, lower, wish or -other_wish)
    if strength != other_strength:
        return _given(upper, lower, wish if strength > other_strength else -wish)
    if strength == ABSOLUTE and abs(upper.balance) != abs(lower.balance):
        return _given(upper, lower, wish if abs(upper.balance) > abs(lower.balance) else -wish)
    return _given(upper, lower, _alternated(upper, lower) or wish)


def _given(upper: Card, lower: Card, colour: int) -> Sides:
    return (upper, lower) if colour == FIRST else (lower, upper)


def _alternated(upper: Card, lower: Card) -> int:
    for one, other in zip(reversed(upper.colours), reversed(lower.colours), strict=False):
        if one != other:
            return -one
    return NEITHER
