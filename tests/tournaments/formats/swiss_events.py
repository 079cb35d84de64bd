"""Random Swiss events, and what a round must be like, reckoned in another way than it is made."""

import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import rustworkx

from tests.tournaments.formats.playing import DRAWN, LOST, NOBODY_CAME, WON
from tournaments.formats.history import HALF, Draw, Entrant, History, Idle, Meeting

WORTH = {"F": Fraction(1), "U": Fraction(1), "H": HALF, "Z": Fraction(0)}


class Book:
    """What a tournament director would keep in his book about the rounds so far."""

    def __init__(self, history: History) -> None:
        self.points: dict[int, Fraction] = defaultdict(Fraction)
        self.played: dict[int, set[int]] = defaultdict(set)
        self.colours: dict[int, str] = defaultdict(str)
        self.never_again = {frozenset(pair) for pair in history.forbidden}
        self.had_bye: set[int] = set()
        for game in sorted(history.meetings, key=lambda game: (game.round, game.leg)):
            self._note(game)
        legs = max((game.leg for game in history.meetings), default=1)
        for idle in history.idles:
            self.points[idle.number] += WORTH[idle.kind] * legs
            if idle.kind in ("F", "U"):
                self.had_bye.add(idle.number)

    def _note(self, game: Meeting) -> None:
        for number, points in zip((game.first, game.second), game.scores, strict=True):
            self.points[number] += points
            if game.forfeit and points == 1:
                self.had_bye.add(number)
        if not game.forfeit:
            self.never_again.add(frozenset({game.first, game.second}))
            self.colours[game.first] += "1"
            self.colours[game.second] += "2"
            self.played[game.first].add(game.round)
            self.played[game.second].add(game.round)

    def may_meet(self, one: int, other: int) -> bool:
        return frozenset({one, other}) not in self.never_again

    def must_have(self, number: int) -> str:
        """The colour without which he would break a limit."""
        colours = self.colours[number]
        for colour, other in (("1", "2"), ("2", "1")):
            excess = colours.count(other) - colours.count(colour)
            if excess >= 2 or colours.endswith(2 * other):
                return colour
        return ""

    def breaks_limit(self, number: int, colour: str) -> bool:
        colours = self.colours[number] + colour
        return colours.endswith(3 * colour) or abs(colours.count("1") - colours.count("2")) > 2

    def within_limits(self, one: int, other: int) -> bool:
        return not self.must_have(one) or self.must_have(one) != self.must_have(other)

    def bye_line(self, players: set[int]) -> list[int]:
        return sorted(
            players - self.had_bye,
            key=lambda number: (self.points[number], -len(self.played[number]), -number),
        )


def complete(players: set[int], may_meet) -> bool:
    """Whether everybody can be paired, by a matching of all pairs without weights."""
    numbers = sorted(players)
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(numbers)
    graph.add_edges_from_no_data(
        [
            (high, low)
            for high in range(len(numbers))
            for low in range(high)
            if may_meet(numbers[high], numbers[low])
        ]
    )
    return 2 * len(rustworkx.max_weight_matching(graph, max_cardinality=True)) == len(numbers)


def expected_bye(book: Book, players: set[int]) -> int | None:
    """The first in line without whom the others can be paired."""
    return next(
        (one for one in book.bye_line(players) if complete(players - {one}, book.may_meet)), None
    )


def present(history: History, number: int) -> set[int]:
    excused = {idle.number for idle in history.idles if idle.round == number}
    return {
        each.number
        for each in history.entrants
        if each.joined <= number and not each.left and each.number not in excused
    }


def assert_legal(
    history: History, draw: Draw, number: int, games: int = 1, *, by_points: bool = True
) -> None:
    """Everybody once, against somebody he may meet; one bye at most, and the right one.

    `by_points` is false where other points than those of the table count for pairing.
    """
    book = Book(history)
    players = present(history, number)
    pairs = [(game.first, game.second) for game in draw.pairings if game.leg == 1]
    seen = [number for pair in pairs for number in pair] + [idle.number for idle in draw.idles]
    assert sorted(seen) == sorted(players)
    assert all(book.may_meet(*pair) for pair in pairs)
    assert all(game.round == number for game in draw.pairings)
    assert [idle.kind for idle in draw.idles] == ["U"] * (len(players) % 2)
    assert not book.had_bye & {idle.number for idle in draw.idles}
    if draw.idles and by_points:
        assert draw.idles[0].number == expected_bye(book, players)
    legs = [(game.second, game.first) for game in draw.pairings if game.leg == 2]
    assert legs == (pairs if games == 2 else [])


def assert_limits(history: History, draw: Draw) -> None:
    """Nobody gets a colour that breaks a limit, unless somebody must."""
    book = Book(history)
    broken = sum(
        book.breaks_limit(game.first, "1") + book.breaks_limit(game.second, "2")
        for game in draw.pairings
    )
    if broken:
        paired = {number for game in draw.pairings for number in (game.first, game.second)}
        assert not complete(
            paired, lambda one, other: book.may_meet(one, other) and book.within_limits(one, other)
        )


def after_round(history: History, draw: Draw, chance: random.Random) -> History:
    """Results of a round with draws and forfeits; then some ask for a rest, leave or come."""
    number = draw.pairings[0].round
    games = [
        Meeting(round=number, first=game.first, second=game.second, leg=game.leg, **result(chance))
        for game in draw.pairings
    ]
    field = [replace(each, left=each.left or chance.random() < 0.04) for each in history.entrants]
    if chance.random() < 0.3:
        field.append(Entrant(number=len(field) + 1, joined=number + 1))
    rests = [
        Idle(round=number + 1, number=each.number, kind=chance.choice("HZ"))
        for each in field
        if not each.left and chance.random() < 0.06
    ]
    return replace(
        history,
        entrants=field,
        meetings=[*history.meetings, *games],
        idles=[*history.idles, *draw.idles, *rests],
    )


def result(chance: random.Random) -> dict[str, object]:
    if chance.random() < 0.1:
        return {"forfeit": True, "scores": chance.choice((WON, LOST, NOBODY_CAME))}
    return {"scores": chance.choice((WON, LOST, DRAWN))}
