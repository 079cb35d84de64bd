"""Every form of the site, also one that was written a minute ago."""

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from django import forms
from django.contrib import admin
from django.test import RequestFactory

from accounts.models import Player

APPS = ("accounts", "games", "tournaments", "notifications", "config")
NO_PAGES = (".migrations", ".management", ".asgi", ".celery", ".stream")


@cache
def all_forms() -> tuple[type[forms.BaseForm], ...]:
    for app in APPS:
        for module in pkgutil.walk_packages(import_module(app).__path__, f"{app}."):
            if not any(part in module.name for part in NO_PAGES):
                import_module(module.name)
    return tuple(dict.fromkeys([*_below(forms.BaseForm), *_of_the_staff()]))


def _below(kind: type) -> Iterator[type[forms.BaseForm]]:
    for below in kind.__subclasses__():
        if below.__module__.partition(".")[0] in APPS:
            yield below
        yield from _below(below)


def _of_the_staff() -> Iterator[type[forms.BaseForm]]:
    request = RequestFactory().get("/staff/")
    request.user = Player(is_staff=True, is_superuser=True)
    for page in admin.site._registry.values():
        if page.has_change_permission(request) or page.has_add_permission(request):
            yield page.get_form(request, change=True)
