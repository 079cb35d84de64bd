"""The web process's way in."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("STATEMENT_TIMEOUT", "10")

application = get_wsgi_application()

from config import web_beats  # noqa: E402 - needs the apps

web_beats.start()
