"""Measures how many facts one worker carries up in a second, many a task."""

from datetime import UTC, datetime

from bench import _stage

FACTS = 3_000
TARGET = 500
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def main() -> None:
    with _stage.own_database():
        figures = _stage.steady_rounds(lambda: {"rows": _rows_a_second()})
    _stage.report("outbox rows a second, one worker", figures.get("rows", []), least=TARGET)


def _rows_a_second() -> float:
    from django.db import transaction

    from games import outbox
    from games.events import GameFinished
    from games.models import OutboxMessage

    with transaction.atomic():
        outbox.record(*(GameFinished(game_id=n, reason="time") for n in range(FACTS)), now=NOW)
    delivered: list[int] = []
    seconds = _stage.timed(lambda: delivered.append(outbox.relay(now=NOW)))
    assert delivered == [FACTS]
    assert not OutboxMessage.objects.exists()
    return FACTS / seconds


if __name__ == "__main__":
    main()
