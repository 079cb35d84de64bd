"""Subscribers of the tests: one listens, one always fails."""

from games.events import Fact
from games.models import OutboxMessage

HEARD: list[Fact] = []


def hear(fact: Fact) -> None:
    HEARD.append(fact)


def fail(fact: Fact) -> None:
    raise ConnectionError("nobody is at home")


def facts() -> list[tuple[str, dict[str, object]]]:
    """What is on its way up, in the order in which it happened."""
    rows = OutboxMessage.objects.order_by("id")
    return [(row.fact, row.payload) for row in rows]


def names_of_facts() -> list[str]:
    return [name for name, _payload in facts()]
