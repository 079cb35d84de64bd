"""The demo shows an event of each format in mid-flight."""

from games import demo as demo_of_games
from games.models import OutboxMessage
from tests.conftest import NOW
from tournaments import demo
from tournaments.formats.registry import FORMATS
from tournaments.models import Errand, Event, State
from tournaments.tables import board_of


def test_the_demo_has_an_event_of_each_format_in_mid_flight(db: None) -> None:
    demo_of_games._World(NOW, 1)
    assert demo.load(now=NOW) == 7
    running = Event.objects.filter(state=State.RUNNING)
    assert {event.format for event in running} == set(FORMATS)
    assert Event.objects.filter(state=State.OPEN).count() == 1
    for event in running:
        board = board_of(event)
        assert any(row.settled_at for row in board.told.meetings), event.name
        assert any(row.settled_at is None for row in board.told.meetings), event.name
    assert not OutboxMessage.objects.exists()
    assert not Errand.objects.exists()
