"""Lets random players play through the real doors, then checks what must be true."""

import time
from argparse import ArgumentParser
from datetime import datetime
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import Player
from games import invariants
from games.models import Game, Move
from games.simulation import Simulation

MOST_SHOWN = 50


class Command(BaseCommand):
    help = "Plays a season of random games under a running clock and checks the invariants."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--players", type=int, default=20)
        parser.add_argument("--games", type=int, default=100)
        parser.add_argument("--days", type=int, default=60)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--check", action="store_true", help="play nothing, only check")
        parser.add_argument(
            "--into-existing",
            action="store_true",
            help="play where there are players already, whose games then live by the simulated"
            " clock: for a copy only",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._check(timezone.now())
            return
        if Player.objects.exists() and not options["into_existing"]:
            raise CommandError(
                "There are players in this database; the simulation wants an empty one,"
                " or --into-existing, or only to --check."
            )
        if options["players"] < 2 or options["days"] < 1:
            raise CommandError("A simulation needs two players and a day at least.")
        chosen = {name: options[name] for name in ("players", "games", "days", "seed")}
        self._check(self._simulate(Simulation(**chosen)))

    def _simulate(self, simulation: Simulation) -> datetime:
        began = time.monotonic()
        simulation.run()
        self.stdout.write(
            f"{simulation.games} games, {Move.objects.count()} lines,"
            f" {time.monotonic() - began:.0f} s"
        )
        for title, counts in (("done", simulation.did), ("refused", simulation.refused)):
            told = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
            self.stdout.write(f"{title}: {told}")
        return simulation.now

    def _check(self, now: datetime) -> None:
        breaches = list(islice(invariants.breaches(now=now), MOST_SHOWN + 1))
        for breach in breaches[:MOST_SHOWN]:
            self.stderr.write(breach)
        if breaches:
            more = "more than " if len(breaches) > MOST_SHOWN else ""
            raise CommandError(f"{more}{min(len(breaches), MOST_SHOWN)} breaches.")
        self.stdout.write(f"{Game.objects.count()} games checked: everything is as it must be.")
