"""Log lines that carry the id of the request or task they belong to."""

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery.signals import task_prerun
from django.db import InterfaceError, OperationalError

SECRET_PART = re.compile(r"(?<=/)[\w:=-]{18,}")
"""A key in an address opens something: it must not be read off the log."""

current_id: ContextVar[str] = ContextVar("current_id", default="-")


def new_id() -> str:
    return uuid4().hex[:16]


def without_secrets(path: str) -> str:
    return SECRET_PART.sub("…", path)


def _message(record: logging.LogRecord) -> str:
    """Django names the address of a request that went wrong."""
    said = record.getMessage()
    return without_secrets(said) if record.name == "django.request" else said


@task_prerun.connect
def _use_task_id(task_id: str, **kwargs: Any) -> None:
    current_id.set(task_id)


class NoAbsences(logging.Filter):
    """PostgreSQL away is said once for all, without a traceback for each request."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, OperationalError | InterfaceError)


CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""An address may hold them, and would write lines of its own or paint the terminal."""


class JsonLines(logging.Formatter):
    """One JSON object a line, for production."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "id": current_id.get(),
            "message": _message(record),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class ReadableLines(logging.Formatter):
    """One short line for a person who watches."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        said = CONTROLS.sub(lambda found: repr(found[0])[1:-1], _message(record))
        line = f"{time} {record.levelname:<7} {current_id.get()[:8]:<8} {said}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line
