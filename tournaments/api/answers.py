"""What the API of events answers, described."""

from rest_framework import serializers

from games.api.answers import Clock, OptionValue
from tournaments.formats.registry import FORMATS
from tournaments.models import EntryState, Event, State


class EventSummary(serializers.Serializer):
    """An event in a list."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=State.choices)
    format = serializers.ChoiceField(choices=list(FORMATS))
    ruleset = serializers.CharField()
    organiser = serializers.CharField()
    season = serializers.IntegerField()
    rated = serializers.BooleanField()
    invitation_only = serializers.BooleanField()
    least_entrants = serializers.IntegerField()
    most_entrants = serializers.IntegerField()
    closes_at = serializers.DateTimeField(allow_null=True)
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    opened_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class MyEntry(serializers.Serializer):
    """The asker's own part in an event."""

    state = serializers.ChoiceField(choices=EntryState.choices)
    number = serializers.IntegerField(allow_null=True, help_text="From the start on.")
    place = serializers.IntegerField(allow_null=True, help_text="On a ladder.")
    rank = serializers.IntegerField(allow_null=True, help_text="At the end.")
    stays = serializers.BooleanField(help_text="Is entered into the next season of a league.")


class Forecast(serializers.Serializer):
    """When half of all such events would end."""

    early = serializers.DateTimeField()
    likely = serializers.DateTimeField()
    late = serializers.DateTimeField()


class GamesExpected(serializers.Serializer):
    """How many games so many entrants make at most; null where players decide, on a ladder."""

    entrants = serializers.IntegerField()
    per_player = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField(allow_null=True)
    at_once = serializers.IntegerField(help_text="Of a player at the same time.")


class EventInFull(EventSummary):
    about = serializers.CharField(allow_blank=True)
    settings = serializers.DictField(child=OptionValue())
    options = serializers.DictField(child=OptionValue())
    clock = Clock()
    tie_breaks = serializers.ListField(child=serializers.CharField())
    rules_edition = serializers.ChoiceField(choices=Event.Edition.choices)
    weekends = serializers.BooleanField()
    vacation_allowed = serializers.BooleanField()
    bots_allowed = serializers.BooleanField()
    late_entry = serializers.BooleanField()
    rating_from = serializers.IntegerField(allow_null=True)
    rating_to = serializers.IntegerField(allow_null=True)
    round_days = serializers.IntegerField(allow_null=True)
    round_end = serializers.ChoiceField(choices=Event.RoundEnd.choices)
    drop_out = serializers.ChoiceField(choices=Event.DropOut.choices)
    renews = serializers.BooleanField()
    seed = serializers.CharField(allow_null=True, help_text="Decides lots; told from the start on.")
    dice_key = serializers.CharField(
        allow_null=True,
        help_text="Binds the seeds of all its games (RFC 9381), published when it opens.",
    )
    directors = serializers.ListField(child=serializers.CharField())
    entered = serializers.IntegerField(help_text="How many are entered.")
    waiting = serializers.IntegerField(help_text="How many wait for a place.")
    invited = serializers.IntegerField(help_text="How many have not replied to an invitation.")
    games_paired = serializers.IntegerField(help_text="How many games were paired so far.")
    games_begun = serializers.IntegerField(
        help_text="How many of them have begun; the others follow within minutes."
    )
    you_direct = serializers.BooleanField()
    you = MyEntry(allow_null=True)
    forecast = Forecast(allow_null=True)
    games_expected = GamesExpected(
        many=True, help_text="For those entered, or the fewest, and for a full event."
    )


class Entrant(serializers.Serializer):
    id = serializers.IntegerField()
    player = serializers.CharField()
    state = serializers.ChoiceField(choices=EntryState.choices)
    number = serializers.IntegerField(allow_null=True)
    section = serializers.IntegerField()
    place = serializers.IntegerField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True)
    rating = serializers.IntegerField()
    struck = serializers.BooleanField(help_text="The results count for ratings alone.")
    entered_at = serializers.DateTimeField()


class StandingLine(serializers.Serializer):
    section = serializers.IntegerField(help_text="0 where there is one table only, or the final.")
    in_final = serializers.BooleanField()
    rank = serializers.IntegerField()
    number = serializers.IntegerField()
    player = serializers.CharField()
    rating = serializers.IntegerField()
    state = serializers.ChoiceField(choices=EntryState.choices)
    points = serializers.FloatField()
    tie_breaks = serializers.ListField(child=serializers.FloatField(allow_null=True))
    played = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Games that run or are to come.")
    best = serializers.IntegerField(help_text="The best place that can still be reached.")
    worst = serializers.IntegerField()


class Standings(serializers.Serializer):
    count = serializers.IntegerField(help_text="Of all lines, whatever was asked for.")
    tie_breaks = serializers.ListField(child=serializers.CharField())
    lines = StandingLine(many=True)


class EventGame(serializers.Serializer):
    id = serializers.IntegerField(help_text="By which a director rules on it.")
    round = serializers.IntegerField()
    leg = serializers.IntegerField()
    first = serializers.CharField()
    second = serializers.CharField()
    scores = serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True
    )
    forfeit = serializers.BooleanField()
    ruled = serializers.BooleanField()
    game = serializers.IntegerField(allow_null=True)


class EventRound(serializers.Serializer):
    number = serializers.IntegerField()
    paired_at = serializers.DateTimeField()
    deadline_at = serializers.DateTimeField(allow_null=True)
    sealed_at = serializers.DateTimeField(allow_null=True, help_text="All its results are in.")


class EventRounds(serializers.Serializer):
    rounds = EventRound(many=True)


class BracketMatch(serializers.Serializer):
    """A match; a player is null while unknown, and there is none where it is a bye."""

    match = serializers.IntegerField()
    stage = serializers.IntegerField()
    side = serializers.ChoiceField(choices=["main", "losers", "final"])
    players = serializers.ListField(child=serializers.CharField(allow_null=True))
    winner = serializers.CharField(allow_null=True)
    bye = serializers.BooleanField()


class Bracket(serializers.Serializer):
    matches = BracketMatch(many=True)


class LogEntry(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    what = serializers.CharField(help_text="A code.")
    sentence = serializers.CharField()
    by = serializers.CharField(allow_null=True)


class PreviewLine(serializers.Serializer):
    player = serializers.CharField()
    rank_now = serializers.IntegerField()
    points_now = serializers.FloatField()
    rank_then = serializers.IntegerField(allow_null=True)
    points_then = serializers.FloatField(allow_null=True)


class Preview(serializers.Serializer):
    """What would become of the leaver's table."""

    player = serializers.CharField()
    struck = serializers.BooleanField()
    played = serializers.IntegerField()
    planned = serializers.IntegerField()
    lines = PreviewLine(many=True)


class RulingAskedFor(serializers.Serializer):
    id = serializers.IntegerField()
    game = serializers.IntegerField()
    player = serializers.CharField()
    text = serializers.CharField()
    asked_at = serializers.DateTimeField()


class Attention(serializers.Serializer):
    """What a director should look at first, at most 20 of a kind."""

    rulings_asked = RulingAskedFor(many=True)
    late = EventGame(many=True)
    no_shows = EventGame(many=True)
    timed_out = serializers.ListField(child=serializers.CharField())
    waiting = serializers.ListField(child=serializers.CharField())
    unpairable = serializers.ListField(child=serializers.CharField())
    not_begun = EventGame(many=True)


class ListedEntrant(serializers.Serializer):
    line = serializers.IntegerField()
    name = serializers.CharField()
    problem = serializers.CharField(allow_blank=True)


class ListedEntrants(serializers.Serializer):
    invited = serializers.IntegerField(help_text="0 after a dry run.")
    lines = ListedEntrant(many=True)


class Challenged(serializers.Serializer):
    game = serializers.IntegerField()
