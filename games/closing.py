"""A closed account in the games: offers withdrawn, games ended, private words erased."""

from datetime import datetime

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext, ngettext

from accounts import locks
from accounts.closing import Rows, replace_traces, walk
from accounts.models import Closing, Player
from games import lobby, play
from games.models import (
    Challenge,
    ChatLine,
    ConditionalMoves,
    Game,
    ImportedGame,
    OutboxMessage,
    Participant,
    Ruling,
    RulingRequest,
    Seat,
    Status,
    Visit,
)
from games.table import BOTH_SEATS

SLICE = 100


def withdraw_offers(closing: Closing, now: datetime) -> bool:
    return lobby.withdraw_all(player_id=closing.player_id, now=now, most=SLICE) > 0


def give_up_games(closing: Closing, now: datetime) -> bool:
    """Each in a transaction of its own, as if the player had resigned it."""
    games = list(_running(closing.player_id).values_list("pk", flat=True)[:SLICE])
    for game_id in games:
        play.give_up(game_id=game_id, player_id=closing.player_id, now=now)
    return bool(games)


def erase_words(closing: Closing, now: datetime) -> bool:
    player_id = closing.player_id
    seats = Seat.objects.filter(player=player_id)
    seats.update(note="", has_conditional_moves=False)
    ConditionalMoves.objects.filter(seat__in=seats).delete()
    ChatLine.objects.filter(author=player_id).update(
        text="", hidden_at=Coalesce("hidden_at", Value(now))
    )
    made = Challenge.objects.filter(challenger=player_id)
    locks.update_by_id(made, email="", message="")
    # The salt of a game is part of its proof.
    locks.update_by_id(made.filter(game=None), salt="")
    asked = RulingRequest.objects.filter(player=player_id)
    asked.filter(settled_at=None).delete()
    asked.update(text="")
    ImportedGame.objects.filter(owner=player_id).delete()
    Visit.objects.filter(player=player_id).delete()
    Participant.objects.filter(player=player_id).update(takes_vacation_automatically=False)
    return False


def erase_invitations(closing: Closing, now: datetime) -> bool:
    """By e-mail, to one of the player's addresses."""
    if not closing.addresses:
        return False

    def erase(offers: Rows) -> None:
        for address in closing.addresses:
            invited = offers.filter(email__iexact=address)
            replace_traces(closing, invited, "message")
            locks.update_by_id(invited, email="")

    return walk(closing, Challenge.objects.all(), erase)


def replace_names(closing: Closing, now: datetime) -> bool:
    """What others wrote about the player in games that they shared."""

    def replace(seats: Rows) -> None:
        shared = list(seats.values_list("game", flat=True))
        replace_traces(closing, ChatLine.objects.filter(game__in=shared), "text")
        replace_traces(closing, Seat.objects.filter(game__in=shared), "note")
        replace_traces(closing, Ruling.objects.filter(game__in=shared), "reason")
        replace_traces(closing, RulingRequest.objects.filter(game__in=shared), "text", "answer")

    own = Seat.objects.filter(player=closing.player_id)
    return walk(closing, own, replace, most=SLICE)


def replace_names_in_offers(closing: Closing, now: datetime) -> bool:
    """What others wrote to the player, and what went wrong on the way."""
    received = Challenge.objects.filter(opponent=closing.player_id)
    replace_traces(closing, received, "message")
    replace_traces(closing, OutboxMessage.objects.all(), "error")
    return False


def summary(player: Player) -> list[str]:
    """For the page that asks whether the account is to be closed."""
    running = _running(player.pk).filter(event_id=None)
    begun = running.filter(seats_moved=BOTH_SEATS).count()
    fresh = running.count() - begun
    offers = Challenge.objects.filter(
        Q(challenger=player) | Q(opponent=player), state=Challenge.State.OPEN
    ).count()
    lines = []
    if begun:
        lines.append(
            ngettext(
                "You resign %(count)s running game; if it is rated, it counts.",
                "You resign %(count)s running games; rated ones count.",
                begun,
            )
            % {"count": begun}
        )
    if fresh:
        lines.append(
            ngettext(
                "%(count)s game is cancelled, as not both of you have moved in it.",
                "%(count)s games are cancelled, as not both of you have moved in them.",
                fresh,
            )
            % {"count": fresh}
        )
    if offers:
        lines.append(
            ngettext(
                "%(count)s open challenge is withdrawn or declined.",
                "%(count)s open challenges are withdrawn or declined.",
                offers,
            )
            % {"count": offers}
        )
    return lines or [gettext("You are playing no games outside of tournaments.")]


def _running(player_id: int) -> QuerySet[Game]:
    return Game.objects.filter(seats__player=player_id, status=Status.RUNNING).order_by("pk")
