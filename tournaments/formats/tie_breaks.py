"""The tie-breaks there are: their codes, their names in words, and everybody's values."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from games.rules.position import Refusal, Translate
from tournaments.formats import tie_breaks_own as own
from tournaments.formats.lots import lot
from tournaments.formats.tie_breaks_ratings import Ratings, fractions
from tournaments.formats.tie_breaks_scores import NO_CUT, Cut, Edition, Opposition, koya
from tournaments.formats.tie_breaks_slots import Format, Table

DEFAULTS: dict[Format, tuple[str, ...]] = {
    "swiss": ("BH-C1", "BH", "SB", "DE", "WON", "LOT"),
    "round-robin": ("DE", "SB", "WON", "KS"),
}
"""What an event goes by that does not say; a round robin then shares places."""

CUTS = ("C1", "C2", "M1", "M2")
MODIFIERS: dict[str, tuple[str, ...]] = {
    "BH": CUTS, "FB": CUTS, "SB": CUTS, "ARO": ("C1", "C2"), "PS": ("C1", "C2"),
}  # fmt: skip
LOWER_IS_BETTER = frozenset({"TPN", "LOT"})

OTHER_SPELLINGS = {"GE": "REP", "KOYA": "KS", "RTG": "RTNG", "SNO": "TPN"}


class UnknownTieBreak(Refusal):
    """No tie-break has this code; the sentence says which have."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """One of the list, with its modifier."""

    base: str
    cut: Cut = NO_CUT
    limit: int = 0
    """Of Koya, in half points above or below half of the most."""

    @property
    def code(self) -> str:
        if self.limit:
            return f"{self.base}-L{self.limit:+}"
        if self.cut.high:
            return f"{self.base}-M{self.cut.high}"
        return f"{self.base}-C{self.cut.low}" if self.cut.low else self.base


def parse(text: str) -> TieBreak:
    """BH-C1, BH/C1 and BHC1 are the same; raises UnknownTieBreak."""
    code = text.strip().upper()
    code = OTHER_SPELLINGS.get(code, code)
    if code in CALCULATORS or code == "DE":
        return TieBreak(code)
    found = re.fullmatch(r"([A-Z]+?)[-/]?(?:([CM][12])|L([+-][1-9]\d?))", code)
    if found:
        base, cut, limit = found.groups()
        if cut and cut in MODIFIERS.get(base, ()):
            count = int(cut[1])
            return TieBreak(base, Cut(count, count if cut[0] == "M" else 0))
        if limit and base == "KS":
            return TieBreak(base, limit=int(limit))
    raise UnknownTieBreak(
        "There is no tie-break “{code}”. There are: {known}.",
        code=text.strip(),
        known=", ".join(codes()),
    )


def codes() -> list[str]:
    """Every code, with its modifiers after it."""
    return [
        code
        for base in sorted({*CALCULATORS, "DE"})
        for code in (base, *(f"{base}-{modifier}" for modifier in MODIFIERS.get(base, ())))
    ]


Values = Mapping[int, Fraction | None]
"""By start number; None for who has no value, who is then last among the tied."""


@dataclass(frozen=True, kw_only=True)
class Reckoning:
    """The values of one event, whatever several tie-breaks share being worked out once."""

    table: Table
    edition: Edition
    seed: str

    @cached_property
    def opposition(self) -> Opposition:
        return Opposition(table=self.table, edition=self.edition)

    @cached_property
    def ratings(self) -> Ratings:
        return Ratings(table=self.table)

    def values(self, tie_break: TieBreak) -> Values:
        """Of all but direct encounter, which has no value apart from who is tied."""
        return CALCULATORS[tie_break.base](self, tie_break)

    def start_numbers(self) -> Values:
        return {number: Fraction(number) for number in self.table.slots}

    def lots(self) -> Values:
        drawn = sorted(
            self.table.slots, key=lambda number: (lot(self.seed, "standing", number), number)
        )
        return {number: Fraction(place) for place, number in enumerate(drawn, start=1)}


CALCULATORS: dict[str, Callable[[Reckoning, TieBreak], Values]] = {
    "AOB": lambda event, _: event.opposition.average_of_buchholz(),
    "APPO": lambda event, _: fractions(
        event.ratings.averages_of_opponents(event.ratings.perfect_performances)
    ),
    "APRO": lambda event, _: fractions(
        event.ratings.averages_of_opponents(event.ratings.performances)
    ),
    "ARO": lambda event, one: fractions(event.ratings.averages(one.cut.low)),
    "BH": lambda event, one: event.opposition.buchholz(one.cut),
    "BPG": lambda event, _: own.games_with_second_colour(event.table),
    "BWG": lambda event, _: own.games_won_with_second_colour(event.table),
    "FB": lambda event, one: event.opposition.fore_buchholz(one.cut),
    "GP": lambda event, _: own.game_points(event.table),
    "KS": lambda event, one: koya(event.table, one.limit),
    "LOT": lambda event, _: event.lots(),
    "PS": lambda event, one: own.progressive_scores(event.table, one.cut.low),
    "PTP": lambda event, _: fractions(event.ratings.perfect_performances),
    "REP": lambda event, _: own.rounds_elected_to_play(event.table),
    "RTNG": lambda event, _: fractions(event.table.ratings),
    "SB": lambda event, one: event.opposition.sonneborn_berger(one.cut),
    "STD": lambda event, _: own.standard_points(event.table),
    "TPN": lambda event, _: event.start_numbers(),
    "TPR": lambda event, _: fractions(event.ratings.performances),
    "WIN": lambda event, _: own.wins(event.table),
    "WON": lambda event, _: own.games_won(event.table),
}


def name(tie_break: TieBreak, translate: Translate) -> str:
    """In words, for people."""
    plain = _names(translate)[tie_break.base]
    if tie_break.limit:
        return translate("{name}, limit {limit:+} half points").format(
            name=plain, limit=tie_break.limit
        )
    if tie_break.cut.high:
        return translate("{name}, median {count}").format(name=plain, count=tie_break.cut.high)
    if tie_break.cut.low:
        return translate("{name}, cut {count}").format(name=plain, count=tie_break.cut.low)
    return plain


def _names(translate: Translate) -> dict[str, str]:
    return {
        "AOB": translate("Average Buchholz of opponents"),
        "APPO": translate("Average perfect performance of opponents"),
        "APRO": translate("Average performance of opponents"),
        "ARO": translate("Average rating of opponents"),
        "BH": translate("Buchholz"),
        "BPG": translate("Games with the second move"),
        "BWG": translate("Games won with the second move"),
        "DE": translate("Direct encounter"),
        "FB": translate("Fore Buchholz"),
        "GP": translate("Game points"),
        "KS": translate("Koya"),
        "LOT": translate("Lot"),
        "PS": translate("Progressive score"),
        "PTP": translate("Perfect performance"),
        "REP": translate("Rounds elected to play"),
        "RTNG": translate("Rating"),
        "SB": translate("Sonneborn-Berger"),
        "STD": translate("Standard points"),
        "TPN": translate("Start number"),
        "TPR": translate("Performance"),
        "WIN": translate("Wins"),
        "WON": translate("Games won"),
    }
