"""New passwords; apart from the other forms, because allauth loads those while it is loaded."""

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from django import forms
from django.utils.translation import gettext_lazy as _

from accounts import access, locks, tokens
from accounts.models import Player


class KeepTokens(forms.Form):
    """A new password ends API tokens, unless the player wants to keep them."""

    user: Player
    keep_tokens = forms.BooleanField(
        label=_("Keep my API tokens"),
        required=False,
        help_text=_("Otherwise every token, and the feeds and webhooks it made, ends."),
    )

    @locks.action
    def save(self) -> None:
        super().save()  # type: ignore[misc]
        access.drop_new_addresses(self.user)
        if not self.cleaned_data["keep_tokens"]:
            tokens.revoke_all(self.user)


class NewPassword(KeepTokens, ChangePasswordForm):
    pass


class ForgottenPassword(KeepTokens, ResetPasswordKeyForm):
    pass
