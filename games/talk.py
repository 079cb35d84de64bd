"""What players say to each other and write down for themselves."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from games import outbox
from games.events import ChatWritten
from games.models import ChatLine, Participant, Seat
from games.refusals import BadRequest, NoSuchGame, NotAllowed, NotAtThisTable, TooMany

MOST_LINES = 10
WITHIN = timedelta(minutes=1)


def say(*, game_id: int, player_id: int, text: str, now: datetime) -> ChatLine:
    """A line to the opponent; a few a minute at most, over all of one's games."""
    text = text.strip()
    if not text or len(text) > 1000 or "\0" in text:
        raise BadRequest("A message has 1 to 1000 characters.")
    with transaction.atomic():
        if seat_of(game_id, player_id).player.is_guest:
            raise NotAllowed("A guest does not chat; sign up to talk to people.")
        # The lock makes the count true for two lines written at once.
        Participant.objects.select_for_update().get(pk=player_id)
        written = ChatLine.objects.filter(author_id=player_id, written_at__gt=now - WITHIN)
        if written.count() >= MOST_LINES:
            raise TooMany("That was a lot at once; wait a minute before you write more.")
        line = ChatLine.objects.create(
            game_id=game_id, author_id=player_id, text=text, written_at=now
        )
        outbox.record(ChatWritten(game_id=game_id, line_id=line.pk), now=now)
        return line


def lines_for(*, game_id: int, player_id: int) -> QuerySet[ChatLine]:
    """Only the two who play read along, and not one who has hidden the chat."""
    lines = ChatLine.objects.filter(game_id=game_id).select_related("author")
    seat = Seat.objects.filter(game_id=game_id, player_id=player_id).first()
    if seat is None:
        return lines.none()
    return lines.filter(author_id=player_id) if seat.hides_chat else lines


def report(*, game_id: int, line_id: int, player_id: int, now: datetime) -> None:
    """Asks the staff to look at what the opponent wrote."""
    seat_of(game_id, player_id)
    lines = ChatLine.objects.filter(pk=line_id, game_id=game_id).exclude(author_id=player_id)
    if not lines.filter(reported_at=None).update(reported_at=now) and not lines.exists():
        raise NoSuchGame


def hide_chat(*, game_id: int, player_id: int, hidden: bool) -> None:
    seat = seat_of(game_id, player_id)
    Seat.objects.filter(pk=seat.pk).update(hides_chat=hidden)


def write_note(*, game_id: int, player_id: int, note: str) -> None:
    """For one's own eyes."""
    if len(note) > 20_000 or "\0" in note:
        raise BadRequest("A note has at most 20 000 characters.")
    seat = seat_of(game_id, player_id)
    Seat.objects.filter(pk=seat.pk).update(note=note)


def seat_of(game_id: int, player_id: int) -> Seat:
    seat = Seat.objects.filter(game_id=game_id, player_id=player_id).first()
    if seat is None:
        raise NotAtThisTable
    return seat
