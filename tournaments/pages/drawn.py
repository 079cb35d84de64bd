"""A bracket as rows of a table: who meets whom, in which games, and who goes on."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournaments.formats.bracket import Match
from tournaments.formats.knockout import NOBODY, State
from tournaments.models import Meeting
from tournaments.pages.wording import both_results
from tournaments.tables import Board


def matches_of(
    states: Sequence[State], board: Board, numbers: Sequence[int] = ()
) -> list[dict[str, Any]]:
    """By stage, without byes; `numbers` are start numbers by seed where the bracket has seeds."""
    rows = _rows(board, stages_before=_before(board, numbers))
    shown = [state for state in states if NOBODY not in state.players]
    return [_match(state, board, numbers, rows, states) for state in shown]


def _before(board: Board, numbers: Sequence[int]) -> int:
    if not numbers:
        return 0
    return int(board.format.section_rounds(board.told.history.entrants))  # type: ignore[attr-defined]


def _rows(board: Board, *, stages_before: int) -> dict[tuple[int, frozenset[int]], list[Meeting]]:
    found: dict[tuple[int, frozenset[int]], list[Meeting]] = {}
    for row in board.told.meetings:
        pair = frozenset({row.first_id, row.second_id})
        found.setdefault((row.round - stages_before, pair), []).append(row)
    return found


def _match(
    state: State,
    board: Board,
    numbers: Sequence[int],
    rows: dict[tuple[int, frozenset[int]], list[Meeting]],
    states: Sequence[State],
) -> dict[str, Any]:
    entries = [_entry(board, numbers, player) for player in state.players]
    pair = frozenset(entry.pk for entry in entries if entry is not None)
    return {
        "name": stage_name(state.match, states),
        "entries": entries,
        "games": [
            {"game": row.game, "result": both_results(row), "first": row.first_id == entries[0].pk}
            for row in rows.get((state.match.stage, pair), [])
            if entries[0] is not None
        ],
        "winner": _entry(board, numbers, state.winner),
    }


def _entry(board: Board, numbers: Sequence[int], player: int | None) -> Any:
    if not player:
        return None
    return board.told.entries[numbers[player - 1] if numbers else player]


def stage_name(match: Match, states: Sequence[State]) -> str:
    """Final, semi-finals, and numbers before them."""
    if match.side == "final":
        return _("Grand final")
    last = max(state.match.column for state in states if state.match.side == match.side)
    if match.side == "losers":
        return _("Losers’ round {number}").format(number=match.column + 1)
    doubles = any(state.match.side == "final" for state in states)
    if not doubles and match.column == last:
        return _("Final")
    if not doubles and match.column == last - 1:
        return _("Semi-final")
    return _("Round {number}").format(number=match.column + 1)
