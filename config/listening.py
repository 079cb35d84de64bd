"""Who listens to what: one reading of the database serves every stream there is."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from django.db import Error, OperationalError

from config import absences
from games.api import feed
from games.api.feed import Reader

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.5
MOST_PER_PLAYER = 5
LONGEST_QUEUE = 1000
LONGEST_BEGINNING = 10.0

Data = dict[str, Any]
Happened = tuple[int, str, Data]
"""The id to come again with, the kind of event and its data."""


class TooManyStreams(Exception):
    """A player has as many streams open as one can."""


class Listener:
    """One stream; a queue that holds an end once there is nothing more to tell."""

    def __init__(self, player_id: int, game_id: int | None) -> None:
        self.player_id = player_id
        self.game_id = game_id
        self.queue: asyncio.Queue[Happened | None] = asyncio.Queue()

    def tell(self, safe_id: int, kind: str, data: Data) -> None:
        # Whoever does not take what he is told is cut off, and comes again with the last id.
        if self.queue.qsize() >= LONGEST_QUEUE:
            self.end()
        else:
            self.queue.put_nowait((safe_id, kind, data))

    def end(self) -> None:
        self.queue.put_nowait(None)


class Hub:
    """Looks for news while anybody listens, and passes them on."""

    def __init__(self, in_a_thread: Callable[..., Awaitable[Any]]) -> None:
        self.in_a_thread = in_a_thread
        self.listeners: set[Listener] = set()
        self.safe_id = 0
        """Everything up to this line has been told to all who listen."""
        self._known_ended: set[int] = set()
        self._is_away = False
        self._looking: asyncio.Task[None] | None = None
        self._has_begun = asyncio.Event()

    @asynccontextmanager
    async def joined(self, player_id: int, game_id: int | None) -> AsyncIterator[Listener]:
        """From here on nothing is missed: what was before can be read now."""
        if sum(each.player_id == player_id for each in self.listeners) >= MOST_PER_PLAYER:
            raise TooManyStreams
        listener = Listener(player_id, game_id)
        self.listeners.add(listener)
        if self._looking is None or self._looking.done():
            self._has_begun.clear()
            self._looking = asyncio.create_task(self._look())
        try:
            await self._begun()
            yield listener
        finally:
            self.listeners.discard(listener)

    async def _begun(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_BEGINNING):
                await self._has_begun.wait()
        except TimeoutError as error:
            raise OperationalError("the first look takes too long") from error

    async def _look(self) -> None:
        reader: Reader | None = None
        while self.listeners:
            try:
                reader = reader or await self.in_a_thread(Reader.from_now)
                self._has_begun.set()
                watched = {each.game_id for each in self.listeners if each.game_id is not None}
                self._tell_all(await self.in_a_thread(_read, reader, watched))
                self.safe_id = reader.horizon
                self._tell_outage(is_over=True)
            except Error as error:
                self._tell_outage(is_over=False, error=error)
            await asyncio.sleep(LOOK_EVERY)

    def _tell_outage(self, *, is_over: bool, error: Exception | None = None) -> None:
        """Once when it begins and once when it ends: silence would pass for nothing happening."""
        if self._is_away != is_over:
            return
        self._is_away = not is_over
        if error and not absences.said(error):
            logger.warning("the stream cannot look: %s", str(error).partition("\n")[0])
        for listener in self.listeners:
            listener.tell(self.safe_id, "outage", {"is_over": is_over})

    def _tell_all(self, seen: "Seen") -> None:
        for listener in self.listeners:
            if listener.game_id is None:
                for turn in seen.turns.get(listener.player_id, {}).values():
                    listener.tell(self.safe_id, "turn", turn)
                continue
            for line in seen.lines.get(listener.game_id, ()):
                listener.tell(self.safe_id, "game", line)
            if listener.game_id in seen.ended.keys() - self._known_ended:
                listener.tell(self.safe_id, "end", seen.ended[listener.game_id])
        self._known_ended = set(seen.ended)


@dataclass(frozen=True)
class Seen:
    """What a look has found: turns by player and game, lines by game, games that are over."""

    turns: dict[int | None, dict[int, Data]]
    lines: dict[int, list[Data]]
    ended: dict[int, Data]


def _read(reader: Reader, watched: set[int]) -> Seen:
    turns: dict[int | None, dict[int, Data]] = defaultdict(dict)
    lines: dict[int, list[Data]] = defaultdict(list)
    news = reader.read()
    for each in news:
        turns[each.player_id][each.game_id] = feed.turn(each.game_id, each.ply, each.deadline_at)
    for line in feed.lines_by_id([each.line_id for each in news if each.game_id in watched]):
        lines[line["game"]].append(line)
    return Seen(turns, lines, feed.ended_among(watched))
