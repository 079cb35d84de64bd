"""Formats, their settings and the rules declared beforehand, in words."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.finding import format_of
from tournaments.formats import tie_breaks
from tournaments.formats.history import HALF
from tournaments.models import Event, Meeting
from tournaments.standings import decimal

FORMATS: dict[str, Promise] = {
    "round-robin": gettext_lazy("Round robin"),
    "swiss": gettext_lazy("Swiss"),
    "knockout": gettext_lazy("Knockout"),
    "league": gettext_lazy("League"),
    "ladder": gettext_lazy("Ladder"),
    "stages": gettext_lazy("Sections and a final"),
}
ABOUT_FORMATS: dict[str, Promise] = {
    "round-robin": gettext_lazy("Everybody plays everybody in his section."),
    "swiss": gettext_lazy("A few rounds against those who do about as well as you."),
    "knockout": gettext_lazy("Who loses a match is out, or who loses two."),
    "league": gettext_lazy("Divisions; the best go up, the last go down, season after season."),
    "ladder": gettext_lazy("Challenge those above you, and take their places."),
    "stages": gettext_lazy("Sections first; their best go on to a final."),
}
LABELS: dict[str, Promise] = {
    "double": gettext_lazy("Two games of each pair, with the first move once each"),
    "knockout.double": gettext_lazy("Double elimination: out after two lost matches"),
    "section_size": gettext_lazy("Most players in a section"),
    "at_once": gettext_lazy("Most games of a player at the same time"),
    "size": gettext_lazy("Players in a division"),
    "up": gettext_lazy("How many go up"),
    "down": gettext_lazy("How many go down"),
    "rounds": gettext_lazy("Rounds"),
    "games": gettext_lazy("Games in a match"),
    "acceleration": gettext_lazy("Accelerated pairing"),
    "first_colour": gettext_lazy("The first seed begins with"),
    "drawn": gettext_lazy("After a drawn match"),
    "replays": gettext_lazy("Replays at most"),
    "reset": gettext_lazy("The final is played again if it was the first defeat of its loser"),
    "reach": gettext_lazy("Places up that one may challenge"),
    "outgoing": gettext_lazy("Challenges of one’s own at the same time"),
    "incoming": gettext_lazy("Challenges by others at the same time"),
    "rest_days": gettext_lazy("Days until the same two may play again"),
    "fall": gettext_lazy("Places lost besides when one’s time runs out"),
    "qualify": gettext_lazy("How many of each section go on"),
    "final": gettext_lazy("The final is a"),
}
HELP: dict[str, Promise] = {
    "section_size": gettext_lazy("0 for one section of all."),
    "stages.section_size": gettext_lazy("There must be at least two sections."),
    "at_once": gettext_lazy("0 for all of them at once."),
    "games": gettext_lazy("1, or 2 at the same time with the first move once each."),
    "rounds": gettext_lazy("From 3 to 11; fewer than there are players."),
}
CHOICES: dict[str, Promise] = {
    "none": gettext_lazy("no"),
    "baku": gettext_lazy("yes, by the Baku rule"),
    "lot": gettext_lazy("what the lot decides"),
    "first": gettext_lazy("the first move"),
    "second": gettext_lazy("the second move"),
    "higher seed": gettext_lazy("the higher seed goes on"),
    "second player": gettext_lazy("who had the second move in the first game goes on"),
    "replay": gettext_lazy("it is replayed, then the higher seed goes on"),
    "round-robin": gettext_lazy("round robin"),
    "knockout": gettext_lazy("knockout"),
}


def format_name(event: Event) -> str:
    return str(FORMATS.get(event.format, event.format))


def games_in_words(event: Event, entrants: int) -> str:
    """How many games so many players would have: "12 players: 11 games each, 66 in all"."""
    games = format_of(event).games_for(entrants)
    if games.per_player is None or games.total is None:
        return _("At most {games} games of a player at the same time").format(games=games.at_once)
    words = ngettext(
        "{entrants} players: {each} game each, {total} in all",
        "{entrants} players: {each} games each, {total} in all",
        games.per_player,
    )
    if event.format in ("knockout", "stages"):
        words = ngettext(
            "{entrants} players: at most {each} game each, {total} in all",
            "{entrants} players: at most {each} games each, {total} in all",
            games.per_player,
        )
    return words.format(entrants=entrants, each=games.per_player, total=games.total)


def label(format: str, setting: str) -> str | Promise:
    return LABELS.get(f"{format}.{setting}", LABELS.get(setting, setting))


def help_text(format: str, setting: str) -> str | Promise:
    return HELP.get(f"{format}.{setting}", HELP.get(setting, ""))


def points(value: Fraction) -> str:
    """3, 3½ or whatever is exact."""
    whole, rest = divmod(value, 1)
    if rest == HALF:
        return f"{whole}½" if whole else "½"
    return decimal(value)


def tie_break_value(value: Fraction | None) -> str:
    if value is None:
        return "–"
    return points(value) if value.denominator <= 2 else f"{float(value):.2f}"


def result(row: Meeting, *, of_first: bool = True) -> str:
    """1, ½ or 0; + and − where nobody played; nothing while it runs."""
    own, other = (row.score, row.other_score) if of_first else (row.other_score, row.score)
    if own is None or other is None:
        return ""
    if row.forfeit:
        return "+" if own > other else "=" if own else "−"
    return ("0", "½", "1")[own]


def both_results(row: Meeting) -> str:
    if row.score is None:
        return ""
    return f"{result(row)} : {result(row, of_first=False)}"


def tie_break_names(event: Event) -> list[tuple[str, str]]:
    return [(code, tie_breaks.name(tie_breaks.parse(code), _)) for code in event.tie_breaks]


def rules_in_words(event: Event) -> list[str]:
    """Everything that is settled before the first game begins."""
    return [*_of_the_format(event), *_of_deadlines(event), *_of_leaving(event), *_of_ties(event)]


def _of_the_format(event: Event) -> Iterator[str]:
    yield from OF_FORMATS[event.format](event.settings)


Settings = Mapping[str, object]


def _round_robin(settings: Settings) -> Iterator[str]:
    yield (
        _("Everybody plays everybody in his section twice, with the first move once each.")
        if (settings["double"])
        else _("Everybody plays everybody in his section once.")
    )
    if settings.get("section_size"):
        yield _("A section has at most {number} players.").format(number=settings["section_size"])
    yield _at_once(settings)


def _at_once(settings: Settings) -> str:
    if settings.get("at_once"):
        return _("Nobody has more than {number} games of it at the same time.").format(
            number=settings["at_once"]
        )
    return _("All games begin at once.")


def _league(settings: Settings) -> Iterator[str]:
    yield _("A division has {size} players. Going up: {up}; going down: {down}.").format(**settings)
    yield from _round_robin(settings)


def _swiss(settings: Settings) -> Iterator[str]:
    yield _("{rounds} rounds; nobody meets the same opponent twice.").format(**settings)
    if settings["games"] == 2:
        yield _("A match has two games at the same time, with the first move once each.")
    if settings["acceleration"] == "baku":
        yield _("The first rounds are paired with the points that the Baku rule adds.")
    yield _("Who is left over in a round has a bye, worth a point, and has one only once.")


def _knockout(settings: Settings) -> Iterator[str]:
    yield (
        _("Who has lost two matches is out.")
        if settings.get("double")
        else _("Who loses a match is out.")
    )
    if settings["games"] == 2:
        yield _("A match has two games at the same time, with the first move once each.")
    yield _("After a drawn match: {rule}.").format(rule=CHOICES[str(settings["drawn"])])
    if settings["drawn"] == "replay":
        number = int(str(settings["replays"]))
        yield ngettext(
            "It is replayed at most {number} time.",
            "It is replayed at most {number} times.",
            number,
        ).format(number=number)
    if settings.get("reset"):
        yield _("The final is played again if it was the first defeat of its loser.")


def _ladder(settings: Settings) -> Iterator[str]:
    yield _(
        "You may challenge up to {reach} places above you; if you win, you take the place."
    ).format(**settings)
    yield _(
        "A player has at most {outgoing} challenges of his own and {incoming} by others."
    ).format(**settings)
    yield _("The same two may play again after {rest_days} days.").format(**settings)
    if settings["fall"]:
        yield _("Who loses on time goes down {fall} places besides.").format(**settings)


def _stages(settings: Settings) -> Iterator[str]:
    yield from _round_robin(settings)
    yield _("The best {qualify} of each section go on to a final: {final}.").format(
        qualify=settings["qualify"], final=CHOICES[str(settings["final"])]
    )
    if settings["final"] == "knockout":
        yield from _knockout(settings)


OF_FORMATS = {
    "round-robin": _round_robin,
    "league": _league,
    "swiss": _swiss,
    "knockout": _knockout,
    "ladder": _ladder,
    "stages": _stages,
}


def _of_deadlines(event: Event) -> Iterator[str]:
    rule = Event.RoundEnd(event.round_end).label
    if event.round_days:
        yield _("A round lasts at most {days} days. Games that still run then: {rule}.").format(
            days=event.round_days, rule=rule
        )
    if event.ends_at:
        on_the_last_day = (
            Event.RoundEnd.DRAW if event.round_end == Event.RoundEnd.WAIT else event.round_end
        )
        yield _("Games that still run on the last day: {rule}.").format(
            rule=Event.RoundEnd(on_the_last_day).label
        )
    if event.renews:
        yield _("A new season follows; who does not opt out is entered into it.")


def _of_leaving(event: Event) -> Iterator[str]:
    in_a_table = event.format in ("round-robin", "league", "stages")
    if in_a_table and event.drop_out == Event.DropOut.STRIKE:
        yield _(
            "Whoever leaves before half of his games is struck from the table; later, he forfeits "
            "the games left."
        )
    else:
        yield _("Whoever leaves forfeits the games left.")
    yield _("Who loses two games on time is withdrawn.")


def _of_ties(event: Event) -> Iterator[str]:
    if event.tie_breaks:
        names = ", ".join(name for _code, name in tie_break_names(event))
        yield _("Equal points are told apart by: {names} ({edition}).").format(
            names=names, edition=Event.Edition(event.rules_edition).label
        )
