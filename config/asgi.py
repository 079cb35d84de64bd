"""The web process's entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("STATEMENT_TIMEOUT", "10")

handler = get_wsgi_application()

from config import web_beats  # noqa: E402 - needs the apps
from config.asgi_bridge import Bridge  # noqa: E402

application = Bridge(handler)
web_beats.start()
