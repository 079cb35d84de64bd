"""Makes a started database fit to serve: its tables, the translations, something to look at."""

import io
import os
import sys
import traceback
from collections.abc import Callable

import django
from django.conf import settings
from django.core.management import call_command
from django.utils.module_loading import import_string

from config import messages

STEPS: dict[str, Callable[[], object]] = {
    "migrating the database": lambda: call_command("migrate", interactive=False, verbosity=0),
    "compiling the translations": messages.compile_all,
    "loading the demo players and games": lambda: _load_demo(),
    "settling in the bots": lambda: import_string("games.house_bots.settle")(),
}


def _load_demo() -> None:
    if settings.DEMO:
        call_command("load_demo", stdout=io.StringIO())


def main() -> int:
    # As manage.py: a migration takes as long as it takes.
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")
    # All in one process: starting Django costs more than the steps themselves.
    django.setup()
    for act, step in STEPS.items():
        print(f"· {act}", flush=True)
        try:
            step()
        except Exception:
            traceback.print_exc()
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
