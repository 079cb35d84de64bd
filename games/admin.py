"""The games for staff: searchable, and read-only, because the log is the truth."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.staff_search import BoundedSearch
from games import admin_rulings as admin_rulings
from games import outbox
from games.models import (
    Challenge,
    ChatLine,
    Game,
    Move,
    Outage,
    OutboxMessage,
    Participant,
    Rating,
    RatingEntry,
    RatingPool,
    Seat,
    Vacation,
)


class ReadOnly:
    """Looked at, never changed by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SeatInline(ReadOnly, admin.TabularInline):
    """Without the note, which is for the player's eyes alone."""

    model = Seat
    fields = ["number", "player", "bank", "zone", "salt", "salted_after_throw"]


@admin.register(Game)
class GameAdmin(ReadOnly, BoundedSearch):
    list_display = ["id", "ruleset", "players", "status", "reason", "ply", "started_at", "ended_at"]
    list_filter = ["status", "ruleset", "rated"]
    found_by_number = ["id"]
    found_by_player = ["seats__player"]
    ordering = ["-id"]
    # The seed decides dice that are still to be thrown.
    exclude = ["seed"]
    inlines = [SeatInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return super().get_queryset(request).prefetch_related("seats__player")

    @admin.display(description=_("players"))
    def players(self, game: Game) -> str:
        return " – ".join(seat.player.name for seat in game.seats.all())


@admin.register(Move)
class MoveAdmin(ReadOnly, BoundedSearch):
    list_display = ["game_id", "ply", "seat", "text", "throws", "back_to", "via", "played_at"]
    list_filter = ["via"]
    found_by_number = ["game"]
    ordering = ["-id"]


@admin.register(Challenge)
class ChallengeAdmin(ReadOnly, BoundedSearch):
    list_display = ["id", "challenger", "opponent", "email", "ruleset", "state", "made_at"]
    list_filter = ["state", "ruleset"]
    list_select_related = ["challenger", "opponent"]
    found_by_number = ["id"]
    found_by_player = ["challenger", "opponent"]
    ordering = ["-id"]
    # Whoever knows the link answers for the address that it was sent to.
    # The secret decides dice that are still to be thrown.
    exclude = ["link", "dice_secret"]


@admin.register(ChatLine)
class ChatLineAdmin(ReadOnly, BoundedSearch):
    list_display = ["id", "game_id", "author", "text", "written_at", "reported_at", "hidden_at"]
    list_filter = [
        ("reported_at", admin.EmptyFieldListFilter),
        ("hidden_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["author"]
    found_by_number = ["game"]
    found_by_player = ["author"]
    ordering = ["-id"]
    actions = ["hide", "show_again"]

    @admin.action(description=_("Hide from both players"))
    def hide(self, request: HttpRequest, lines: QuerySet[ChatLine]) -> None:
        lines.filter(hidden_at=None).update(hidden_at=timezone.now())

    @admin.action(description=_("Show again"))
    def show_again(self, request: HttpRequest, lines: QuerySet[ChatLine]) -> None:
        lines.update(hidden_at=None)


class Stuck(admin.SimpleListFilter):
    title = _("stuck")
    parameter_name = "stuck"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Yes"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[OutboxMessage]
    ) -> QuerySet[OutboxMessage]:
        if self.value() == "yes":
            return queryset.filter(attempts__gte=outbox.STUCK_AFTER)
        return queryset


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnly, BoundedSearch):
    """What has not arrived yet; `stuck` is what a person should look at."""

    list_display = ["id", "fact", "subscriber", "payload", "attempts", "due_at", "error"]
    list_filter = [Stuck, "fact", "subscriber"]
    found_by_number = ["id"]
    ordering = ["recorded_at", "id"]
    actions = ["try_again_now"]

    @admin.action(description=_("Try again now"))
    def try_again_now(self, request: HttpRequest, waiting: QuerySet[OutboxMessage]) -> None:
        tried = waiting.update(attempts=0, due_at=timezone.now())
        outbox.ring()
        said = ngettext(
            "%(number)d message is tried again.", "%(number)d messages are tried again.", tried
        )
        self.message_user(request, said % {"number": tried}, messages.SUCCESS)


@admin.register(RatingPool)
class RatingPoolAdmin(ReadOnly, BoundedSearch):
    list_display = ["key", "ruleset", "last_entry"]
    found_by_text = ["key"]


@admin.register(RatingEntry)
class RatingEntryAdmin(ReadOnly, BoundedSearch):
    list_display = [
        "pool", "number", "game_id", "first", "second", "score", "first_after", "second_after",
        "rated_at", "is_void",
    ]  # fmt: skip
    list_filter = ["pool", "is_void"]
    list_select_related = ["pool", "first", "second"]
    found_by_number = ["game"]
    found_by_player = ["first", "second"]
    ordering = ["-id"]


@admin.register(Rating)
class RatingAdmin(ReadOnly, BoundedSearch):
    list_display = ["pool", "player", "rating", "games", "peak"]
    list_filter = ["pool"]
    list_select_related = ["pool", "player"]
    found_by_player = ["player"]


@admin.register(Participant)
class ParticipantAdmin(ReadOnly, BoundedSearch):
    list_display = ["player", "running_games", "absent_since", "takes_vacation_automatically"]
    list_select_related = ["player"]
    found_by_player = ["player"]


@admin.register(Vacation)
class VacationAdmin(ReadOnly, BoundedSearch):
    list_display = ["player", "began_at", "ends_at", "automatic"]
    list_select_related = ["player"]
    found_by_player = ["player"]
    ordering = ["-began_at"]


@admin.register(Outage)
class OutageAdmin(ReadOnly, BoundedSearch):
    list_display = ["way_in", "began_at", "ended_at", "is_over", "is_credited"]
