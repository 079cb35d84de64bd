"""What the API of events takes, checked."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.moments import ApiMomentField
from games import clock
from games.api.answers import OptionValue
from games.api.serializers import ClockField
from games.bots.levels import LEVELS
from tournaments.directing import BYES
from tournaments.entrants_csv import LONGEST
from tournaments.formats.registry import FORMATS
from tournaments.models import Event
from tournaments.opening import Plan

MOST_TIE_BREAKS = 20


def _rating() -> serializers.IntegerField:
    return serializers.IntegerField(min_value=0, max_value=9999, allow_null=True, default=None)


def _when() -> ApiMomentField:
    return ApiMomentField(allow_null=True, default=None)


class EventPlan(serializers.Serializer):
    """An event; whatever is left out is as usual for its format."""

    name = serializers.CharField(min_length=3, max_length=80)
    format = serializers.ChoiceField(choices=list(FORMATS))
    ruleset = serializers.CharField(max_length=40)
    clock = ClockField(default=clock.PRESETS["3d"])
    about = serializers.CharField(max_length=4000, allow_blank=True, default="")
    settings = serializers.DictField(child=OptionValue(), default=dict)
    options = serializers.DictField(child=OptionValue(), default=dict)
    tie_breaks = serializers.ListField(
        child=serializers.CharField(max_length=10),
        max_length=MOST_TIE_BREAKS,
        allow_null=True,
        default=None,
        help_text="Codes in their order; null for the usual ones of the format.",
    )
    rules_edition = serializers.ChoiceField(choices=Event.Edition.choices, default="2026")
    rated = serializers.BooleanField(default=True)
    weekends = serializers.BooleanField(default=False)
    vacation_allowed = serializers.BooleanField(default=True)
    bots_allowed = serializers.BooleanField(default=False)
    least_entrants = serializers.IntegerField(min_value=2, max_value=5000, default=3)
    most_entrants = serializers.IntegerField(min_value=2, max_value=5000, default=16)
    rating_from = _rating()
    rating_to = _rating()
    invitation_only = serializers.BooleanField(default=False)
    late_entry = serializers.BooleanField(default=False)
    closes_at = _when()
    starts_at = _when()
    ends_at = _when()
    round_days = serializers.IntegerField(min_value=1, max_value=365, allow_null=True, default=None)
    round_end = serializers.ChoiceField(
        choices=Event.RoundEnd.choices, default=Event.RoundEnd.WAIT.value
    )
    drop_out = serializers.ChoiceField(
        choices=Event.DropOut.choices, default=Event.DropOut.STRIKE.value
    )
    renews = serializers.BooleanField(default=False)

    def plan(self) -> Plan:
        return Plan(**self.validated_data)


class ReasonRequest(serializers.Serializer):
    reason = serializers.CharField(max_length=500, help_text="For everyone to read.")


class PlayerRequest(serializers.Serializer):
    player = serializers.CharField(max_length=24)


class BotRequest(serializers.Serializer):
    level = serializers.ChoiceField(choices=list(LEVELS), help_text="The weakest is named first.")


class ExpelRequest(PlayerRequest, ReasonRequest):
    """Who, and why."""


class ByeRequest(PlayerRequest):
    kind = serializers.ChoiceField(
        choices=list(BYES), help_text="F for a point, H for half a point, Z for none."
    )
    round = serializers.IntegerField(
        min_value=1, max_value=1000, allow_null=True, default=None, help_text="The next one."
    )


class StayRequest(serializers.Serializer):
    stays = serializers.BooleanField()


class PostponeRequest(serializers.Serializer):
    starts_at = _when()
    closes_at = _when()


class RulingRequest(ReasonRequest):
    scores = serializers.ListField(
        child=serializers.ChoiceField(
            choices=[0, 0.5, 1],
            error_messages={"invalid_choice": _("“{input}” is no score: each is 0, 0.5 or 1.")},
        ),
        min_length=2,
        max_length=2,
        help_text="Of the first and of the second: [1, 0], [0.5, 0.5], [0, 1] or [0, 0].",
    )

    def halves(self) -> dict[str, Any]:
        score, other_score = (int(2 * score) for score in self.validated_data["scores"])
        return {
            "score": score,
            "other_score": other_score,
            "reason": self.validated_data["reason"],
        }


class EntrantsRequest(serializers.Serializer):
    names = serializers.CharField(
        max_length=LONGEST, help_text="One name a line, or a table with a column called name."
    )
    dry_run = serializers.BooleanField(default=True, help_text="Only look through it.")
