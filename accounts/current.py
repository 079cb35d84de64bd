"""The player behind a request that has passed the log-in."""

from django.http import HttpRequest
from rest_framework.request import Request

from accounts.models import Player


def player_of(request: HttpRequest | Request) -> Player:
    assert isinstance(request.user, Player), "only for requests that require a log-in"
    return request.user
