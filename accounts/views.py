"""The settings that only a player himself sees."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts import tokens
from accounts.closing import close_account
from accounts.current import player_of
from accounts.export import everything
from accounts.forms import CloseAccountForm, ProfileForm, TokenForm
from accounts.models import ApiToken


@login_required
def settings_page(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=player_of(request))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("settings")
    return render(request, "accounts/settings.html", {"form": form})


@login_required
@never_cache
def api_tokens(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        if player_of(request).tokens.count() >= tokens.MOST_PER_PLAYER:
            form.add_error(None, _("You have 20 tokens, the most one can have; revoke one first."))
        else:
            context["token"], context["secret"] = tokens.mint(
                player=player_of(request),
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                expires_at=form.expires_at(),
            )
            context["form"] = TokenForm()
    context["tokens"] = player_of(request).tokens.all()
    context["now"] = timezone.now()
    return render(request, "accounts/tokens.html", context)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    get_object_or_404(ApiToken, pk=pk, player=player_of(request)).delete()
    messages.success(request, _("The token is revoked; programs that use it are shut out."))
    return redirect("api_tokens")


@login_required
def download(request: HttpRequest) -> HttpResponse:
    response = JsonResponse(everything(player_of(request)), json_dumps_params={"indent": 2})
    response["Content-Disposition"] = f'attachment; filename="tripost-{request.user.pk}.json"'
    return response


@login_required
def close(request: HttpRequest) -> HttpResponse:
    form = CloseAccountForm(request.POST or None, player=player_of(request))
    if request.method == "POST" and form.is_valid():
        close_account(player=player_of(request), now=timezone.now())
        logout(request)
        messages.success(request, _("Your account is closed. Thank you for the games."))
        return redirect("home")
    return render(request, "accounts/close.html", {"form": form})
