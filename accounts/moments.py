"""Days and moments that people and programs may name: none that no calendar can reckon with."""

from datetime import UTC, date, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

FIRST_YEAR, LAST_YEAR = 1970, 2999
OUT_OF_REACH = _("Give a date between the years 1970 and 2999.")


def _is_in_reach(day: date) -> bool:
    return FIRST_YEAR <= day.year <= LAST_YEAR


class DayField(forms.DateField):
    def clean(self, value: Any) -> date | None:
        day: date | None = super().clean(value)
        if day is not None and not _is_in_reach(day):
            raise forms.ValidationError(OUT_OF_REACH, "out_of_reach")
        return day


class MomentField(forms.DateTimeField):
    def clean(self, value: Any) -> datetime | None:
        try:
            moment: datetime | None = super().clean(value)
        except OverflowError:
            raise forms.ValidationError(OUT_OF_REACH, "out_of_reach") from None
        if moment is not None and not _is_in_reach(moment):
            raise forms.ValidationError(OUT_OF_REACH, "out_of_reach")
        return moment


class ApiMomentField(serializers.DateTimeField):
    """In UTC: PostgreSQL knows no zones beyond sixteen hours."""

    default_error_messages = {"overflow": OUT_OF_REACH}

    def to_internal_value(self, value: Any) -> datetime:
        try:
            moment: datetime = super().to_internal_value(value).astimezone(UTC)
        except OverflowError:
            self.fail("overflow")
        if not _is_in_reach(moment):
            self.fail("overflow")
        return moment
