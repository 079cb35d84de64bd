"""Which game a request means, and whether whoever asks sits at it."""

from django.db.models import Case, Prefetch, TextField, Value, When
from django.http import Http404, HttpRequest

from games.models import Game, Seat

SEATS = Prefetch("seats", Seat.objects.select_related("player").order_by("number"))


def seats_for(player_id: int | None) -> Prefetch:
    """The seats, with `own_note` on that of whoever asks."""
    own_note = Case(
        When(player_id=player_id, then="note"), default=Value(""), output_field=TextField()
    )
    seats = Seat.objects.select_related("player").annotate(own_note=own_note)
    return Prefetch("seats", seats.order_by("number"))


def visible_game(
    request: HttpRequest, *, pk: int | None = None, link: str | None = None
) -> tuple[Game, Seat | None]:
    """The game and the asker's seat; a private game only by its link or for its players."""
    wanted = {"pk": pk} if link is None else {"private_link": link}
    game = Game.objects.prefetch_related(seats_for(request.user.pk)).filter(**wanted).first()
    if game is None:
        raise Http404
    seat = next((at for at in game.seats.all() if at.player_id == request.user.pk), None)
    if game.private_link and link is None and seat is None:
        raise Http404
    return game, seat
