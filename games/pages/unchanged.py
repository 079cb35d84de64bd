"""A page that many look at again and again: what has not changed costs an empty answer."""

import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control

More = ParamSpec("More")

# Written anew each time, but as good as the last time.
NEW_EACH_TIME = re.compile(rb'name="(?:csrfmiddlewaretoken|state)" value="[^"]*"')


def known_by_etag(
    view: Callable[Concatenate[HttpRequest, More], HttpResponse],
) -> Callable[Concatenate[HttpRequest, More], HttpResponseBase]:
    @wraps(view)
    def wrapped(
        request: HttpRequest, /, *args: More.args, **kwargs: More.kwargs
    ) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        # What a player sees is kept by nobody, so nobody can ask whether it has changed.
        if response.status_code != 200 or request.user.is_authenticated:
            return response
        etag = _etag(request, response)
        response["ETag"] = etag
        patch_cache_control(response, private=True, no_cache=True)
        return get_conditional_response(request, etag=etag, response=response) or response

    return wrapped


def _etag(request: HttpRequest, response: HttpResponse) -> str:
    """Weak, and another one where the secret behind the forms is another."""
    stands = NEW_EACH_TIME.sub(b"", response.content)
    secret = str(request.META.get("CSRF_COOKIE", "")).encode()
    return f'W/"{hashlib.sha256(secret + stands).hexdigest()[:32]}"'
