"""A position of Tri-Trac in words: as a board of letters, and as it would be read aloud."""

from textwrap import fill

from games.rules.position import Outcome, Translate, Turn
from games.rules.tri_trac import NEUTRAL, RULESET, TriTrac
from games.rules.tri_trac_board import LAYS, LENGTHS, SPACES, Lay, sides_of

COLUMNS = 78
LETTERS = "OYW"
HEIGHT = 4
"""Lines from one side of a row to the other; a triangle's side is twice as many columns."""
LEFT = 3


def lays_of(position: TriTrac, owner: int) -> list[Lay]:
    return [lay for lay in LAYS if lay.bit & position.laid[owner]]


def name_of(owner: int, translate: Translate) -> str:
    return (translate("Orange"), translate("Yellow"), translate("White"))[owner]


def winner_of(position: TriTrac) -> int | None:
    outcome = position.awaiting
    if isinstance(outcome, Outcome) and outcome.scores[0] != outcome.scores[1]:
        return outcome.scores.index(1.0)
    return None


def state_of(position: TriTrac, seat: int, translate: Translate) -> tuple[str, str]:
    """What stands below a player's name."""
    in_hand = translate("{number} in hand").format(number=position.in_hand(seat))
    if position.awaiting == Turn(seat):
        return in_hand, translate("to move")
    return in_hand, translate("has won") if winner_of(position) == seat else ""


def spaces_told(position: TriTrac, translate: Translate) -> dict[str, str]:
    """Each space and what lies in it."""
    told = {space: f"{space}, {translate('free')}" for space in SPACES}
    for owner in range(3):
        for lay in lays_of(position, owner):
            told[lay.space] = f"{lay.space}, {name_of(owner, translate)} {lay.track}"
    return told


def tracks_told(translate: Translate) -> dict[str, str]:
    """Each way that a triangle can lie, by the name of its spot."""
    words = translate("{space}, track {track}")
    return {
        f"{lay.space}.{lay.track}": words.format(space=lay.space, track=lay.track) for lay in LAYS
    }


def text(position: TriTrac, *, translate: Translate = str) -> str:
    legend = translate(
        "O is orange, Y yellow and W white; after it stand the two sides that its track joins: "
        "w west, e east, n north, s south. Arrows: > and < are the dark ones, V and A the light."
    )
    lines = [
        RULESET.name,
        "",
        *_grid(position),
        "",
        fill(legend, COLUMNS),
        "",
        *(_listed(position, owner, translate) for owner in range(3)),
        "",
        fill(_standing(position, translate), COLUMNS),
    ]
    return "\n".join(lines) + "\n"


def describe(position: TriTrac, *, translate: Translate = str) -> str:
    lying = translate("Orange lies in {orange}; Yellow lies in {yellow}; White lies in {white}.")
    hands = translate("Triangles in hand: {orange} orange, {yellow} yellow.")
    nothing = translate("no space")
    orange, yellow, white = (_places(position, owner) or nothing for owner in range(3))
    sentences = (
        lying.format(orange=orange, yellow=yellow, white=white),
        hands.format(orange=position.in_hand(0), yellow=position.in_hand(1)),
        _standing(position, translate),
    )
    return " ".join(sentences)


def _places(position: TriTrac, owner: int) -> str:
    return ", ".join(f"{lay.space} {lay.track}" for lay in lays_of(position, owner))


def _listed(position: TriTrac, owner: int, translate: Translate) -> str:
    name, places = name_of(owner, translate), _places(position, owner) or "-"
    head = f"{name}:"
    if owner != NEUTRAL:
        in_hand = position.in_hand(owner)
        head = translate("{colour}, in hand {in_hand}:").format(colour=name, in_hand=in_hand)
    return fill(f"{head} {places}", COLUMNS, subsequent_indent="    ")


def _standing(position: TriTrac, translate: Translate) -> str:
    """Whose turn it is and what he may not do, or how it ended."""
    awaiting = position.awaiting
    if isinstance(awaiting, Outcome):
        return _ending(position, awaiting.reason, translate)
    to_move = _whose_turn(position, translate)
    return to_move.format(colour=name_of(awaiting.seat, translate))


def _whose_turn(position: TriTrac, translate: Translate) -> str:
    if position.ply == 0:
        return translate("{colour} is to move and places the white triangle in the centre.")
    if position.barred:
        return translate("{colour} is to move and may not touch the white triangle now.")
    return translate("{colour} is to move.")


def _ending(position: TriTrac, reason: str, translate: Translate) -> str:
    match reason:
        case "repetition":
            return translate("A draw: this position has come about for the third time.")
        case "move-limit":
            limit = translate("A draw: all {limit} moves have been made.")
            return limit.format(limit=position.move_limit)
    winner = name_of(winner_of(position) or 0, translate)
    return translate("{winner} has won: the track joins two arrows.").format(winner=winner)


def _grid(position: TriTrac) -> list[str]:
    """The hexagon: in each space its name and, where a triangle lies, its colour and track."""
    canvas = [[" "] * (2 * LEFT + 8 * HEIGHT + 1) for _ in range(4 * HEIGHT + 3)]
    contents = {
        lay.space: LETTERS[owner] + lay.track
        for owner in range(3)
        for lay in lays_of(position, owner)
    }
    for space in SPACES:
        _put_space(canvas, space, contents.get(space, ""))
    for space, offset, sign in ARROW_SIGNS:
        row, column = _middle(space)
        _put(canvas, row + offset[0], column + offset[1], sign)
    return ["".join(line).rstrip() for line in canvas]


ARROW_SIGNS = (("b1", (0, -4), ">"), ("c7", (0, 4), "<"), ("d2", (-3, 0), "V"), ("a4", (3, 0), "A"))


def _middle(space: str) -> tuple[int, int]:
    """The line and column half-way up a space, by which all else in it is found."""
    row, length = "dcba".index(space[0]), LENGTHS[space[0]]
    column = LEFT + 4 * HEIGHT + HEIGHT * (2 * int(space[1]) - length - 1) // 2
    return 1 + HEIGHT * row + HEIGHT // 2, column


def _put_space(canvas: list[list[str]], space: str, content: str) -> None:
    """The lines run from the point (narrow) to the side (broad) of the triangle."""
    middle, column = _middle(space)
    towards_side = 1 if "s" in sides_of(space) else -1
    left, right = "/\\" if towards_side == 1 else "\\/"
    side = middle + 2 * towards_side
    _put(canvas, side, column, "+" + "-" * (2 * HEIGHT - 1) + "+")
    for step in range(1, HEIGHT):
        line = middle + (step - HEIGHT // 2) * towards_side
        canvas[line][column - step], canvas[line][column + step] = left, right
    _put(canvas, middle, column, space)
    _put(canvas, middle + towards_side, column, content)


def _put(canvas: list[list[str]], line: int, column: int, words: str) -> None:
    first = column - len(words) // 2
    canvas[line][first : first + len(words)] = words
