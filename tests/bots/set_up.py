"""Positions in which a good move is plain to see."""

from games.rules.position import Outcome, Position, Turn
from games.rules.registry import RULESETS

WON_IN_ONE: dict[str, Position] = {}
LOST_IF_IGNORED: dict[str, Position] = {}


def after(key: str, *moves: str) -> Position:
    position = RULESETS[key].start({})
    for move in moves:
        position = position.play(position.parse(move))
    return position


WON_IN_ONE["tritt-classic"] = after("tritt-classic", "c1-c3", "d2-f2", "g8-g10")
WON_IN_ONE["tritt-reloaded"] = after(
    "tritt-reloaded", "b2-d4", "b4-d6", "d5-f5 b4-d6>a3-c5"
)  # fmt: skip
WON_IN_ONE["tri-trac"] = after(
    "tri-trac", "place b3 we", "place d1 es", "place b1 wn", "move b3 c7 ws", "place c1 es",
    "move c7 d2 wn",
)  # fmt: skip
WON_IN_ONE["tritoc"] = RULESETS["tritoc"].load(
    {
        "dice": "standard",
        "board": "rrr...... rrr...... rr....yy. ......... ......... "
        "......... ......... yyy...... ..y......",
        "seat": 0,
        "throws": [[2, 3]],
        "passes": 0,
    }
)
WON_IN_ONE["triotrio"] = RULESETS["triotrio"].load(
    {
        "turn_limit": 200,
        "turns": 10,
        "seat": 0,
        "phase": "moving",
        "yellow": "ra1 pg1",
        "blue": "sc1",
        "cow": 0,
        "owes": False,
        "thrown_for": "roll",
        "dice": [2],
    }
)

LOST_IF_IGNORED["tritt-classic"] = after("tritt-classic", "e2-e4", "d6-d8", "g3-i1")
LOST_IF_IGNORED["tritt-reloaded"] = after(
    "tritt-reloaded", "h3-j3", "f2-f4", "g5-g7 f2-f4>f6-f8", "k2-k4 g5-g7>g6-g8"
)
LOST_IF_IGNORED["tri-trac"] = RULESETS["tri-trac"].load(
    {
        "move_limit": 120,
        "ply": 24,
        "orange": "a1en b7wn c7es d2wn",
        "yellow": "a4ws a5wn b6es c1es",
        "white": "d3we",
        "steps": "",
    }
)


def winning_moves(position: Position) -> list[object]:
    """Every move that wins at once, found by trying them all."""
    assert isinstance(position.awaiting, Turn)
    seat = position.awaiting.seat
    outcomes = [(move, position.play(move).awaiting) for move in position.legal_moves()]
    return [
        move
        for move, outcome in outcomes
        if isinstance(outcome, Outcome) and outcome.scores[seat] == 1.0
    ]
