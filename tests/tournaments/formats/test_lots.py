"""Lots: the same for the same seed, and for nothing else."""

from hashlib import sha256

from tournaments.formats.lots import lot, lots_of_pairs


def test_a_lot_can_be_drawn_again_by_anybody():
    assert lot("seed", 3, 12, 7) == int(sha256(b"seed:3:12:7").hexdigest()[:16], 16)


def test_lots_of_pairs_are_the_same_lots():
    of_pair = lots_of_pairs("seed", 3)
    pairs = [(one, other) for one in range(1, 20) for other in range(1, 20)]
    assert [of_pair(*pair) for pair in pairs] == [lot("seed", 3, *pair) for pair in pairs]
    assert len({of_pair(*pair) for pair in pairs}) == len(pairs)
