"""What people fill in about themselves."""

from datetime import timedelta
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import NAME_RULE, ApiToken, Player, Scope


def zone_choices() -> list[tuple[str, str]]:
    return [(zone, zone.replace("_", " ")) for zone in sorted(available_timezones())]


SIGN_UP_NOTES = {
    "username": NAME_RULE,
    "email": _("For your letters. Other players do not see it."),
}


class ZoneAtSignUp(forms.Form):
    """The browser fills in its zone; without script it stays UTC and can be set later."""

    zone = forms.CharField(
        max_length=64, required=False, widget=forms.HiddenInput(attrs={"data-browser-zone": ""})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, note in SIGN_UP_NOTES.items():
            if field := self.fields.get(name):
                field.help_text = note

    def signup(self, request: HttpRequest, player: Player) -> None:
        zone = self.cleaned_data["zone"]
        player.zone = zone if zone in available_timezones() else "UTC"
        player.language = (get_language() or "en")[:2]
        player.save(update_fields=["zone", "language"])


class ProfileForm(forms.ModelForm):
    class Meta:
        model = Player
        fields = ["zone", "language", "confirms_moves", "about"]
        labels = {"confirms_moves": _("Ask me before a move is played")}
        help_texts = {
            "confirms_moves": _(
                "Otherwise a move is played as soon as it is picked whole on the board."
            ),
            "about": _("For everybody to read on your page."),
        }
        widgets = {"about": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["zone"] = forms.ChoiceField(
            label=_("Time zone"),
            choices=zone_choices,
            help_text=_("Deadlines and times are shown in this zone."),
        )


class TokenForm(forms.ModelForm):
    LIFETIMES = [("", _("never")), ("30", _("in 30 days")), ("365", _("in a year"))]

    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    lifetime = forms.ChoiceField(label=_("It expires"), choices=LIFETIMES, required=False)

    class Meta:
        model = ApiToken
        fields = ["name", "scopes"]
        help_texts = {"name": _("For you to recognise it by, such as “my bot”.")}

    def expires_at(self) -> Any:
        days = self.cleaned_data["lifetime"]
        return timezone.now() + timedelta(days=int(days)) if days else None
