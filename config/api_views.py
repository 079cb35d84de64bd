"""The API's own addresses: its page, the way to its stream, and all that leads nowhere."""

from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.problems import CODES

BOT = settings.BASE_DIR / "docs" / "bot.py"
WEBHOOK_BOT = settings.BASE_DIR / "docs" / "bot_webhook.py"


class Docs(SpectacularSwaggerSplitView):
    """The page that explains the API and lets one try it."""

    template_name = "api/docs.html"

    @method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}))
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs)

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response: Response = super().get(request, *args, **kwargs)
        response.data |= {
            "site": settings.SITE_URL,
            "limits": settings.API_LIMITS,
            "codes": CODES.items(),
            "heartbeat": settings.STREAM_HEARTBEAT,
            "bot": BOT.read_text(),
            "webhook_bot": WEBHOOK_BOT.read_text(),
        }
        return response


class Stream(APIView):
    """What happens, as server-sent events; see the docs page.

    Held by a process of its own. Behind a proxy that knows it, this very address is the
    stream; otherwise it sends there. Programs that drop their token on a redirect find the
    stream's own address in `status`.
    """

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="stream",
        parameters=[
            OpenApiParameter("game", int, description="One game; without it, all my turns."),
            OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "text/event-stream"): OpenApiResponse(str, description="The stream itself."),
            307: OpenApiResponse(None, description="The way to it."),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        if settings.STREAM_URL == settings.SITE_URL:
            raise NotFound(_("The proxy does not pass this address on to the stream."))
        asked = request.META["QUERY_STRING"]
        where = f"{settings.STREAM_URL}/api/v1/stream" + (f"?{asked}" if asked else "")
        return HttpResponse(status=307, headers={"Location": where})


class Nowhere(APIView):
    """Every other address under the API's."""

    permission_classes = [AllowAny]
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound
