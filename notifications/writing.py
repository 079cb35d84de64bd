"""What happened becomes letters: every fact that should be told, and to whom."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.models import Player
from games import events, prepared
from games.models import (
    Challenge,
    ChatLine,
    Game,
    Ruling,
    RulingRequest,
    Seat,
    Status,
    Vacation,
    Via,
)
from games.pages.seated import SEATS
from games.table import SeatAtTable, Table, look
from notifications import desk, reminders
from notifications.models import Kind, Letter, State
from notifications.readers import Reader, readers

Known = Mapping[int, Reader]
"""The players of a game, by id."""

BY_RULING = ("ruling", "void")
"""Endings that the letter about the ruling tells."""


# A game goes on


def tell_of_start(fact: events.GameStarted) -> None:
    """Who begins is asked to move; the other learns that there is a game."""
    now = timezone.now()
    table = _table(fact.game_id)
    if not table.is_running:
        return
    known = readers([seat.player_id for seat in table.seats])
    drafts = _about_turn(table, known, now) if table.ply == 0 else _reminders(table, known, now)
    for seat in table.seats:
        drafts += _letter(seat, table, known, Kind.STARTED, "started", now)
    desk.write_all(drafts, now=now, known=known)
    for seat in table.seats:
        _spare_mail(table.id, seat.number, Kind.STARTED, now)


def tell_of_move(fact: events.MovePlayed) -> None:
    """Only where the game has stopped: what plans have answered at once was nobody's turn."""
    now = timezone.now()
    table = _table(fact.game_id)
    _put_away(table, now)
    if table.is_running:
        is_asked = fact.ply == table.ply
        plan = _tells_of_plan(table, fact)
        known = readers([seat.player_id for seat in table.seats])
        drafts = _about_turn(table, known, now) if is_asked else _reminders(table, known, now)
        if plan:
            drafts += _letter(
                table.seats[fact.seat], table, known, Kind.PLAN, "plan", now,
                ply=fact.ply, details={"what": "played"},
            )  # fmt: skip
        desk.write_all(drafts, now=now, known=known)
        if is_asked:
            _spare_mail(table.id, table.mover.number, Kind.CHAT, now)


def tell_of_takeback(fact: events.MovesTakenBack) -> None:
    now = timezone.now()
    table = _table(fact.game_id)
    _put_away(table, now)
    if table.is_running:
        is_asked = fact.ply == table.ply
        known = readers([table.mover.player_id])
        drafts = _about_turn(table, known, now) if is_asked else _reminders(table, known, now)
        desk.write_all(drafts, now=now, known=known)
        if is_asked:
            _spare_mail(table.id, table.mover.number, Kind.CHAT, now)


def _put_away(table: Table, now: datetime) -> None:
    """Letters about an earlier moment would come too late, and reminders of a game that is over."""
    about_a_turn = [Kind.TURN, Kind.REMINDER]
    desk.cancel(
        game_id=table.id, kinds=about_a_turn, why="superseded", now=now, before_ply=table.ply
    )
    if not table.is_running:
        desk.cancel(game_id=table.id, kinds=[Kind.REMINDER], why="game-over", now=now)


def _about_turn(table: Table, known: Known, now: datetime) -> list[Letter]:
    """The letter that asks for a move, and its reminders."""
    asked = _letter(
        table.mover, table, known, Kind.TURN, "turn", now,
        ply=table.ply, deadline_at=table.deadline_at,
    )  # fmt: skip
    return asked + _reminders(table, known, now)


def _reminders(table: Table, known: Known, now: datetime) -> list[Letter]:
    return reminders.reminders_of(table, known[table.mover.player_id], now=now)


# A turn letter that is about to go is composed when it goes, and will tell this too.
SPARE = """
UPDATE notifications_letter SET state = 'cancelled', why = 'in-turn-letter', settled_at = %s
WHERE game_id = %s AND seat = %s AND kind = %s
  AND channel = 'mail' AND state = 'waiting' AND NOT digest
  AND EXISTS (SELECT 1 FROM notifications_letter t
              WHERE t.game_id = %s AND t.seat = %s AND t.kind = 'turn'
                AND t.channel = 'mail' AND t.state = 'waiting' AND NOT t.digest)
"""


def _spare_mail(game_id: int, seat: int, kind: Kind, now: datetime) -> None:
    with prepared.cursor() as cursor:
        cursor.execute(SPARE, [now, game_id, seat, kind.value, game_id, seat])


# Plans


LAST_MOVE = (
    "SELECT ply, via FROM games_move WHERE game_id = %s AND seat = %s ORDER BY ply DESC LIMIT 1"
)
"""Asked after every move, and so prepared."""


def _tells_of_plan(table: Table, fact: events.MovePlayed) -> bool:
    """Its owner sees what was played for them, at the end of it, unless they are asked anyway."""
    if table.seat_to_move == fact.seat:
        return False
    with prepared.cursor() as cursor:
        cursor.execute(LAST_MOVE, [table.id, fact.seat])
        return bool(cursor.fetchone() == (fact.ply, Via.CONDITIONAL.value))


def tell_of_stopped_plan(fact: events.PlanStopped) -> None:
    """The letter about the turn says so too; where one is on its way, it is enough."""
    game = _game(fact.game_id)
    if not game.is_running:
        return
    now = timezone.now()
    seat = _seat(game, fact.seat)
    stopped = {"what": "stopped"}
    _tell(seat, game, Kind.PLAN, "plan-stopped", now, ply=fact.ply, details=stopped)
    _spare_mail(game.pk, seat.number, Kind.PLAN, now)


# Offers and words


def tell_of_draw_offer(fact: events.DrawOffered) -> None:
    game = _game(fact.game_id)
    if game.draw_offered_by == fact.seat:
        offered_at = _seat(game, fact.seat).draw_offered_at_ply
        _tell_of_offer(game, 1 - fact.seat, "draw-offered", offered_at)


def tell_of_declined_draw(fact: events.DrawDeclined) -> None:
    game = _game(fact.game_id)
    _tell_of_offer(game, fact.seat ^ 1, "draw-declined", game.ply)


def tell_of_takeback_wish(fact: events.TakebackAsked) -> None:
    game = _game(fact.game_id)
    if game.takeback_asked_by == fact.seat:
        _tell_of_offer(game, 1 - fact.seat, "takeback-asked", game.ply)


def tell_of_declined_takeback(fact: events.TakebackDeclined) -> None:
    game = _game(fact.game_id)
    _tell_of_offer(game, 1 - fact.seat, "takeback-declined", game.ply)


def _tell_of_offer(game: Game, seat: int, what: str, ply: int | None) -> None:
    """At most one of a sort at a ply, however often it is asked."""
    if game.is_running:
        now = timezone.now()
        key = f"offer-{what}"
        at = _seat(game, seat)
        _tell(at, game, Kind.OFFER, key, now, ply=ply, details={"what": what})


def tell_of_chat(fact: events.ChatWritten) -> None:
    now = timezone.now()
    game = _game(fact.game_id)
    line = ChatLine.objects.get(pk=fact.line_id)
    seat = next(at for at in game.seats.all() if at.player_id != line.author_id)
    if not seat.hides_chat and line.hidden_at is None:
        _tell(seat, game, Kind.CHAT, f"chat-{line.pk}", now, about=line.pk)
        _spare_mail(game.pk, seat.number, Kind.CHAT, now)


# A game ends


def tell_of_end(fact: events.GameFinished) -> None:
    now = timezone.now()
    table = _table(fact.game_id)
    desk.cancel(
        game_id=table.id,
        kinds=[Kind.TURN, Kind.REMINDER, Kind.OFFER, Kind.STARTED, Kind.PLAN],
        why="game-over",
        now=now,
    )
    if table.is_running or fact.reason in BY_RULING:
        return
    kind = Kind.TIMEOUT if fact.reason == "time" else Kind.GAME_OVER
    known = readers([seat.player_id for seat in table.seats])
    drafts: list[Letter] = []
    for seat in table.seats:
        drafts += _letter(seat, table, known, kind, kind.value, now, ply=table.ply)
    desk.write_all(drafts, now=now, known=known)


def tell_of_ruling(fact: events.RulingChanged) -> None:
    ruling = Ruling.objects.get(pk=fact.ruling_id)
    what = "undone" if fact.undone else "made"
    game = _game(ruling.game_id)
    for seat in game.seats.all():
        key = f"ruling-{ruling.pk}-{what}"
        now = timezone.now()
        _tell(seat, game, Kind.RULING, key, now, about=ruling.pk, details={"what": what})


def tell_of_settled_request(fact: events.RulingRequestSettled) -> None:
    request = RulingRequest.objects.get(pk=fact.request_id)
    game = _game(request.game_id)
    seat = next(at for at in game.seats.all() if at.player_id == request.player_id)
    key = f"ruling-request-{request.pk}"
    now = timezone.now()
    _tell(seat, game, Kind.RULING, key, now, about=request.pk, details={"what": "answered"})


# The lobby


def tell_of_challenge(fact: events.ChallengeMade) -> None:
    now = timezone.now()
    offer = Challenge.objects.select_related("opponent").get(pk=fact.challenge_id)
    if offer.state != Challenge.State.OPEN or offer.expires_at <= now:
        return
    if offer.opponent is not None:
        _write(offer.opponent, Kind.CHALLENGE, f"c{offer.pk}.challenge", now, about=offer.pk)
    elif offer.email:
        _invite(offer, now)


def _invite(offer: Challenge, now: datetime) -> None:
    """A letter to the address, whoever reads it: a player with it is a player, else a stranger."""
    key = f"c{offer.pk}.invitation"
    desk.write(
        kind=Kind.INVITATION,
        player_id=None,
        key=key,
        now=now,
        about=offer.pk,
        address=offer.email,
        deadline=offer.expires_at,
    )


def tell_of_answer(fact: events.ChallengeAnswered) -> None:
    """An accepted challenge is a game, which has its own letter; who withdraws one knows it."""
    if fact.state not in (Challenge.State.DECLINED, Challenge.State.EXPIRED):
        return
    offer = Challenge.objects.select_related("challenger").get(pk=fact.challenge_id)
    key = f"c{offer.pk}.challenge-answer"
    details = {"state": fact.state}
    now = timezone.now()
    _write(offer.challenger, Kind.CHALLENGE_ANSWER, key, now, about=offer.pk, details=details)


# Time off


def tell_of_vacation(fact: events.VacationChanged) -> None:
    """The player, and once each everybody who plays with him."""
    vacation = _latest_vacation(fact.player_id)
    if vacation is None:
        return
    if fact.began:
        _write_of_vacation(vacation, "began", timezone.now())
        _write_of_vacation(vacation, "ended", vacation.ends_at)
    else:
        _forget_planned_end(vacation)
        _write_of_vacation(vacation, "ended-early", vacation.ends_at)


def _latest_vacation(player_id: int) -> Vacation | None:
    taken = Vacation.objects.filter(player_id=player_id).select_related("player")
    return taken.order_by("began_at", "pk").last()


def _forget_planned_end(vacation: Vacation) -> None:
    planned = Letter.objects.filter(
        kind=Kind.VACATION, about=vacation.pk, details__what="ended", state=State.WAITING
    )
    planned.update(state=State.CANCELLED, why="superseded", settled_at=vacation.ends_at)


def _write_of_vacation(vacation: Vacation, what: str, now: datetime) -> None:
    """The end is written ahead and goes out when it has come."""
    for player in (vacation.player, *_opponents_of(vacation.player_id)):
        key = f"v{vacation.pk}.{player.pk}.vacation-{what}"
        _write(player, Kind.VACATION, key, now, about=vacation.pk, details={"what": what})


def _opponents_of(player_id: int) -> Iterable[Player]:
    games = Seat.objects.filter(player=player_id, game__status=Status.RUNNING).values("game")
    seats = Seat.objects.filter(game__in=games, game__vacation_allowed=True)
    opponents = seats.exclude(player=player_id).values("player")
    return Player.objects.filter(pk__in=opponents).order_by("pk")


# To the players of a game


def _letter(
    seat: SeatAtTable, table: Table, known: Known, kind: Kind, what: str, now: datetime, *,
    ply: int | None = None, **more: Any,
) -> list[Letter]:  # fmt: skip
    """At most one; the key says which moment of the game, which seat and what."""
    if not known[seat.player_id].is_told:
        return []
    key = _key(table.id, seat.number, what, ply)
    about = {"game_id": table.id, "seat": seat.number, "player_id": seat.player_id}
    return [Letter(kind=kind, key=key, ply=ply, written_at=now, due_at=now, **about, **more)]


def _key(game_id: int, seat: int, what: str, ply: int | None) -> str:
    moment = "" if ply is None else f".p{ply}"
    return f"g{game_id}{moment}.s{seat}.{what}"


def _table(game_id: int) -> Table:
    (table,) = look([game_id])
    return table


# To one player


def _tell(
    seat: Seat, game: Game, kind: Kind, what: str, now: datetime, *, ply: int | None = None,
    **more: Any,
) -> None:  # fmt: skip
    """About a game; the key says which moment of it, which seat and what."""
    key = _key(game.pk, seat.number, what, ply)
    _write(seat.player, kind, key, now, game_id=game.pk, ply=ply, seat=seat.number, **more)


def _write(player: Player, kind: Kind, key: str, now: datetime, **more: Any) -> None:
    """House bots, guests and people who have left are told nothing; other bots never by mail."""
    is_of_the_house = player.bot_level is not None
    if player.is_active and not (is_of_the_house or player.is_guest or player.is_closed):
        desk.write(kind=kind, player_id=player.pk, key=key, now=now, **more)


def _game(game_id: int) -> Game:
    return Game.objects.prefetch_related(SEATS).get(pk=game_id)


def _seat(game: Game, number: int | None) -> Seat:
    return next(seat for seat in game.seats.all() if seat.number == number)
