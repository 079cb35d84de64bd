"""Signs game files with a new key from now on; the old ones stay published."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from games import signing_keys


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        key = signing_keys.rotate(now=timezone.now())
        self.stdout.write(f"Key {key.pk} signs game files from now on.")
