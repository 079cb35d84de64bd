"""Links to a new password; apart from the forms, because allauth loads this amid its own."""

from typing import Any

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator


class ResetTokens(EmailAwarePasswordResetTokenGenerator):
    """A link ends with all other access to the account."""

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}.{user.session_epoch}"
