"""Letters: one small function for each kind, its templates named after it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from email.mime.base import MIMEBase
from typing import Any

from django.core.mail import EmailMessage
from django.utils import timezone, translation
from django.utils.safestring import mark_safe

from accounts.models import Player
from games.models import Challenge, ChatLine, Game, Ruling, RulingRequest, Status, Vacation
from games.pages.wording import game_name, options_in_words
from notifications import (
    answer_links,
    answers,
    challenge_mail,
    message,
    preferences,
    reply_address,
    scene,
)
from notifications.message import Content, address, build, inline_picture
from notifications.models import Kind, Letter
from notifications.scene import Scene
from tournaments import event_log
from tournaments.models import Event
from tournaments.pages.wording import format_name

MOST_PICTURES = 10
"""In one letter about several games."""
MOST_GAMES = 20
REASONS = {
    "cancelled": ("called-off", "too-few", "organiser-left", "organiser-stepped-down"),
    "withdrawn": ("expelled", "vanished"),
}
"""What the log says that such a letter is about."""


def compose(letter: Letter, *, now: datetime) -> EmailMessage:
    """The message as it should be read now, in the reader's language and zone."""
    player = letter.player
    language = player.language if player else _language_of_the_host(letter)
    with translation.override(language), timezone.override(player.zone if player else "UTC"):
        content = LETTERS[Kind(letter.kind)](letter, now)
        return build(letter, content, to=letter.address or _address(player))


def _address(player: Player | None) -> str:
    return preferences.address_of(player) if player else ""


def _language_of_the_host(letter: Letter) -> str:
    """Nobody knows what language a stranger reads; whoever invites him does."""
    return _offer(letter).challenger.language


# At the table


def turn(letter: Letter, now: datetime) -> Content:
    return _at_the_table("turn", letter, now)


def reminder(letter: Letter, now: datetime) -> Content:
    return _at_the_table("reminder", letter, now)


def started(letter: Letter, now: datetime) -> Content:
    offer = Challenge.objects.filter(game=letter.game_id).first()
    mine = offer is not None and offer.challenger_id == letter.player_id
    return _at_the_table("started", letter, now, i_challenged=mine)


def offer(letter: Letter, now: datetime) -> Content:
    return _at_the_table("offer", letter, now, what=letter.details["what"])


def chat(letter: Letter, now: datetime) -> Content:
    """With all that has been written since the line that it is about."""
    table = _scene(letter, now, latest=True)
    lines = table.chat_lines(ChatLine.objects.filter(pk__gte=letter.about))
    return _told("chat", letter, table, now, with_board=False, lines=lines)


def game_over(letter: Letter, now: datetime) -> Content:
    return _at_the_table("game-over", letter, now, latest=True)


def timeout(letter: Letter, now: datetime) -> Content:
    return _at_the_table("timeout", letter, now, latest=True)


def plan(letter: Letter, now: datetime) -> Content:
    """What the plan has done, or why it ended."""
    table = _scene(letter, now)
    stopped = letter.details.get("what") == "stopped"
    lines = [] if stopped else table.moves_since_i_was_asked
    return _told("plan", letter, table, now, stopped=stopped, lines=lines)


def ruling(letter: Letter, now: datetime) -> Content:
    more: dict[str, Any] = {"what": letter.details["what"]}
    if letter.details["what"] == "answered":
        more["request"] = RulingRequest.objects.get(pk=_about(letter))
    else:
        more["ruling"] = Ruling.objects.get(pk=_about(letter))
    return _at_the_table("ruling", letter, now, latest=True, **more)


def _about(letter: Letter) -> int:
    assert letter.about is not None
    return letter.about


def _scene(letter: Letter, now: datetime, *, latest: bool = False) -> Scene:
    assert letter.game_id is not None
    assert letter.seat is not None
    ply = None if latest else letter.ply
    table = scene.load(letter.game_id, letter.seat, now=now, ply=ply)
    letter.game = table.game
    return table


def _at_the_table(
    template: str, letter: Letter, now: datetime, *, latest: bool = False, **more: Any
) -> Content:
    return _told(template, letter, _scene(letter, now, latest=latest), now, **more)


def _told(
    template: str,
    letter: Letter,
    table: Scene,
    now: datetime,
    *,
    with_board: bool = True,
    **more: Any,
) -> Content:
    token = reply_address.token_for(
        game_id=table.game.pk,
        seat=table.seat,
        ply=table.ply,
        player_id=table.mine.player_id,
        now=now,
    )
    context = {
        "scene": table,
        "game": table.game,
        "game_address": message.on_our_site(table.game.get_absolute_url()),
        "answer_address": answer_links.link_for(token) if table.is_my_turn else "",
        "reply_address": reply_address.address_of(token),
        **more,
    }
    return Content(
        template=template,
        context=context,
        picture=table.picture() if with_board else None,
        picture_alt=table.spoken if with_board else "",
        token=token,
    )


# Before a game


def challenge(letter: Letter, now: datetime) -> Content:
    reply_to = challenge_mail.address_of(_offer(letter))
    told = _about_an_offer("challenge", letter, address("lobby"), reply_address=reply_to)
    return replace(told, reply_to=reply_to)


def challenge_answer(letter: Letter, now: datetime) -> Content:
    return _about_an_offer(
        "challenge-answer", letter, address("lobby"), state=letter.details["state"]
    )


def invitation(letter: Letter, now: datetime) -> Content:
    """To somebody who may never have heard of us; no other follows it."""
    return _about_an_offer("invitation", letter, address("invitation", _offer(letter).link))


def _about_an_offer(template: str, letter: Letter, where: str, **more: Any) -> Content:
    offer = _offer(letter)
    context = {
        "offer": offer,
        "name": game_name(offer.ruleset),
        "options": options_in_words(offer.ruleset, offer.options),
        "where": where,
        **more,
    }
    return Content(template=template, context=context)


def _offer(letter: Letter) -> Challenge:
    return Challenge.objects.select_related("challenger", "opponent").get(pk=_about(letter))


# Around the games


def vacation(letter: Letter, now: datetime) -> Content:
    """To whoever takes it, and to everybody who waits for him."""
    taken = Vacation.objects.select_related("player").get(pk=_about(letter))
    context = {
        "vacation": taken,
        "is_mine": taken.player_id == letter.player_id,
        "has_ended": letter.details["what"] != "began",
        "games": _games_between(letter, taken.player),
        "where": address("vacation"),
    }
    return Content(template="vacation", context=context)


def unreachable(letter: Letter, now: datetime) -> Content:
    """To the opponents of somebody whose address takes no mail."""
    player = Player.objects.get(pk=_about(letter))
    return Content(
        template="unreachable",
        context={"unreachable": player, "games": _games_between(letter, player)},
    )


def _games_between(letter: Letter, player: Player) -> list[dict[str, Any]]:
    """Those that the two are playing; none for the player himself."""
    if player.pk == letter.player_id:
        return []
    games = Game.objects.filter(status=Status.RUNNING, seats__player=letter.player_id)
    between = games.filter(seats__player=player).order_by("pk")[:MOST_GAMES]
    return [
        {
            "name": game_name(game.ruleset),
            "number": game.pk,
            "url": message.on_our_site(game.get_absolute_url()),
        }
        for game in between
    ]


# Events tell their letters all that they say


def event(letter: Letter, now: datetime) -> Content:
    context = _of_the_event(letter)
    if known := Event.objects.filter(pk=letter.about or 0).first():
        context |= {"why": _why(letter, known), "clock": known.clock}
        context |= {"format": format_name(known), "game": game_name(known.ruleset)}
        context |= {"by": Player.objects.filter(pk=letter.details.get("by") or 0).first()}
    return Content(template="event", context=context)


def _why(letter: Letter, known: Event) -> str:
    """As the event's log tells it."""
    lines = known.log.filter(what__in=REASONS.get(letter.details["what"], ()))
    if letter.details["what"] == "withdrawn" and letter.player:
        lines = lines.filter(words__player=letter.player.name)
    line = lines.order_by("-id").first()
    return event_log.sentence(line) if line else ""


def round_paired(letter: Letter, now: datetime) -> Content:
    context = _of_the_event(letter)
    context["games"] = [
        {"opponent": opponent, "url": message.on_our_site(url)}
        for opponent, url in letter.details.get("games", [])
    ]
    return Content(template="round-paired", context=context)


def standings(letter: Letter, now: datetime) -> Content:
    return Content(template="standings", context=_of_the_event(letter))


def _of_the_event(letter: Letter) -> dict[str, Any]:
    return {**letter.details, "address": message.on_our_site(letter.details["address"])}


# Several in one


def digest(letter: Letter, now: datetime) -> Content:
    """Each letter that it carries as it would be on its own, without its frame."""
    carried = Letter.objects.filter(pk__in=letter.details["letters"])
    letters = list(carried.select_related("player").order_by("pk"))
    parts: list[dict[str, str]] = []
    pictures: list[MIMEBase] = []
    for part in letters:
        content = LETTERS[Kind(part.kind)](part, now)
        cid = ""
        if content.picture and len(pictures) < MOST_PICTURES:
            cid = message.picture_id(part)
            pictures.append(inline_picture(content.picture, cid=cid))
        parts.append(_part(part, content, cid))
    context = {"parts": parts, "turns": sum(part.kind == Kind.TURN for part in letters)}
    return Content(template="digest", context=context, attachments=pictures)


def _part(letter: Letter, content: Content, cid: str) -> dict[str, str]:
    """One letter without what frames it."""
    context = {
        "base_txt": "emails/part.txt",
        "base_html": "emails/part.html",
        "is_part": True,
        "letter": letter,
        "player": letter.player,
        "picture_cid": cid,
        "picture_alt": content.picture_alt,
        **content.context,
    }
    return {
        "title": message.subject_of(letter, content.template, context),
        "text": message.words(content.template, context),
        "html": mark_safe(message.markup(content.template, context)),  # noqa: S308 (escaped there)
    }


LETTERS: dict[Kind, Callable[[Letter, datetime], Content]] = {
    Kind.TURN: turn,
    Kind.REMINDER: reminder,
    Kind.STARTED: started,
    Kind.OFFER: offer,
    Kind.CHAT: chat,
    Kind.GAME_OVER: game_over,
    Kind.TIMEOUT: timeout,
    Kind.PLAN: plan,
    Kind.CHALLENGE: challenge,
    Kind.CHALLENGE_ANSWER: challenge_answer,
    Kind.VACATION: vacation,
    Kind.RULING: ruling,
    Kind.EVENT: event,
    Kind.ROUND_PAIRED: round_paired,
    Kind.STANDINGS: standings,
    Kind.UNREACHABLE: unreachable,
    Kind.INVITATION: invitation,
    Kind.REPLY: answers.reply,
    Kind.DIGEST: digest,
}
