"""The answers to players' mails: what came of them, in the words of the web, with the board."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.models import Game, Move
from notifications import desk, message, reply_address, scene
from notifications.message import Content
from notifications.models import InboundMail, Kind, Letter

SALT = "notifications.held"
A_DAY = timedelta(days=1)
MOST_A_DAY = {"other-address": 1, "no-game": 1, "held": 5, "not-understood": 10}
"""Of one kind to one player; of any other kind, so many:"""
MOST_OF_OTHERS_A_DAY = 60
WITH_LEGAL_MOVES = ("illegal", "not-a-move", "ambiguous", "not-understood")
LONGEST_HISTORY = 300
MOST_MEANWHILE = 8

SENTENCES = {
    "no-game": _(
        "We could not tell which game your mail is about, so nothing was done. Answer the latest"
        " letter about the game."
    ),
    "other-address": _(
        "Somebody wrote from {address} with the right to move for you. Nothing was done, because"
        " that is not your address here. If it was you, write from your own address, or add this"
        " one to your account."
    ),
    "held": _(
        "A mail in your name came in, but its sender could not be proved. Nothing was done yet:"
        " if you wrote it, confirm it on the page below."
    ),
    "unasked": _(
        "A mail of yours came in, but for a day no name server told us who may write from your"
        " address, so nothing was done yet. If you wrote it, confirm it on the page below within"
        " 24 hours. The game waits that long if the mail came in time."
    ),
    "not-proved": _(
        "We could not verify that you sent this e-mail, so nothing was done. Answer the challenge"
        " in the lobby."
    ),
    "not-understood": _(
        "We could not read the first line of your mail as a move or a command, so nothing was done."
    ),
    "unreadable": _(
        "We could not read your mail, so nothing was done. Write your move as plain text in the"
        " first line."
    ),
    "failed": _(
        "Something went wrong here each time we read your mail, so nothing was done. Play on the"
        " website, please."
    ),
    "stopped": _("No more mail of this kind will be sent to you: {kind}."),
}


def sentence(name: str, **parameters: object) -> str:
    return gettext(str(SENTENCES[name])).format(**parameters)


# Writing one


def write(mail: InboundMail, *, said: Sequence[str], wants: Sequence[str], now: datetime) -> None:
    """One answer for a mail, to the registered address; not too many of a kind in a day."""
    assert mail.player_id is not None
    if _had_enough(mail.player_id, mail.outcome, now):
        return
    token = mail.token
    desk.write(
        kind=Kind.REPLY,
        player_id=mail.player_id,
        key=_key(mail),
        game_id=token.game_id if token else None,
        seat=token.seat if token else None,
        ply=Game.objects.values_list("ply", flat=True).get(pk=token.game_id) if token else None,
        about=mail.pk,
        details={
            "outcome": mail.outcome,
            "said": list(said),
            "wants": list(wants),
            "ply": token.ply if token else None,
        },
        now=now,
    )


def _key(mail: InboundMail) -> str:
    """A mail that was held is answered twice: that it waits, and what came of it."""
    return f"r{mail.pk}.held" if mail.state == InboundMail.State.HELD else f"r{mail.pk}.reply"


def _had_enough(player_id: int, outcome: str, now: datetime) -> bool:
    today = Letter.objects.filter(
        player_id=player_id,
        written_at__gt=now - A_DAY,
        kind=Kind.REPLY,
        details__outcome=outcome,
    )
    return today.count() >= MOST_A_DAY.get(outcome, MOST_OF_OTHERS_A_DAY)


# Composing it


def reply(letter: Letter, now: datetime) -> Content:
    """What came of the mail, and the game as it is now."""
    context: dict[str, Any] = {
        "said": letter.details["said"],
        "outcome": letter.details["outcome"],
        "wants_help": "help" in letter.details["wants"],
        "confirm_address": confirm_link(letter.about) if _is_held(letter) else "",
    }
    if letter.game_id is None or letter.seat is None:
        return Content(template="reply", context=context, automatic="auto-replied")
    table = scene.load(letter.game_id, letter.seat, now=now)
    letter.game = table.game
    token = reply_address.token_for(
        game_id=table.game.pk,
        seat=table.seat,
        ply=table.ply,
        player_id=table.mine.player_id,
        now=now,
    )
    context |= {
        "scene": table,
        "game": table.game,
        "game_address": message.on_our_site(table.game.get_absolute_url()),
        "meanwhile": _meanwhile(letter, table),
        "history": _history(table) if "history" in letter.details["wants"] else [],
        "shows_legal_moves": letter.details["outcome"] in WITH_LEGAL_MOVES,
    }
    return Content(
        template="reply",
        context=context,
        picture=table.picture(),
        picture_alt=table.spoken,
        token=token,
        automatic="auto-replied",
    )


def _is_held(letter: Letter) -> bool:
    return letter.details["outcome"] in ("held", "unasked")


def _meanwhile(letter: Letter, table: scene.Scene) -> list[scene.Line]:
    """What was played since the letter that a late mail answered."""
    if letter.details["outcome"] != "late":
        return []
    since = [move for move in table.standing if move.ply > (letter.details["ply"] or 0)]
    return [_line(table, move) for move in since[-MOST_MEANWHILE:]]


def _history(table: scene.Scene) -> list[scene.Line]:
    return [_line(table, move) for move in table.standing[-LONGEST_HISTORY:] if move.ply]


def _line(table: scene.Scene, move: Move) -> scene.Line:
    assert move.seat is not None
    who = table.seats[move.seat].player.name
    return scene.Line(number=move.ply, who=who, text=move.text, dice=scene.dice_of(move))


# What is held


def confirm_link(pk: int | None) -> str:
    signed = signing.dumps(pk, salt=SALT)
    return settings.SITE_URL + reverse("held_mail", args=[signed])


def confirmed_by(signed: str) -> int | None:
    """The held mail that a link is about; none if it was not made here."""
    try:
        return int(signing.loads(signed, salt=SALT))
    except (signing.BadSignature, TypeError, ValueError):
        return None
