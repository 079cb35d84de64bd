"""Passkeys: allauth's pages, held to the site's own address and to what one player may store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as allauth_forms
from allauth.mfa.webauthn import views as allauth_views
from allauth.mfa.webauthn.internal import auth
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from fido2.cose import CoseKey
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from accounts.current import player_of

MOST_PER_PLAYER = 10
LONGEST_NAME = 60
KEPT = ("clientDataJSON", "attestationObject")
# What fido2 stumbles over when somebody sends what no browser would.
MALFORMED = (
    AssertionError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError,
)  # fmt: skip
NOT_ACCEPTED = _("That passkey was not accepted. Try again, or use another way.")


# What comes from the browser


class CredentialField(forms.JSONField):
    """Good once, so a page that is shown again leaves it empty."""

    widget = forms.HiddenInput
    default_error_messages = {"required": NOT_ACCEPTED, "invalid": NOT_ACCEPTED}

    def bound_data(self, data: Any, initial: Any) -> None:
        return None

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except RecursionError as error:
            raise ValidationError(NOT_ACCEPTED) from error


@contextmanager
def _said_in_our_words() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        if error.code != "incorrect_code":
            raise
        raise ValidationError(NOT_ACCEPTED) from error
    except MALFORMED as error:
        raise ValidationError(NOT_ACCEPTED) from error


def _require_own_origin(answer: AuthenticationResponse | RegistrationResponse) -> None:
    """fido2 takes every host below ours too; whoever holds one of those is not this site."""
    site = urlsplit(settings.SITE_URL)
    if answer.response.client_data.origin != f"{site.scheme}://{site.netloc}":
        raise ValidationError(
            _("Passkeys work at %(site)s only. Open that address and try again.")
            % {"site": settings.SITE_URL}
        )


# Forms


class AddPasskey(allauth_forms.AddWebAuthnForm):
    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        required=False,
        help_text=_("For you to recognise it by, such as “my phone”."),
    )
    credential = CredentialField()
    passwordless = None
    """Every key here is a passkey: the page asks the browser for nothing less."""

    def clean_credential(self) -> dict[str, Any]:
        if passkeys_of(self.user).count() >= MOST_PER_PLAYER:
            raise ValidationError(
                _("You have %(most)d passkeys, which is the limit. Remove one first.")
                % {"most": MOST_PER_PLAYER}
            )
        credential = self.cleaned_data["credential"]
        with _said_in_our_words():
            answer = RegistrationResponse.from_dict(credential)
            _require_own_origin(answer)
            data = answer.response.attestation_object.auth_data.credential_data
            if data.public_key.ALGORITHM not in CoseKey.supported_algorithms():
                raise ValidationError(NOT_ACCEPTED)
        return _what_is_kept(credential)

    def clean(self) -> dict[str, Any]:
        with _said_in_our_words():
            cleaned: dict[str, Any] = super().clean()
            return cleaned


def _what_is_kept(credential: dict[str, Any]) -> dict[str, Any]:
    """allauth stores what it is given, so it is given nothing that was not checked."""
    return {
        "id": credential["rawId"],
        "rawId": credential["rawId"],
        "type": "public-key",
        "response": {part: credential["response"][part] for part in KEPT},
    }


class RenamePasskey(allauth_forms.EditWebAuthnForm):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)


class _ShowPasskey(allauth_forms.AuthenticateWebAuthnForm):
    credential = CredentialField()

    def clean_credential(self) -> Authenticator:
        with _said_in_our_words():
            _require_own_origin(AuthenticationResponse.from_dict(self.cleaned_data["credential"]))
            return super().clean_credential()


class LogInWithPasskey(_ShowPasskey, allauth_forms.LoginWebAuthnForm):
    remember = forms.BooleanField(required=False)


class PasskeyAsSecondFactor(_ShowPasskey):
    pass


class ConfirmWithPasskey(_ShowPasskey, allauth_forms.ReauthenticateWebAuthnForm):
    pass


def passkeys_of(player: Any) -> Any:
    return Authenticator.objects.filter(user=player, type=Authenticator.Type.WEBAUTHN)


# Pages


class AddPasskeyView(allauth_views.AddWebAuthnView):
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        # allauth asks for a key that will do as a second factor; ours must open the account too.
        options = auth.begin_registration(player_of(self.request), passwordless=True)
        return context | {"js_data": {"creation_options": options}}


class LogInView(allauth_views.LoginWebAuthnView):
    def form_valid(self, form: LogInWithPasskey) -> HttpResponse:
        response = super().form_valid(form)
        remembered = form.cleaned_data["remember"]
        self.request.session.set_expiry(settings.SESSION_COOKIE_AGE if remembered else 0)
        return response


class ConfirmView(allauth_views.ReauthenticateWebAuthnView):
    def form_invalid(self, form: ConfirmWithPasskey) -> HttpResponse:
        for error in form.errors.get("credential", []):
            get_adapter().add_message(self.request, messages.ERROR, message=error)
        return redirect(self.request.get_full_path())
