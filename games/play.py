"""The only door to a running game: every act of a player, a program, a letter or the clock."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from accounts import locks
from games import (
    clock,
    conditional,
    dice,
    endings,
    outages,
    outbox,
    plans,
    prepared,
    replay,
    unread,
    vacations,
)
from games.events import (
    DrawDeclined,
    DrawOffered,
    MovePlayed,
    MovesTakenBack,
    TakebackAsked,
    TakebackDeclined,
)
from games.models import Game, Move, Seat, Via
from games.refusals import (
    GameIsOver,
    NotAllowed,
    NothingToAnswer,
    NotYetKnown,
    NotYourTurn,
    StalePly,
    TimeRanOut,
    TooLate,
)
from games.rules.notation import normalised
from games.rules.position import MoveError, Outcome, Position, Roll, Turn
from games.starting import lock_participants_by_id
from games.table import SeatAtTable, Table, lock, lock_due


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A line of the log, as whoever sent the move is answered; a repetition gets the same."""

    game_id: int
    ply: int
    seat: int
    text: str
    throws: list[list[int]] = field(default_factory=list)
    played_at: datetime


# Moving


@locks.outermost
def submit_move(
    *, game_id: int, player_id: int, text: str, ply: int, now: datetime, via: str
) -> Played:
    """Plays a move, once.

    `ply` is the one that the player saw and answers; `now` is when the move arrived, which
    decides against the flag, however long it waited for the lock. A move sent again gets
    the answer of the first time; one for another ply than the last is refused.
    """
    # Before the move, so that an outage which it ends is not counted as time that it took.
    outages.note_use(outages.way_in_of(via))
    try:
        return play_move(game_id=game_id, player_id=player_id, text=text, ply=ply, now=now, via=via)
    except TimeRanOut:
        # What the refused transaction has entered went with it.
        outages.bring_up_to_date(via)
        end_on_time(game_id=game_id, now=now)
        raise


@locks.action
def play_move(
    *,
    game_id: int,
    player_id: int,
    text: str,
    ply: int,
    now: datetime,
    via: str,
    arrived_at: datetime | None = None,
) -> Played:
    """As `submit_move`, within the caller's transaction.

    A mail may be read long after it arrived: `arrived_at` ends its sender's time, while the
    opponent's begins `now`, because nobody could reply before.

    If it raises TimeRanOut, the caller ends the game by `end_on_time` after that transaction,
    which would take the ending back with everything else. If it raises NotYetKnown, a move that
    can wait is tried again later, at the same `now`.
    """
    table = lock(game_id)
    seat = table.seat_of(player_id)
    if ply != table.ply:
        return _repeated(table, seat, text, ply)
    _require_running(table)
    if table.seat_to_move != seat.number:
        raise NotYourTurn("It is not your turn; your opponent is to move.")
    arrived_at = arrived_at or now
    is_late = arrived_at >= table.flag_falls_at()
    if is_late or table.has_plans:
        # Both, because a vacation locks one of them and a conditional move the other.
        lock_participants_by_id(at.player_id for at in table.seats)
    if is_late:
        table = _put_off(table, player_id, arrived_at, via)
    played = _play(table, seat, text, now, via, used=table.used(arrived_at))
    if table.has_plans:
        _follow_plans(played)
    return played


def _repeated(table: Table, seat: SeatAtTable, text: str, ply: int) -> Played:
    """The answer to a move that is in the log already, sent again."""
    line = Move.objects.filter(game_id=table.id, ply=ply + 1, seat=seat.number).first()
    if line and normalised(text) in (line.text, line.typed or line.text):
        return _answer(line)
    if ply > table.ply:
        raise StalePly(
            "This move answers ply {ply}, but the game has only come to ply {current}.",
            ply=ply,
            current=table.ply,
        )
    raise StalePly(
        "This move answers ply {ply}, but the game has gone on to ply {current};"
        " nothing was played.",
        ply=ply,
        current=table.ply,
    )


def _answer(line: Move) -> Played:
    assert line.seat is not None
    return Played(
        game_id=line.game_id,
        ply=line.ply,
        seat=line.seat,
        text=line.text,
        throws=line.throws,
        played_at=line.played_at,
    )


def _play(
    table: Table,
    seat: SeatAtTable,
    text: str,
    now: datetime,
    via: str,
    *,
    used: timedelta | None = None,
) -> Played:
    """Without `used`, all time since the turn began was the mover's."""
    move = table.position.parse(text)
    position, throws = throw_dice(table, table.position.play(move))
    played = Played(
        game_id=table.id,
        ply=table.ply + 1,
        seat=seat.number,
        text=str(move),
        throws=throws,
        played_at=now,
    )
    typed = normalised(text)
    used = table.used(now) if used is None else used
    _write(table, seat, played, position, typed if typed != played.text else "", via, used)
    if isinstance(position.awaiting, Outcome):
        after = replace(table, seats_moved=table.seats_moved | 1 << seat.number)
        ending = endings.decided(after, position.awaiting, ended_by=seat.number)
        endings.finish([ending], now=now)
    return played


def _follow_plans(line: Played | None) -> None:
    """Conditional moves are played in the transaction of what they were waiting for."""
    while line:
        table = lock(line.game_id)
        if not table.is_running:
            return
        reply = plans.reply_to(
            table,
            plans.Line(
                seat=line.seat,
                ply=line.ply,
                text=line.text,
                total=sum(line.throws[-1]) if line.throws else None,
                seat_to_move=table.seat_to_move,
            ),
            now=line.played_at,
        )
        line = _play_reply(table, reply, line.played_at) if reply else None


def _play_reply(table: Table, reply: plans.Reply, now: datetime) -> Played | None:
    seat = table.seats[reply.seat.number]
    if reply.text == conditional.RESIGN:
        _resign(table, seat, now)
        return None
    try:
        return _play(table, seat, reply.text, now, Via.CONDITIONAL)
    except MoveError as error:
        plans.refuse(reply, str(error), ply=table.ply, now=now)
        return None


def throw_dice(table: Table, position: Position) -> tuple[Position, list[list[int]]]:
    """Throws for as long as the position waits for dice."""
    throws: list[list[int]] = []
    while isinstance(awaited := position.awaiting, Roll):
        number = table.throws_made + len(throws) + 1
        salts = [seat.salt if seat.salted_after_throw < number else "" for seat in table.seats]
        faces = dice.throw(
            scheme=table.dice_scheme,
            seed=table.seed,
            game_id=str(table.id),
            number=number,
            salts=salts,
            dice=awaited.dice,
            sides=awaited.sides,
        )
        throws.append(list(faces))
        position = position.rolled(faces)
    return position, throws


BY_MAIL = {Via.MAIL: True, Via.WEB: False, Via.API: False}
"""What a move says of its player's way in; what the service plays for them says nothing."""

# The log, the game, the mover's bank and way in, their presence and the facts in one statement.
WRITE = """
WITH moved AS (
    UPDATE games_game SET position = %s, ply = %s, seat_to_move = %s, seats_moved = %s,
        draw_offered_by = %s, takeback_asked_by = NULL, throws_made = %s,
        clock_from = %s, time_left = %s, deadline_at = %s,
        opening = CASE WHEN ply < %s THEN left(opening || %s, %s) ELSE opening END
    WHERE id = %s
), banked AS (
    UPDATE games_seat SET bank = %s, moves_by_mail = coalesce(%s, moves_by_mail)
    WHERE id = %s AND (bank, moves_by_mail) IS DISTINCT FROM (%s, coalesce(%s, moves_by_mail))
), present AS (
    UPDATE games_participant
    SET absent_since = NULL, moves_by_mail = coalesce(%s, moves_by_mail)
    WHERE player_id = %s
      AND (absent_since IS NOT NULL OR moves_by_mail <> coalesce(%s, moves_by_mail))
), told AS (
    INSERT INTO games_outboxmessage
        (fact, subscriber, payload, queue, recorded_at, due_at, attempts, error)
    SELECT fact, subscriber, payload, queue, %s, %s, 0, ''
    FROM unnest(%s::text[], %s::text[], %s::jsonb[], %s::bigint[])
        AS e(fact, subscriber, payload, queue)
)
INSERT INTO games_move (game_id, ply, seat, text, typed, throws, via, played_at, used)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def _write(
    table: Table,
    seat: SeatAtTable,
    played: Played,
    position: Position,
    typed: str,
    via: str,
    used: timedelta,
) -> None:
    now = played.played_at
    bank = table.clock.after_move(max(table.time_left - used, clock.NOTHING))
    next_seat, left, deadline = _next_turn(table, seat, bank, position, now)
    by_mail = BY_MAIL.get(Via(via))
    offer = table.draw_offered_by if table.draw_offered_by == seat.number else None
    facts = outbox.rows_for([MovePlayed(game_id=table.id, ply=played.ply, seat=seat.number)])
    with prepared.cursor() as cursor:
        cursor.execute(
            WRITE,
            [
                json.dumps(position.to_json()), played.ply, next_seat,
                table.seats_moved | 1 << seat.number, offer,
                table.throws_made + len(played.throws), now, left, deadline,
                replay.OPENING_PLIES, f"{played.text};", replay.OPENING_LENGTH, table.id,
                bank, by_mail, seat.id, bank, by_mail,
                by_mail,
                # The lock on who is present comes with the ending's, in their order.
                None if isinstance(position.awaiting, Outcome) else seat.player_id, by_mail,
                now, now, *([list(column) for column in zip(*facts, strict=True)] or [[]] * 4),
                table.id, played.ply, seat.number, played.text, typed,
                json.dumps(played.throws), via, now, used,
            ],
        )  # fmt: skip
    if facts:
        outbox.ring_after_commit()


def _next_turn(
    table: Table, mover: SeatAtTable, bank: timedelta, position: Position, now: datetime
) -> tuple[int, timedelta, datetime]:
    """Who is to move next, with how much time, until when; the mover's old data if it is over."""
    if not isinstance(position.awaiting, Turn):
        return mover.number, bank, now
    seat = table.seats[position.awaiting.seat]
    left = bank if seat is mover else seat.bank
    return seat.number, left, clock.deadline(now, left, table.pauses(seat))


# Ending


@locks.action
def resign(*, game_id: int, player_id: int, now: datetime) -> None:
    _resign(*_sit_down(game_id, player_id, now), now)


def _resign(table: Table, seat: SeatAtTable, now: datetime) -> None:
    """Before both have moved there is nothing to lose, and the game is called off."""
    if not table.both_have_moved and table.event_id is None:
        endings.finish([endings.void(table, "aborted")], now=now)
        return
    lost = Outcome(
        scores=(0.0, 1.0) if seat.number == 0 else (1.0, 0.0),
        reason="resignation",
        points=_points_so_far(table),
    )
    endings.finish([endings.decided(table, lost)], now=now)


@locks.action
def give_up(*, game_id: int, player_id: int, now: datetime) -> None:
    """End the game of a player who has left: as resigned, or on time if that ran out before."""
    due_by = outages.served_until(now=now)
    table = lock(game_id)
    seat = table.seat_of(player_id)
    if not table.is_running:
        return
    if table.ran_out(due_by):
        endings.finish([_ending_on_time(table)], now=now)
    else:
        _resign(table, seat, now)


@locks.action
def abort(*, game_id: int, player_id: int, now: datetime) -> None:
    """Calls a game off that has not really begun."""
    table, _seat = _sit_down(game_id, player_id, now)
    if table.both_have_moved:
        raise TooLate("Both have moved, so the game can be resigned but not called off.")
    if table.event_id is not None:
        raise NotAllowed(
            "This game belongs to an event and cannot be called off; you can resign it."
        )
    endings.finish([endings.void(table, "aborted")], now=now)


@locks.action
def offer_draw(*, game_id: int, player_id: int, now: datetime) -> None:
    """An offer stands until it is answered, taken back, or the opponent moves."""
    table, seat = _sit_down(game_id, player_id, now)
    if table.draw_offered_by == 1 - seat.number:
        _agree_on_draw(table, now)
        return
    if table.draw_offered_by == seat.number:
        return
    offered = Seat.objects.filter(pk=seat.id).exclude(draw_offered_at_ply=table.ply)
    if not offered.update(draw_offered_at_ply=table.ply):
        raise NotAllowed(
            "You have offered a draw at this move already; wait until the game has gone on."
        )
    Game.objects.filter(pk=table.id).update(draw_offered_by=seat.number)
    outbox.record(DrawOffered(game_id=table.id, seat=seat.number), now=now)


@locks.action
def accept_draw(*, game_id: int, player_id: int, now: datetime) -> None:
    table, seat = _sit_down(game_id, player_id, now)
    _require_offer(table.draw_offered_by, 1 - seat.number)
    _agree_on_draw(table, now)


@locks.action
def decline_draw(*, game_id: int, player_id: int, now: datetime) -> None:
    table, seat = _sit_down(game_id, player_id, now)
    _require_offer(table.draw_offered_by, 1 - seat.number)
    Game.objects.filter(pk=table.id).update(draw_offered_by=None)
    outbox.record(DrawDeclined(game_id=table.id, seat=seat.number), now=now)


@locks.action
def withdraw_draw(*, game_id: int, player_id: int, now: datetime) -> None:
    table, seat = _sit_down(game_id, player_id, now)
    _require_offer(table.draw_offered_by, seat.number)
    Game.objects.filter(pk=table.id).update(draw_offered_by=None)


def _require_offer(offered_by: int | None, seat: int) -> None:
    if offered_by != seat:
        raise NothingToAnswer("There is no such offer, or it was withdrawn.")


def _agree_on_draw(table: Table, now: datetime) -> None:
    if not table.both_have_moved and table.event_id is None:
        endings.finish([endings.void(table, "aborted")], now=now)
        return
    drawn = Outcome(scores=(0.5, 0.5), reason="agreement", points=_points_so_far(table))
    endings.finish([endings.decided(table, drawn)], now=now)


def _points_so_far(table: Table) -> tuple[int, ...]:
    """Points that are on the board already count, however the game is ended."""
    return table.position.forfeited_by(0).points


# Taking back


@locks.action
def ask_takeback(*, game_id: int, player_id: int, now: datetime) -> None:
    """Asks to undo one's last move, and the answer to it; the opponent must consent."""
    table, seat = _sit_down(game_id, player_id, now)
    _takeback_target(table, seat.number)
    if table.takeback_asked_by == seat.number:
        return
    Game.objects.filter(pk=table.id).update(takeback_asked_by=seat.number)
    outbox.record(TakebackAsked(game_id=table.id, seat=seat.number), now=now)


@locks.action
def decline_takeback(*, game_id: int, player_id: int, now: datetime) -> None:
    table, seat = _sit_down(game_id, player_id, now)
    _require_offer(table.takeback_asked_by, 1 - seat.number)
    Game.objects.filter(pk=table.id).update(takeback_asked_by=None)
    outbox.record(TakebackDeclined(game_id=table.id, seat=seat.number), now=now)


@locks.action
def accept_takeback(*, game_id: int, player_id: int, now: datetime, via: str) -> None:
    """Adds a line that takes back; nothing is ever removed from the log."""
    table, seat = _sit_down(game_id, player_id, now)
    asker = 1 - seat.number
    _require_offer(table.takeback_asked_by, asker)
    target = _takeback_target(table, asker)
    position = replay.position_after(table.id, target)
    assert isinstance(position.awaiting, Turn)
    Move.objects.create(
        game_id=table.id, ply=table.ply + 1, seat=asker, text="takeback",
        back_to=target, via=via, played_at=now,
    )  # fmt: skip
    mover = table.seats[position.awaiting.seat]
    left = max(table.time_left - table.used(now), clock.NOTHING)
    if mover is not table.mover:
        kept = table.clock.after_takeback(left)
        Seat.objects.filter(pk=table.mover.id).update(bank=kept)
        left = mover.bank
    Game.objects.filter(pk=table.id).update(
        position=position.to_json(),
        opening=replay.opening_after(table.id, target),
        ply=table.ply + 1,
        seat_to_move=mover.number,
        takeback_asked_by=None,
        draw_offered_by=None,
        clock_from=now,
        time_left=left,
        deadline_at=clock.deadline(now, left, table.pauses(mover)),
    )
    plans.forget(table, now=now)
    outbox.record(MovesTakenBack(game_id=table.id, ply=table.ply + 1), now=now)


def _takeback_target(table: Table, asker: int) -> int:
    """The ply to go back to: before the asker's last move, if no die was thrown since."""
    lines = replay.standing_lines(table.id)
    for index in range(len(lines) - 1, 0, -1):
        if lines[index].throws:
            raise NotAllowed("A move cannot be taken back once dice have been thrown after it.")
        if lines[index].seat == asker:
            return lines[index - 1].ply
    raise NotAllowed("You have no move to take back.")


# Time


@locks.action
def forfeit_on_time(
    *, due_by: Mapping[str, datetime], now: datetime, most: int, but: Collection[int] = ()
) -> tuple[int, int]:
    """Ends the games whose flag has fallen by `due_by`; how many were looked at and ended.

    1. Claims due games that nobody else holds and no unread answer may save.
    2. Reckons each flag anew by all pauses: a deadline that has moved is stored, not enforced.
    3. Ends the rest: void if not both have moved, otherwise as the rules say.

    `due_by` says for each way in until when it is known to have been open: nobody loses on time
    in a minute in which their move may not have got in.
    """
    unread_by = unread.answers(due_by=max(due_by.values()))
    tables = lock_due(due_by=due_by, but=[*unread_by, *but], most=most)
    fallen = []
    for table in tables:
        if table.ran_out(due_by):
            fallen.append(_ending_on_time(table))
        else:
            Game.objects.filter(pk=table.id).update(deadline_at=table.flag_falls_at())
    endings.finish(fallen, now=now)
    return len(tables), len(fallen)


def _ending_on_time(table: Table) -> endings.Ending:
    if not table.both_have_moved:
        return endings.void(table, "time")
    seat = table.mover.number
    return endings.decided(table, table.position.forfeited_by(seat), lost_on_time_by=seat)


def _put_off(table: Table, player_id: int, now: datetime, via: str) -> Table:
    """The game after a pause that has just come to light; raises TimeRanOut if there is none."""
    outages.bring_up_to_date(via)
    due_by = outages.served_until(now=now)
    vacations.take_automatically([player_id], due_by=due_by, now=now)
    table = lock(table.id)
    if now < table.flag_falls_at():
        return table
    if table.ran_out(due_by):
        raise TimeRanOut("Your time ran out before this move arrived.")
    raise NotYetKnown(
        "Your time has run out, unless an outage that is not known yet gives it back;"
        " try again in a minute."
    )


@locks.action
def end_on_time(*, game_id: int, now: datetime) -> bool:
    """Whether it has; only in time that is known to be served, and not while an answer that came
    before the flag is still to be read.
    """
    # Before the game is read with its outages: they are all entered up to there.
    due_by = outages.served_until(now=now)
    table = lock(game_id)
    if not table.is_running or not table.ran_out(due_by):
        return False
    answered_at = unread.answers(due_by=now).get(game_id)
    if answered_at is not None and answered_at < table.flag_falls_at():
        return False
    endings.finish([_ending_on_time(table)], now=now)
    return True


@locks.outermost
def recount_deadlines(game_ids: Sequence[int]) -> None:
    """Stores deadlines anew after a pause has come, moved or gone."""
    for game_id in game_ids:
        recount_deadline(game_id)


@locks.action
def recount_deadline(game_id: int) -> None:
    table = lock(game_id)
    if table.is_running:
        Game.objects.filter(pk=game_id).update(deadline_at=table.flag_falls_at())


# Beginnings of every act


def _sit_down(game_id: int, player_id: int, now: datetime) -> tuple[Table, SeatAtTable]:
    table = lock(game_id)
    seat = table.seat_of(player_id)
    _require_running(table)
    if table.flag_falls_at() <= now:
        raise TimeRanOut("Time has run out in this game; it will be ended in a moment.")
    return table, seat


def _require_running(table: Table) -> None:
    if not table.is_running:
        raise GameIsOver("This game is over; nothing more can be played in it.")
