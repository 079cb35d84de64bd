"""Writes a tournament report file, each field in the columns that FIDE gives it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tournaments.formats.history import History, Meeting, Values
from tournaments.formats.trf_report import Ban, Player, Report


def write(report: Report) -> str:
    """The file as text; in matches of two games each game takes a round of the file."""
    return "".join(f"{line.rstrip()}\r\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for code, text in report.data:
        yield f"{code} {text}"
    yield from _setting_lines(report)
    blocks = _blocks(report.history)
    for player in report.players:
        yield _player_line(player) + "".join(blocks.get(player.number, ()))


def _setting_lines(report: Report) -> Iterator[str]:
    history = report.history
    if history.rounds:
        rounds = history.rounds * legs(history)
        yield f"142 {rounds}"
        yield f"XXR {rounds}"
    if report.first_colour:
        yield f"152 {report.first_colour[0].upper()}"
    words = ["rank"] * report.by_rank + [f"{report.first_colour}1"] * bool(report.first_colour)
    if words:
        yield f"XXC {' '.join(words)}"
    if history.values != Values():
        yield _value_line(history.values)
    left = [str(entrant.number) for entrant in history.entrants if entrant.left]
    if left:
        yield f"XXZ {' '.join(left)}"
    for ban in report.bans:
        yield _ban_line(ban)
    for number, granted in sorted(history.accelerations.items()):
        yield f"XXA {number:4}" + "".join(f" {decimal(points):>4}" for points in granted)


def _value_line(values: Values) -> str:
    worth = {"W": values.win, "D": values.draw, "L": values.loss}
    worth |= {"A": values.absent, "P": values.bye}
    return "162  " + "    ".join(f"{key}{decimal(points):>4}" for key, points in worth.items())


def _ban_line(ban: Ban) -> str:
    if ban.last is None:
        return f"XXP {' '.join(map(str, ban.numbers))}"
    return f"260 {ban.first:03} {ban.last:03} " + " ".join(f"{one:4}" for one in ban.numbers)


def _player_line(player: Player) -> str:
    points = "" if player.points is None else decimal(player.points)
    rank = "" if player.rank is None else player.rank
    rating = player.rating or ""
    return (
        f"001 {player.number:4} {player.sex:1.1}{player.title:>3.3} {player.name:33.33} "
        f"{rating:>4} {player.federation:3.3} {player.identifier:>11.11} {player.born:10.10} "
        f"{points:>4} {rank:>4}"
    )


def _blocks(history: History) -> dict[int, Sequence[str]]:
    """The rounds of each entrant, in order, with blanks where nothing is known."""
    games = legs(history)
    known: dict[int, dict[int, str]] = {entrant.number: {} for entrant in history.entrants}
    for meeting in history.meetings:
        column = (meeting.round - 1) * games + meeting.leg
        own, theirs = _results(meeting, history.values)
        known[meeting.first][column] = f"  {meeting.second:4} w {own}"
        known[meeting.second][column] = f"  {meeting.first:4} b {theirs}"
    for idle in history.idles:
        for column in range((idle.round - 1) * games + 1, idle.round * games + 1):
            known[idle.number][column] = f"  0000 - {idle.kind}"
    return {
        number: [columns.get(column, " " * 10) for column in range(1, max(columns, default=0) + 1)]
        for number, columns in known.items()
    }


def _results(meeting: Meeting, values: Values) -> tuple[str, str]:
    if not meeting.scores:
        return " ", " "
    one, other = meeting.scores
    if meeting.forfeit:
        return _forfeit(one, values), _forfeit(other, values)
    return _result(one, other, values), _result(other, one, values)


def _forfeit(score: Fraction, values: Values) -> str:
    return "+" if score == values.win else "-"


def _result(score: Fraction, against: Fraction, values: Values) -> str:
    """A score that no result is worth, as after a ruling, is told by who had more."""
    letters = {values.loss: "0", values.draw: "=", values.win: "1"}
    if score in letters:
        return letters[score]
    return "=" if score == against else "1" if score > against else "0"


def legs(history: History) -> int:
    """How many games a round of the event has."""
    return max((meeting.leg for meeting in history.meetings), default=1)


def decimal(points: Fraction) -> str:
    """With one place, as the columns have it; with two where that is exact and fits."""
    hundredths = round(points * 100)
    if hundredths % 10 and hundredths == points * 100 and points < 10:
        return f"{hundredths // 100}.{hundredths % 100:02}"
    tenths = round(points * 10)
    return f"{tenths // 10}.{tenths % 10}"
