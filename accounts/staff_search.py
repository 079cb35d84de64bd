"""Search in the staff pages: a whole number, name or address, found by index alone."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import Player

LONGEST = 100
LONGEST_NUMBER = 18


class BoundedSearch(admin.ModelAdmin):
    """What a page is searched by; players are found first, then what is theirs."""

    found_by_number: Sequence[str] = ()
    found_by_player: Sequence[str] = ()
    found_by_text: Sequence[str] = ()
    """Indexed fields that are compared whole."""
    search_help_text = _("A whole name, e-mail address or number.")
    show_full_result_count = False

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        """There is a search box where there is something to search by."""
        return [*self.found_by_number, *self.found_by_player, *self.found_by_text]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = Q(pk__in=[]) if len(term) > LONGEST else self._wanted(term)
        return queryset.filter(wanted), any("__" in name for name in self.found_by_player)

    def _wanted(self, term: str) -> Q:
        wanted = Q(pk__in=[])
        if term.isdecimal() and len(term) <= LONGEST_NUMBER:
            wanted |= Q(*((name, int(term)) for name in self.found_by_number), _connector=Q.OR)
        wanted |= Q(*((f"{name}__iexact", term) for name in self.found_by_text), _connector=Q.OR)
        if self.found_by_player and (found := _players(term)):
            wanted |= Q(*((f"{name}__in", found) for name in self.found_by_player), _connector=Q.OR)
        return wanted


def _players(term: str) -> list[int]:
    known = Player.objects.filter(Q(name__iexact=term) | Q(email__iexact=term))
    return list(known.values_list("pk", flat=True)[:10])
