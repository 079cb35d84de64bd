"""What there is to play, and whether the service runs."""

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import outages
from games.api import answers, present
from games.api.games import OpenToWatch
from games.api.pages import PAGE, page_of
from games.models import Outage
from games.rules.registry import RULESETS


class Rulesets(OpenToWatch):
    """The games, their options and the clocks that have a name."""

    @extend_schema(operation_id="rulesets", responses=answers.RulesetList)
    def get(self, request: Request) -> Response:
        return Response({"rulesets": [present.ruleset(key) for key in RULESETS]})


class State(OpenToWatch):
    """Whether the service runs, and where its stream is."""

    @extend_schema(operation_id="status", responses=answers.ServiceState)
    def get(self, request: Request) -> Response:
        now = timezone.now()
        return Response(
            {
                "alive": outages.worker_is_alive(now=now),
                "now": now,
                "stream": f"{settings.STREAM_URL}/api/v1/stream",
            }
        )


class Outages(OpenToWatch):
    """When moves could not be taken; every running clock was credited."""

    @extend_schema(
        operation_id="outages", parameters=PAGE, responses=answers.page(answers.OutageEntry)
    )
    def get(self, request: Request) -> Response:
        return page_of(Outage.objects.all(), request, present.outage)
