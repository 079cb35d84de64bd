"""Players and tokens for staff: searchable, and read-only where a change would break the log."""

from django.contrib import admin
from django.http import HttpRequest

from accounts.models import ApiToken, Player

admin.site.site_header = admin.site.site_title = "Tripost"


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):
    list_display = ["name", "email", "zone", "language", "joined_at", "is_staff", "is_active"]
    list_filter = ["is_staff", "is_active", "language"]
    search_fields = ["name", "email"]
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

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    list_display = ["name", "player", "scopes", "created_at", "expires_at", "last_used_at"]
    list_select_related = ["player"]
    search_fields = ["name", "player__name"]
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
