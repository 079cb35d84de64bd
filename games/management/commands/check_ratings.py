"""Folds every rating ledger anew and compares to the last hundredth of a point."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games import ratings


class Command(BaseCommand):
    help = "Re-folds the rating ledgers; prints what does not agree, and fails if anything does."

    def handle(self, *args: Any, **options: Any) -> None:
        problems = ratings.mismatches()
        for problem in problems:
            self.stdout.write(problem)
        if problems:
            raise CommandError(
                f"{len(problems)} of the ratings are not what their games make them."
            )
        self.stdout.write("Every rating is what its games make it.")
