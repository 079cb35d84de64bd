"""Monte-Carlo tree search over any ruleset: moves chosen by promise, dice by their odds.

What is certain is kept apart from what is likely: a position that is won, lost or settled
whatever anybody does is proven, and a proof travels up the tree as far as it holds.
"""

import random
import time
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log, sqrt
from typing import Any

from games.bots.knowledge import Knowledge
from games.rules.position import Outcome, Position, Roll, Turn

CLOCK_EVERY = 16
"""Iterations between two looks at the clock."""

DICE = 2
"""The `seat` of a position that awaits a throw."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A search ends with whichever comes first; seconds are those that a core worked on it."""

    iterations: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """One move that was looked at: how much of the search it got, and what it is worth."""

    move: Any
    visits: float
    value: float


@dataclass(frozen=True, slots=True)
class Finding:
    """The best move for the seat to move and what that seat may expect to score with it.

    `shares` has the moves looked at, the best first; `proven` says that the value is certain.
    """

    move: Any
    value: float
    shares: tuple[Share, ...]
    proven: bool
    iterations: int


class Node:
    """A position in the tree; `total` and `proven` are seat 0's score."""

    __slots__ = (
        "children", "lost", "move", "position", "proven",
        "rest", "seat", "total", "visits", "won_by",
    )  # fmt: skip

    def __init__(self, position: Any, move: Any = None) -> None:
        awaiting = position.awaiting
        self.position = position
        self.move = move
        self.visits = 0
        self.total = 0.0
        self.proven: float | None = None
        self.won_by: Any = None
        self.seat = DICE
        self.children: list[Node] = []
        self.lost: list[Node] = []
        """Children that are proven to lose for the seat to move."""
        self.rest: Iterator[Any] | None = None
        """The moves not yet looked at; for dice, see Dice."""
        if isinstance(awaiting, Turn):
            self.seat = awaiting.seat
        elif isinstance(awaiting, Outcome):
            self.proven = awaiting.scores[0]


class Dice(Node):
    """A position that awaits a throw: `outcomes` by throw, as far as they were looked at."""

    __slots__ = ("limits", "outcomes", "throws")

    def __init__(self, position: Any, move: Any, throws: Sequence[tuple[tuple[int, ...], float]]):
        super().__init__(position, move)
        self.throws = throws
        self.limits = list(accumulate(weight for _, weight in throws))
        self.outcomes: list[Node | None] = [None] * len(throws)


class Tree:
    """A search in progress."""

    def __init__(self, position: Position, knowledge: Knowledge, chance: random.Random) -> None:
        self.knowledge = knowledge
        self.chance = chance
        self.root = self._node(position)
        self.iterations = 0

    def grow(self, limit: Limit) -> None:
        ends_at = None if limit.seconds is None else time.thread_time() + limit.seconds
        for count in range(limit.iterations):
            if self.root.proven is not None:
                return
            if ends_at and count % CLOCK_EVERY == 0 and count and time.thread_time() >= ends_at:
                return
            self._iterate()
            self.iterations += 1

    def _node(self, position: Any, move: Any = None) -> Node:
        awaiting = position.awaiting
        if isinstance(awaiting, Roll):
            return Dice(position, move, self.knowledge.throws(awaiting))
        node = Node(position, move)
        if node.proven is None:
            node.won_by = self.knowledge.win(position)
            if node.won_by is not None:
                node.proven = 1.0 - node.seat
        return node

    def _iterate(self) -> None:
        node = self.root
        path = [node]
        while node.visits and node.proven is None:
            child = self._outcome(node) if isinstance(node, Dice) else self._choice(node)
            if child is None:
                break
            node = child
            path.append(node)
        if node.proven is not None:
            self._back_up(path, node.proven)
        else:
            self._back_up(path, self.knowledge.value(node.position, self.chance))

    def _outcome(self, node: Dice) -> Node:
        at = min(bisect(node.limits, self.chance.random()), len(node.throws) - 1)
        outcome = node.outcomes[at]
        if outcome is None:
            outcome = self._node(node.position.rolled(node.throws[at][0]))
            node.outcomes[at] = outcome
        return outcome

    def _choice(self, node: Node) -> Node | None:
        """The child to go on with, a new one if it is time for that; none if all are lost."""
        if node.rest is None:
            node.rest = self.knowledge.candidates(node.position, self.chance)
        children = node.children
        if not children or len(children) <= self.knowledge.spread * sqrt(node.visits):
            for move in node.rest:
                child = self._node(node.position.play(move), move)
                children.append(child)
                return child
        if not children:
            node.proven = float(node.seat)
            return None
        return self._most_promising(node)

    def _most_promising(self, node: Node) -> Node:
        sign = -1.0 if node.seat else 1.0
        doubt = self.knowledge.daring**2 * log(node.visits + 1)
        best, most = node.children[0], -9.0
        for child in node.children:
            visits = child.visits
            score = sign * child.total / visits + sqrt(doubt / visits)
            if score > most:
                best, most = child, score
        return best

    def _back_up(self, path: list[Node], value: float) -> None:
        below: Node | None = None
        for node in reversed(path):
            if below is not None and below.proven is not None and node.proven is None:
                _draw_conclusion(node, below)
            if node.proven is not None:
                value = node.proven
            node.visits += 1
            node.total += value
            below = node


def _draw_conclusion(node: Node, below: Node) -> None:
    """What a proof of one child proves of its parent."""
    if isinstance(node, Dice):
        if all(outcome is not None and outcome.proven is not None for outcome in node.outcomes):
            node.proven = _expected(node)
    elif below.proven == 1.0 - node.seat:
        node.proven = below.proven
        node.won_by = below.move
    elif below.proven == node.seat:
        node.children.remove(below)
        node.lost.append(below)


def _expected(node: Dice) -> float:
    return sum(
        weight * outcome.proven
        for (_, weight), outcome in zip(node.throws, node.outcomes, strict=True)
        if outcome is not None and outcome.proven is not None
    )


def search(
    position: Position, *, knowledge: Knowledge, limit: Limit, chance: random.Random
) -> Finding:
    """The best move for the seat whose turn it is."""
    tree = Tree(position, knowledge, chance)
    tree.grow(limit)
    return _found(tree)


def expectation(
    position: Position, *, knowledge: Knowledge, limit: Limit, chance: random.Random
) -> float:
    """What seat 0 may expect to score in any position, also one that awaits a throw or nothing."""
    tree = Tree(position, knowledge, chance)
    tree.grow(limit)
    root = tree.root
    if root.proven is not None:
        return root.proven
    return root.total / root.visits if root.seat == DICE else _seat_0(tree)


def _seat_0(tree: Tree) -> float:
    value = _found(tree).value
    return 1.0 - value if tree.root.seat else value


def _found(tree: Tree) -> Finding:
    root = tree.root
    if root.won_by is not None:
        return Finding(root.won_by, 1.0, (Share(root.won_by, 1.0, 1.0),), True, tree.iterations)
    looked_at = sorted(root.children, key=_merit, reverse=True)
    looked_at += sorted(root.lost, key=_merit, reverse=True)
    if not looked_at:  # too few iterations to look at any
        move = next(tree.knowledge.candidates(root.position, tree.chance))
        return Finding(move, 0.5, (Share(move, 0.0, 0.5),), False, tree.iterations)
    whole = sum(child.visits for child in looked_at)
    shares = tuple(
        Share(child.move, child.visits / whole, _worth(child, root.seat)) for child in looked_at
    )
    proven = root.proven is not None
    return Finding(shares[0].move, shares[0].value, shares, proven, tree.iterations)


def _merit(child: Node) -> int:
    return child.visits


def _worth(child: Node, seat: int) -> float:
    mean = child.proven if child.proven is not None else child.total / child.visits
    return 1.0 - mean if seat else mean
