"""Decisions about games by staff and directors: reasoned, logged, undoable; ratings follow."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils.module_loading import import_string

from accounts import locks
from accounts.models import Player
from games import budgets, clock, commitments, courses, outbox, ratings, refolding
from games.budgets import Act
from games.cases import Case, set_clocks, take_up
from games.courses import Course
from games.events import GameFinished, RulingChanged
from games.models import Game, Participant, Ruling, Status
from games.ratings import RatedGame
from games.refolding import Changes
from games.refusals import BadRequest, NotAllowed, NotFound, OwnGame, TooLate

Kind = Ruling.Kind
LONGEST_REASON = 1000
MOST_HOURS = 60 * 24


def may_rule(player: Player, game: Game) -> bool:
    """Whoever asks at a door is let through by this alone."""
    if game.seats.filter(player=player).exists():
        return False
    if player.acts_as_staff:
        return True
    return any(import_string(path)(player, game) for path in settings.MAY_RULE)


def require_may_rule(player: Player, game: Game) -> None:
    if game.seats.filter(player=player).exists():
        raise OwnGame
    if not may_rule(player, game):
        raise NotAllowed(
            "Only the staff may rule on games, and directors on those of their events."
        )


# Making one


@locks.action
def make_void(
    *, game_id: int, by: Player | None, reason: str, now: datetime, is_counted: bool = True
) -> Ruling:
    """An event counts by itself what its directors decide, and nothing that its rules do."""
    case = _take_up(game_id, by)
    if case.game.status == Status.VOID:
        raise TooLate("This game is void already.")
    return _rule(case, Kind.VOID, {}, by, reason, now, is_counted=is_counted)


@locks.action
def set_result(
    *,
    game_id: int,
    score: int,
    by: Player | None,
    reason: str,
    now: datetime,
    is_counted: bool = True,
) -> Ruling:
    """`score` is in half points of seat 0: 2 won, 1 drawn, 0 lost; `by` is None for a rule."""
    if score not in (0, 1, 2):
        raise BadRequest("A result is 2, 1 or 0 half points for the first seat.")
    case = _take_up(game_id, by)
    return _rule(case, Kind.RESULT, {"score": score}, by, reason, now, is_counted=is_counted)


@locks.action
def reopen(*, game_id: int, by: Player, reason: str, now: datetime, hours: int = 0) -> Ruling:
    """The game goes on where it ended; the seat to move gets so many hours more."""
    _require_hours(hours, least=0)
    case = _take_up(game_id, by)
    if case.game.is_running:
        raise TooLate("This game is still being played.")
    if case.mover is None:
        raise NotAllowed("The rules ended this game on the board, so it cannot go on.")
    detail = {"seat": case.mover, "hours": hours}
    shown = case.bare_time(now) + courses.credit(case.standing, case.mover)
    if shown + timedelta(hours=hours) <= clock.NOTHING:
        raise BadRequest("The clock of the seat to move has run out; say how many hours it gets.")
    return _rule(case, Kind.REOPEN, detail, by, reason, now)


@locks.action
def give_time(
    *, game_id: int, seat: int, hours: int, by: Player, reason: str, now: datetime
) -> Ruling:
    _require_hours(hours)
    case = _take_up(game_id, by)
    _require_clock(case, seat)
    return _rule(case, Kind.TIME, {"seat": seat, "hours": hours}, by, reason, now)


@locks.action
def correct_clock(
    *, game_id: int, seat: int, hours: int, by: Player, reason: str, now: datetime
) -> Ruling:
    """The clock of the seat shows so many hours from now on."""
    _require_hours(hours)
    case = _take_up(game_id, by)
    _require_clock(case, seat)
    credit = timedelta(hours=hours) - case.bare_clock(seat, now)
    detail = {"seat": seat, "hours": hours, "credit_seconds": credit.total_seconds()}
    return _rule(case, Kind.CLOCK, detail, by, reason, now)


@locks.action
def undo(*, ruling_id: int, by: Player, now: datetime) -> Ruling:
    """As if it had not been made; the game is what the other rulings make of it."""
    case = _take_up(find(ruling_id).game_id, by)
    ruling = find(ruling_id)
    if ruling.undone_at is not None:
        return ruling
    rest = [other for other in case.standing if other != ruling]
    if len(rest) == len(case.standing):
        raise TooLate("The game has gone on since this ruling; rule on it as it stands now.")
    ruling.undone_at, ruling.undone_by = now, by
    ruling.detail["ratings_undone"] = _settle(case, rest, now)
    ruling.save(update_fields=["undone_at", "undone_by", "detail"])
    budgets.spend_on_ruling(Act.UNDOING, on=f"g{case.game.pk}", by=by, now=now)
    outbox.record(RulingChanged(ruling_id=ruling.pk, undone=True), now=now)
    return ruling


def find(ruling_id: int) -> Ruling:
    ruling = Ruling.objects.select_related("game", "made_by", "undone_by").filter(pk=ruling_id)
    found = ruling.first()
    if found is None:
        raise NotFound("There is no such ruling.")
    return found


def _require_hours(hours: int, *, least: int = 1) -> None:
    if not least <= hours <= MOST_HOURS:
        raise BadRequest(
            "The hours are a whole number from {least} to {most}.", least=least, most=MOST_HOURS
        )


def _require_clock(case: Case, seat: int) -> None:
    if seat not in (0, 1):
        raise BadRequest("The seats are 0 and 1.")
    if not case.game.is_running:
        raise TooLate("This game is over, so its clocks stand still.")


# The game in the light of its rulings


def play_each_other(one: Player, other: Player) -> bool:
    games = Game.objects.filter(status=Status.RUNNING, seats__player=one)
    return games.filter(seats__player=other).exists() and one != other


def _take_up(game_id: int, by: Player | None) -> Case:
    """Nobody rules on a game they play in."""
    case = take_up(game_id)
    if by is not None and any(seat.player_id == by.pk for seat in case.table.seats):
        raise OwnGame
    return case


def _rule(
    case: Case,
    kind: str,
    detail: dict[str, Any],
    by: Player | None,
    reason: str,
    now: datetime,
    *,
    is_counted: bool = True,
) -> Ruling:
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON or "\0" in reason:
        raise BadRequest("A ruling needs a reason of 1 to 1000 characters, for both to read.")
    ruling = Ruling.objects.create(
        game=case.game, kind=kind, detail=detail, reason=reason, made_by=by, made_at=now
    )
    ruling.detail["ratings"] = _settle(case, [*case.standing, ruling], now)
    ruling.save(update_fields=["detail"])
    if is_counted:
        budgets.spend_on_ruling(Act.RULING, on=f"g{case.game.pk}", by=by, now=now)
    outbox.record(RulingChanged(ruling_id=ruling.pk, undone=False), now=now)
    return ruling


def _settle(case: Case, standing: list[Ruling], now: datetime) -> list[list[int | None] | None]:
    """Makes the game what these rulings say; each seat's rating before and after, if it changed."""
    game = case.game
    was_running = game.is_running
    course = courses.folded(game, standing, courses.points_on(case.table.position))
    if course.is_running and not was_running and game.throws_made:
        commitments.move_on(game)
    set_clocks(case, standing, now, runs=course.is_running)
    _write(game, course)
    _count_running(case, int(course.is_running) - int(was_running))
    changes = _rate(case, course, now)
    if was_running and not course.is_running:
        outbox.record(GameFinished(game_id=game.pk, reason=course.reason), now=now)
    players = (seat.player_id for seat in case.table.seats)
    return [list(changes[player]) if player in changes else None for player in players]


def _write(game: Game, course: Course) -> None:
    if game.is_running != course.is_running:
        game.draw_offered_by = game.takeback_asked_by = None
    game.status, game.score, game.reason = course.status, course.score, course.reason
    game.points, game.ended_at = list(course.points), course.ended_at
    game.save(
        update_fields=[
            "as_played", "status", "score", "points", "reason", "ended_at", "seat_to_move",
            "draw_offered_by", "takeback_asked_by", "clock_from", "time_left", "deadline_at",
            "dice_scheme", "seed", "commitment",
        ]
    )  # fmt: skip


def _count_running(case: Case, change: int) -> None:
    if change:
        players = [seat.player_id for seat in case.table.seats]
        participants = Participant.objects.filter(pk__in=players)
        # In the one order, before the pool.
        list(participants.select_for_update(no_key=True).order_by("pk"))
        participants.update(running_games=F("running_games") + change)


def _rate(case: Case, course: Course, now: datetime) -> Changes:
    table = case.table
    counts = ratings.is_ratable(rated=table.rated, seats_moved=table.seats_moved)
    if course.score is None or not counts:
        return refolding.strike(table.id)
    first, second = table.seats
    return refolding.score(
        RatedGame(
            game_id=table.id,
            pool=ratings.pool_key(table.ruleset_key, table.options),
            first=first.player_id,
            second=second.player_id,
            first_halves=course.score,
            ended_at=now,
        )
    )
