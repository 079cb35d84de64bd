"""The page on which a player confirms a mail whose sender could not be proved."""

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from games.pages.wording import game_name
from notifications import answers, inbound, mail_body
from notifications.models import InboundMail, ReplyToken


# The power is in the address and not in a cookie, so no other site can borrow it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def held(request: HttpRequest, signed: str) -> HttpResponse:
    """GET shows the mail and a button; POST does what it says, while the game waits for it."""
    pk = answers.confirmed_by(signed)
    if pk is None:
        raise Http404
    mail = get_object_or_404(_mails(), pk=pk, token__isnull=False)
    assert mail.token is not None
    with translation.override(mail.token.player.language):
        said: list[str] = []
        if request.method == "POST":
            made = inbound.confirm(pk, now=timezone.now()) if _has_power(mail) else None
            said = made.said if made else []
            mail = _mails().get(pk=pk)
        response = render(request, "notifications/held.html", _context(mail, said))
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _mails() -> QuerySet[InboundMail]:
    return InboundMail.objects.select_related("token__game", "token__player")


def _has_power(mail: InboundMail) -> bool:
    token = mail.token
    return mail.state == InboundMail.State.HELD and token is not None and _waits_for(token)


def _waits_for(token: ReplyToken) -> bool:
    """A mail's power ends with its ply."""
    return token.revoked_at is None and token.game.is_running and token.game.ply == token.ply


def _context(mail: InboundMail, said: list[str]) -> dict[str, object]:
    assert mail.token is not None
    message = mail_body.opened(bytes(mail.raw))
    return {
        "mail": mail,
        "game": mail.token.game,
        "name": game_name(mail.token.game.ruleset),
        "text": mail_body.body_of(message).text,
        "subject": mail_body.header(message, "Subject"),
        "has_power": _has_power(mail),
        "was_held": mail.state == InboundMail.State.HELD,
        "said": said,
    }
