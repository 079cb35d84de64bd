"""Players and tokens for staff: searchable, and read-only where a change would break the log."""

from typing import Any

from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.models import Authenticator
from allauth.usersessions.admin import UserSessionAdmin
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from accounts.current import player_of
from accounts.models import ApiToken, Player
from accounts.staff_search import BoundedSearch

admin.site.site_header = admin.site.site_title = "Tripost"


def staff_log_in(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Staff log in where all do, with the same limits and second factor."""
    wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
    if not url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
        wanted = reverse("admin:index")
    if not request.user.is_authenticated:
        return redirect_to_login(wanted)
    if not admin.site.has_permission(request):
        raise PermissionDenied
    return redirect(wanted)


def staff_change_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    return redirect("account_change_password")


admin.site.login = staff_log_in  # type: ignore[method-assign]
admin.site.password_change = staff_change_password  # type: ignore[method-assign, assignment]


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, Player) and request.user.is_superuser


class PlayerForm(forms.ModelForm):
    staff: Player
    """Who changes the account; set for each request."""

    def clean_is_active(self) -> bool:
        """Nobody decides a game they play in, and a player who is shut out times out."""
        is_active: bool = self.cleaned_data["is_active"]
        plays_you = import_string(settings.PLAY_EACH_OTHER)
        if self.instance.is_active and not is_active and plays_you(self.staff, self.instance):
            raise ValidationError(
                _("You are playing %(name)s. Ask another staff member to deactivate the account."),
                params={"name": self.instance.name},
            )
        return is_active


@admin.register(Player)
class PlayerAdmin(BoundedSearch):
    form = PlayerForm
    list_display = ["name", "email", "zone", "language", "joined_at", "is_staff", "is_active"]
    list_filter = ["is_staff", "is_active", "language"]
    found_by_number = ["id"]
    found_by_text = ["name", "email"]
    ordering = ["-joined_at"]
    fields = [
        "name",
        "email",
        "zone",
        "language",
        "about",
        "is_active",
        "is_staff",
        "is_superuser",
        "joined_at",
        "last_login",
        "closed_at",
    ]
    readonly_fields = ["name", "email", "joined_at", "last_login", "closed_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Staff look at each other; only a superuser changes one, and nobody a closed account."""
        if obj is not None and obj.is_closed:
            return False
        if obj is not None and obj.is_staff and not _is_superuser(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        return False

    def get_form(
        self, request: HttpRequest, obj: Player | None = None, change: bool = False, **more: Any
    ) -> type[PlayerForm]:
        form: type[PlayerForm] = super().get_form(request, obj, change, **more)  # type: ignore[assignment]
        form.staff = player_of(request)
        return form

    def get_readonly_fields(
        self, request: HttpRequest, obj: Player | None = None
    ) -> list[str] | tuple[str, ...]:
        rights = [] if _is_superuser(request) else ["is_staff", "is_superuser"]
        return [*self.readonly_fields, *rights]


@admin.register(ApiToken)
class ApiTokenAdmin(BoundedSearch):
    list_display = ["name", "player", "scopes", "created_at", "expires_at", "last_used_at"]
    list_select_related = ["player"]
    found_by_player = ["player"]
    readonly_fields = [
        "player",
        "name",
        "hint",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
    ]
    exclude = ["digest"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False


admin.site.unregister([Authenticator, UserSession])


@admin.register(Authenticator)
class SecondFactorAdmin(AuthenticatorAdmin):
    """allauth's own shows the secret; here one can only be removed, for a player who lost it."""

    fields = readonly_fields = ["user", "type", "created_at", "last_used_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        return False


@admin.register(UserSession)
class SessionAdmin(BoundedSearch, UserSessionAdmin):
    """allauth's own shows the key that opens a session, and leaves it open when it is deleted."""

    found_by_player = ["user"]
    fields = readonly_fields = ("user", "created_at", "last_seen_at", "ip", "user_agent")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: UserSession | None = None) -> bool:
        return False

    def delete_model(self, request: HttpRequest, obj: UserSession) -> None:
        obj.end()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[UserSession]) -> None:
        for session in queryset:
            session.end()
