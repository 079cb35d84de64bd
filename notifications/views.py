"""The mailbox page of a trial set-up."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from notifications.mailbox import shown
from notifications.models import MailboxLetter


def mailbox(request: HttpRequest) -> HttpResponse:
    _only_in_a_trial()
    letters = MailboxLetter.objects.defer("raw")
    wanted = request.GET.get("for", "")
    if wanted:
        letters = letters.filter(recipient__iexact=wanted)
    page = Paginator(letters, 30).get_page(request.GET.get("page"))
    return render(request, "notifications/mailbox.html", {"page": page, "wanted": wanted})


def letter(request: HttpRequest, pk: int) -> HttpResponse:
    _only_in_a_trial()
    found = get_object_or_404(MailboxLetter, pk=pk)
    context = {"letter": found, "shown": shown(found)}
    return render(request, "notifications/letter.html", context)


def _only_in_a_trial() -> None:
    """Everybody's letters are open here, so never outside debugging."""
    if not (settings.MAILBOX and settings.DEBUG):
        raise Http404
