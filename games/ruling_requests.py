"""Players ask for a ruling; the staff answer, the longest waiting first."""

from datetime import datetime

from django.db import IntegrityError
from django.db.models import QuerySet

from accounts import locks
from accounts.models import Player
from games import outbox
from games.events import RulingRequestSettled
from games.models import RulingRequest
from games.refusals import BadRequest, NotFound, OwnGame, TooLate
from games.talk import seat_of

LONGEST_TEXT = 1000


def ask(*, game_id: int, player: Player, text: str, now: datetime) -> RulingRequest:
    """One open request for each player and game."""
    text = _checked(text)
    seat_of(game_id, player.pk)
    try:
        return _ask(game_id, player, text, now)
    except IntegrityError:
        raise TooLate("You have asked for a ruling in this game; wait for the answer.") from None


@locks.action
def _ask(game_id: int, player: Player, text: str, now: datetime) -> RulingRequest:
    return RulingRequest.objects.create(game_id=game_id, player=player, text=text, asked_at=now)


@locks.action
def settle(*, request_id: int, by: Player, answer: str, now: datetime) -> RulingRequest:
    """Answers a request; the ruling itself, if there is one, is made at its own door."""
    answer = _checked(answer)
    request = RulingRequest.objects.select_for_update(no_key=True).filter(pk=request_id).first()
    if request is None:
        raise NotFound("There is no such request.")
    if request.game.seats.filter(player=by).exists():
        raise OwnGame
    if request.settled_at is not None:
        raise TooLate("This request has been settled already.")
    request.settled_at, request.settled_by, request.answer = now, by, answer
    request.save(update_fields=["settled_at", "settled_by", "answer"])
    outbox.record(RulingRequestSettled(request_id=request.pk), now=now)
    return request


def find(request_id: int) -> RulingRequest:
    found = all_requests().filter(pk=request_id).first()
    if found is None:
        raise NotFound("There is no such request.")
    return found


def all_requests() -> QuerySet[RulingRequest]:
    return RulingRequest.objects.select_related("game", "player", "settled_by")


def _checked(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_TEXT or "\0" in text:
        raise BadRequest("Write 1 to 1000 characters.")
    return text
