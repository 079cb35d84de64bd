"""A ladder: whoever beats one above him takes his place, and those between go down by one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from games.rules.position import Refusal
from tournaments.formats.format import Games, check_enough, whole
from tournaments.formats.history import Draw, Entrant, History

Places = tuple[int, ...]
"""Players from the top of the ladder down."""


class NotOnLadder(Refusal):
    """One of the two is not on the ladder."""


class OutOfReach(Refusal):
    """A challenge goes up, and not too far; the sentence says how far."""


class TooManyChallenges(Refusal):
    """One of the two has as many challenges as he may have."""


class TooSoon(Refusal):
    """These two are playing, or have just played; the sentence says until when to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A game on the ladder; it runs until it has ended."""

    challenger: int
    challenged: int
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Players decide who plays whom, so there is never anything to be paired."""

    key: ClassVar[str] = "ladder"

    reach: int = whole(3, least=1, most=100)
    """How many places up one may challenge."""
    outgoing: int = whole(3, least=1, most=20)
    """How many challenges of his own a player may have running."""
    incoming: int = whole(5, least=1, most=50)
    """How many challenges by others a player must take at the same time."""
    rest_days: int = whole(7, least=0, most=90)
    """How long the same two wait until one challenges the other again."""
    fall: int = whole(3, least=0, most=100)
    """How many places whoever loses on time goes down besides."""

    def next(self, history: History, *, seed: str) -> Draw:
        return Draw()

    def check(self, entrants: int) -> None:
        check_enough(entrants, 2)

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        return 0

    def games_for(self, entrants: int) -> Games:
        """Players decide how often they play; the limits hold at any one time."""
        others = max(0, entrants - 1)
        at_once = min(self.outgoing, others) + min(self.incoming, others)
        return Games(per_player=None, total=None, at_once=at_once)

    def within_reach(self, places: Sequence[int], player: int) -> Places:
        """Whom he may challenge as far as places go, the nearest last."""
        at = _place(places, player)
        return tuple(places[max(0, at - self.reach) : at])

    def check_challenge(
        self,
        places: Sequence[int],
        challenges: Iterable[Challenge],
        *,
        challenger: int,
        challenged: int,
        now: datetime,
    ) -> None:
        """Raises a Refusal unless one may challenge the other now."""
        challenges = list(challenges)
        self._check_reach(places, challenger, challenged)
        self._check_rest(challenges, {challenger, challenged}, now)
        running = [each for each in challenges if not each.ended_at]
        if sum(each.challenger == challenger for each in running) >= self.outgoing:
            raise TooManyChallenges(
                "You have {limit} challenges running already; that is the most there may be.",
                limit=self.outgoing,
            )
        if sum(each.challenged == challenged for each in running) >= self.incoming:
            raise TooManyChallenges(
                "This player has been challenged by {limit} others already; "
                "that is the most there may be.",
                limit=self.incoming,
            )

    def _check_reach(self, places: Sequence[int], challenger: int, challenged: int) -> None:
        at, above = _place(places, challenger), _place(places, challenged)
        if at == 0:
            raise OutOfReach("You are on the first place; there is nobody above you to challenge.")
        if not 1 <= at - above <= self.reach:
            raise OutOfReach(
                "From place {place} you can challenge the places {highest} to {lowest}, "
                "not place {asked}.",
                place=at + 1,
                highest=max(1, at + 1 - self.reach),
                lowest=at,
                asked=above + 1,
            )

    def _check_rest(self, challenges: Iterable[Challenge], both: set[int], now: datetime) -> None:
        for each in challenges:
            if {each.challenger, each.challenged} == both:
                if each.ended_at is None:
                    raise TooSoon("You two have a game on this ladder already.")
                if now < (until := each.ended_at + timedelta(days=self.rest_days)):
                    raise TooSoon(
                        "You two have played lately; you can challenge again from {until} UTC.",
                        until=f"{until:%Y-%m-%d %H:%M}",
                    )

    def after(
        self,
        places: Sequence[int],
        *,
        challenger: int,
        challenged: int,
        winner: int | None,
        on_time: bool = False,
    ) -> Places:
        """The ladder after a game; `winner` is None for a draw, which changes nothing.

        Whoever left the ladder during the game is not on it, and nothing is taken from him.
        """
        after = list(places)
        if winner == challenger and {challenger, challenged} <= set(after):
            _take_place(after, challenger, challenged)
        if on_time and winner is not None:
            _fall(after, challenged if winner == challenger else challenger, self.fall)
        return tuple(after)


def _place(places: Sequence[int], player: int) -> int:
    if player not in places:
        raise NotOnLadder("This player is not on the ladder.")
    return places.index(player)


def _take_place(places: list[int], winner: int, loser: int) -> None:
    taken = places.index(loser)
    if taken < places.index(winner):
        places.remove(winner)
        places.insert(taken, winner)


def _fall(places: list[int], loser: int, far: int) -> None:
    if loser in places:
        at = places.index(loser)
        places.remove(loser)
        places.insert(at + far, loser)
