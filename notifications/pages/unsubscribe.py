"""The page behind “stop these letters”: a button, no log-in, and a way back."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from games.refusals import NotFound
from notifications import unsubscribe

PAGE = "notifications/unsubscribe.html"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, signed: str) -> HttpResponse:
    """A mail program's one click and the button on the page send the same request.

    It carries no cookie, so it can do nothing but this; reading the page changes nothing.
    """
    try:
        player, kind = unsubscribe.read(signed)
        with override(player.language):
            return _answer(request, signed, kind)
    except NotFound as refusal:
        raise Http404(refusal.sentence(_)) from refusal


def _answer(request: HttpRequest, signed: str, kind: unsubscribe.Kind) -> HttpResponse:
    now = timezone.now()
    context: dict[str, object] = {"kind": kind, "signed": signed}
    if request.method != "POST":
        context["is_stopped"] = unsubscribe.is_stopped(signed)
    elif "undo" in request.POST:
        context["resumed"] = unsubscribe.resume(request.POST["undo"], now=now)
    else:
        context["stopped"] = unsubscribe.stop(signed, now=now)
    response = render(request, PAGE, context)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
