"""A knockout's bracket as an SVG picture: boxes, lines between them, and the names inside."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tournaments.formats.bracket import Match, Side
from tournaments.formats.knockout import NOBODY, State

BOX = 180
LINE = 26
COLUMN = BOX + 36
ROW = 2 * LINE + 20
MARGIN = 12
HEAD = 30
MOST_ROWS = 32
"""Of a large event only the last rounds are drawn, from so many matches on."""
LONGEST_NAME = 20


@dataclass(frozen=True, kw_only=True)
class Words:
    """What the picture says apart from names."""

    title: str
    main: str
    losers: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """The upper left corner of a match's box."""

    x: float
    y: float


def draw(states: Sequence[State], names: Mapping[int, str], words: Words, *, me: int = 0) -> str:
    """Colours and fonts come from the style sheet; `me` is the start number to be marked."""
    places, size = layout([state.match for state in states])
    shown = [state for state in states if is_shown(state, places)]
    numbers = {state.match.number for state in shown}
    parts = [
        *_headings(states, places, words),
        *(line for state in shown for line in _lines(state, places, numbers)),
        *(_box(state, places[state.match.number], names, me) for state in shown),
    ]
    width, height = size
    return (
        f'<svg class="bracket" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(words.title)}">{"".join(parts)}</svg>'
    )


def is_shown(state: State, places: Mapping[int, Place]) -> bool:
    """Byes are no matches."""
    return state.match.number in places and NOBODY not in state.players


def layout(matches: Sequence[Match]) -> tuple[dict[int, Place], tuple[float, float]]:
    """Where each match is drawn, and the size: main side, losers below, finals right."""
    places: dict[int, Place] = {}
    top, right = float(MARGIN), 0.0
    has_sides = any(match.side == "losers" for match in matches)
    for side in ("main", "losers"):
        of_side = [match for match in matches if match.side == side]
        if of_side:
            top += HEAD * has_sides
            rows, columns = _place_side(of_side, top, places)
            top += rows * ROW + MARGIN
            right = max(right, columns * COLUMN)
    for at, match in enumerate(match for match in matches if match.side == "final"):
        middle = (top - ROW) / 2 if has_sides else MARGIN
        places[match.number] = Place(x=MARGIN + right + at * COLUMN, y=middle)
    finals = sum(match.side == "final" for match in matches)
    return places, (right + finals * COLUMN + 2 * MARGIN - (COLUMN - BOX), top)


def _place_side(of_side: Sequence[Match], top: float, places: dict[int, Place]) -> tuple[int, int]:
    """How many rows and columns it took."""
    in_column = Counter(match.column for match in of_side)
    first = min(column for column, count in in_column.items() if count <= MOST_ROWS)
    rows = in_column[first]
    scale = in_column[0] / rows
    for match in of_side:
        if match.column >= first:
            row = (match.row + 0.5) / scale - 0.5
            places[match.number] = Place(
                x=MARGIN + (match.column - first) * COLUMN, y=top + row * ROW
            )
    return rows, max(in_column) - first + 1


def _headings(states: Sequence[State], places: Mapping[int, Place], words: Words) -> Iterator[str]:
    sides: dict[Side, str] = {"main": words.main, "losers": words.losers}
    if not any(state.match.side == "losers" for state in states):
        return
    for side, text in sides.items():
        y = min(
            places[state.match.number].y
            for state in states
            if state.match.side == side and state.match.number in places
        )
        yield f'<text class="bracket-head" x="{MARGIN}" y="{_top(y)}">{escape(text)}</text>'


def _top(y: float) -> str:
    return f"{y - 12:g}"


def _lines(state: State, places: Mapping[int, Place], shown: set[int]) -> Iterator[str]:
    """From the winners' boxes; where a loser comes from is said by the table."""
    here = places[state.match.number]
    for source in state.match.sources:
        if source.kind == "winner" and source.of in shown:
            there = places[source.of]
            turn = here.x - (COLUMN - BOX) / 2
            yield (
                f'<path class="bracket-line" d="M{there.x + BOX:g} {there.y + LINE:g}'
                f'H{turn:g}V{here.y + LINE:g}H{here.x:g}"/>'
            )


def _box(state: State, place: Place, names: Mapping[int, str], me: int) -> str:
    rows = "".join(
        _name(player, state, place.x, place.y + at * LINE, names)
        for at, player in enumerate(state.players)
    )
    mine = " bracket-match--mine" if me and me in state.players else ""
    return (
        f'<g class="bracket-match{mine}"><rect x="{place.x:g}" y="{place.y:g}" width="{BOX}" '
        f'height="{2 * LINE}" rx="6"/><path d="M{place.x:g} {place.y + LINE:g}h{BOX}"/>{rows}</g>'
    )


def _name(player: int | None, state: State, x: float, y: float, names: Mapping[int, str]) -> str:
    if not player:
        return ""
    kind = "won" if state.winner == player else "lost" if state.winner else "open"
    name = names[player]
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME - 1]}…"
    score = _score(player, state)
    return (
        f'<text class="bracket-{kind}" x="{x + 9:g}" y="{y + 18:g}">{escape(name)}</text>'
        f'<text class="bracket-{kind}" x="{x + BOX - 9:g}" y="{y + 18:g}" '
        f'text-anchor="end">{score}</text>'
    )


def _score(player: int, state: State) -> str:
    """All points of the match so far; nothing before its first game is over."""
    halves = [
        int(2 * game.scores[0 if game.first == player else 1])
        for game in state.games
        if game.scores
    ]
    if not halves:
        return ""
    whole, half = divmod(sum(halves), 2)
    return f"{whole}½" if whole and half else "½" if half else str(whole)
