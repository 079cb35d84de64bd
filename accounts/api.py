"""The player as programs see him, and the tokens they act by."""

from datetime import timedelta
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import tokens
from accounts.connections import connections_of
from accounts.current import player_of
from accounts.export import streamed
from accounts.export_limits import require_export
from accounts.models import ApiToken, Player, Scope
from accounts.tokens import InPerson


class TokenScheme(OpenApiAuthenticationExtension):
    """Tells the API's description how a token is sent."""

    target_class = "accounts.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class Myself(serializers.ModelSerializer):
    scopes = serializers.SerializerMethodField()
    bot = serializers.BooleanField(source="is_bot", read_only=True)

    class Meta:
        model = Player
        fields = ["id", "name", "bot", "email", "zone", "language", "about", "joined_at", "scopes"]
        read_only_fields = ["name", "email", "joined_at"]
        # The database would take any length; the page takes as much as this.
        extra_kwargs = {"about": {"max_length": 1000}}

    def get_scopes(self, player: Player) -> list[str]:
        token = self.context["request"].auth
        return token.scopes if isinstance(token, ApiToken) else list(Scope.values)


class Me(APIView):
    """Who I am, and what this token may do."""

    scope = Scope.CONNECT

    @extend_schema(responses=Myself, operation_id="me")
    def get(self, request: Request) -> Response:
        return Response(Myself(request.user, context={"request": request}).data)

    @extend_schema(
        operation_id="change_me",
        description="My zone, my language and what I say about myself.",
        request=Myself,
        responses=Myself,
    )
    def patch(self, request: Request) -> Response:
        changed = Myself(request.user, request.data, partial=True, context={"request": request})
        changed.is_valid(raise_exception=True)
        changed.save()
        return Response(changed.data)


class MyData(APIView):
    """All that is stored about me, to take away."""

    @extend_schema(
        operation_id="my_data",
        responses=OpenApiResponse(OpenApiTypes.OBJECT, description="One part for each floor."),
    )
    def get(self, request: Request) -> HttpResponseBase:
        require_export(request)
        return StreamingHttpResponse(streamed(player_of(request)), content_type="application/json")


# Tokens

MADE_BY = "The token that made it, with which it ends."


class Token(serializers.ModelSerializer):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), allow_empty=False
    )

    class Meta:
        model = ApiToken
        fields = ["id", "name", "hint", "scopes", "created_at", "expires_at", "last_used_at"]


class NewToken(serializers.Serializer):
    name = serializers.CharField(max_length=60)
    scopes = serializers.MultipleChoiceField(choices=Scope.choices, allow_empty=False)
    days = serializers.IntegerField(
        min_value=1, max_value=3650, allow_null=True, default=None, help_text="None: for good."
    )

    def expires_at(self) -> Any:
        days = self.validated_data["days"]
        return timezone.now() + timedelta(days=days) if days else None


class MintedToken(Token):
    secret = serializers.CharField(help_text="Shown this once.")

    class Meta(Token.Meta):
        fields = [*Token.Meta.fields, "secret"]


class ConnectionShown(serializers.Serializer):
    kind = serializers.ChoiceField(choices=["feed", "webhook", "browser"])
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    token = serializers.IntegerField(
        source="token.id", allow_null=True, default=None, help_text=MADE_BY
    )


class TokenList(serializers.Serializer):
    tokens = Token(many=True)
    connections = ConnectionShown(
        many=True, help_text="Lasting access beside tokens: feeds, webhooks and browsers."
    )


class Tokens(APIView):
    """My tokens; only with a session, never by a token."""

    permission_classes = [InPerson]
    asks_again = True

    @extend_schema(operation_id="tokens", responses=TokenList)
    def get(self, request: Request) -> Response:
        player = player_of(request)
        listed = {"tokens": player.tokens.all(), "connections": connections_of(player)}
        return Response(TokenList(listed).data)

    @extend_schema(
        operation_id="make_token",
        description="The secret is in this answer and nowhere else.",
        request=NewToken,
        responses={201: MintedToken},
    )
    def post(self, request: Request) -> Response:
        data = NewToken(data=request.data)
        data.is_valid(raise_exception=True)
        player = player_of(request)
        if player.tokens.count() >= tokens.MOST_PER_PLAYER:
            raise PermissionDenied(
                _("You have 20 tokens, the most one can have; revoke one first."),
                code="not_allowed",
            )
        token, secret = tokens.mint(
            player=player,
            name=data.validated_data["name"],
            scopes=sorted(data.validated_data["scopes"]),
            expires_at=data.expires_at(),
        )
        return Response({**Token(token).data, "secret": secret}, status=201)


class OneToken(APIView):
    """Revokes a token: programs that use it are shut out."""

    permission_classes = [InPerson]

    @extend_schema(operation_id="revoke_token", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        deleted, _of_each = ApiToken.objects.filter(pk=pk, player=player_of(request)).delete()
        if not deleted:
            raise NotFound(_("There is no such token."))
        return Response(status=204)
