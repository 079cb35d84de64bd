"""How often, and to whom, the service writes about accounts: log-in, passwords, addresses."""

from datetime import datetime

from allauth.account.models import EmailAddress
from django.conf import settings

from accounts import daily, never_write

TO_A_MEMBER = 10
TO_A_STRANGER = 5
"""E-mails of one kind a day to an address that an account has confirmed, or to any other."""
CAUSED_BY_ANYBODY = (
    "account_already_exists",
    "email_confirmation",
    "email_confirmation_signup",
    "login_code",
    "password_reset_code",
    "password_reset_key",
    "unknown_account",
)
"""Sent because somebody typed an address. All others tell a member what was done to the account:
nobody may keep those away by using up the day."""


def reaches_people() -> bool:
    """Mail in the built-in mailbox does not, but for debugging, when its page is open."""
    return settings.DEBUG or settings.EMAIL_BACKEND != settings.MAILBOX_BACKEND


def may_send(template_prefix: str, address: str, *, now: datetime) -> bool:
    kind = template_prefix.rpartition("/")[2]
    if kind not in CAUSED_BY_ANYBODY:
        return True
    if is_unwanted(address):
        return False
    most = TO_A_MEMBER if is_members(address) else TO_A_STRANGER
    # Each kind for itself: no other mail can use up what a forgotten password needs.
    key = f"{never_write.digest_of(address)}.{kind}"
    return daily.count_once(kind="account-mail", key=key, most=most, now=now)


def is_unwanted(address: str) -> bool:
    """Whether its reader said “never again” and is no member."""
    return never_write.is_unwanted(address) and not is_members(address)


def is_members(address: str) -> bool:
    return EmailAddress.objects.filter(email__iexact=address, verified=True).exists()
