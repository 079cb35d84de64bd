"""What protects an account is changed only after the password, passkey or code was shown again."""

from collections.abc import Callable
from functools import wraps

from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def is_confirmed(request: HttpRequest) -> bool:
    """Whether whoever holds this session has proved lately who they are."""
    return not is_reauthentication_required(request, app="allauth.account")


def confirmation_required(view: View) -> View:
    """Ask once more before this page; a form that was sent is carried out after that."""

    @wraps(view)
    def asking(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not is_confirmed(request):
            raise ReauthenticationRequired
        return view(request, *args, **kwargs)

    return asking
