"""Pictures of every page of a demo, to look at: `make screens`, or some of them by their names."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, sync_playwright

from tests.tools import chromium

SCREENS = Path(os.environ.get("SCREENS_DIR", Path(__file__).resolve().parent.parent / "screens"))
PORT = int(os.environ.get("SCREENS_PORT", "8479"))
SITE = f"http://127.0.0.1:{PORT}"
READY_WITHIN = 60.0
WIDTHS = {"wide": 1280, "narrow": 390}
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "de")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SHEET = """<!doctype html><meta charset="utf-8"><title>Tripost</title>
<style>body{{font:14px sans-serif;background:#777;color:#fff;display:flex;flex-wrap:wrap;gap:12px}}
figure{{margin:0}}img{{display:block;height:520px;object-fit:cover;object-position:top}}</style>{}"""

FIGURE = '<figure><img src="{0}.png" loading="lazy"><figcaption>{0}</figcaption></figure>'
ALL_PICTURES = """Promise.all([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode().catch(() => null);
}))"""


def main(wanted: list[str]) -> int:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DEBUG": "1",
        "SITE_URL": SITE,
        "LOG_LEVEL": "ERROR",
        "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
    }
    django.setup()
    _prepare()
    looks, player = _looks(wanted)
    shutil.rmtree(SCREENS, ignore_errors=True)
    SCREENS.mkdir(parents=True)
    with _served(), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        too_wide = [name for name in _taken(browser, looks, player) if name]
        browser.close()
    figures = [FIGURE.format(path.stem) for path in sorted(SCREENS.glob("*.png"))]
    (SCREENS / "index.html").write_text(SHEET.format("".join(figures)))
    print(f"{len(figures)} pictures in {SCREENS}/index.html")
    for name in too_wide:
        print(f"wider than the screen: {name}")
    return 1 if too_wide else 0


def _prepare() -> None:
    from django.core.management import call_command

    from config import messages
    from games import outages

    call_command("migrate", interactive=False, verbosity=0)
    messages.compile_all()
    call_command("load_demo")
    outages.beat(way_in="web", node="tripost:8000")


def _looks(wanted: list[str]):
    from accounts.models import Player
    from tests import site_map

    player = Player.objects.get(name="alice")
    found = site_map.looks(player)
    if wanted:
        found = [look for look in found if any(word in look.title for word in wanted)]
    return found, player


@contextmanager
def _served() -> Iterator[None]:
    command = [sys.executable, "manage.py", "runserver", "--noreload", f"127.0.0.1:{PORT}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_answers()
        yield
    finally:
        server.terminate()
        server.wait()


def _wait_until_it_answers() -> None:
    give_up_at = time.monotonic() + READY_WITHIN
    while time.monotonic() < give_up_at:
        try:
            with urllib.request.urlopen(f"{SITE}/healthz", timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    raise SystemExit("The demo did not answer.")


def _taken(browser: Browser, looks, player) -> Iterator[str]:
    """Each page in every language, width and colour; the names of those that are too wide."""
    for language in LANGUAGES:
        for is_member in (False, True):
            page = _page(browser, language, player if is_member else None)
            for look in looks:
                if look.is_member == is_member:
                    page.goto(SITE + look.address)
                    page.evaluate(ALL_PICTURES)
                    yield from _pictures(page, f"{look.title}.{language}")
            page.context.close()


def _page(browser: Browser, language: str, player) -> Page:
    context = browser.new_context(
        locale={"en": "en-GB", "de": "de-DE"}[language], reduced_motion="reduce"
    )
    context.set_default_timeout(300_000)
    if player is not None:
        from accounts.models import Player
        from tests.flows.tables import sign_in

        Player.objects.filter(pk=player.pk).update(language=language)
        return sign_in(context, SITE, player)
    return context.new_page()


def _pictures(page: Page, title: str) -> Iterator[str]:
    for name, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            path = SCREENS / f"{title}.{name}.{scheme}.png"
            page.screenshot(path=path, full_page=True, animations="disabled")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            yield f"{title}.{name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
