"""A letter as a message that can be sent: its headers, its words, its HTML and its pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from email.mime.base import MIMEBase
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from hmac import compare_digest
from typing import Any, Literal

import css_inline
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template import Context
from django.template.loader import get_template, render_to_string
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts import never_write
from games.pages.wording import game_name
from notifications import reply_address, unsubscribe
from notifications.models import Channel, Kind, Letter, ReplyToken, State
from notifications.plain_text import laid_out, one_line

THREAD_LENGTH = 90
"""Mail programs begin a new thread by themselves a little later."""
INLINER = css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a letter says; `template` names the files in templates/emails/."""

    template: str
    context: dict[str, Any] = field(default_factory=dict)
    picture: bytes | None = None
    picture_alt: str = ""
    token: ReplyToken | None = None
    reply_to: str = ""
    """Where an answer goes that is not about a turn."""
    automatic: Literal["auto-generated", "auto-replied"] = "auto-generated"
    attachments: Sequence[MIMEBase] = ()


class PicturedMessage(EmailMultiAlternatives):
    """Keeps pictures with the HTML that shows them: alternative{text, related{html, pictures}}."""

    def _create_message(self, msg: Any) -> Any:
        shown = [part for part in self.attachments if _is_shown_inside(part)]
        message = self._create_alternatives(msg)  # type: ignore[attr-defined]
        if shown:
            text, html = message.get_payload()
            message.set_payload([text, _related(html, shown)])
        kept, self.attachments = (
            self.attachments,
            [part for part in self.attachments if not _is_shown_inside(part)],
        )
        try:
            return self._create_attachments(message)  # type: ignore[attr-defined]
        finally:
            self.attachments = kept


def _is_shown_inside(part: object) -> bool:
    return isinstance(part, MIMEBase) and "Content-ID" in part


def _related(html: Any, pictures: Sequence[Any]) -> MIMEMultipart:
    part = MIMEMultipart("related", type="text/html")
    for inner in (html, *pictures):
        part.attach(inner)
    return part


def build(letter: Letter, content: Content, *, to: str) -> EmailMultiAlternatives:
    """Of the same letter always with the same Message-ID."""
    context = _context(letter, content)
    message = PicturedMessage(
        subject=subject_of(letter, content.template, context),
        body=words(content.template, context),
        from_email=bounce_address(letter.pk),
        to=[to],
        reply_to=_reply_to(content),
        headers=_headers(letter, content),
    )
    message.attach_alternative(INLINER.inline(markup(content.template, context)), "text/html")
    if content.picture:
        message.attach(inline_picture(content.picture, cid=picture_id(letter)))
    for part in content.attachments:
        message.attach(part)
    return message


def _reply_to(content: Content) -> list[str] | None:
    address = reply_address.address_of(content.token) if content.token else content.reply_to
    return [address] if address else None


# Words


def _context(letter: Letter, content: Content) -> dict[str, Any]:
    return {
        "base_txt": "emails/base.txt",
        "base_html": "emails/base.html",
        "letter": letter,
        "player": letter.player,
        "site": settings.SITE_URL,
        "host": settings.SITE_HOST,
        "token": content.token,
        "is_answered": bool(_reply_to(content)),
        "picture_cid": picture_id(letter) if content.picture else "",
        "picture_alt": content.picture_alt,
        "preferences": address("letter_preferences"),
        "receipts": address("receipts"),
        "stop": _stop_link(letter),
        **content.context,
    }


def address(name: str, *args: object) -> str:
    return on_our_site(reverse(name, args=args))


def on_our_site(path: str) -> str:
    return path if "://" in path else settings.SITE_URL + path


def subject_of(letter: Letter, template: str, context: dict[str, Any]) -> str:
    """The same for all letters about a game, so that they stay together."""
    if letter.game is not None and letter.kind != Kind.DIGEST:
        context = {**context, "name": game_name(letter.game.ruleset)}
        template = "game"
    return one_line(_plain(f"emails/{template}.subject.txt", context))


def words(template: str, context: dict[str, Any]) -> str:
    return laid_out(_plain(f"emails/{template}.txt", context))


def markup(template: str, context: dict[str, Any]) -> str:
    return render_to_string(f"emails/{template}.html", context)


def _plain(template: str, context: dict[str, Any]) -> str:
    # Nothing in plain text is escaped; the engine's own template takes that as an argument.
    return str(get_template(template).template.render(Context(context, autoescape=False)))  # type: ignore[attr-defined]


def picture_id(letter: Letter) -> str:
    return f"board.{letter.key}@{settings.MAIL_DOMAIN}"


def inline_picture(png: bytes, *, cid: str) -> MIMEImage:
    part = MIMEImage(png, "png")
    part["Content-ID"] = f"<{cid}>"
    part.add_header("Content-Disposition", "inline", filename="board.png")
    return part


# Headers


def _headers(letter: Letter, content: Content) -> dict[str, str]:
    headers = {
        "From": settings.DEFAULT_FROM_EMAIL,
        "Message-ID": message_id(letter.key),
        "Auto-Submitted": content.automatic,
        "X-Auto-Response-Suppress": "All",
        "X-Mail-Kind": letter.kind,
        **_about_a_game(letter, content),
        **_way_out(letter),
    }
    ruleset = letter.game.ruleset if letter.game else "-"
    headers["Feedback-ID"] = f"{letter.kind}:{ruleset}:{settings.SITE_HOST}:tripost"
    if letter.kind == Kind.DIGEST:
        headers["Precedence"] = "bulk"
    return headers


def message_id(key: str) -> str:
    return f"<{key}@{settings.MAIL_DOMAIN}>"


def _about_a_game(letter: Letter, content: Content) -> dict[str, str]:
    if letter.game is None:
        return {}
    game = letter.game
    headers = {
        "List-Id": f'"{game_name(game.ruleset)}" <{game.ruleset}.{settings.MAIL_DOMAIN}>',
        "X-Game-Id": str(game.pk),
        **_thread(letter, content.token),
    }
    if letter.ply is not None:
        headers["X-Game-Ply"] = str(letter.ply)
    return headers


def _thread(letter: Letter, token: ReplyToken | None) -> dict[str, str]:
    """The game is a made-up first message; after a while there is a second one."""
    earlier = Letter.objects.filter(
        player=letter.player,
        game=letter.game,
        channel=Channel.MAIL,
        state=State.SENT,
        carried_by=None,
    ).exclude(pk=letter.pk)
    sent = earlier.count()
    part = sent // THREAD_LENGTH
    root = message_id(f"g{letter.game_id}.{part + 1}" if part else f"g{letter.game_id}")
    references = [root, reply_address.reference_of(token)] if token else [root]
    previous = earlier.order_by("settled_at", "pk").values_list("key", flat=True).last()
    if previous is not None and sent % THREAD_LENGTH:
        references.append(message_id(previous))
        root = references[-1]
    return {"In-Reply-To": root, "References": " ".join(references)}


def _way_out(letter: Letter) -> dict[str, str]:
    """One click stops this kind of letter, or all to a stranger; a reply has no such way."""
    if letter.kind == Kind.REPLY:
        return {}
    if letter.player_id is None:
        return never_write.headers_for(letter.address)
    mailto = unsubscribe.mailto_for(letter.player_id, unsubscribe.kind_of(letter))
    return {
        "List-Unsubscribe": f"<{_stop_link(letter)}>, <mailto:{mailto}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _stop_link(letter: Letter) -> str:
    if letter.kind == Kind.REPLY:
        return ""
    if letter.player_id is None:
        return never_write.link_for(letter.address)
    return unsubscribe.link_for(letter.player_id, unsubscribe.kind_of(letter))


# Where what cannot be delivered comes back to


def bounce_address(letter_id: int) -> str:
    """Lower case throughout: some mail servers write addresses small."""
    return f"b+{letter_id}-{_signature(letter_id)}@{settings.MAIL_DOMAIN}"


def bounced_letter(recipient: str) -> int | None:
    """The number of the letter that came back to this address, if we made the address."""
    local, _at, domain = recipient.lower().partition("@")
    number, _dash, signature = local.removeprefix("b+").partition("-")
    if not local.startswith("b+") or domain != settings.MAIL_DOMAIN.lower():
        return None
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        return None
    known = compare_digest(signature.encode(), _signature(int(number)).encode())
    return int(number) if known else None


def _signature(letter_id: int) -> str:
    return salted_hmac("notifications.bounce", str(letter_id)).hexdigest()[:20]
