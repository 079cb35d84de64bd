"""Who may do what: every address of the site and every operation of the API, decided once.

A middleware holds every request to this table; an address that is not in it is closed. What
depends on the game or the event at hand is decided where it is done, under its lock: who sits at a
table, who directs an event, whose private game it is.
"""

import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.translation import gettext as _
from rest_framework.permissions import SAFE_METHODS

from accounts.models import ApiToken, Scope
from config import operations


class Standing(IntEnum):
    """Each may do what those before it may.

    An account whose address is not confirmed cannot log in. Directors and organisers have their
    standing in their own event, players in any other. A token never has that of staff.
    """

    VISITOR = 0
    UNVERIFIED = 1
    GUEST = 2
    PLAYER = 3
    DIRECTOR = 4
    ORGANISER = 5
    STAFF = 6


VISITOR, UNVERIFIED, GUEST, PLAYER, DIRECTOR, ORGANISER, STAFF = Standing


class Access(NamedTuple):
    """The least standing to look (GET) and to act (POST); None where there is no such method."""

    look: Standing | None
    act: Standing | None


def to_look(standing: Standing) -> Access:
    return Access(standing, None)


def to_act(standing: Standing) -> Access:
    return Access(None, standing)


AT_A_TABLE = {
    "": to_look(VISITOR),
    "news/": to_look(VISITOR),
    "choices/": to_look(VISITOR),
    "move/": to_act(GUEST),
    "act/": to_act(GUEST),
    "say/": to_act(PLAYER),
    "chat/": to_act(PLAYER),
    "note/": to_act(GUEST),
    "rematch/": to_act(GUEST),
    "plan/": to_look(GUEST),
    "plan/board/": to_look(GUEST),
    "plan/add/": to_act(GUEST),
    "plan/remove/": to_act(GUEST),
    "analysis/": to_look(VISITOR),
    "analysis/choices/": to_look(VISITOR),
    "review/": to_look(VISITOR),
    "review/ask/": to_act(GUEST),
    "dice/": to_look(VISITOR),
    "dice.json": to_look(VISITOR),
    "game.json": to_look(VISITOR),
    "game.txt": to_look(VISITOR),
    "board.svg": to_look(VISITOR),
    "board.png": to_look(VISITOR),
    "board.txt": to_look(VISITOR),
    "game.svg": to_look(VISITOR),
}
TABLES = ("games/<int:pk>/", "g/<str:link>/")

SITE = {
    "": to_look(VISITOR),
    "healthz": to_look(VISITOR),
    "readyz": to_look(VISITOR),
    "language/setlang/": to_act(VISITOR),
    "push-worker.js": to_look(VISITOR),
}
ACCOUNTS = {
    "accounts/login/": Access(VISITOR, VISITOR),
    "accounts/logout/": Access(VISITOR, VISITOR),
    "accounts/inactive/": to_look(VISITOR),
    "accounts/signup/": Access(VISITOR, VISITOR),
    "accounts/reauthenticate/": Access(PLAYER, PLAYER),
    "accounts/email/": Access(PLAYER, PLAYER),
    "accounts/confirm-email/": to_look(VISITOR),
    r"accounts/confirm-email/(?P<key>[-:\w]+)/$": Access(VISITOR, VISITOR),
    "accounts/password/change/": Access(PLAYER, PLAYER),
    "accounts/password/set/": Access(PLAYER, PLAYER),
    "accounts/password/reset/": Access(VISITOR, VISITOR),
    "accounts/password/reset/done/": to_look(VISITOR),
    "accounts/password/reset/key/done/": to_look(VISITOR),
    r"accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": Access(VISITOR, VISITOR),
    "accounts/login/code/confirm/": Access(VISITOR, VISITOR),
    "accounts/2fa/": to_look(PLAYER),
    "accounts/2fa/authenticate/": Access(VISITOR, VISITOR),
    "accounts/2fa/reauthenticate/": Access(PLAYER, PLAYER),
    "accounts/2fa/totp/activate/": Access(PLAYER, PLAYER),
    "accounts/2fa/totp/deactivate/": Access(PLAYER, PLAYER),
    "accounts/2fa/webauthn/": to_look(PLAYER),
    "accounts/2fa/webauthn/add/": Access(PLAYER, PLAYER),
    "accounts/2fa/webauthn/keys/<int:pk>/edit/": Access(PLAYER, PLAYER),
    "accounts/2fa/webauthn/keys/<int:pk>/remove/": Access(PLAYER, PLAYER),
    "accounts/2fa/webauthn/login/": Access(VISITOR, VISITOR),
    "accounts/2fa/webauthn/reauthenticate/": Access(PLAYER, PLAYER),
    "accounts/2fa/recovery-codes/": to_look(PLAYER),
    "accounts/2fa/recovery-codes/generate/": Access(PLAYER, PLAYER),
    "accounts/2fa/recovery-codes/download/": to_look(PLAYER),
    "settings/": Access(PLAYER, PLAYER),
    "settings/tokens/": Access(PLAYER, PLAYER),
    "settings/tokens/<int:pk>/revoke/": to_act(PLAYER),
    "accounts/sessions/": Access(PLAYER, PLAYER),
    "settings/sessions/": to_look(PLAYER),
    "settings/sessions/<int:pk>/end/": to_act(PLAYER),
    "settings/sessions/end/": to_act(PLAYER),
    "settings/sessions/revoke/": to_act(PLAYER),
    "settings/download/": Access(PLAYER, PLAYER),
    "settings/close/": Access(PLAYER, PLAYER),
    "settings/bot/": to_act(PLAYER),
    "settings/vacation/": Access(PLAYER, PLAYER),
    "settings/blocked/": to_look(PLAYER),
}
GAMES = {
    "games/": to_look(GUEST),
    "games/next/": to_look(GUEST),
    "watch/<slug:key>.json": to_look(VISITOR),
    "lobby/": to_look(VISITOR),
    "lobby/<int:pk>/": to_act(GUEST),
    "practice/": Access(VISITOR, VISITOR),
    "challenge/": Access(PLAYER, PLAYER),
    "players/<str:name>/": to_look(VISITOR),
    "players/<str:name>/block/": to_act(PLAYER),
    "leaders/": to_look(VISITOR),
    "leaders/<str:pool>/": to_look(VISITOR),
    "search/": to_look(VISITOR),
    "help/": to_look(VISITOR),
    "help/dice/tripost-verify.pyz": to_look(VISITOR),
    ".well-known/tripost-keys.json": to_look(VISITOR),
    "help/<slug:key>/": to_look(VISITOR),
    "about/": to_look(VISITOR),
    "status/": to_look(VISITOR),
    "status.json": to_look(VISITOR),
    "invite/<str:link>/": Access(VISITOR, VISITOR),
    "rules/": to_look(VISITOR),
    "rules/<slug:key>/": to_look(VISITOR),
    "rules/<slug:key>/try/": Access(VISITOR, VISITOR),
    "rules/<slug:key>/choices/": to_look(VISITOR),
}
EVENTS = {
    "events/": to_look(VISITOR),
    "events/calendar/": to_look(VISITOR),
    "events/new/": Access(PLAYER, PLAYER),
    "events/<int:pk>/": to_look(VISITOR),
    "events/<int:pk>/table/": to_look(VISITOR),
    "events/<int:pk>/rounds/": to_look(VISITOR),
    "events/<int:pk>/log/": to_look(VISITOR),
    "events/<int:pk>/enter/": to_act(PLAYER),
    "events/<int:pk>/leave/": to_act(PLAYER),
    "events/<int:pk>/stay/": to_act(PLAYER),
    "events/<int:pk>/challenge/": to_act(PLAYER),
    "events/<int:pk>/edit/": Access(DIRECTOR, DIRECTOR),
    "events/<int:pk>/console/": to_look(DIRECTOR),
    "events/<int:pk>/console/entrants/": to_act(DIRECTOR),
    "events/<int:pk>/console/players/<str:name>/": Access(DIRECTOR, DIRECTOR),
    "events/<int:pk>/console/rulings/<int:meeting>/": Access(DIRECTOR, DIRECTOR),
    "events/<int:pk>/console/<slug:name>/": to_act(DIRECTOR),
    "events/<int:pk>/event.trf": to_look(VISITOR),
    "events/<int:pk>/event.csv": to_look(VISITOR),
    "events/<int:pk>/event.json": to_look(VISITOR),
}
LETTERS = {
    "letters/": to_look(PLAYER),
    "letters/preferences/": Access(PLAYER, PLAYER),
    "letters/try-again/": to_act(PLAYER),
    "letters/channels/": to_look(PLAYER),
    "letters/channels/feeds/<slug:feed>/": to_act(PLAYER),
    "letters/channels/webhooks/": to_act(PLAYER),
    "letters/channels/webhooks/<int:pk>/": to_act(PLAYER),
    "letters/channels/browsers/": to_act(PLAYER),
    "letters/channels/browsers/<int:pk>/": to_act(PLAYER),
    # What a letter leads to is for whoever holds the letter.
    "letters/never/<str:signed>/": Access(VISITOR, VISITOR),
    "letters/stop/<str:signed>/": Access(VISITOR, VISITOR),
    "letters/feeds/<str:key>.<slug:ending>": to_look(VISITOR),
    "letters/answer/<int:pk>/<str:secret>/": Access(VISITOR, VISITOR),
    "letters/answer/<int:pk>/<str:secret>/choices/": to_look(VISITOR),
    "letters/held/<str:signed>/": Access(VISITOR, VISITOR),
    # Only where letters are kept instead of sent: on a developer's own machine.
    "mailbox/": to_look(VISITOR),
    "mailbox/<int:pk>/": Access(VISITOR, VISITOR),
    "mailbox/<int:pk>/html/": to_look(VISITOR),
    "mailbox/<int:pk>/answers/<int:mail>/": to_look(VISITOR),
}
ADDRESSES: dict[str, Access] = {
    **SITE,
    **ACCOUNTS,
    **GAMES,
    **{f"{table}{rest}": access for table in TABLES for rest, access in AT_A_TABLE.items()},
    **EVENTS,
    **LETTERS,
}
"""Every address but those of the areas below, as it is written in urls.py."""

AREAS = {
    "api/v1/": "tokens and sessions: OPERATIONS, below",
    "staff/": "Django's admin: staff, by the permissions that a superuser gave",
    "anymail/": "the mail provider, by its secret",
    "metrics": "an address or a token that the operator allows",
    "styleguide/": "only where DEBUG is on",
}
"""Addresses with a guard of their own: all below one that ends with a slash, or just this one."""

SECRETS = re.compile(r"<str:(link|secret|signed|key)>|\(\?P<(uidb36|key)>")
NO_SECRETS = re.compile(r"<(int|slug):\w+>|<str:(name|pool|feed)>")
"""Parts of addresses. Whoever has a secret may look and act: no cache keeps what is behind it."""

CONSOLE = {
    **dict.fromkeys(
        (
            "open", "start", "postpone", "invite", "uninvite", "enter-bot", "bye", "call-off",
            "finish", "step-down",
        ),
        DIRECTOR,
    ),
    "appoint": ORGANISER,
    "dismiss": ORGANISER,
}  # fmt: skip
"""The acts of an event's console, which share one address."""


class Operation(NamedTuple):
    """The least standing, and every scope that a token needs; none where no token will do."""

    standing: Standing
    scopes: tuple[Scope, ...]


IN_PERSON: tuple[Scope, ...] = ()


def _all(
    standing: Standing, scopes: Scope | tuple[Scope, ...], *names: str
) -> dict[str, Operation]:
    needed = (scopes,) if isinstance(scopes, Scope) else scopes
    return dict.fromkeys(names, Operation(standing, needed))


OPERATIONS: dict[str, Operation] = {
    **_all(
        VISITOR, Scope.READ,
        "challenges", "choices", "dice", "event", "event_bracket", "event_entrants", "event_file",
        "event_games", "event_log", "event_report", "event_rounds", "event_standings",
        "event_table", "events", "game", "game_file", "game_text", "games", "games_table",
        "invitation", "leaders", "moves", "opponents", "outages", "player", "pools",
        "rating_history", "rulesets", "rulings", "status", "stream",
    ),
    **_all(
        GUEST, Scope.READ,
        "blocks", "chat", "event_preview", "feeds", "letter_preferences", "letters", "me",
        "my_bot_mark", "my_bundle", "my_data", "my_import", "my_imported_file",
        "my_imported_text", "my_imports", "my_ruling_requests", "my_turns", "note", "plan",
        "review", "vacation", "webhooks",
    ),
    **_all(
        PLAYER, Scope.PLAY,
        "make_challenge", "accept", "decline", "withdraw", "challenge_on_ladder", "enter_event",
        "leave_event", "stay_in_league", "abort", "say", "show_chat", "report_chat", "draw",
        "play_move", "write_note", "write_plan", "rematch", "resign", "ask_for_review",
        "ask_for_ruling", "takeback", "mark_as_bot", "import_game", "delete_import",
        "begin_vacation", "automatic_vacation", "end_vacation", "block", "unblock",
    ),
    **_all(
        PLAYER, Scope.CONNECT,
        "change_me", "revoke_feed_link", "try_address_again", "remove_webhook",
        "switch_webhook_on", "try_webhook",
    ),
    # What they make, or turn on, tells of private matters from then on.
    **_all(
        PLAYER, (Scope.CONNECT, Scope.READ),
        "make_feed_link", "make_webhook", "change_letter_preferences",
    ),
    **_all(PLAYER, IN_PERSON, "tokens", "make_token", "revoke_token"),
    **_all(PLAYER, Scope.ORGANISE, "prepare_event"),
    **_all(DIRECTOR, Scope.READ, "event_attention"),
    **_all(
        DIRECTOR, Scope.ORGANISE,
        "change_event", "enter_bot_into_event", "give_bye", "call_off_event", "expel_from_event",
        "finish_event", "rule_in_event", "invite_to_event", "enter_list", "open_event",
        "postpone_event", "start_event", "rule", "settle_ruling_request", "undo_ruling",
        "step_down",
    ),
    **_all(ORGANISER, Scope.ORGANISE, "appoint_director", "dismiss_director"),
    **_all(STAFF, Scope.READ, "ruling_requests"),
}  # fmt: skip
"""Every operation of the API."""

ANSWERED_TO_ANY_TOKEN = {
    "accept", "ask_for_ruling", "challenge_on_ladder", "import_game", "make_challenge",
    "play_move", "prepare_event", "say",
}  # fmt: skip
"""Changes that answer with what was sent and what it has become, such as the number of a game.

A token without `read` gets nothing else: any other change is answered with a 204.
"""


# The guard


class Guard:
    """Answers whoever may not look or act, before the view is reached."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        return HttpResponse(status=204) if _shows_too_much(request, response) else response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        assert request.resolver_match is not None
        route = request.resolver_match.route
        if has_own_guard(route):
            return None
        if route not in ADDRESSES:
            raise PermissionDenied
        return _refusal(request, ADDRESSES[route])


def standing_of(request: HttpRequest) -> Standing:
    user = request.user
    if not user.is_authenticated:
        return VISITOR
    if user.is_guest:
        return GUEST
    return STAFF if user.is_staff else PLAYER


def _refusal(request: HttpRequest, access: Access) -> HttpResponseBase | None:
    needed = access.look if request.method in ("GET", "HEAD") else access.act
    if needed is None or request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(_methods(access))
    # Who directs an event is known to the event alone.
    if standing_of(request) >= min(needed, PLAYER):
        return None
    if not request.user.is_authenticated:
        came_from = request.get_full_path() if request.method == "GET" else "/"
        return redirect_to_login(came_from)
    messages.info(request, _("That is for players with an account; it takes a minute."))
    return redirect("account_signup")


def _shows_too_much(request: HttpRequest, response: HttpResponseBase) -> bool:
    # Whoever is asked for a token notes it here.
    token = getattr(request, "auth", None)
    if not isinstance(token, ApiToken) or Scope.READ in token.scopes:
        return False
    is_change = request.method not in SAFE_METHODS and 200 <= response.status_code < 300
    return is_change and operations.name_of(request) not in ANSWERED_TO_ANY_TOKEN


def _methods(access: Access) -> list[str]:
    looks = ["GET", "HEAD"] if access.look is not None else []
    return [*looks, "POST"] if access.act is not None else looks


def has_own_guard(route: str) -> bool:
    return any(route.startswith(area) if area.endswith("/") else route == area for area in AREAS)


def has_secret(route: str) -> bool:
    return bool(SECRETS.search(route))


# Whether all is decided


def routes(patterns: list[Any] | None = None, before: str = "") -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        # As a request's match names it: only the first part of an expression keeps its anchor.
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


def undecided() -> list[str]:
    return sorted({route for route in routes() if not has_own_guard(route)} - set(ADDRESSES))
