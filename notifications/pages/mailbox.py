"""The mailbox page of a trial set-up: letters as a mail program shows them, and their answers."""

from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp, csp_update
from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_safe

from games.refusals import PlayRefusal
from notifications import mailbox as box
from notifications.models import InboundMail, MailboxLetter

PAGE = 30
OUTCOMES = {
    "": _("It is stored; a worker will read it in a moment."),
    "played": _("The move is played."),
    "done": _("It is done."),
    "shown": _("The game is shown in the answer."),
    "duplicate": _("This move was played before; nothing was played twice."),
    "late": _("The game has gone on since that letter; nothing was done."),
    "illegal": _("That move is not legal; nothing was played."),
    "not-a-move": _("That is no move of this game; nothing was played."),
    "ambiguous": _("That could be several moves; nothing was played."),
    "not-your-turn": _("It is not this player’s turn; nothing was played."),
    "over": _("That game is over; nothing was played."),
    "conflicting": _("It says several things that cannot all be meant; nothing was done."),
    "confirm-resign": _("To resign takes the number of the game; nothing was done."),
    "not-understood": _("Its first line is no move and no command; nothing was done."),
    "held": _("Its sender is not proved, so it waits until the player confirms it."),
    "other-address": _("It is not from the player’s address; nothing was done."),
    "automatic": _("It was taken for automatic mail; nothing was done."),
}
INSIDE_A_FRAME = {
    "default-src": [NONE],
    "img-src": ["data:"],
    "style-src": [UNSAFE_INLINE],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": [SELF],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
}


@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    _only_in_a_trial()
    letters = MailboxLetter.objects.defer("raw")
    wanted = request.GET.get("for", "")
    if wanted:
        letters = letters.filter(recipient__iexact=wanted)
    page = Paginator(letters, PAGE).get_page(request.GET.get("page"))
    return render(request, "notifications/mailbox.html", {"page": page, "wanted": wanted})


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@require_http_methods(["GET", "HEAD", "POST"])
def letter(request: HttpRequest, pk: int) -> HttpResponse:
    """GET shows it; POST sends an answer to it."""
    _only_in_a_trial()
    found = get_object_or_404(MailboxLetter, pk=pk)
    typed = request.POST.get("answer", "")
    refusal = ""
    if request.method == "POST":
        try:
            mail = box.send_answer(found, typed, now=timezone.now())
            return redirect("mailbox_answer", found.pk, mail.pk)
        except PlayRefusal as error:
            refusal = error.sentence(gettext)
    context = {
        "letter": found,
        "shown": box.shown(found),
        "as_text": "text" in request.GET,
        "typed": typed,
        "quoted": box.quoted(found),
        "refusal": refusal,
    }
    status = 422 if refusal else 200
    return render(request, "notifications/letter.html", context, status=status)


@require_safe
@xframe_options_sameorigin
@csp(INSIDE_A_FRAME)  # type: ignore[arg-type]
def letter_html(request: HttpRequest, pk: int) -> HttpResponse:
    """The letter's own HTML, shut into a frame: it runs nothing and loads nothing."""
    _only_in_a_trial()
    html = box.shown(get_object_or_404(MailboxLetter, pk=pk)).html
    return HttpResponse(html.replace("<head>", '<head><base target="_blank">', 1))


@require_safe
def answer(request: HttpRequest, pk: int, mail: int) -> HttpResponse:
    """What came of an answer; asks again by itself until it is known."""
    _only_in_a_trial()
    sent = get_object_or_404(InboundMail.objects.defer("raw").select_related("player"), pk=mail)
    reply = box.answer_to(sent)
    context = {
        "letter": get_object_or_404(MailboxLetter.objects.defer("raw"), pk=pk),
        "mail": sent,
        "said": OUTCOMES.get(sent.outcome, sent.outcome),
        "reply": reply,
        "is_waiting": sent.state == InboundMail.State.NEW or (reply is None and sent.player),
    }
    part = "HX-Request" in request.headers
    template = (
        "notifications/mailbox_answer_state.html" if part else "notifications/mailbox_answer.html"
    )
    return render(request, template, context)


def _only_in_a_trial() -> None:
    """Everybody's letters are open here, so never outside debugging."""
    if not (settings.MAILBOX and settings.DEBUG):
        raise Http404
