"""What the API answers, described; `present` writes it and the tests hold the two together."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from games.models import Challenge, Status, Via, WayIn

CLOCK = {
    "oneOf": [
        {
            "title": "so many days a move",
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["per-move"]},
                "days": {"type": "integer", "minimum": 1, "maximum": 100},
            },
            "required": ["kind", "days"],
            "additionalProperties": False,
        },
        {
            "title": "a bank and an increment",
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["fischer"]},
                "bank_hours": {"type": "integer", "minimum": 1, "maximum": 2400},
                "increment_hours": {"type": "integer", "minimum": 0, "maximum": 2400},
                "cap_hours": {"type": "integer", "minimum": 1, "maximum": 2400},
            },
            "required": ["kind", "bank_hours", "increment_hours", "cap_hours"],
            "additionalProperties": False,
        },
    ]
}
LONGEST_OPTION = 100
OPTION_VALUE = {"type": ["boolean", "integer", "string"], "maxLength": LONGEST_OPTION}


class SeatNumber(serializers.IntegerField):
    """The first to move is 0, the other 1."""

    def __init__(self, **more: Any) -> None:
        super().__init__(min_value=0, max_value=1, **more)


@extend_schema_field(CLOCK)
class Clock(serializers.JSONField):
    """A clock's settings."""


@extend_schema_field(OPTION_VALUE)
class OptionValue(serializers.JSONField):
    """A switch, a number or a word."""

    def to_internal_value(self, data: Any) -> Any:
        value: Any = super().to_internal_value(data)
        if isinstance(value, str) and len(value) > LONGEST_OPTION:
            too_long = serializers.CharField.default_error_messages["max_length"]
            raise serializers.ValidationError(too_long.format(max_length=LONGEST_OPTION))
        return value


@extend_schema_field({"type": "object"})
class Position(serializers.JSONField):
    """As the ruleset writes it."""


def page(item: type[serializers.Serializer], **more: serializers.Field) -> Any:
    """A page of a list, with the addresses of its neighbours."""
    links = {
        name: serializers.URLField(allow_null=True, help_text=f"The address of the {name} page.")
        for name in ("next", "previous")
    }
    return inline_serializer(f"{item.__name__}Page", {**more, **links, "results": item(many=True)})


# Games


class GameSummary(serializers.Serializer):
    id = serializers.IntegerField()
    ruleset = serializers.CharField()
    version = serializers.IntegerField()
    options = serializers.DictField(child=OptionValue())
    rated = serializers.BooleanField()
    clock = Clock()
    weekends = serializers.BooleanField(help_text="Whether clocks stand still on weekends.")
    private = serializers.BooleanField()
    event_id = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(choices=Status.choices)
    ply = serializers.IntegerField(help_text="The number of the last line; a move answers it.")
    seat_to_move = SeatNumber(allow_null=True)
    deadline_at = serializers.DateTimeField(allow_null=True)
    draw_offered_by = SeatNumber(allow_null=True)
    takeback_asked_by = SeatNumber(allow_null=True)
    players = serializers.ListField(
        child=serializers.CharField(), min_length=2, max_length=2, help_text="By seat."
    )
    scores = serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True
    )
    points = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField(allow_blank=True)
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Awaited(serializers.Serializer):
    """A turn of a seat, a throw of dice, or nothing more."""

    kind = serializers.ChoiceField(choices=["turn", "roll", "outcome"])
    seat = SeatNumber(required=False)
    dice = serializers.IntegerField(required=False)
    sides = serializers.IntegerField(required=False)
    reason = serializers.CharField(required=False)


class DiceSoFar(serializers.Serializer):
    commitment = serializers.CharField(help_text="SHA-256 of the seed, known from the start.")
    seed = serializers.CharField(allow_null=True, help_text="Told when the game is over.")
    salts = serializers.ListField(child=serializers.CharField(allow_blank=True))
    throws = serializers.IntegerField()


class GameInFull(GameSummary):
    your_seat = SeatNumber(allow_null=True)
    your_turn = serializers.BooleanField()
    position = Position()
    awaiting = Awaited()
    time_left = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Seconds, by seat."
    )
    dice = DiceSoFar()


class Throws(serializers.ListField):
    child = serializers.ListField(child=serializers.IntegerField())


class Line(serializers.Serializer):
    """A line of the log; ply 0 is the start, one with `back_to` takes moves back."""

    ply = serializers.IntegerField()
    seat = SeatNumber(allow_null=True)
    move = serializers.CharField(allow_blank=True)
    throws = Throws(help_text="The dice that were thrown after it.")
    back_to = serializers.IntegerField(allow_null=True)
    via = serializers.ChoiceField(choices=Via.choices)
    played_at = serializers.DateTimeField()
    used_seconds = serializers.FloatField(allow_null=True)


class Log(serializers.Serializer):
    moves = Line(many=True)


class PlayedMove(serializers.Serializer):
    """The line that was written; a repetition gets the same."""

    game = serializers.IntegerField()
    ply = serializers.IntegerField()
    seat = SeatNumber()
    move = serializers.CharField()
    throws = Throws()
    played_at = serializers.DateTimeField()


class NextToken(serializers.Serializer):
    token = serializers.CharField(help_text="To be appended to the prefix as it is.")
    spots = serializers.ListField(child=serializers.CharField())
    whole = serializers.BooleanField(help_text="Whether prefix and token are a legal move.")


class NextTokens(serializers.Serializer):
    ply = serializers.IntegerField()
    choices = NextToken(many=True)


class Throw(serializers.Serializer):
    number = serializers.IntegerField()
    dice = serializers.IntegerField()
    sides = serializers.IntegerField()
    faces = serializers.ListField(child=serializers.IntegerField())
    salts = serializers.ListField(child=serializers.CharField(allow_blank=True))


class DiceSegment(serializers.Serializer):
    scheme = serializers.IntegerField()
    commitment = serializers.CharField()
    seed = serializers.CharField(allow_null=True, help_text="Only when the game is over.")
    last_throw = serializers.IntegerField(
        allow_null=True, help_text="Where a game that was reopened went on with another seed."
    )
    proof = serializers.CharField(
        allow_null=True, help_text="In an event: that its key has this seed for this game."
    )


class DrawnFor(serializers.Serializer):
    """Which game of which players it is: the event's key has one seed for each."""

    key = serializers.CharField(help_text="Published when the event opened.")
    season = serializers.IntegerField()
    players = serializers.ListField(child=serializers.IntegerField())
    game = serializers.IntegerField(help_text="Which of their games in this season, from 1.")


class ProofOfDice(serializers.Serializer):
    """As `python -m games.dice verify` reads it."""

    game = serializers.CharField()
    commitment = serializers.CharField()
    salts = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="Empty where a player sent none."
    )
    segments = DiceSegment(many=True)
    drawn = DrawnFor(allow_null=True)
    challenger = SeatNumber(
        allow_null=True, help_text="The challenger's seat, if the first move was drawn by lot."
    )
    throws = Throw(many=True)


# Talk


class ChatMessage(serializers.Serializer):
    id = serializers.IntegerField()
    author = serializers.CharField()
    text = serializers.CharField(allow_null=True, help_text="None where staff have hidden it.")
    written_at = serializers.DateTimeField()


# Offers


class Offer(serializers.Serializer):
    id = serializers.IntegerField()
    challenger = serializers.CharField()
    opponent = serializers.CharField(allow_null=True)
    link = serializers.CharField(allow_null=True)
    email = serializers.CharField(allow_null=True, allow_blank=True)
    ruleset = serializers.CharField()
    options = serializers.DictField(child=OptionValue())
    clock = Clock()
    weekends = serializers.BooleanField()
    rated = serializers.BooleanField()
    private = serializers.BooleanField()
    side = SeatNumber(allow_null=True)
    rating_least = serializers.IntegerField(allow_null=True)
    rating_most = serializers.IntegerField(allow_null=True)
    commitment = serializers.CharField(
        help_text="SHA-256 of the seed of the game's dice, published before anybody accepts."
    )
    challenger_salt = serializers.CharField(
        allow_blank=True, help_text="Empty if the challenger sent none."
    )
    message = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=Challenge.State.choices)
    made_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    game = serializers.IntegerField(allow_null=True)


class Accepted(serializers.Serializer):
    game = serializers.IntegerField()


# People


class Turns(serializers.Serializer):
    games = GameSummary(many=True)


class TimeOff(serializers.Serializer):
    saved_seconds = serializers.FloatField()
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    automatic = serializers.BooleanField(
        help_text="Whether a vacation is taken by itself when a flag would fall."
    )


class Standing(serializers.Serializer):
    player = serializers.CharField()
    rating = serializers.IntegerField()
    games = serializers.IntegerField()
    provisional = serializers.BooleanField()
    peak = serializers.IntegerField()


class Profile(serializers.Serializer):
    name = serializers.CharField()
    bot = serializers.BooleanField()
    about = serializers.CharField(allow_blank=True)
    joined_at = serializers.DateTimeField()
    ratings = serializers.DictField(child=Standing(), help_text="By pool.")


class RatingPoint(serializers.Serializer):
    at = serializers.DateTimeField()
    rating = serializers.IntegerField()
    change = serializers.IntegerField()
    game = serializers.IntegerField()


class RatingCurve(serializers.Serializer):
    history = RatingPoint(many=True)


class RecordAgainst(serializers.Serializer):
    opponent = serializers.CharField()
    games = serializers.IntegerField()
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()


class Pool(serializers.Serializer):
    key = serializers.CharField()
    ruleset = serializers.CharField()
    rated_games = serializers.IntegerField()
    recalculating = serializers.BooleanField(
        help_text="Whether ratings are being recalculated after a ruling."
    )


class Pools(serializers.Serializer):
    pools = Pool(many=True)


class BlockedPlayer(serializers.Serializer):
    id = serializers.IntegerField()
    player = serializers.CharField()
    since = serializers.DateTimeField()


# The house


class RulesetOption(serializers.Serializer):
    name = serializers.CharField()
    default = OptionValue()
    choices = serializers.ListField(child=OptionValue(), allow_null=True)
    least = serializers.IntegerField(allow_null=True)


class RulesetInfo(serializers.Serializer):
    key = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField()
    options = RulesetOption(many=True)
    clocks = serializers.DictField(child=Clock(), help_text="The presets, by name.")


class RulesetList(serializers.Serializer):
    rulesets = RulesetInfo(many=True)


class OutageEntry(serializers.Serializer):
    way_in = serializers.ChoiceField(
        choices=WayIn.values, help_text="By which way no move could get in: web (and API) or mail."
    )
    began_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(help_text="Known so far, while it goes on.")
    is_over = serializers.BooleanField()
    credited = serializers.BooleanField(
        help_text="Whether all deadlines are moved by now. Clocks have the time at once."
    )


class ServiceState(serializers.Serializer):
    alive = serializers.BooleanField(help_text="Whether the worker has been heard lately.")
    now = serializers.DateTimeField()
    stream = serializers.URLField(help_text="Where the stream of events is.")
