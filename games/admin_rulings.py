"""The staff's desk: what players ask for, and the page on which a game is ruled on."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.current import player_of
from accounts.staff_search import BoundedSearch
from games import ruling_requests, rulings
from games.models import Game, Ruling, RulingRequest
from games.rules.position import Refusal

Kind = Ruling.Kind


class RulingForm(forms.Form):
    kind = forms.ChoiceField(label=_("Decision"), choices=Kind.choices)
    score = forms.TypedChoiceField(
        label=_("Result"),
        coerce=int,
        choices=[(2, _("the first seat wins")), (1, _("a draw")), (0, _("the second seat wins"))],
        help_text=_("If the result is set."),
    )
    seat = forms.TypedChoiceField(
        label=_("Clock"),
        coerce=int,
        choices=[(0, _("of the first seat")), (1, _("of the second seat"))],
        help_text=_("If a clock is given time or corrected."),
    )
    hours = forms.IntegerField(
        label=_("Hours"),
        initial=24,
        min_value=0,
        max_value=rulings.MOST_HOURS,
        help_text=_("To be added to the clock; if it is corrected, what it is to show."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=rulings.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 80}),
        help_text=_("Both players read it."),
    )

    def rule(self, **act: Any) -> Ruling:
        chosen = self.cleaned_data
        act["reason"] = chosen["reason"]
        seat, hours = {"seat": chosen["seat"]}, {"hours": chosen["hours"]}
        match chosen["kind"]:
            case Kind.VOID:
                return rulings.make_void(**act)
            case Kind.RESULT:
                return rulings.set_result(**act, score=chosen["score"])
            case Kind.REOPEN:
                return rulings.reopen(**act, **hours)
            case Kind.TIME:
                return rulings.give_time(**act, **seat, **hours)
            case _:
                return rulings.correct_clock(**act, **seat, **hours)


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label=_("Answer"),
        max_length=ruling_requests.LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 80}),
        help_text=_("The player who asked reads it."),
    )


class Desk(BoundedSearch):
    """Looked at by all staff; changed through the doors alone."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_staff)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_staff)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def form_page(
        self, request: HttpRequest, form: forms.Form, title: str, game: Game, **more: Any
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "form": form,
            "title": title,
            "game": game,
            "made": Ruling.objects.filter(game=game).select_related("made_by"),
            **more,
        }
        return TemplateResponse(request, "admin/games/desk.html", context)

    def game_link(self, game: Game) -> SafeString:
        return format_html('<a href="{}">{}</a>', _rule_address(game.pk), game)


def _rule_address(game_id: int) -> str:
    return reverse("admin:games_ruling_rule", args=[game_id])


def _require_may_rule(request: HttpRequest, game: Game) -> None:
    try:
        rulings.require_may_rule(player_of(request), game)
    except Refusal as refusal:
        raise PermissionDenied(refusal.sentence(gettext)) from refusal


@admin.register(Ruling)
class RulingAdmin(Desk):
    list_display = ["id", "ruled_game", "kind", "reason", "made_by", "made_at", "undone_at"]
    list_filter = ["kind", ("undone_at", admin.EmptyFieldListFilter)]
    list_select_related = ["game", "made_by"]
    found_by_number = ["game"]
    found_by_player = ["made_by"]
    ordering = ["-id"]
    actions = ["undo"]

    def get_urls(self) -> list[URLPattern]:
        rule = self.admin_site.admin_view(self.rule)
        return [path("rule/<int:game_id>/", rule, name="games_ruling_rule"), *super().get_urls()]

    @admin.display(description=_("game"))
    def ruled_game(self, ruling: Ruling) -> SafeString:
        return self.game_link(ruling.game)

    @admin.action(description=_("Undo, as if it had not been made"))
    def undo(self, request: HttpRequest, chosen: QuerySet[Ruling]) -> None:
        for ruling in chosen.order_by("-pk"):
            try:
                rulings.require_may_rule(player_of(request), ruling.game)
                rulings.undo(ruling_id=ruling.pk, by=player_of(request), now=timezone.now())
            except Refusal as refusal:
                self.message_user(request, refusal.sentence(gettext), messages.ERROR)

    def rule(self, request: HttpRequest, game_id: int) -> HttpResponse:
        game = get_object_or_404(Game, pk=game_id)
        _require_may_rule(request, game)
        form = RulingForm(request.POST or None)
        if form.is_valid():
            try:
                form.rule(game_id=game_id, by=player_of(request), now=timezone.now())
            except Refusal as refusal:
                form.add_error(None, refusal.sentence(gettext))
            else:
                self.message_user(request, _("The ruling is made."), messages.SUCCESS)
                return HttpResponseRedirect(_rule_address(game_id))
        return self.form_page(request, form, gettext("Rule on a game"), game)


@admin.register(RulingRequest)
class RulingRequestAdmin(Desk):
    """The queue: the longest waiting first."""

    list_display = ["asked_at", "asked_game", "player", "text", "settled", "settled_by", "answer"]
    list_filter = [("settled_at", admin.EmptyFieldListFilter)]
    list_select_related = ["game", "player", "settled_by"]
    found_by_number = ["game"]
    found_by_player = ["player"]
    ordering = ["asked_at", "id"]

    def get_urls(self) -> list[URLPattern]:
        settle = self.admin_site.admin_view(self.settle)
        named = path("<int:pk>/settle/", settle, name="games_rulingrequest_settle")
        return [named, *super().get_urls()]

    @admin.display(description=_("game"))
    def asked_game(self, asked: RulingRequest) -> SafeString:
        return self.game_link(asked.game)

    @admin.display(description=_("settled"), ordering="settled_at")
    def settled(self, asked: RulingRequest) -> Any:
        if asked.settled_at:
            return asked.settled_at
        address = reverse("admin:games_rulingrequest_settle", args=[asked.pk])
        return format_html('<a href="{}">{}</a>', address, _("answer"))

    def settle(self, request: HttpRequest, pk: int) -> HttpResponse:
        asked = get_object_or_404(ruling_requests.all_requests(), pk=pk)
        _require_may_rule(request, asked.game)
        form = AnswerForm(request.POST or None)
        if form.is_valid():
            try:
                answer = form.cleaned_data["answer"]
                ruling_requests.settle(
                    request_id=pk, by=player_of(request), answer=answer, now=timezone.now()
                )
            except Refusal as refusal:
                form.add_error(None, refusal.sentence(gettext))
            else:
                self.message_user(request, _("The request is settled."), messages.SUCCESS)
                return HttpResponseRedirect(reverse("admin:games_rulingrequest_changelist"))
        return self.form_page(request, form, gettext("Answer a request"), asked.game, asked=asked)
