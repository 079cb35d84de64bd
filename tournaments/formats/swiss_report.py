"""The next round of an event in a tournament report file, as JSON, without a database."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from games.rules.position import JSON
from tournaments.formats import trf
from tournaments.formats.history import History, Unpairable
from tournaments.formats.swiss import Swiss, in_round

UNDECLARED = 100
"""Rounds of an event whose file does not say how many it has: the last is never near."""


def main() -> None:
    """`python -m tournaments.formats.swiss FILE.trf [--seed WORDS]`"""
    parser = argparse.ArgumentParser(
        prog="python -m tournaments.formats.swiss", description="Pairs the next Swiss round."
    )
    parser.add_argument("file", type=Path, help="a tournament report file (TRF)")
    parser.add_argument("--seed", default="", help="what lots are drawn from; any words")
    asked = parser.parse_args()
    try:
        report = trf.read(trf.decode(asked.file.read_bytes()))
        print(json.dumps(next_round(report, seed=asked.seed)))
    except OSError as wrong:
        _give_up(f"{asked.file} cannot be read: {wrong.strerror}.")
    except (trf.Malformed, Unpairable) as wrong:
        _give_up(str(wrong))


def _give_up(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(2)


def next_round(report: trf.Report, *, seed: str) -> JSON:
    """Pairs by board, the first of each has the first move; raises Unpairable."""
    history, names = _in_ranking_order(report)
    number = max((game.round for game in history.meetings), default=0) + 1
    if running := [game for game in history.meetings if not game.scores]:
        raise Unpairable(
            "Round {round} is still running: the game between {first} and {second} has no result.",
            round=running[0].round,
            first=names[running[0].first],
            second=names[running[0].second],
        )
    swiss = Swiss(
        rounds=history.rounds if history.rounds >= number else UNDECLARED,
        first_colour=_first_colour(report),
    )
    draw = swiss.draw(history, number, seed=seed, players=in_round(history, number))
    return {
        "round": number,
        "pairings": [[names[game.first], names[game.second]] for game in draw.pairings],
        "bye": names[draw.idles[0].number] if draw.idles else None,
    }


def _first_colour(report: trf.Report) -> str:
    """As declared; else as the first round shows it; else the first seed begins."""
    if report.first_colour:
        return "first" if report.first_colour == "white" else "second"
    opening = [game for game in report.history.meetings if game.round == 1 and not game.forfeit]
    for game in sorted(opening, key=lambda game: min(game.first, game.second)):
        upper_began = game.first < game.second
        upper_is_odd = min(game.first, game.second) % 2 == 1
        return "first" if upper_began == upper_is_odd else "second"
    return "first"


def _in_ranking_order(report: trf.Report) -> tuple[History, dict[int, int]]:
    """The event with its entrants numbered as they are to be ranked, and their true numbers."""
    history = report.history
    order = sorted(entrant.number for entrant in history.entrants)
    if report.by_rank:
        ranks = {player.number: player.rank or len(order) + 1 for player in report.players}
        order.sort(key=lambda number: ranks[number])
    new = {number: place for place, number in enumerate(order, 1)}
    renumbered = replace(
        history,
        entrants=[replace(each, number=new[each.number]) for each in history.entrants],
        meetings=[
            replace(game, first=new[game.first], second=new[game.second])
            for game in history.meetings
        ],
        idles=[replace(idle, number=new[idle.number]) for idle in history.idles],
        forbidden=[
            (new[one], new[other])
            for one, other in history.forbidden
            if one in new and other in new
        ],
        accelerations={
            new[number]: points for number, points in history.accelerations.items() if number in new
        },
    )
    return renumbered, {place: number for number, place in new.items()}
