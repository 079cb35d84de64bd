"""Programs act for a player: tokens are minted, redeemed and limited here."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import activate
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.current import player_of
from accounts.models import ApiToken, Player, Scope
from accounts.presence import note_seen
from accounts.reauthentication import is_confirmed

PREFIX = "tripost_"
MOST_PER_PLAYER = 20
NOTE_USE_EVERY = timedelta(hours=1)


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def mint(
    *, player: Player, name: str, scopes: Sequence[str], expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new token and its secret, which is never to be seen again."""
    if player.is_guest:
        raise PermissionDenied(_("Sign up to use the API."), code="not_allowed")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        player=player,
        name=name,
        digest=digest_of(secret),
        hint=secret[-4:],
        scopes=list(scopes),
        expires_at=expires_at,
    )
    return token, secret


def revoke_all(player: Player) -> None:
    """With everything that they have made."""
    player.tokens.all().delete()


def _columns(model: type[Model], alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


# Every call of every program begins here, and the ORM takes longer to put this statement
# together than PostgreSQL to answer it.
REDEEM = f"""
SELECT {_columns(ApiToken, "t")}, {_columns(Player, "p")}
FROM accounts_apitoken t JOIN accounts_player p ON p.id = t.player_id
WHERE t.digest = %s AND (t.expires_at IS NULL OR t.expires_at > %s) AND p.is_active
"""  # noqa: S608


def redeem(secret: str, *, now: datetime) -> ApiToken | None:
    """The living token that this secret opens, in one indexed look-up."""
    with connection.cursor() as cursor:
        cursor.execute(REDEEM, [digest_of(secret), now])
        row = cursor.fetchone()
    if row is None:
        return None
    token_fields = [field.attname for field in ApiToken._meta.concrete_fields]
    player_fields = [field.attname for field in Player._meta.concrete_fields]
    width = len(token_fields)
    token = ApiToken.from_db(connection.alias, token_fields, row[:width])
    token.player = Player.from_db(connection.alias, player_fields, row[width:])
    token.player.uses_token = True
    return token


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer tripost_…`"""

    def authenticate(self, request: Request) -> tuple[Player, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed(_("The header is written “Authorization: Bearer TOKEN”."))
        now = timezone.now()
        token = redeem(words[1].decode("latin-1"), now=now)
        if token is None:
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."))
        _note_use(token, now)
        note_seen(token.player, now=now)
        # A session's player is known to the middleware; a token's only here.
        activate(token.player.language)
        return token.player, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


def _note_use(token: ApiToken, now: datetime) -> None:
    if token.last_used_at is None or now - token.last_used_at > NOTE_USE_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


# What a token may do


def scopes_for(view: Any, method: str) -> tuple[Scope, ...]:
    """The scopes by which a token calls this view; none where no token may."""
    if any(issubclass(permission, InPerson) for permission in view.permission_classes):
        return ()
    if method.upper() in SAFE_METHODS:
        return (Scope.READ,)
    scope = getattr(view, "scope", Scope.PLAY)
    return (scope, Scope.READ) if method.upper() in getattr(view, "gives_to_read", ()) else (scope,)


class HasScope(BasePermission):
    """A session may do all; a token reads with `read` and writes with the view's `scope`.

    A view that names no scope is written to with `play`; the methods that it `gives_to_read` by
    (they hand out what is private, now or later) need `read` as well. Where a view says
    `asks_again`, a session writes only if its player has lately confirmed who they are.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        if not isinstance(request.auth, ApiToken):
            is_open_to_guests = request.method in SAFE_METHODS
            return (is_open_to_guests or _is_no_guest(request)) and _is_confirmed_where_asked(
                request, view
            )
        for needed in scopes_for(view, request.method or ""):
            if needed not in request.auth.scopes:
                raise PermissionDenied(
                    _("This token lacks the scope “%(scope)s”.") % {"scope": needed.value},
                    code="missing_scope",
                )
        return True


class OpenToRead(HasScope):
    """Anybody reads; a token only with `read`, because it also sees what its owner may see."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.auth is None and request.method in SAFE_METHODS:
            return True
        return super().has_permission(request, view)


class InPerson(HasScope):
    """Only with a session: a token that leaked must not make others that outlive it."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiToken):
            raise PermissionDenied(
                _("Log in to do this. A token cannot do it for you."), code="session_only"
            )
        return super().has_permission(request, view) and _is_no_guest(request)


def _is_no_guest(request: Request) -> bool:
    if player_of(request).is_guest:
        raise PermissionDenied(
            _("A guest plays on the web; sign up to use the API."), code="not_allowed"
        )
    return True


def _is_confirmed_where_asked(request: Request, view: Any) -> bool:
    if request.method in SAFE_METHODS or not getattr(view, "asks_again", False):
        return True
    if not is_confirmed(request._request):
        raise PermissionDenied(
            _("Confirm in your browser that it is you, then try again."),
            code="confirmation_required",
        )
    return True
