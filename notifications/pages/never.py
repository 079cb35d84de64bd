"""“Never write to me again”: a stranger's way out of every invitation, by one click."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import never_write


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def never(request: HttpRequest, signed: str) -> HttpResponse:
    """A mail program's one click and the button on the page send the same request.

    It carries no cookie, so it can do nothing but this; mail scanners that open the link change
    nothing.
    """
    digest = never_write.read(signed)
    if digest is None:
        raise Http404(_("This link is incomplete. Copy all of it from the e-mail."))
    if request.method == "POST" and "undo" in request.POST:
        never_write.allow_digest(digest)
    elif request.method == "POST":
        never_write.refuse(digest, now=timezone.now())
    context = {"is_refused": never_write.is_refused(digest), "was_asked": request.method == "POST"}
    response = render(request, "notifications/never.html", context)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
