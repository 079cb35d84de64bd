"""Beat for the web: a request through the port shows that a move would get in."""

import http.client

from django.conf import settings

from games import beats
from games.models import WayIn


def start() -> None:
    beats.start(WayIn.WEB, settings.WEB_PORT, _ask)


def _ask() -> None:
    """A process whose threads all hang still listens, but does not reply."""
    host = beats.own_host(settings.WEB_HOST)
    line = http.client.HTTPConnection(host, settings.WEB_PORT, timeout=beats.PATIENCE)
    try:
        line.request("GET", "/healthz", headers={"Connection": "close"})
        reply = line.getresponse()
        if reply.status != http.client.OK:
            raise http.client.HTTPException(f"/healthz replied {reply.status}")
    finally:
        line.close()
