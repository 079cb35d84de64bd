"""What a page does with a refusal: a missing event is no page, all else is said."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from games.rules.position import Refusal
from tournaments.refusals import NoSuchEvent, NotYourEvent

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def of_events(view: View[P]) -> View[P]:
    """For views of one event: raises what the error pages are made for."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NoSuchEvent as refusal:
            raise Http404(str(refusal)) from refusal
        except NotYourEvent as refusal:
            raise PermissionDenied(str(refusal)) from refusal

    return guarded


def tried(
    request: HttpRequest,
    door: Callable[..., Any],
    *,
    done: str | Promise | Callable[[Any], str],
    **given: Any,
) -> bool:
    """Whether the door let it pass; either way the person is told.

    Where what to say depends on what was done, `done` makes the sentence of what the door returns.
    """
    try:
        made = door(**given)
    except (NoSuchEvent, NotYourEvent):
        raise
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
        return False
    messages.success(request, str(done(made) if callable(done) else done))
    return True


def back(name: str, pk: int) -> HttpResponse:
    return redirect(name, pk)
