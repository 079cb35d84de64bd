"""What the API takes, checked; and what it gives, described."""

from datetime import timedelta
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.moments import ApiMomentField
from games import clock, salts
from games.api.answers import CLOCK, OptionValue
from games.lobby import USUAL_LIFE, Terms
from games.rules import notation


class MoveRequest(serializers.Serializer):
    ply = serializers.IntegerField(
        min_value=0, max_value=2**31 - 2, help_text="The ply you saw and answer."
    )
    move = serializers.CharField(
        max_length=notation.LONGEST,
        trim_whitespace=False,
        help_text="In the notation of the rules page.",
        error_messages={
            "max_length": format_lazy(
                _("A move has at most {most} characters."), most=notation.LONGEST
            )
        },
    )


class Answer(serializers.Serializer):
    """How an offer is treated."""

    action = serializers.ChoiceField(choices=["offer", "accept", "decline", "withdraw"])


class TakebackAnswer(serializers.Serializer):
    action = serializers.ChoiceField(choices=["ask", "accept", "decline"])


class SaltField(serializers.CharField):
    """A player's own share in the dice."""

    def __init__(self) -> None:
        super().__init__(
            max_length=salts.LONGEST,
            allow_blank=True,
            trim_whitespace=False,
            default="",
            help_text="Your own share in the dice, best of all random. Without one you have to"
            " trust the server or your opponent.",
        )


class SaltRequest(serializers.Serializer):
    salt = SaltField()


class Note(serializers.Serializer):
    note = serializers.CharField(max_length=20_000, allow_blank=True, trim_whitespace=False)


class ChatRequest(serializers.Serializer):
    text = serializers.CharField(max_length=1000)


class ChatVisibility(serializers.Serializer):
    hidden = serializers.BooleanField()


@extend_schema_field({"oneOf": [{"type": "string", "enum": list(clock.PRESETS)}, CLOCK]})
class ClockField(serializers.Field):
    """A preset's name such as "3d", or a clock's settings."""

    def to_internal_value(self, data: object) -> clock.Clock:
        if isinstance(data, str):
            if data in clock.PRESETS:
                return clock.PRESETS[data]
            raise serializers.ValidationError(f"The presets are: {', '.join(clock.PRESETS)}.")
        try:
            return clock.from_json(data)
        except clock.InvalidClock as error:
            raise serializers.ValidationError(str(error)) from error

    def to_representation(self, value: clock.Clock) -> Any:
        return clock.to_json(value)


class ChallengeRequest(serializers.Serializer):
    """An offer; to everyone unless `opponent`, `email` or `by_link` says otherwise."""

    ruleset = serializers.CharField(max_length=40)
    options = serializers.DictField(child=OptionValue(), required=False)
    clock = ClockField(default=clock.PRESETS["3d"])
    weekends = serializers.BooleanField(default=False)
    rated = serializers.BooleanField(default=True)
    private = serializers.BooleanField(default=False)
    side = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, default=None)
    rating_least = serializers.IntegerField(
        min_value=0, max_value=10_000, allow_null=True, default=None
    )
    rating_most = serializers.IntegerField(
        min_value=0, max_value=10_000, allow_null=True, default=None
    )
    message = serializers.CharField(max_length=300, allow_blank=True, default="")
    lasts_hours = serializers.IntegerField(
        min_value=1, max_value=720, default=int(USUAL_LIFE.total_seconds() // 3600)
    )
    opponent = serializers.CharField(max_length=24, required=False)
    email = serializers.EmailField(required=False)
    by_link = serializers.BooleanField(default=False)
    salt = SaltField()

    def terms(self) -> Terms:
        data = dict(self.validated_data)
        for addressee in ("opponent", "email", "by_link"):
            data.pop(addressee, None)
        return Terms(lasts=timedelta(hours=data.pop("lasts_hours")), **data)


class LinkRequest(serializers.Serializer):
    link = serializers.CharField(max_length=32, required=False, default="", allow_blank=True)


class AcceptRequest(LinkRequest):
    salt = SaltField()


class VacationRequest(serializers.Serializer):
    until = ApiMomentField(required=False, allow_null=True, default=None)


class VacationSettings(serializers.Serializer):
    automatic = serializers.BooleanField()
