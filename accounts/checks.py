"""System check: every function that a setting names can be imported."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.module_loading import import_string

SETTINGS = (
    "DATA_EXPORTS",
    "CONNECTIONS",
    "ACCESS_REVOCATIONS",
    "CLOSING_STEPS",
    "CLOSING_SUMMARIES",
    "DEMO_PARTS",
    "MAY_RULE",
    "UNREAD_ANSWERS",
    "PLAY_EACH_OTHER",
)


def check_named_functions(**_: Any) -> list[CheckMessage]:
    return [
        Error(f"{setting} names {path}, which cannot be imported: {error}", id="tripost.E001")
        for setting, path in (*_of_settings(), *_of_subscriptions())
        for error in _errors(path)
    ]


def _of_settings() -> Iterator[tuple[str, str]]:
    for setting in SETTINGS:
        value = getattr(settings, setting)
        for path in [value] if isinstance(value, str) else value:
            yield setting, path


def _of_subscriptions() -> Iterator[tuple[str, str]]:
    """The outbox stores these names: without its function, a fact would never arrive."""
    functions = import_string(settings.SUBSCRIBERS)
    yield from (("SUBSCRIBERS", path) for path in functions.values())
    for setting in ("SUBSCRIPTIONS", "HEARD_AT_ONCE"):
        for names in import_string(getattr(settings, setting)).values():
            yield from ((setting, functions.get(name, name)) for name in names)


def _errors(path: str) -> Iterator[ImportError]:
    try:
        import_string(path)
    except ImportError as error:
        yield error
