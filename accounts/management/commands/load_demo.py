"""Fills an empty service with something true to look at."""

from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import Player

PASSWORD = "tripost"  # noqa: S105
PEOPLE = [
    ("alice", "Europe/Berlin", "en", True),
    ("bob", "America/New_York", "en", False),
    ("charlie", "Asia/Tokyo", "de", False),
]


class Command(BaseCommand):
    help = "Loads the demo players, once."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        if Player.objects.exists():
            self.stdout.write("There are players already; nothing loaded.")
            return
        for name, zone, language, is_staff in PEOPLE:
            email = f"{name}@example.org"
            player = Player.objects.create_user(
                name,
                email,
                PASSWORD,
                zone=zone,
                language=language,
                is_staff=is_staff,
                is_superuser=is_staff,
            )
            EmailAddress.objects.create(user=player, email=email, verified=True, primary=True)
        self.stdout.write(f"Loaded {len(PEOPLE)} players.")
