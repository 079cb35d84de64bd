"""Equals meet equals and nobody meets twice: a Swiss event, one round at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from tournaments.formats.byes import bye_that_leaves_a_round, in_line_for_bye
from tournaments.formats.cards import FIRST, SECOND, Card, Steps, Virtual, cards, ranked
from tournaments.formats.colours import sides
from tournaments.formats.format import Games, InvalidSetting, check_enough, choice, whole
from tournaments.formats.history import Draw, Entrant, History, Idle, Meeting, Pairing, Unpairable
from tournaments.formats.lots import lot
from tournaments.formats.matching import Pairs, Rules, best_round


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """A round is drawn when every game so far is decided, and never drawn again."""

    key: ClassVar[str] = "swiss"

    rounds: int = whole(5, least=3, most=11)
    games: int = whole(1, least=1, most=2)
    """Of a match: one, or two at the same time with the first move once each."""
    acceleration: str = choice("none", "baku")
    first_colour: str = choice("lot", "first", "second")
    """What start number 1 begins with."""

    def next(self, history: History, *, seed: str) -> Draw:
        number = max((game.round for game in history.meetings), default=0)
        lost = self._lost_of(history, number, seed)
        if lost.pairings or lost.idles:
            return lost
        if any(not game.scores for game in history.meetings):
            return Draw()
        players = in_round(history, number + 1)
        if number >= self.rounds or len(players) < 2:
            return Draw(over=True)
        return self.draw(history, number + 1, seed=seed, players=players)

    def check(self, entrants: int) -> None:
        check_enough(entrants, 2)
        most = entrants - 1 + entrants % 2
        if self.rounds > most:
            raise InvalidSetting(
                "{entrants} entrants can play at most {most} rounds without meeting twice, "
                "not {rounds}.",
                entrants=entrants,
                most=most,
                rounds=self.rounds,
            )

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        return self.rounds

    def games_for(self, entrants: int) -> Games:
        return Games(
            per_player=self.rounds * self.games,
            total=self.rounds * self.games * (entrants // 2),
            at_once=self.games,
        )

    def draw(self, history: History, number: int, *, seed: str, players: set[int]) -> Draw:
        """One round from all rounds before it; raises Unpairable."""
        if len(players) < 2:
            raise Unpairable(
                "Round {round} cannot be paired: there are fewer than two players left for it.",
                round=number,
            )
        virtual = self._virtual(history)
        steps = Steps.of(history, virtual)
        all_cards = cards(history, before=number, virtual=virtual, steps=steps)
        field = ranked(all_cards[player] for player in players)
        half = steps(history.values.win) * self.games * (number - 1) / 2
        rules = Rules(
            round=number,
            lots=seed,
            colours_matter=self.games == 1,
            relaxed=lambda card: number == self.rounds and card.points > half,
        )
        pairs, bye = _paired(field, rules)
        return Draw(
            pairings=tuple(self._games(pairs, number, seed)),
            idles=(Idle(round=number, number=bye.number, kind="U"),) if bye else (),
        )

    def _lost_of(self, history: History, number: int, seed: str) -> Draw:
        """What a round was drawn to have and has not, drawing it once more from what was before."""
        games = [game for game in history.meetings if game.round == number]
        idles = [idle for idle in history.idles if idle.round == number]
        paired = {player for game in games for player in (game.first, game.second)}
        players = paired | in_round(history, number)
        resting = {idle.number for idle in idles if idle.kind == "U"}
        if players == paired | resting and len(games) * 2 == len(paired) * self.games:
            return Draw()
        before = replace(
            history,
            meetings=[game for game in history.meetings if game.round < number],
            idles=[idle for idle in history.idles if idle.round < number],
        )
        try:
            whole = self.draw(before, number, seed=seed, players=players)
        except Unpairable:
            return Draw()
        return _difference(whole, games, idles)

    def _games(self, pairs: Pairs, number: int, seed: str) -> Iterator[Pairing]:
        initial = self._initial_colour(seed)
        for upper, lower in sorted(pairs, key=_board):
            one, other = sides(upper, lower, initial=initial)
            yield Pairing(round=number, first=one.number, second=other.number)
            if self.games == 2:
                yield Pairing(round=number, first=other.number, second=one.number, leg=2)

    def _initial_colour(self, seed: str) -> int:
        if self.first_colour == "lot":
            return FIRST if lot(seed, "first colour") % 2 else SECOND
        return FIRST if self.first_colour == "first" else SECOND

    def _virtual(self, history: History) -> Virtual:
        """The points that count for pairing alone, for those who have any."""
        extra = dict(history.accelerations)
        if self.acceleration == "baku":
            extra |= baku(history.entrants, self.rounds, history.values.win * self.games)
        return {
            entrant.number: tuple(
                entrant.offset + (own[at] if at < len(own) else 0) for at in range(self.rounds)
            )
            for entrant in history.entrants
            if (own := extra.get(entrant.number, ())) or entrant.offset
        }


def baku(
    entrants: Iterable[Entrant], rounds: int, win: Fraction
) -> dict[int, tuple[Fraction, ...]]:
    """The upper half begins with a win's points, then has half of them, then none."""
    numbers = sorted(entrant.number for entrant in entrants if entrant.joined == 1)
    accelerated = (rounds + 1) // 2
    full = (accelerated + 1) // 2
    points = (win,) * full + (win / 2,) * (accelerated - full)
    return dict.fromkeys(numbers[: 2 * -(-len(numbers) // 4)], points)


def in_round(history: History, number: int) -> set[int]:
    """Who is to be paired: there already, still there, and not excused from this round."""
    excused = {idle.number for idle in history.idles if idle.round == number and idle.kind != "U"}
    return {
        entrant.number
        for entrant in history.entrants
        if entrant.joined <= number and not entrant.left and entrant.number not in excused
    }


def _difference(whole: Draw, games: Sequence[Meeting], idles: Sequence[Idle]) -> Draw:
    """What is not there yet; nothing if what is there comes from another draw."""
    drawn = {(game.first, game.second, game.leg): game for game in whole.pairings}
    there = {(game.first, game.second, game.leg) for game in games}
    if not there <= drawn.keys():
        return Draw()
    return Draw(
        pairings=tuple(game for key, game in drawn.items() if key not in there),
        idles=tuple(idle for idle in whole.idles if idle not in idles),
    )


def _paired(field: list[Card], rules: Rules) -> tuple[Pairs, Card | None]:
    if len(field) % 2 == 0:
        return _whole(best_round(field, rules), rules.round), None
    line = in_line_for_bye(field)
    bye = line[0] if line else None
    pairs = best_round(_without(field, bye), rules) if bye else None
    if pairs is None:
        bye = bye_that_leaves_a_round(field, line)
        pairs = best_round(_without(field, bye), rules) if bye else None
    return _whole(pairs, rules.round), bye


def _without(field: list[Card], bye: Card) -> list[Card]:
    return [card for card in field if card is not bye]


def _whole(pairs: Pairs | None, number: int) -> Pairs:
    if pairs is None:
        raise Unpairable(
            "Round {round} cannot be paired: too many of those who are left have met already or "
            "may not meet. The event can be finished with the rounds played so far.",
            round=number,
        )
    return pairs


def _board(pair: tuple[Card, Card]) -> tuple[int, int, int]:
    upper, lower = pair
    return (-upper.score, -lower.score, upper.number)


if __name__ == "__main__":
    from tournaments.formats.swiss_report import main

    main()
