"""The settings that only a player himself sees."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY, logout
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts import access, export_limits, tokens
from accounts.closing import close_account, summary
from accounts.connections import connections_of
from accounts.current import player_of
from accounts.export import streamed
from accounts.forms import ProfileForm, TokenForm
from accounts.models import ApiToken, closed_name
from accounts.reauthentication import confirmation_required
from accounts.user_agents import named

SESSIONS_A_PAGE = 20
SHOWN_NEXT = "new_token"


@login_required
def settings_page(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=player_of(request))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("settings")
    return render(request, "accounts/settings.html", {"form": form})


@login_required
@confirmation_required
def api_tokens(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if player.tokens.count() < tokens.MOST_PER_PLAYER:
            return _token_made(request, form)
        form.add_error(None, _("You have 20 tokens, the most one can have; revoke one first."))
    secret = request.COOKIES.get(SHOWN_NEXT, "")
    context = {
        "form": form,
        "token": player.tokens.filter(digest=tokens.digest_of(secret)).first() if secret else None,
        "secret": secret,
        "tokens": player.tokens.all(),
        "connections": connections_of(player),
        "now": timezone.now(),
    }
    response = render(request, "accounts/tokens.html", context)
    if secret:
        response.delete_cookie(SHOWN_NEXT, path=reverse("api_tokens"), samesite="Lax")
    return response


def _token_made(request: HttpRequest, form: TokenForm) -> HttpResponse:
    """Leads on to a page that can be reloaded; until then only the browser keeps the secret."""
    _token, secret = tokens.mint(
        player=player_of(request),
        name=form.cleaned_data["name"],
        scopes=form.cleaned_data["scopes"],
        expires_at=form.expires_at(),
    )
    response = redirect("api_tokens")
    response.set_cookie(
        SHOWN_NEXT, secret, max_age=60, path=reverse("api_tokens"), httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip
    return response


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    get_object_or_404(ApiToken, pk=pk, player=player_of(request)).delete()
    messages.success(request, _("The token is revoked; programs that use it are shut out."))
    return redirect("api_tokens")


@login_required
def download(request: HttpRequest) -> HttpResponseBase:
    player = player_of(request)
    if not export_limits.count_export(request, now=timezone.now()):
        messages.error(request, export_limits.refusal())
        return redirect("settings")
    response = StreamingHttpResponse(streamed(player), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="tripost-{request.user.pk}.json"'
    return response


@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    found = access.sessions_of(player_of(request), now=timezone.now())
    page = Paginator(found, SESSIONS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "sessions": [(session, named(session.user_agent)) for session in page],
        "current": request.session.session_key,
    }
    return render(request, "accounts/sessions.html", context)


@login_required
@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    access.end_session(player=player_of(request), session_id=pk)
    messages.success(request, _("That browser is logged out."))
    return redirect("sessions")


@login_required
@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    access.end_sessions(player=player_of(request), keep=request.session.session_key)
    _stay_logged_in(request)
    messages.success(request, _("Every other browser is logged out."))
    return redirect("sessions")


@login_required
@require_POST
@confirmation_required
def revoke_all_access(request: HttpRequest) -> HttpResponse:
    access.revoke_all(player=player_of(request), keep=request.session.session_key)
    _stay_logged_in(request)
    messages.success(request, _("All access but this browser’s has ended."))
    return redirect("sessions")


def _stay_logged_in(request: HttpRequest) -> None:
    """The session goes on under the new epoch, with the key under which it is listed."""
    request.session[HASH_SESSION_KEY] = player_of(request).get_session_auth_hash()


@login_required
@confirmation_required
def close(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        close_account(player=player_of(request), now=timezone.now())
        logout(request)
        messages.success(request, _("Your account is closed. Thank you for the games."))
        return redirect("home")
    player = player_of(request)
    context = {"summary": summary(player), "closed_name": closed_name(player.pk)}
    return render(request, "accounts/close.html", context)
