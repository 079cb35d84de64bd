"""What players were told: every move that was sent, and every reply that they got."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sent:
    """A move that answers a ply."""

    game: int
    ply: int
    text: str


@dataclass
class Ledger:
    sent: set[Sent] = field(default_factory=set)
    acknowledged: dict[Sent, str] = field(default_factory=dict)
    """With the text that the service gave the move in its reply."""
    good_since: list[float] = field(default_factory=list)
    """When each acknowledged request began."""
    taken_within: list[tuple[float, float]] = field(default_factory=list)
    """When each move was sent that was then taken for the first time, and when that was known."""
    mailed: set[Sent] = field(default_factory=set)
    """Moves in mails that the mail server has taken."""
    replies: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    """Moves that were sent again and got another reply than the first time."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_sent(self, move: Sent) -> None:
        with self._lock:
            self.sent.add(move)

    def note_acknowledged(self, move: Sent, text: str, began: float) -> None:
        with self._lock:
            self.good_since.append(began)
            if move not in self.acknowledged:
                self.taken_within.append((began, time.monotonic()))
            if self.acknowledged.setdefault(move, text) != text:
                self.contradictions.append(f"{move}: {self.acknowledged[move]}, then {text}")

    def note_mailed(self, move: Sent) -> None:
        with self._lock:
            self.mailed.add(move)

    def note_contradiction(self, move: Sent, reply: str, known: str = "acknowledged") -> None:
        with self._lock:
            self.contradictions.append(f"{move}: {known}, then {reply}")

    def note_reply(self, kind: str, example: str) -> None:
        with self._lock:
            self.replies[kind] += 1
            self.examples.setdefault(kind, example)

    def seconds_until_good(self, moment: float) -> float:
        """From a moment to the begin of the next request that was acknowledged."""
        later = [began for began in self.good_since if began >= moment]
        return (min(later) if later else time.monotonic()) - moment
