"""For somebody who said “never again”, wants to sign up, and has no e-mail of ours any more."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts import never_write


class Command(BaseCommand):
    help = "Let an address be written to again; ask its owner first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        never_write.allow(address)
        self.stdout.write(f"{address} can be written to again.")
