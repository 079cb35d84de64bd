"""One reading serves all who listen; whoever does not keep up is cut off."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from config import listening
from config.listening import Hub, Listener, TooManyStreams
from games.api.feed import News, Reader


def in_a_loop(act):
    """In a thread of its own: a browser test's loop may still be running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(act())).result()


def news(line_id, game_id, ply, player_id):
    return News(line_id, game_id, ply, None, player_id)


class Scripted(Reader):
    """A reader that finds what it is told to, a look at a time."""

    script: list[list[News]] = []
    looks = 0

    @classmethod
    def from_now(cls):
        return cls()

    def read(self):
        type(self).looks += 1
        found = self.script.pop(0) if self.script else []
        self.horizon = max([self.horizon, *(line.line_id for line in found)])
        return found


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(listening, "Reader", Scripted)
    monkeypatch.setattr(listening, "LOOK_EVERY", 0.01)
    monkeypatch.setattr(listening.feed, "lines_by_id", lambda ids: [])
    monkeypatch.setattr(listening.feed, "ended_among", lambda ids: {})
    Scripted.script, Scripted.looks = [], 0
    return Scripted


async def at_once(work, *arguments):
    return work(*arguments)


def test_two_turns_in_one_look_carry_the_id_from_before_it(scripted):
    """Whoever leaves between the two gets both again."""
    scripted.script = [[news(1, 7, 1, 5)], [news(2, 8, 1, 5), news(3, 9, 1, 5)]]

    async def listen():
        async with Hub(at_once).joined(5, None) as listener:
            return [await listener.queue.get() for _ in range(3)]

    told = in_a_loop(listen)
    assert [(safe_id, data["game"]) for safe_id, _kind, data in told] == [(0, 7), (1, 8), (1, 9)]


def test_a_turn_is_told_to_all_streams_of_its_player_and_no_other(scripted):
    scripted.script = [[], [news(1, 7, 3, 5)], [news(2, 8, 4, 6)]]

    async def listen():
        hub = Hub(at_once)
        async with hub.joined(5, None) as a, hub.joined(5, None) as b, hub.joined(6, None) as c:
            return [(await each.queue.get())[2]["game"] for each in (a, b, c)]

    assert in_a_loop(listen) == [7, 7, 8]


def test_nobody_looks_while_nobody_listens(scripted):
    async def listen():
        hub = Hub(at_once)
        async with hub.joined(5, None):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)
        looks = scripted.looks
        await asyncio.sleep(0.1)
        return looks, scripted.looks

    before, after = in_a_loop(listen)
    assert 0 < before == after


def test_a_database_that_is_away_for_a_while_ends_no_stream(scripted, monkeypatch):
    scripted.script = [[news(1, 7, 1, 5)]]
    failures = [1, 2]

    async def after_failures(work, *arguments):
        if failures:
            failures.pop()
            raise listening.OperationalError("gone")
        return work(*arguments)

    async def listen():
        async with Hub(after_failures).joined(5, None) as listener:
            return [await listener.queue.get() for _ in range(3)]

    begun, turn, over = in_a_loop(listen)
    assert begun[1:] == ("outage", {"is_over": False})
    assert turn[2]["game"] == 7
    assert over[1:] == ("outage", {"is_over": True})


def test_who_does_not_take_what_he_is_told_is_cut_off(monkeypatch):
    monkeypatch.setattr(listening, "LONGEST_QUEUE", 2)
    listener = Listener(5, None)
    for number in range(3):
        listener.tell(0, "turn", {"game": number})
    told = [listener.queue.get_nowait() for _ in range(3)]
    assert told == [(0, "turn", {"game": 0}), (0, "turn", {"game": 1}), None]


def test_a_sixth_stream_is_one_too_many(scripted):
    async def listen():
        hub = Hub(at_once)
        for _ in range(5):
            await hub.joined(5, None).__aenter__()
        with pytest.raises(TooManyStreams):
            await hub.joined(5, None).__aenter__()
        hub.listeners.clear()

    in_a_loop(listen)
