"""Who loses is out, or when he loses twice; a match begins once both its players are known."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tournaments.formats.bracket import (
    Match,
    Source,
    double_elimination,
    single_elimination,
)
from tournaments.formats.format import Games, InvalidSetting, check_enough, choice, whole
from tournaments.formats.history import Draw, Entrant, History, Meeting, Pairing
from tournaments.formats.lots import lot

NOBODY = 0
MOST_IN_DOUBLE = 1024
"""The crossing of its losers takes longer than anybody waits beyond that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is known of a match: a player is None while unknown and 0 where there is none."""

    match: Match
    players: tuple[int | None, int | None]
    winner: int | None = None
    games: tuple[Meeting, ...] = ()
    wanted: tuple[int, ...] = ()
    """The legs that are to be started."""

    @property
    def loser(self) -> int | None:
        if self.winner is None:
            return None
        one, other = self.players
        return other if self.winner == one else one


@dataclass(frozen=True, slots=True, kw_only=True)
class Knockout:
    """A match drawn is decided by the rule declared; who left loses what is not begun.

    Meetings are known by the stage of their match, which is their round, and by its players.
    """

    key: ClassVar[str] = "knockout"

    double: bool = False
    """Whether one is out only after losing twice."""
    games: int = whole(1, least=1, most=2)
    """Of a match: one, or two at the same time with the first move once each."""
    drawn: str = choice("higher seed", "second player", "replay")
    """Who goes on after a draw; "second player" is he who had the second move in the first game."""
    replays: int = whole(1, least=1, most=9)
    """How often a drawn match is replayed with colours exchanged before the higher seed goes on."""
    reset: bool = False
    """Whether a grand final is played again if it was the first defeat of its loser."""

    def next(self, history: History, *, seed: str) -> Draw:
        states = self.bracket(history)
        firsts = Counter(game.first for game in history.meetings if not game.forfeit)
        return Draw(
            pairings=tuple(game for state in states for game in _games(state, firsts, seed)),
            over=states[-1].winner is not None,
        )

    def check(self, entrants: int) -> None:
        check_enough(entrants, 2)
        if self.double and entrants > MOST_IN_DOUBLE:
            raise InvalidSetting(
                "A double elimination can have at most {most} entrants.", most=MOST_IN_DOUBLE
            )

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        return self.shape(len(entrants))[-1].stage

    def games_for(self, entrants: int) -> Games:
        """As many as there can be, every draw replayed; byes are no games."""
        of_a_match = self.games * (1 + self.replays * (self.drawn == "replay"))
        matches = (entrants - 1) * (2 if self.double else 1) + (self.double and self.reset)
        return Games(
            per_player=self._most_matches(entrants) * of_a_match,
            total=matches * of_a_match,
            at_once=self.games,
        )

    def _most_matches(self, entrants: int) -> int:
        """Of a player: won all, or all after a first defeat among the losers."""
        rounds = max(1, (entrants - 1).bit_length())
        return 2 * rounds + self.reset if self.double else rounds

    def shape(self, entrants: int) -> tuple[Match, ...]:
        if self.double:
            return double_elimination(entrants, reset=self.reset)
        return single_elimination(entrants)

    def bracket(self, history: History) -> tuple[State, ...]:
        """Every match with what is known of it, feeders first."""
        entry = _Entry.of(history)
        states: dict[int, State] = {}
        for match in self.shape(len(entry.seeds)):
            one, other = (_coming(source, states, entry) for source in match.sources)
            states[match.number] = self._state(match, one, other, entry)
        return tuple(states.values())

    def _state(self, match: Match, one: int | None, other: int | None, entry: "_Entry") -> State:
        if one is None or other is None:
            return State(match=match, players=(one, other))
        if NOBODY in (one, other):
            return State(match=match, players=(one, other), winner=one or other)
        games = entry.games.get((match.stage, frozenset({one, other})), {})
        winner, wanted = self._decided(games, (min(one, other), max(one, other)), entry)
        return State(
            match=match,
            players=(one, other),
            winner=winner,
            games=tuple(games.values()),
            wanted=wanted,
        )

    def _decided(
        self, games: Mapping[int, Meeting], pair: tuple[int, int], entry: "_Entry"
    ) -> tuple[int | None, tuple[int, ...]]:
        """The winner, or the legs wanted for finding him; `pair` has the higher seed first."""
        sets = 1 + self.replays * (self.drawn == "replay")
        for start in range(1, 1 + sets * self.games, self.games):
            legs = range(start, start + self.games)
            if missing := tuple(leg for leg in legs if leg not in games):
                walkover = entry.walkover(pair)
                return walkover, () if walkover else missing
            played = [games[leg] for leg in legs]
            if not all(game.scores for game in played):
                return None, ()
            if leader := _leader(played):
                return leader, ()
            if all(game.forfeit for game in played):
                return pair[0], ()
        return (games[1].second if self.drawn == "second player" else pair[0]), ()

    def places(self, history: History) -> dict[int, tuple[int, int]]:
        """The best and the worst final place of those who are out, and of the winner."""
        states = self.bracket(history)
        places: dict[int, tuple[int, int]] = {}
        inside = len(history.entrants)
        for stage, leaving in _leaving(states, inside):
            for state in states:
                if state.match.stage == stage and state.match in leaving and state.loser:
                    places[state.loser] = (inside - len(leaving) + 1, inside)
            inside -= len(leaving)
        if winner := states[-1].winner:
            places |= dict.fromkeys((p for p in states[-1 - self._resets].players if p), (2, 2))
            places[winner] = (1, 1)
        return places

    @property
    def _resets(self) -> bool:
        return self.double and self.reset


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A history by what a bracket asks of it."""

    seeds: tuple[int, ...]
    left: frozenset[int]
    games: Mapping[tuple[int, frozenset[int]], Mapping[int, Meeting]]
    last_stage: Mapping[int, int]

    @classmethod
    def of(cls, history: History) -> "_Entry":
        games: dict[tuple[int, frozenset[int]], dict[int, Meeting]] = defaultdict(dict)
        last_stage: dict[int, int] = defaultdict(int)
        for game in sorted(history.meetings, key=lambda game: (game.round, game.leg)):
            games[game.round, frozenset({game.first, game.second})][game.leg] = game
            last_stage[game.first] = last_stage[game.second] = game.round
        return cls(
            seeds=tuple(sorted(entrant.number for entrant in history.entrants)),
            left=frozenset(entrant.number for entrant in history.entrants if entrant.left),
            games=games,
            last_stage=last_stage,
        )

    def walkover(self, pair: tuple[int, int]) -> int | None:
        """Who goes on without a game because the other left.

        If both have left by now, it is he who had games in later stages before he did.
        """
        staying = [number for number in pair if number not in self.left]
        if len(staying) == 2:
            return None
        return staying[0] if staying else max(pair, key=lambda number: self.last_stage[number])


def _coming(source: Source, states: Mapping[int, State], entry: _Entry) -> int | None:
    if source.kind == "seed":
        return entry.seeds[source.of - 1] if source.of <= len(entry.seeds) else NOBODY
    state = states[source.of]
    if source.kind == "winner":
        return state.winner
    if source.kind == "loser" or state.loser is None:
        return state.loser
    return state.loser if state.loser == state.players[0] else NOBODY


def _leader(games: Sequence[Meeting]) -> int | None:
    """Who scored more in these games, if one did."""
    one, other = games[0].first, games[0].second
    lead = sum(
        (game.scores[0] - game.scores[1]) * (1 if game.first == one else -1)
        for game in games
        if game.scores
    )
    return None if lead == 0 else one if lead > 0 else other


def _games(state: State, firsts: Mapping[int, int], seed: str) -> Iterator[Pairing]:
    if not state.wanted:
        return
    one, other = _order(state, firsts, seed)
    for leg in state.wanted:
        first, second = (one, other) if leg % 2 else (other, one)
        yield Pairing(round=state.match.stage, first=first, second=second, leg=leg)


def _order(state: State, firsts: Mapping[int, int], seed: str) -> tuple[int, int]:
    """Who begins in the odd legs: as begun, or who had fewer first moves so far, or by lot."""
    for game in state.games:
        return (game.first, game.second) if game.leg % 2 else (game.second, game.first)
    one, other = sorted(number for number in state.players if number)
    if firsts.get(one, 0) != firsts.get(other, 0):
        return (one, other) if firsts.get(one, 0) < firsts.get(other, 0) else (other, one)
    return (one, other) if lot(seed, state.match.stage, one, other) % 2 else (other, one)


def _leaving(states: Sequence[State], entrants: int) -> Iterator[tuple[int, list[Match]]]:
    """Stage by stage, the matches before the final ones whose losers are out, byes left aside."""
    matches = {state.match.number: state.match for state in states}
    go_on = {
        source.of
        for match in matches.values()
        for source in match.sources
        if source.kind == "loser"
    }

    def filled(source: Source) -> bool:
        if source.kind == "seed":
            return source.of <= entrants
        both = [filled(feeder) for feeder in matches[source.of].sources]
        return any(both) if source.kind == "winner" else all(both)

    for stage in range(1, states[-1].match.stage + 1):
        yield (
            stage,
            [
                match
                for match in matches.values()
                if match.stage == stage
                and match.side != "final"
                and match.number not in go_on
                and all(filled(source) for source in match.sources)
            ],
        )
