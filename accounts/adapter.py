"""How allauth speaks to our player model."""

import logging
from ipaddress import ip_address
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as context_now
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.utils import build_absolute_uri
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from accounts import account_mail, names, never_write
from accounts.models import NAME_VALIDATORS, Player, checked_name
from accounts.visitors import address_of

logger = logging.getLogger(__name__)

UNWANTED = _(
    "This address asked us never to write to it. Follow the last link in our latest"
    " e-mail to it, choose “Allow invitations again”, then try once more."
)
ENOUGH_TODAY = _("We already e-mailed this address several times today. Try again tomorrow.")


def display_name(player: Player) -> str:
    return player.name


class AccountAdapter(DefaultAccountAdapter):
    """Letters go out in the reader's language."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        if not account_mail.may_send(template_prefix, email, now=timezone.now()):
            logger.warning("%s is not sent: the address has had enough today", template_prefix)
            if context_now.request is not None:
                messages.warning(context_now.request, ENOUGH_TODAY)
            return
        context.setdefault("player", context.get("user"))
        super().send_mail(template_prefix, email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: Player,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """What was done to the account stays done, even while no mail can be sent."""
        reset = build_absolute_uri(context_now.request, reverse("account_reset_password"))
        more = {"user": user, "password_reset_url": reset, **(context or {})}
        try:
            super().send_notification_mail(template_prefix, user, more, email)
        except Exception:
            logger.exception("%s could not be sent", template_prefix)

    def render_mail(
        self, template_prefix: str, email: Any, context: dict[str, Any], headers: Any = None
    ) -> EmailMessage:
        """Whoever is no member can stop all of it, by a link and by one click at the provider."""
        if not account_mail.is_members(email):
            context["never_url"] = never_write.link_for(email)
            headers = {**never_write.headers_for(email), **(headers or {})}
        message: EmailMessage = super().render_mail(template_prefix, email, context, headers)
        return message

    def get_client_ip(self, request: HttpRequest) -> str:
        """As all other limits count it; allauth's own breaks where a proxy was left out."""
        try:
            return str(ip_address(address_of(request.META)))
        except ValueError as error:
            raise PermissionDenied("the address of the visitor is unknown") from error

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Not where the link that confirms an address would reach nobody."""
        return account_mail.reaches_people()

    def clean_email(self, email: str) -> str:
        """Refuse what would be written to an address that wants no mail of ours."""
        email = super().clean_email(email)
        if account_mail.is_unwanted(email):
            raise ValidationError(UNWANTED)
        return email

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Also refuse what a reader would take for the name of another player."""
        name = names.normal(username)
        for validate in NAME_VALIDATORS:
            validate(name)
        return name if shallow else checked_name(name)

    def new_user(self, request: HttpRequest) -> Player:
        """A guest who signs up stays the same player, with all that he has begun."""
        guest: Player | None = getattr(request, "guest", None)
        if guest:
            guest.is_guest = False
            # The new password ends the guest's session; what the sign-up keeps in it must stay.
            for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY):
                request.session.pop(key, None)
            return guest
        return Player(language=(get_language() or "en")[:2])


class SecondFactorAdapter(DefaultMFAAdapter):
    """Passkeys belong to the site, whichever of its host names a request came by."""

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {"id": settings.SITE_HOST, "name": "Tripost"}

    def get_public_key_credential_user_entity(self, user: Player) -> dict[str, Any]:
        entity: dict[str, Any] = super().get_public_key_credential_user_entity(user)
        return entity | {"name": user.name}

    def generate_authenticator_name(self, user: Player, type: str) -> str:
        return gettext("Passkey")
