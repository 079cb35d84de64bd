"""TrioTrio in step with a slow engine that walks every path and knows nothing of masks."""

import json
import random
from dataclasses import dataclass, field
from functools import cache

from games.rules.position import Outcome, Roll, Turn
from games.rules.triotrio import RULESET

YELLOW_WINS = Outcome((1.0, 0.0), "last-standing")
BLUE_WINS = Outcome((0.0, 1.0), "last-standing")
DRAW = Outcome((0.5, 0.5), "turn-limit")


def beside(square):
    column, row = square
    return {f"{chr(ord(column) + dx)}{int(row) + dy}" for dx in (-1, 0, 1) for dy in (-1, 0, 1)}


ALL = {f"{column}{row}" for column in "abcdefg" for row in range(1, 8)}
BEATS = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
BEATEN_BY = {weak: strong for strong, weak in BEATS.items()}
FIXED = {"b4": "paper", "f4": "scissors"}
STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
STEPS = {"paper": (STRAIGHT,), "scissors": (DIAGONAL,), "rock": (STRAIGHT, DIAGONAL)}


@cache
def walks(square, steps, directions, back=None):
    """Every path of so many steps on an empty board that never steps straight back."""
    if steps == 0:
        return [()]
    found = []
    for dx, dy in directions:
        entered = f"{chr(ord(square[0]) + dx)}{int(square[1:]) + dy}"
        if entered in ALL and entered != back:
            onward = walks(entered, steps - 1, directions, square)
            found += [(entered, *rest) for rest in onward]
    return found


@dataclass
class Slow:
    """A game as a dictionary of squares, changed in place."""

    limit: int
    men: dict = field(
        default_factory=lambda: {
            "b1": (0, "rock"),
            "d1": (0, "paper"),
            "f1": (0, "scissors"),
            "f7": (1, "rock"),
            "d7": (1, "paper"),
            "b7": (1, "scissors"),
        }
    )
    wants: str = "who begins"
    seat: int = 0
    die: int = 0
    done: int = 0
    picked: str = ""
    count: int = 0
    debt: bool = False

    def own(self, seat):
        return {square for square, (owner, _) in self.men.items() if owner == seat}

    def unsafe(self, square, kind):
        like = {at for at, (_, other) in self.men.items() if other == kind and at != square}
        like |= {at for at, other in FIXED.items() if other == kind}
        return bool(beside(square) & like) or FIXED.get(square) == BEATEN_BY[kind]

    def awaiting(self):
        if self.wants == "who begins":
            return Roll(2, 6)
        if self.wants in ("change die", "move die"):
            return Roll(1, 6)
        if self.wants != "nothing":
            return Turn(self.seat)
        if not self.own(0):
            return BLUE_WINS
        return DRAW if self.own(1) else YELLOW_WINS

    def path_is_open(self, start, kind, path):
        *passed, end = path
        rest = {square: man for square, man in self.men.items() if square != start}
        if any(square in rest or FIXED.get(square) == BEATEN_BY[kind] for square in passed):
            return False
        if end in rest:
            return rest[end] == (1 - self.seat, BEATS[kind])
        alone = Slow(0, rest)
        return not any(alone.unsafe(square, kind) for square in path)

    def ends(self, start):
        kind = self.men[start][1]
        return {
            path[-1]
            for directions in STEPS[kind]
            for path in walks(start, self.die, directions)
            if self.path_is_open(start, kind, path)
        }

    def in_debt(self):
        return self.debt and self.men["d4"][0] == self.seat

    def moves(self):
        if self.in_debt():
            off = {f"d4-{end}" for end in self.ends("d4") if end != "d4"}
            if off:
                return off
        return {f"{start}-{end}" for start in self.own(self.seat) for end in self.ends(start)}

    def offers(self):
        home = ("d1", "d7")[self.seat]
        return {kind for kind in BEATS if home not in self.men and not self.unsafe(home, kind)}

    def legal(self):
        if self.wants == "move":
            return self.moves()
        if self.wants == "reclaim":
            return {"decline"} | {f"reclaim {kind}" for kind in self.offers()}
        if self.wants not in ("change or roll", "roll"):
            return set()
        found = {"roll"} if self.in_debt() else {"roll", "pass"}
        if self.wants == "change or roll":
            found |= {f"change {square}" for square in self.own(self.seat)}
        return found

    def leave(self, square):
        if square == "d4":
            self.count, self.debt = 0, False
        return self.men.pop(square)

    def throw(self, dice):
        if self.wants == "who begins":
            if dice[0] != dice[1]:
                self.seat = 0 if dice[0] > dice[1] else 1
                self.wants = "change or roll"
        elif self.wants == "change die":
            self.change(("rock", "rock", "paper", "paper", "scissors", "scissors")[dice[0] - 1])
        else:
            self.die = dice[0]
            self.wants = "move"
            if not self.moves():
                self.end_turn(moved=None)

    def change(self, kind):
        self.wants = "roll"
        if self.men[self.picked][1] == kind:
            return
        self.men[self.picked] = (self.seat, kind)
        if self.unsafe(self.picked, kind):
            self.leave(self.picked)
            if not self.own(self.seat):
                self.wants = "nothing"

    def act(self, text):
        if text == "roll":
            self.wants = "move die"
        elif text == "pass":
            self.end_turn(moved=None)
        elif text.startswith("change"):
            self.picked, self.wants = text[-2:], "change die"
        elif text.startswith("reclaim"):
            self.men[("d1", "d7")[self.seat]] = (self.seat, text.split()[1])
            self.count, self.debt = 0, True
            self.count_turn()
        elif text == "decline":
            self.count_turn()
        else:
            self.move(*text.split("-"))

    def move(self, start, end):
        still_in_debt = self.debt and start == end == "d4"
        man = self.leave(start)
        captured = end in self.men
        if captured:
            self.leave(end)
        self.men[end] = man
        if start == end:
            self.debt = self.debt or still_in_debt
        if not self.own(1 - self.seat):
            self.wants = "nothing"
            return
        if captured and self.unsafe(end, man[1]):
            self.leave(end)
            if not self.own(self.seat):
                self.wants = "nothing"
                return
        self.end_turn(moved=end)

    def end_turn(self, moved):
        if "d4" in self.own(self.seat) and moved != "d4" and not self.debt:
            self.count = min(3, self.count + 1)
            if self.count == 3 and len(self.own(self.seat)) < 3 and self.offers():
                self.wants = "reclaim"
                return
        self.count_turn()

    def count_turn(self):
        self.done += 1
        self.seat = 1 - self.seat
        self.wants = "nothing" if self.done == self.limit else "change or roll"


def liked(rng, legal):
    """A random move, with a liking for the Golden Cow so that its rules are met often."""
    legal = sorted(legal)
    towards = [text for text in legal if text.endswith("-d4")]
    if towards and rng.random() < 0.5:
        return rng.choice(towards)
    return rng.choice([text for text in legal if not text.startswith("d4-")] or legal)


def chosen(position, prefix=""):
    """Every text that the choices lead to."""
    found = []
    for choice in position.choices(prefix):
        text = prefix + choice.token
        found += [text] if choice.whole else chosen(position, text)
    return found


def is_alike(fast, slow):
    """Both await the same, allow the same, and the fast one survives being stored."""
    assert fast.awaiting == slow.awaiting()
    legal = sorted(str(move) for move in fast.legal_moves())
    assert legal == sorted(slow.legal())
    assert sorted(chosen(fast)) == legal
    stored = json.dumps(fast.to_json())
    assert len(stored) < 400
    loaded = RULESET.load(json.loads(stored))
    assert (loaded, hash(loaded)) == (fast, hash(fast))
    return True


def events(rng, limit):
    """Plays one game on both engines; yields each position's phase and what it came to."""
    fast, slow = RULESET.start({"turn_limit": limit}), Slow(limit)
    while is_alike(fast, slow):
        yield fast.phase, fast.owes
        awaited = fast.awaiting
        if isinstance(awaited, Outcome):
            yield awaited
            return
        if isinstance(awaited, Roll):
            dice = tuple(rng.randint(1, awaited.sides) for _ in range(awaited.dice))
            slow.throw(dice)
            fast = fast.rolled(dice)
        else:
            text = liked(rng, slow.legal())
            slow.act(text)
            move = fast.parse(text)
            assert str(move) == text
            fast = fast.play(move)


def test_the_engine_keeps_step_with_a_slow_one():
    rng = random.Random(20030904)
    met = {event for limit in [40, 200] * 6 for event in events(rng, limit)}
    assert met >= {YELLOW_WINS, BLUE_WINS, DRAW, ("reclaiming", False), ("moving", True)}
