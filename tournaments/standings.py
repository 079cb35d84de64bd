"""`python -m tournaments.standings FILE.trf` prints the standings of any report file as JSON."""

import argparse
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, get_args

from games.rules.position import Refusal
from tournaments.formats import trf
from tournaments.formats.standing import Row, standings
from tournaments.formats.tie_breaks import DEFAULTS, parse
from tournaments.formats.tie_breaks_scores import Edition
from tournaments.formats.tie_breaks_slots import Format


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the rows in order; what was wrong goes to stderr, with exit code 2."""
    parser = _arguments()
    asked = parser.parse_args(arguments)
    try:
        report = trf.read(trf.decode(Path(asked.file).read_bytes()))
        format = asked.format or guessed_format(report)
        codes = _codes(asked.tie_breaks) or list(DEFAULTS[format])
        rows = standings(
            report.history, codes, edition=asked.edition, format=format, seed=asked.seed
        )
    except OSError as wrong:
        parser.error(f"{asked.file} cannot be read: {wrong.strerror}.")
    except (Refusal, trf.Malformed) as wrong:
        parser.error(str(wrong))
    json.dump([_row(row, codes, report.names) for row in rows], sys.stdout, indent=1)
    print()


def guessed_format(report: trf.Report) -> Format:
    """What the file calls itself; else a round robin if everybody was to meet everybody."""
    kind = report.kind.casefold()
    if "swiss" in kind:
        return "swiss"
    if "robin" in kind or "berger" in kind:
        return "round-robin"
    pairs = {frozenset((each.first, each.second)) for each in report.history.meetings}
    entrants = len(report.players)
    paid_rests = any(idle.kind != "Z" for idle in report.history.idles)
    complete = len(pairs) == entrants * (entrants - 1) // 2
    return "round-robin" if complete and not paid_rests else "swiss"


def _arguments() -> _Parser:
    parser = _Parser(prog="tournaments.standings", description=__doc__)
    parser.add_argument("file", help="a tournament report file (TRF)")
    parser.add_argument("--tie-breaks", default="", help="codes in order, like BH-C1,BH,SB,DE")
    parser.add_argument("--edition", choices=get_args(Edition), default="2026")
    parser.add_argument("--format", choices=get_args(Format))
    parser.add_argument("--seed", default="", help="what lots are drawn with")
    return parser


def _codes(text: str) -> list[str]:
    return [code.strip() for code in text.split(",") if code.strip()]


def _row(row: Row, codes: Sequence[str], names: dict[int, str]) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "number": row.number,
        "name": names[row.number],
        "points": decimal(row.points),
        "tie_breaks": {
            _key(codes, place): _value(codes[place], value)
            for place, value in enumerate(row.values)
        },
    }


def _key(codes: Sequence[str], place: int) -> str:
    """As it was asked for; what is asked for again, as direct encounter may be, is numbered."""
    times = codes[: place + 1].count(codes[place])
    return codes[place] if times == 1 else f"{codes[place]} ({times})"


def _value(code: str, value: Fraction | None) -> str | None:
    """An average of Buchholz is shown with two places, as it is published; all else exactly."""
    if value is None:
        return None
    if parse(code).base == "AOB":
        return decimal(Fraction((200 * value + 1) // 2, 100))
    return decimal(value)


def decimal(value: Fraction) -> str:
    """12.5, or 1/3 where no decimal is exact."""
    places = 0
    while places < 12 and (value * 10**places).denominator > 1:
        places += 1
    scaled = value * 10**places
    if scaled.denominator > 1:
        return str(value)
    digits = f"{abs(scaled.numerator):0{places + 1}}"
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


if __name__ == "__main__":
    main()
