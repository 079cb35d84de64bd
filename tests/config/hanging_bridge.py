"""The same site behind the bridge, as the web process serves Django."""

import os
from typing import cast

import django
from django.core.handlers.wsgi import WSGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from config.asgi_bridge import Bridge, Limits  # noqa: E402
from tests.config import hanging  # noqa: E402

# It gives up on a thread before anybody's patience is over.
application = Bridge(cast("WSGIHandler", hanging.application), Limits(turn_within=1))
