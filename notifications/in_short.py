"""A letter in a few words, and the page that it is about: for browsers, programs and feeds."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.models import Game
from games.pages.wording import game_name
from notifications.models import Kind, Letter

PAGES = {
    Kind.CHALLENGE: "lobby",
    Kind.CHALLENGE_ANSWER: "lobby",
    Kind.VACATION: "vacation",
}


@dataclass(frozen=True, kw_only=True)
class Short:
    title: str
    body: str
    url: str


def in_short(letter: Letter) -> Short:
    """In the language and the zone that are in force."""
    game = letter.game
    return Short(
        title=capfirst(str(Kind(letter.kind).label)),
        body=game_in_short(game, letter.seat, letter.deadline_at) if game else "",
        url=url_of(letter),
    )


def game_in_short(game: Game, seat: int | None, deadline: datetime | None) -> str:
    """Which game, against whom, until when."""
    names = [at.player.name for at in game.seats.all()]
    if seat is None:
        parties = " – ".join(names)
    else:
        parties = _("against {name}").format(name=names[1 - seat])
    words = f"{game_name(game.ruleset)} {parties}"
    if not deadline:
        return words
    return _("{game}, until {instant}").format(game=words, instant=instant(deadline))


def instant(at: datetime) -> str:
    """As the pages print it, with the zone, because a message stands alone."""
    local = timezone.localtime(at)
    return f"{date_format(local, pgettext('date format', 'j M Y, H:i'))} {local:%Z}"


def url_of(letter: Letter) -> str:
    if letter.game:
        return settings.SITE_URL + letter.game.get_absolute_url()
    return settings.SITE_URL + reverse(PAGES.get(Kind(letter.kind), "home"))
