"""Log lines that carry the id of the request or task they belong to."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery.signals import task_prerun

current_id: ContextVar[str] = ContextVar("current_id", default="-")


def new_id() -> str:
    return uuid4().hex[:16]


@task_prerun.connect
def _use_task_id(task_id: str, **kwargs: Any) -> None:
    current_id.set(task_id)


class JsonLines(logging.Formatter):
    """One JSON object a line, for production."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "id": current_id.get(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class ReadableLines(logging.Formatter):
    """One short line for a person who watches."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        line = f"{time} {record.levelname:<7} {current_id.get()[:8]:<8} {record.getMessage()}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line
