"""The one form of an event, and the small ones of its console."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Player
from accounts.moments import MomentField
from games.clock import PRESETS, to_json
from games.pages.bots import LEVELS_IN_WORDS
from games.pages.challenges import ChallengeForm
from games.rules.registry import RULESETS
from tournaments.directing import BYES, RESULTS
from tournaments.entrants_csv import LONGEST
from tournaments.formats import format as formats
from tournaments.formats import tie_breaks
from tournaments.formats.format import Setting
from tournaments.formats.registry import FORMATS
from tournaments.models import Event
from tournaments.opening import Plan
from tournaments.pages import wording

PLAIN = (
    "name", "about", "format", "ruleset", "rules_edition", "rated", "weekends",
    "vacation_allowed", "bots_allowed", "least_entrants", "most_entrants", "rating_from",
    "rating_to", "invitation_only", "late_entry", "closes_at", "starts_at", "round_days",
    "ends_at", "round_end", "drop_out", "renews",
)  # fmt: skip
"""Fields that are called the same in the form, in a plan and in an event."""
WHEN = {"type": "datetime-local"}


def _when(label: Any, help_text: Any) -> MomentField:
    widget = forms.DateTimeInput(attrs=WHEN, format="%Y-%m-%dT%H:%M")
    return MomentField(label=label, help_text=help_text, required=False, widget=widget)


class EventForm(ChallengeForm):
    """Game, options and clock as in a challenge; settings of a format are named after it."""

    to = opponent = email = private = side = None  # type: ignore[assignment]
    rating_least = rating_most = message = lasts = None  # type: ignore[assignment]

    name = forms.CharField(label=_("Name"), min_length=3, max_length=80)
    about = forms.CharField(
        label=_("Description"), max_length=4000, required=False, widget=forms.Textarea({"rows": 4}),
        help_text=_("Whom it is for, and whatever else people should know."),
    )  # fmt: skip
    format = forms.ChoiceField(
        label=_("Format"), choices=list(wording.FORMATS.items()), initial="round-robin",
        widget=forms.RadioSelect,
    )  # fmt: skip
    vacation_allowed = forms.BooleanField(
        label=_("Vacations stop the clocks"), required=False, initial=True
    )
    bots_allowed = forms.BooleanField(
        label=_("Bots may enter"), required=False, help_text=_("Only if it is not rated.")
    )
    least_entrants = forms.IntegerField(
        label=_("Fewest entrants"), min_value=2, max_value=5000, initial=4,
        help_text=_("With fewer at the start it is called off."),
    )  # fmt: skip
    most_entrants = forms.IntegerField(
        label=_("Most entrants"), min_value=2, max_value=5000, initial=16,
        help_text=_("Whoever comes later waits for a place."),
    )  # fmt: skip
    rating_from = forms.IntegerField(
        label=_("Rating from"), min_value=0, max_value=9999, required=False
    )
    rating_to = forms.IntegerField(
        label=_("Rating to"), min_value=0, max_value=9999, required=False
    )
    invitation_only = forms.BooleanField(label=_("By invitation only"), required=False)
    late_entry = forms.BooleanField(
        label=_("May be entered after the start"), required=False,
        help_text=_("Swiss events and ladders only."),
    )  # fmt: skip
    closes_at = _when(_("Entries close"), _("In your time zone."))
    starts_at = _when(_("Starts"), _("Left empty, it starts as soon as it is full."))
    ends_at = _when(
        _("Ends at the latest"), _("What still runs then is decided by the rule below.")
    )
    round_days = forms.IntegerField(
        label=_("Days a round lasts at most"), min_value=1, max_value=365, required=False
    )
    round_end = forms.ChoiceField(
        label=_("Games that run at a deadline"), choices=Event.RoundEnd.choices,
        initial=Event.RoundEnd.WAIT,
    )  # fmt: skip
    drop_out = forms.ChoiceField(
        label=_("If somebody leaves"), choices=Event.DropOut.choices,
        initial=Event.DropOut.STRIKE,
    )  # fmt: skip
    tie_breaks = forms.CharField(
        label=_("Tie-breaks"), required=False, max_length=200,
        help_text=_("Codes in their order with commas between, such as DE, SB, WON. "
                    "Left empty, those that are usual for the format."),
    )  # fmt: skip
    rules_edition = forms.ChoiceField(
        label=_("Edition of the tie-breaks"), choices=Event.Edition.choices,
        initial=Event.Edition.FIDE_2026,
    )  # fmt: skip
    renews = forms.BooleanField(
        label=_("A new season follows"), required=False, help_text=_("Leagues only.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in wording.FORMATS:
            for setting in formats.settings(FORMATS[key]):
                self.fields[f"{key}.{setting.name}"] = _field_for(key, setting)

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        try:
            self.chosen_tie_breaks = _codes(data.get("tie_breaks", ""))
        except tie_breaks.UnknownTieBreak as refusal:
            self.add_error("tie_breaks", refusal.sentence(gettext))
        return data

    def plan(self) -> Plan:
        return Plan(
            **{name: self.cleaned_data[name] for name in PLAIN},
            clock=self.chosen_clock,
            options=self._options(),
            settings=self._settings(),
            tie_breaks=self.chosen_tie_breaks,
        )

    def _settings(self) -> dict[str, object]:
        key = self.cleaned_data["format"]
        given = {
            setting.name: self.cleaned_data[f"{key}.{setting.name}"]
            for setting in formats.settings(FORMATS[key])
        }
        return {name: value for name, value in given.items() if value not in (None, "")}

    # For the template

    def setting_groups(self) -> Iterator[tuple[str, str, list[forms.BoundField]]]:
        for key, about in wording.ABOUT_FORMATS.items():
            names = [setting.name for setting in formats.settings(FORMATS[key])]
            yield key, str(about), [self[f"{key}.{name}"] for name in names]


def initial_of(event: Event) -> dict[str, Any]:
    """The form as it was filled in."""
    preset = next((name for name, one in PRESETS.items() if to_json(one) == event.clock), None)
    hours = {name: value for name, value in event.clock.items() if name != "kind"}
    return {
        **{name: getattr(event, name) for name in PLAIN},
        **{f"{event.format}.{name}": value for name, value in event.settings.items()},
        **{f"{event.ruleset}.{name}": value for name, value in event.options.items()},
        **hours,
        "clock": preset or event.clock["kind"],
        "tie_breaks": ", ".join(event.tie_breaks),
    }


def _codes(text: str) -> list[str] | None:
    words = text.replace(",", " ").split()
    return [tie_breaks.parse(word).code for word in words] or None


def _field_for(key: str, setting: Setting) -> forms.Field:
    words: dict[str, Any] = {
        "label": wording.label(key, setting.name),
        "help_text": wording.help_text(key, setting.name),
        "initial": setting.default,
        "required": False,
    }
    if setting.choices:
        choices = [(word, wording.CHOICES[word]) for word in setting.choices]
        return forms.ChoiceField(choices=choices, **words)
    if isinstance(setting.default, bool):
        return forms.BooleanField(**words)
    return forms.IntegerField(min_value=setting.least, max_value=setting.most, **words)


# The console


class PlayerField(forms.CharField):
    """Somebody by his name, however it is capitalised."""

    def __init__(self, **words: Any) -> None:
        super().__init__(max_length=24, label=_("Name of the player"), **words)

    def clean(self, value: Any) -> Any:
        name = super().clean(value)
        found = Player.objects.filter(name__iexact=name, is_active=True).first()
        if found is None:
            raise forms.ValidationError(_("There is no player of that name."))
        return found


class PlayerForm(forms.Form):
    player = PlayerField()


class BotForm(forms.Form):
    level = forms.ChoiceField(label=_("Bot"), choices=list(LEVELS_IN_WORDS.items()))


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Why, for everyone to read"), max_length=500, widget=forms.Textarea({"rows": 2})
    )


class SureForm(forms.Form):
    """For what cannot be undone."""

    sure = forms.BooleanField(label=_("Yes, I am sure"))


class ByeForm(PlayerForm):
    kind = forms.ChoiceField(
        label=_("Worth"),
        choices=list(zip(BYES, (_("a point"), _("half a point"), _("nothing")), strict=True)),
        initial="H",
    )


class PostponeForm(forms.Form):
    closes_at = _when(_("Entries close"), "")
    starts_at = _when(_("Starts"), "")


class RulingForm(ReasonForm):
    field_order = ["result", "reason"]

    result = forms.ChoiceField(
        label=_("Result"), widget=forms.RadioSelect,
        choices=[(f"{one}-{other}", words) for (one, other), words in RESULTS.items()],
    )  # fmt: skip

    def scores(self) -> tuple[int, int]:
        one, other = self.cleaned_data["result"].split("-")
        return int(one), int(other)


class EntrantsForm(forms.Form):
    names = forms.CharField(
        label=_("Names"), max_length=LONGEST, required=False, strip=False,
        widget=forms.Textarea({"rows": 8}),
        help_text=_("One player a line, or a table with a column called name."),
    )  # fmt: skip
    file = forms.FileField(label=_("Or a CSV file"), required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if file := data.get("file"):
            if file.size > LONGEST:
                raise forms.ValidationError(_("This file is too long for a list of names."))
            data["names"] = file.read().decode("utf-8-sig", errors="replace")
        if not data.get("names", "").strip():
            raise forms.ValidationError(_("Write some names, or choose a file."))
        return data


class EventSearch(forms.Form):
    """What the list of events is narrowed by."""

    name = forms.CharField(label=_("Name"), max_length=80, required=False)
    format = forms.ChoiceField(
        label=_("Format"), required=False,
        choices=[("", _("any")), *wording.FORMATS.items()],
    )  # fmt: skip
    ruleset = forms.ChoiceField(
        label=_("Game"), required=False,
        choices=[("", _("any")), *((key, rules.name) for key, rules in RULESETS.items())],
    )  # fmt: skip
