"""The player as programs see him."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiToken, Player


class TokenScheme(OpenApiAuthenticationExtension):
    """Tells the API's description how a token is sent."""

    target_class = "accounts.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class MeSerializer(serializers.ModelSerializer):
    scopes = serializers.SerializerMethodField()

    class Meta:
        model = Player
        fields = ["id", "name", "email", "zone", "language", "about", "joined_at", "scopes"]

    def get_scopes(self, player: Player) -> list[str]:
        token = self.context["request"].auth
        return token.scopes if isinstance(token, ApiToken) else ["read", "play", "organise"]


class Me(APIView):
    """Who I am, and what this token may do."""

    @extend_schema(responses=MeSerializer, operation_id="me")
    def get(self, request: Request) -> Response:
        return Response(MeSerializer(request.user, context={"request": request}).data)
