"""What a Swiss round is paired by: each player's score, colours, opponents, floats and rests."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeVar

from tournaments.formats.history import History, Idle, Meeting, Values

Virtual = Mapping[int, Sequence[Fraction]]
"""Points that count for pairing alone: by start number, for each round from the first."""

FIRST = 1
SECOND = -1
NEITHER = 0

ABSOLUTE = 3
STRONG = 2
MILD = 1


@dataclass(slots=True, kw_only=True)
class Card:
    """One player just before a round; points and score are in whole steps of the event."""

    number: int
    points: int = 0
    score: int = 0
    """Points with those that count for pairing alone."""
    barred: set[int] = field(default_factory=set)
    """Whom he may not be paired with: whom he met, and whom he is kept apart from."""
    colours: list[int] = field(default_factory=list)
    unplayed: int = 0
    had_free_win: bool = False
    downfloats: list[int] = field(default_factory=list)
    upfloats: list[int] = field(default_factory=list)

    @property
    def balance(self) -> int:
        """How many more first moves than second ones he had."""
        return sum(self.colours)

    @property
    def wish(self) -> tuple[int, int]:
        """The colour he should have next, and how much it matters."""
        balance = self.balance
        if abs(balance) > 1:
            return (SECOND if balance > 0 else FIRST), ABSOLUTE
        if len(self.colours) > 1 and self.colours[-1] == self.colours[-2]:
            return -self.colours[-1], ABSOLUTE
        if balance:
            return (SECOND if balance > 0 else FIRST), STRONG
        if self.colours:
            return -self.colours[-1], MILD
        return NEITHER, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Points as whole numbers of the largest step that divides them all: exact, and fast."""

    per_point: int

    @classmethod
    def of(cls, history: History, virtual: Virtual) -> "Steps":
        values = history.values
        worths = (values.win, values.draw, values.bye, values.absent)
        there = {worth.denominator for worth in worths}
        there |= {score.denominator for game in history.meetings for score in game.scores}
        there |= {score.denominator for scores in virtual.values() for score in scores}
        return cls(per_point=lcm(*there))

    def __call__(self, points: Fraction) -> int:
        return points.numerator * self.per_point // points.denominator


def cards(history: History, *, before: int, virtual: Virtual, steps: Steps) -> dict[int, Card]:
    """Everybody's card as the rounds before `before` left it."""
    all_cards = {each.number: Card(number=each.number) for each in history.entrants}
    _keep_apart(all_cards, history.forbidden)
    meetings, idles = _by_round(history.meetings), _by_round(history.idles)
    games = games_of_a_match(history)
    for number in range(1, before):
        _set_scores(all_cards, virtual, number, steps)
        _note_games(all_cards, meetings[number], history.values, steps)
        for idle in idles[number]:
            points = steps(worth(idle, history.values, games=games))
            _note_idle(all_cards[idle.number], idle, points)
    _set_scores(all_cards, virtual, before, steps)
    return all_cards


def ranked(some: Iterable[Card]) -> list[Card]:
    """By score, then by start number: the order in which a round is paired and shown."""
    return sorted(some, key=lambda card: (-card.score, card.number))


def worth(idle: Idle, values: Values, *, games: int) -> Fraction:
    """The points of a round sat out: for each of the games that it would have had."""
    each = {"F": values.win, "U": values.bye, "H": values.draw, "Z": values.absent}[idle.kind]
    return each * games


def games_of_a_match(history: History) -> int:
    return max((game.leg for game in history.meetings), default=1)


def _keep_apart(all_cards: Mapping[int, Card], forbidden: Iterable[tuple[int, int]]) -> None:
    for one, other in forbidden:
        if one in all_cards and other in all_cards:
            all_cards[one].barred.add(other)
            all_cards[other].barred.add(one)


_Item = TypeVar("_Item", Meeting, Idle)


def _by_round(items: Iterable[_Item]) -> Mapping[int, list[_Item]]:
    rounds: dict[int, list[_Item]] = defaultdict(list)
    for item in items:
        rounds[item.round].append(item)
    return rounds


def _set_scores(all_cards: Mapping[int, Card], virtual: Virtual, number: int, steps: Steps) -> None:
    for card in all_cards.values():
        card.score = card.points
    for player, points in virtual.items():
        if number <= len(points):
            all_cards[player].score += steps(points[number - 1])


def _note_games(
    all_cards: Mapping[int, Card], games: Iterable[Meeting], values: Values, steps: Steps
) -> None:
    played = set()
    for game in games:
        if game.scores:
            first, second = all_cards[game.first], all_cards[game.second]
            first.points += steps(game.scores[0])
            second.points += steps(game.scores[1])
            if game.forfeit:
                _note_forfeit(first, second, game, values)
            else:
                _note_played(first, second, game)
                played |= {game.first, game.second}
    for number, card in all_cards.items():
        card.unplayed += number not in played


def _note_forfeit(first: Card, second: Card, game: Meeting, values: Values) -> None:
    for card, points in zip((first, second), game.scores, strict=True):
        if points >= values.win:
            card.had_free_win = True
            card.downfloats.append(game.round)


def _note_played(first: Card, second: Card, game: Meeting) -> None:
    first.barred.add(game.second)
    second.barred.add(game.first)
    first.colours.append(FIRST)
    second.colours.append(SECOND)
    if first.score != second.score:
        upper, lower = (first, second) if first.score > second.score else (second, first)
        upper.downfloats.append(game.round)
        lower.upfloats.append(game.round)


def _note_idle(card: Card, idle: Idle, points: int) -> None:
    card.points += points
    if idle.kind in "FU":
        card.had_free_win = True
        card.downfloats.append(idle.round)
