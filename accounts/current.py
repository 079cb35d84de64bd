"""The player behind a request that has passed the log-in, and the token it came with."""

from django.http import HttpRequest
from rest_framework.request import Request

from accounts.models import ApiToken, Player


def player_of(request: HttpRequest | Request) -> Player:
    assert isinstance(request.user, Player), "only for requests that require a log-in"
    return request.user


def token_of(request: Request) -> ApiToken | None:
    """The token by which a program asks; None for a session."""
    return request.auth if isinstance(request.auth, ApiToken) else None
