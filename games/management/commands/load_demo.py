"""Fills an empty service with something true to look at."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import locks
from accounts.models import Player
from games import demo


class Command(BaseCommand):
    help = "Loads the demo players and their games, once."

    @locks.action
    def handle(self, *args: Any, **options: Any) -> None:
        if Player.objects.exists():
            self.stdout.write("There are players already; nothing loaded.")
            return
        now = timezone.now()
        players, games = demo.load(now=now)
        for part in settings.DEMO_PARTS:
            import_string(part)(now=now)
        self.stdout.write(f"Loaded {players} players and {games} games.")
