"""A game that is over, gone through by a search: the best move of each turn, what was lost."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts import locks
from accounts.models import Player
from games import bot_moves, replay
from games.bots.review import review
from games.bots.search import Limit
from games.models import Game, Move, Review, Status
from games.refusals import NotAllowed, NotFound, TooMany
from games.rules.position import Position
from games.rules.registry import ruleset
from games.starting import lock_participants

MOST_A_DAY = 20
MOST_A_DAY_OF_A_GUEST = 3
SLICE = 6
"""Positions that are looked at before a bot that is waited for gets its turn again."""
EFFORT = Limit(2000, 0.5)


@dataclass(frozen=True, slots=True)
class Course:
    """Every position of a game, those before a throw as well, and the plies made from turns."""

    positions: list[Position]
    plies: dict[int, int]

    @property
    def turns(self) -> list[int]:
        return sorted(self.plies)


def course_of(game: Game, lines: list[Move]) -> Course:
    positions = [ruleset(game.ruleset, game.version).start(game.options)]
    plies = {}
    for line in lines:
        if line.ply:
            plies[len(positions) - 1] = line.ply
            positions.append(positions[-1].play(positions[-1].parse(line.text)))
        for faces in line.throws:
            positions.append(positions[-1].rolled(tuple(faces)))
    return Course(positions, plies)


# Asking


@locks.action
def ask(*, game: Game, player: Player, now: datetime) -> Review:
    """One review a game, whoever asks; it is new work only for the first."""
    game = Game.objects.select_for_update(no_key=True).get(pk=game.pk)
    if game.status != Status.FINISHED:
        raise NotAllowed("Only a game that is over can be reviewed.")
    lock_participants(player)
    known = Review.objects.filter(game=game).first()
    if known and known.last_ply == game.ply:
        return known
    _require_allowance(player, now)
    turns = len(course_of(game, replay.standing_lines(game.pk)).plies)
    if not turns:
        raise NotAllowed("Nothing was played in this game.")
    asked, _made = Review.objects.update_or_create(
        game=game,
        defaults={
            "asked_by": player, "asked_at": now, "last_ply": game.ply, "turns": turns,
            "judgements": [], "taken_until": None, "done_at": None,
        },
    )  # fmt: skip
    transaction.on_commit(bot_moves.ring)
    return asked


def _require_allowance(player: Player, now: datetime) -> None:
    most = MOST_A_DAY_OF_A_GUEST if player.is_guest else MOST_A_DAY
    lately = Review.objects.filter(asked_by=player, asked_at__gt=now - timedelta(days=1))
    if lately.count() >= most:
        oldest = lately.earliest("asked_at").asked_at
        raise TooMany(
            "You have asked for {most} reviews within a day; wait a little.",
            most=most,
            retry_after=(oldest + timedelta(days=1) - now).total_seconds(),
        )


def of(game: Game) -> Review | None:
    """What there is for the game as it ended last."""
    return Review.objects.filter(game=game, last_ply=game.ply).first()


def require(game: Game) -> Review:
    found = of(game)
    if found is None:
        raise NotFound("Nobody has asked for a review of this game yet.")
    return found


# Going through


def go_on(*, now: datetime) -> bool:
    """Looks at a slice of the review that waits longest; false if there is none to take."""
    taken = _taken(now)
    if taken is None:
        return False
    game = taken.game
    course = course_of(game, replay.standing_lines(game.pk))
    begun = len(taken.judgements)
    judgements = taken.judgements + _slice(course, begun)
    is_done = len(judgements) >= len(course.plies)
    Review.objects.filter(pk=taken.pk, asked_at=taken.asked_at).update(
        judgements=judgements, taken_until=None, done_at=now if is_done else None
    )
    return True


@locks.action
def _taken(now: datetime) -> Review | None:
    taken = (
        Review.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("game")
        .filter(Q(taken_until=None) | Q(taken_until__lte=now), done_at=None)
        .order_by("asked_at", "game_id")
        .first()
    )
    if taken:
        taken.taken_until = now + bot_moves.TAKEN_FOR
        taken.save(update_fields=["taken_until"])
    return taken


def _slice(course: Course, begun: int) -> list[dict[str, Any]]:
    """The next turns; each needs to see the position that it led to."""
    turns = course.turns[begun : begun + SLICE]
    first, after = turns[0], turns[-1] + 1
    looked_at = course.positions[first : after + 1]
    found = review(looked_at, limit=EFFORT, seed=secrets.randbits(62))
    return [
        {
            "ply": course.plies[first + one.at],
            "seat": one.seat,
            "best": str(one.best),
            "value": round(one.value, 3),
            "swing": round(one.swing, 3),
        }
        for one in found
        if first + one.at in course.plies and first + one.at < after
    ]
