"""My letters and how I want to be told, for programs."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Player, Scope
from games.api import answers
from games.api.pages import PAGE, page_of
from notifications import bounces, preferences, wishes
from notifications.models import Channel, Habits, Kind, Letter, Preference, State, Timing
from notifications.preferences import CHOOSABLE, REMINDERS
from notifications.receipts import VIEWS, letters_of, sentence

SHOW = OpenApiParameter(
    "show", enum=list(VIEWS), default="all", description="All, or only those in this state."
)


class Receipt(serializers.ModelSerializer):
    """A letter to me, and what became of it."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    channel = serializers.ChoiceField(choices=Channel.choices)
    state = serializers.ChoiceField(choices=State.choices)
    why = serializers.CharField(allow_blank=True, help_text="A code; `sentence` says it in words.")
    sentence = serializers.SerializerMethodField()
    carried_by = serializers.IntegerField(
        source="carried_by_id", allow_null=True, help_text="The letter that it went out with."
    )
    game_id = serializers.IntegerField(allow_null=True)

    class Meta:
        model = Letter
        fields = [
            "id", "kind", "channel", "game_id", "ply", "seat", "state", "why", "sentence",
            "written_at", "due_at", "settled_at", "attempts", "error", "carried_by",
        ]  # fmt: skip

    def get_sentence(self, letter: Letter) -> str:
        return sentence(letter)


class MyLetters(APIView):
    """Every letter about me, newest first: sent, waiting, cancelled or refused, and why."""

    @extend_schema(
        operation_id="letters", parameters=[*PAGE, SHOW], responses=answers.page(Receipt)
    )
    def get(self, request: Request) -> Response:
        view = request.query_params.get("show", "all")
        if view not in VIEWS:
            raise ValidationError({"show": f"It is one of: {', '.join(VIEWS)}."})
        letters = letters_of(player_of(request), view)
        return page_of(letters, request, lambda letter: Receipt(letter).data)


class TryAddressAgain(APIView):
    """My address takes mail again: letters are sent there as before."""

    scope = Scope.CONNECT

    @extend_schema(operation_id="try_address_again", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        bounces.try_again(player=player_of(request))
        return Response(status=204)


class KindChoice(serializers.ModelSerializer):
    """How one kind of letter reaches me."""

    kind = serializers.ChoiceField(choices=[(kind.value, kind.label) for kind in CHOOSABLE])
    timing = serializers.ChoiceField(choices=Timing.choices)
    channels = serializers.ListField(child=serializers.ChoiceField(choices=Channel.choices))

    class Meta:
        model = Preference
        fields = ["kind", "timing", "channels"]


class Hour(serializers.IntegerField):
    def __init__(self, **more: Any) -> None:
        super().__init__(min_value=0, max_value=23, **more)


class HabitsFields(serializers.ModelSerializer):
    digest_hour = Hour(required=False)
    quiet_from = Hour(required=False, allow_null=True)
    quiet_until = Hour(required=False, allow_null=True)
    one_until_back = serializers.BooleanField(required=False)
    reminders = serializers.ListField(
        child=serializers.ChoiceField(choices=REMINDERS),
        required=False,
        help_text="`half` of the time, or so many hours before its end.",
    )

    class Meta:
        model = Habits
        fields = list(wishes.FIELDS)


class LetterPreferences(HabitsFields):
    kinds = KindChoice(many=True, help_text="One for each kind of letter.")
    address = serializers.CharField(allow_blank=True, help_text="Where my mail goes.")
    address_takes_mail = serializers.BooleanField()

    class Meta(HabitsFields.Meta):
        fields = [*wishes.FIELDS, "kinds", "address", "address_takes_mail"]


class PreferencesChange(HabitsFields):
    """What is left out stays as it is."""

    kinds = KindChoice(many=True, required=False)

    class Meta(HabitsFields.Meta):
        fields = [*wishes.FIELDS, "kinds"]


class MyLetterPreferences(APIView):
    """What I am told, how and when."""

    scope = Scope.CONNECT
    gives_to_read = ("PATCH",)

    @extend_schema(operation_id="letter_preferences", responses=LetterPreferences)
    def get(self, request: Request) -> Response:
        return Response(_presented(player_of(request)))

    @extend_schema(
        operation_id="change_letter_preferences",
        description="Hours are those of my time zone; quiet hours may pass midnight.",
        request=PreferencesChange,
        responses=LetterPreferences,
    )
    def patch(self, request: Request) -> Response:
        data = PreferencesChange(data=request.data)
        data.is_valid(raise_exception=True)
        wishes.change(
            player=player_of(request),
            kinds=data.validated_data.pop("kinds", []),
            habits=data.validated_data,
            now=timezone.now(),
        )
        return self.get(request)


def _presented(player: Player) -> dict[str, Any]:
    habits = preferences.habits(player)
    return {
        **{name: getattr(habits, name) for name in wishes.FIELDS},
        "kinds": KindChoice(preferences.preferences(player), many=True).data,
        "address": preferences.address_of(player),
        "address_takes_mail": bounces.trouble_of(player) is None,
    }
