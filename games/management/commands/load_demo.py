"""Fills an empty service with something true to look at."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from accounts.models import Player
from games import demo


class Command(BaseCommand):
    help = "Loads the demo players and their games, once."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        if Player.objects.exists():
            self.stdout.write("There are players already; nothing loaded.")
            return
        players, games = demo.load(now=timezone.now())
        self.stdout.write(f"Loaded {players} players and {games} games.")
