"""Events for tests: written down as cross tables, or made up by Hypothesis."""

import re
from collections.abc import Mapping
from fractions import Fraction

from hypothesis import strategies as st

from tournaments.formats.history import HALF, Entrant, History, Idle, Meeting, Values

ONE = Fraction(1)
NIL = Fraction(0)
CHESS = Values()

FOOTBALL = Values(win=Fraction(3), draw=ONE, bye=Fraction(3))


def event(
    lines: Mapping[int, str],
    *,
    rounds: int = 0,
    ratings: Mapping[int, int] | None = None,
    values: Values = CHESS,
) -> History:
    """Rounds are parted by blanks: 4w1 won against 4 with the first move, 4b- lost to him by
    forfeit, 4w? is still being played; H, F, U, Z and . (nothing) have no opponent. Two games
    in a round are joined by a comma."""
    meetings, idles = [], []
    for number, line in lines.items():
        for round_number, cell in enumerate(line.split(), start=1):
            for leg, game in enumerate(cell.split(","), start=1):
                if game in "HFUZ":
                    idles.append(Idle(round=round_number, number=number, kind=game))
                elif game != "." and "w" in game:
                    meetings.append(_meeting(lines, number, round_number, leg, game, values))
    entrants = [Entrant(number=one, rating=(ratings or {}).get(one, 0)) for one in lines]
    return History(entrants=entrants, meetings=meetings, idles=idles, rounds=rounds, values=values)


def _meeting(
    lines: Mapping[int, str], number: int, round_number: int, leg: int, game: str, values: Values
) -> Meeting:
    opponent, own = re.fullmatch(r"(\d+)w(.)", game).groups()
    theirs = lines[int(opponent)].split()[round_number - 1].split(",")[leg - 1]
    assert theirs[:-1] == f"{number}b", f"{number} and {opponent} disagree in round {round_number}"
    worth = {
        "1": values.win, "=": values.draw, "0": values.loss, "+": values.win, "-": values.absent
    }  # fmt: skip
    return Meeting(
        round=round_number,
        first=number,
        second=int(opponent),
        leg=leg,
        scores=() if own == "?" else (worth[own], worth[theirs[-1]]),
        forfeit=own in "+-",
    )


RESULTS = st.sampled_from([(ONE, NIL), (HALF, HALF), (NIL, ONE)])
FORFEITS = st.sampled_from([(ONE, NIL), (NIL, NIL), (NIL, ONE)])


@st.composite
def events(draw: st.DrawFn, *, all_played: bool = False) -> History:
    """A Swiss event with whatever may happen in one; each round pairs anybody with anybody."""
    numbers = list(range(1, draw(st.integers(2, 9)) + 1))
    if all_played and len(numbers) % 2:
        numbers.pop()
    rounds = draw(st.integers(1, 6))
    meetings: list[Meeting] = []
    idles: list[Idle] = []
    for round_number in range(1, rounds + 1):
        order = draw(st.permutations(numbers))
        for first, second in zip(order[::2], order[1::2], strict=False):
            fate = (
                "game" if all_played else draw(st.sampled_from(["game"] * 4 + ["forfeit", "rest"]))
            )
            if fate == "rest":
                kinds = draw(st.lists(st.sampled_from("HFZ"), min_size=2, max_size=2))
                for one, kind in zip((first, second), kinds, strict=True):
                    idles.append(Idle(round=round_number, number=one, kind=kind))
            else:
                scores = draw(FORFEITS if fate == "forfeit" else RESULTS)
                meetings.append(
                    Meeting(
                        round=round_number,
                        first=first,
                        second=second,
                        scores=scores,
                        forfeit=fate == "forfeit",
                    )
                )
        if len(order) % 2:
            kind = draw(st.sampled_from("UZ"))
            idles.append(Idle(round=round_number, number=order[-1], kind=kind))
    entrants = [Entrant(number=one, rating=draw(st.integers(1000, 2500))) for one in numbers]
    return History(entrants=entrants, meetings=meetings, idles=idles, rounds=rounds)
