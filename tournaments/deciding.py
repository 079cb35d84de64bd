"""Games of an event that a rule or a director decides: several in one transaction, in one order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Player
from games import rulings
from games.models import Game, Participant, Status
from games.refusals import OwnGame
from games.table import BOTH_SEATS
from tournaments.models import Entry, Event, Meeting

MOST_NAMED = 3

Scores = tuple[int, int]
"""Half points of the first and of the second."""
Judge = Callable[[Meeting, Game | None], Scores]
"""Is shown the game as it stands under its lock; None where it was not begun."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a meeting comes to, in half points."""

    meeting: Meeting
    score: int
    other_score: int
    reason: str


def decide(
    event: Event,
    meetings: Sequence[Meeting],
    judge: Judge,
    *,
    reason: str,
    by: Player | None,
    now: datetime,
    even_if_over: bool = False,
) -> int:
    """The event is held still; how many were decided. Every act that decides games ends here.

    `by` is whoever acts, and None for a rule, for time and for somebody who leaves. A game that
    ended while this waited for it keeps its own result, unless `even_if_over`.
    """
    require_not_own(meetings, by)
    games = hold_games(meetings)
    decided = 0
    for meeting in meetings:
        game = games.get(meeting.game_id or 0)
        if game is None or game.is_running or even_if_over:
            score, other_score = judge(meeting, game)
            decision = Decision(
                meeting=meeting, score=score, other_score=other_score, reason=reason
            )
            _write(decision, game, now)
            _rule(decision, game, by, now)
            decided += 1
    return decided


def require_not_own(meetings: Sequence[Meeting], by: Player | None) -> None:
    """Nobody decides what they play themselves, staff included."""
    if by is None:
        return
    ids = [entry for meeting in meetings for entry in (meeting.first_id, meeting.second_id)]
    own = set(Entry.objects.filter(pk__in=ids, player=by).values_list("pk", flat=True))
    games = [meeting for meeting in meetings if own & {meeting.first_id, meeting.second_id}]
    if games:
        raise OwnGame(_named(games))


def _named(meetings: Sequence[Meeting]) -> str:
    pairs = [
        f"{meeting.first.player.name} – {meeting.second.player.name}"
        for meeting in meetings[:MOST_NAMED]
    ]
    return ", ".join(pairs) + (", …" if len(meetings) > MOST_NAMED else "")


def hold_games(meetings: Sequence[Meeting]) -> Mapping[int, Game]:
    """All games by id, then all players by id: as everybody locks them, one game or many."""
    ids = sorted(meeting.game_id for meeting in meetings if meeting.game_id)
    games = (
        Game.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=ids).order_by("pk")
    )
    held = {game.pk: game for game in games}
    players = Participant.objects.filter(player__seats__game__in=ids).values("pk")
    list(Participant.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk"))
    return held


def _write(decision: Decision, game: Game | None, now: datetime) -> None:
    """It counts as played only if both have moved and the points add up to a game's."""
    meeting = decision.meeting
    meeting.score, meeting.other_score = decision.score, decision.other_score
    meeting.forfeit = not _was_played(decision, game)
    meeting.settled_at = meeting.settled_at or now
    meeting.ruled = True
    meeting.save(update_fields=["score", "other_score", "forfeit", "settled_at", "ruled"])


def _was_played(decision: Decision, game: Game | None) -> bool:
    both_moved = game is not None and game.seats_moved == BOTH_SEATS
    return both_moved and decision.score + decision.other_score == 2


def _rule(decision: Decision, game: Game | None, by: Player | None, now: datetime) -> None:
    """Ratings follow the game, so a game that was not played is void."""
    if game is None:
        return
    ruling: dict[str, Any] = {
        "game_id": game.pk, "by": by, "reason": decision.reason, "now": now, "is_counted": False
    }  # fmt: skip
    if _was_played(decision, game):
        rulings.set_result(**ruling, score=decision.score)
    elif game.status != Status.VOID:
        rulings.make_void(**ruling)
