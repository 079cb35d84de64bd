"""What house bots do at their tables: errands come from facts, and are done one at a time."""

import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from accounts import background, locks
from accounts.models import Player
from games import bell, house_bots, play, prepared
from games.bots.levels import choose
from games.events import Fact
from games.models import BotErrand, Game, Ruling, Seat, Via
from games.rules.position import Refusal
from games.rules.registry import ruleset

logger = logging.getLogger(__name__)

TAKEN_FOR = timedelta(seconds=60)
"""Far longer than any bot thinks; whoever has not come back by then is dead."""
BELL = "bell:bots"


# Being called

# Whether a built-in bot is to move, or asked for a draw or a take-back. Most games have none, and
# this is asked after every move: nothing of the game is loaded, and the statement stays prepared.
IS_AWAITED = """
SELECT EXISTS (
    SELECT 1 FROM games_seat s
    JOIN games_game g ON g.id = s.game_id
    JOIN accounts_player p ON p.id = s.player_id
    WHERE g.id = %s AND g.status = 'running' AND p.bot_level IS NOT NULL
      AND (s.number = g.seat_to_move OR 1 - s.number IN (g.draw_offered_by, g.takeback_asked_by))
)
"""


def hear(fact: Fact) -> None:
    """Something happened at a table: if that leaves a house bot something to do, it is called."""
    game_id = getattr(fact, "game_id", None)
    if game_id is None:
        ruling_id: int = fact.ruling_id  # type: ignore[attr-defined]
        game_id = Ruling.objects.values_list("game_id", flat=True).get(pk=ruling_id)
    with prepared.cursor() as cursor:
        cursor.execute(IS_AWAITED, [game_id])
        is_awaited = cursor.fetchone()[0]
    if is_awaited:
        call(game_id)


CALL = """
INSERT INTO games_boterrand (game_id, calls) VALUES (%s, 1)
ON CONFLICT (game_id) DO UPDATE SET calls = games_boterrand.calls + 1
"""


def call(game_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CALL, [game_id])
    transaction.on_commit(ring)


def ring() -> None:
    from games.tasks import serve_bots

    bell.ring(BELL, serve_bots)


# Doing it


def serve(*, seconds: float, in_between: Callable[..., bool]) -> bool:
    """Errand by errand; whether the time was up before all were done."""
    box = background.TimeBox(seconds)
    while not box.is_over:
        if not do_next(now=timezone.now()) and not in_between(now=timezone.now()):
            return False
    return True


def do_next(*, now: datetime) -> bool:
    """Does the errand whose deadline is nearest; false if there is none to take.

    The bot thinks outside any transaction: nobody waits for it. One that fails keeps its claim,
    so that others come first, and is tried again when the claim has run out.
    """
    errand = _taken(now)
    if errand is None:
        return False
    try:
        _attend(errand.game_id, now)
    except Exception:
        logger.exception("%s failed", errand)
        return True
    if not BotErrand.objects.filter(pk=errand.pk, calls=errand.calls).delete()[0]:
        BotErrand.objects.filter(pk=errand.pk).update(taken_until=None)
    return True


@locks.action
def _taken(now: datetime) -> BotErrand | None:
    errand = (
        BotErrand.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(Q(taken_until=None) | Q(taken_until__lte=now))
        .order_by("game__deadline_at", "game_id")
        .first()
    )
    if errand:
        errand.taken_until = now + TAKEN_FOR
        errand.save(update_fields=["taken_until"])
    return errand


def _attend(game_id: int, now: datetime) -> None:
    """Answers what the opponent asks for, then moves if it is the bot's turn."""
    game = Game.objects.get(pk=game_id)
    for seat in game.seats.select_related("player"):
        if game.is_running and house_bots.is_of_the_house(seat.player):
            # A refusal means that the game went on meanwhile; what is left to do is another call.
            with suppress(Refusal):
                _answer(game, seat, now)
            game.refresh_from_db()
            if game.is_running and game.seat_to_move == seat.number:
                with suppress(Refusal):
                    _move(game, seat.player, now)


def _answer(game: Game, seat: Seat, now: datetime) -> None:
    """A bot plays on rather than draw, and lets moves be taken back where nothing is at stake."""
    at_table = {"game_id": game.pk, "player_id": seat.player_id}
    if game.draw_offered_by == 1 - seat.number:
        play.decline_draw(**at_table, now=now)
    if game.takeback_asked_by == 1 - seat.number:
        if game.rated:
            play.decline_takeback(**at_table, now=now)
        else:
            play.accept_takeback(**at_table, now=now, via=Via.BOT)


def _move(game: Game, bot: Player, now: datetime) -> None:
    position = ruleset(game.ruleset, game.version).load(game.position)
    move = choose(position, house_bots.level_of(bot), secrets.randbits(62))
    play.submit_move(
        game_id=game.pk, player_id=bot.pk, text=str(move), ply=game.ply, now=now, via=Via.BOT
    )
