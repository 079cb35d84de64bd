"""Feeds of what waits for a player: a calendar of deadlines and news of turns, by secret links."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Max, Prefetch
from django.db.models.functions import Greatest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from icalendar import Calendar, Event

from accounts import locks
from accounts.models import ApiToken, Player
from games.boards.registry import BOARDS
from games.models import Game, Move, Outage, Seat, Status, Vacation
from games.pages.wording import game_name
from games.refusals import BadRequest
from games.rules.registry import ruleset
from notifications.in_short import game_in_short
from notifications.models import FeedLink, made_by_a_living_token

MOST_TURNS = 200
ENDINGS = {FeedLink.Feed.CALENDAR: "ics", FeedLink.Feed.TURNS: "atom"}


# Links


@locks.action
def link_of(*, player: Player, feed: str, now: datetime, token: ApiToken | None = None) -> FeedLink:
    """A new link; one that was there before leads nowhere from now on."""
    if feed not in FeedLink.Feed.values:
        raise BadRequest("There are two feeds: calendar and turns.")
    link, _new = FeedLink.objects.update_or_create(
        player=player,
        feed=feed,
        defaults={"key": secrets.token_urlsafe(32), "created_at": now, "token": token},
    )
    return link


def revoke(*, player: Player, feed: str) -> None:
    FeedLink.objects.filter(player=player, feed=feed).delete()


def found(key: str, feed: str, *, now: datetime) -> FeedLink | None:
    links = FeedLink.objects.select_related("player").filter(made_by_a_living_token(now))
    return links.filter(key=key, feed=feed, player__is_active=True).first()


def address_of(link: FeedLink) -> str:
    path = reverse("feed", args=[link.key, ENDINGS[FeedLink.Feed(link.feed)]])
    return settings.SITE_URL + path


# What waits


def turns_of(player: Player) -> list[Game]:
    """The most urgent first, with seats and players, and when a ruling last touched them."""
    seats = Prefetch("seats", Seat.objects.select_related("player").order_by("number"))
    waiting = Game.objects.filter(
        status=Status.RUNNING, seats__player=player, seats__number=F("seat_to_move")
    )
    ruled = Greatest(Max("rulings__made_at"), Max("rulings__undone_at"))
    rows = waiting.annotate(ruled_at=ruled).prefetch_related(seats)
    return list(rows.order_by("deadline_at", "id")[:MOST_TURNS])


def _name(game: Game) -> str:
    """Of one turn, for as long as it lasts, however often its deadline moves."""
    return f"g{game.pk}.p{game.ply}.s{game.seat_to_move}"


def _address(game: Game) -> str:
    return settings.SITE_URL + game.get_absolute_url()


# The calendar


def calendar(player: Player, *, now: datetime) -> bytes:
    """Every deadline at its very instant, in a form that stays the same until one moves."""
    made = Calendar()
    made.add("prodid", "-//Tripost//deadlines//EN")
    made.add("version", "2.0")
    made.add("calscale", "GREGORIAN")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", _("Tripost: my deadlines"))
    made.add("refresh-interval", timedelta(hours=1), parameters={"VALUE": "DURATION"})
    paused = _last_pause(player, now)
    for game in turns_of(player):
        made.add_component(_event(game, paused))
    return made.to_ical()


def _event(game: Game, paused: datetime | None) -> Event:
    changed = max(filter(None, (game.clock_from, paused, getattr(game, "ruled_at", None))))
    event = Event()
    event.add("uid", f"{_name(game)}@{settings.MAIL_DOMAIN}")
    event.add("dtstamp", changed)
    event.add("last-modified", changed)
    # Nothing that moves a deadline lies before what moved it last, so this only ever grows.
    event.add("sequence", int((changed - game.started_at).total_seconds()))
    event.add("dtstart", game.deadline_at)
    words = game_in_short(game, game.seat_to_move, None)
    event.add("summary", _("Flag falls: {game}").format(game=words))
    event.add("url", _address(game))
    event.add("description", _address(game))
    event.add("transp", "TRANSPARENT")
    return event


def _last_pause(player: Player, now: datetime) -> datetime | None:
    """When a vacation or an outage last stopped the player's clocks or let them go on."""
    vacations = Vacation.objects.filter(player=player)
    moments = [
        vacations.filter(began_at__lte=now).aggregate(at=Max("began_at"))["at"],
        vacations.filter(ends_at__lte=now).aggregate(at=Max("ends_at"))["at"],
        Outage.objects.filter(ended_at__lte=now).aggregate(at=Max("ended_at"))["at"],
    ]
    return max(filter(None, moments), default=None)


# The news


class TurnsFeed(Atom1Feed):
    """One whose date is not the moment of asking when nothing waits."""

    def latest_post_date(self) -> datetime:
        dates = [item["updateddate"] for item in self.items]
        return max(dates, default=self.feed["empty_since"])


def turns(player: Player, link: FeedLink) -> bytes:
    games = turns_of(player)
    feed = TurnsFeed(
        title=_("Tripost: my turns"),
        link=settings.SITE_URL + reverse("my_games"),
        description="",
        feed_url=address_of(link),
        feed_guid=f"tag:{settings.MAIL_DOMAIN},2026:turns-of-{player.pk}",
        empty_since=link.created_at,
    )
    last_lines = _last_lines(games)
    for game in games:
        feed.add_item(**_entry(game, last_lines.get((game.pk, game.ply))))
    return feed.writeString("utf-8").encode()


def _entry(game: Game, last: Move | None) -> dict[str, Any]:
    opponent = next(at.player for at in game.seats.all() if at.number != game.seat_to_move)
    position = ruleset(game.ruleset, game.version).load(game.position)
    board = BOARDS[game.ruleset].text(position, translate=_)
    lines = [game_in_short(game, game.seat_to_move, game.deadline_at)]
    if last and last.text:
        lines.append(_("Last move: {move}").format(move=last.text))
    return {
        "title": _("Your turn: {game} against {name}").format(
            game=game_name(game.ruleset), name=opponent.name
        ),
        "link": _address(game),
        "unique_id": f"tag:{settings.MAIL_DOMAIN},2026:{_name(game)}",
        "description": "\n\n".join([*lines, board]),
        "author_name": opponent.name,
        "pubdate": game.clock_from,
        "updateddate": game.clock_from,
    }


def _last_lines(games: Sequence[Game]) -> dict[tuple[int, int], Move]:
    """The line that brought each game where it is, in one query."""
    plies = {game.pk: game.ply for game in games}
    lines = Move.objects.filter(game__in=plies, ply=F("game__ply"))
    return {(line.game_id, line.ply): line for line in lines}
