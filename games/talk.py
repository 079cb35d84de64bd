"""What players say to each other and write down for themselves."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts import locks
from accounts.models import Player
from games import blocks, budgets, outbox
from games.events import ChatWritten
from games.models import ChatLine, Game, Participant, Seat
from games.refusals import BadRequest, NoSuchGame, NotAllowed, NotAtThisTable, NotFound, TooMany
from games.rules.position import Term

MOST_LINES = 10
WITHIN = timedelta(minutes=1)
NO_CHAT = Term("{name} does not chat with you.")


@locks.action
def say(*, game_id: int, player_id: int, text: str, now: datetime) -> ChatLine:
    """A line to the opponent; a few a minute at most, over all of one's games."""
    text = text.strip()
    if not text or len(text) > 1000 or "\0" in text:
        raise BadRequest("A message has 1 to 1000 characters.")
    seat = seat_of(game_id, player_id)
    if seat.player.is_guest:
        raise NotAllowed("A guest does not chat; sign up to talk to people.")
    # The lock makes the count true for two lines written at once.
    Participant.objects.select_for_update(no_key=True).get(pk=player_id)
    written = ChatLine.objects.filter(author_id=player_id, written_at__gt=now - WITHIN)
    if written.count() >= MOST_LINES:
        raise TooMany("That was a lot at once; wait a minute before you write more.")
    opponent = opponent_of(game_id, player_id)
    blocks.require_no_block(seat.player, opponent, NO_CHAT)
    line = ChatLine.objects.create(game_id=game_id, author_id=player_id, text=text, written_at=now)
    budgets.spend(budgets.Act.CHAT, sender=seat.player, recipient=opponent, now=now)
    outbox.record(ChatWritten(game_id=game_id, line_id=line.pk), now=now)
    return line


def lines_for(*, game_id: int, player_id: int) -> QuerySet[ChatLine]:
    """Only the two who play read along, and not one who has hidden the chat."""
    lines = ChatLine.objects.filter(game_id=game_id).select_related("author")
    seat = Seat.objects.filter(game_id=game_id, player_id=player_id).first()
    if seat is None:
        _require_game(game_id)
        return lines.none()
    return lines.filter(author_id=player_id) if seat.hides_chat else lines


def report(*, game_id: int, line_id: int, player_id: int, now: datetime) -> None:
    """Asks the staff to look at what the opponent wrote."""
    seat_of(game_id, player_id)
    lines = ChatLine.objects.filter(pk=line_id, game_id=game_id).exclude(author_id=player_id)
    if not lines.filter(reported_at=None).update(reported_at=now) and not lines.exists():
        raise NotFound("There is no such line of your opponent's.")


def hide_chat(*, game_id: int, player_id: int, hidden: bool) -> None:
    seat = seat_of(game_id, player_id)
    Seat.objects.filter(pk=seat.pk).update(hides_chat=hidden)


def write_note(*, game_id: int, player_id: int, note: str) -> None:
    """For one's own eyes."""
    if len(note) > 20_000 or "\0" in note:
        raise BadRequest("A note has at most 20 000 characters.")
    seat = seat_of(game_id, player_id)
    Seat.objects.filter(pk=seat.pk).update(note=note)


def opponent_of(game_id: int, player_id: int) -> Player:
    return Player.objects.exclude(pk=player_id).get(seats__game=game_id)


def seat_of(game_id: int, player_id: int) -> Seat:
    seat = Seat.objects.filter(game_id=game_id, player_id=player_id).first()
    if seat is None:
        _require_game(game_id)
        raise NotAtThisTable
    return seat


def _require_game(game_id: int) -> None:
    if not Game.objects.filter(pk=game_id).exists():
        raise NoSuchGame
