"""Play on a site in which everything fails in turn: python -m tests.chaos [seconds] [seed]."""

import contextlib
import os
import shutil
import sys

from config.processes import PROJECT
from tests.chaos.peers import mail_peer, webhook_peer
from tests.chaos.site import Site
from tests.servers import clear_abandoned

HOMES = PROJECT / "var" / "chaos"


def main(seconds: float = 600, seed: int = 1) -> int:
    clear_abandoned(HOMES)
    home = HOMES / str(os.getpid())
    with contextlib.ExitStack() as at_the_end:
        peer, mail_port = at_the_end.enter_context(mail_peer())
        hook = at_the_end.enter_context(webhook_peer())
        site = Site(home, mail_port)
        at_the_end.callback(site.end)
        print(f"chaos: {seconds:g} s, seed {seed}; the site's log: {site.log}", flush=True)
        site.start()
        _use(site)
        from tests.chaos import run

        is_clean = run.chaos(site, peer, hook, seconds=seconds, seed=seed)
    if is_clean:
        shutil.rmtree(home, ignore_errors=True)
    return 0 if is_clean else 1


def _use(site: Site) -> None:
    """Make this process one that knows the site's database."""
    os.environ.update(site.environment, DJANGO_SETTINGS_MODULE="config.settings")
    import django

    django.setup()


if __name__ == "__main__":
    given = [float(argument) for argument in sys.argv[1:]]
    sys.exit(main(*given[:1], *(int(one) for one in given[1:2])))
