"""Finds the browser and the mail client of the tests, installing them where it may."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALLERS = {
    "apt-get": ["apt-get", "install", "-y", "-q", "--no-install-recommends"],
    "dnf": ["dnf", "install", "-y", "-q"],
    "apk": ["apk", "add", "--quiet"],
    "brew": ["brew", "install", "--quiet"],
}
REFRESH = {"apt-get": ["apt-get", "update", "-q"]}


def main() -> int:
    missing = []
    if not (chromium() or _install("chromium", chromium) or _download_chromium()):
        missing.append("Chromium (package chromium)")
    if not (mail_client() or _install("s-nail", mail_client)):
        missing.append("the mail client s-nail (package s-nail)")
    if missing:
        print(f"The tests need {' and '.join(missing)}; please install it.", file=sys.stderr)
    return 1 if missing else 0


def chromium() -> str | None:
    """The browser's program: the system's, or else playwright's own."""
    found = (shutil.which(name) for name in CHROMIUM_NAMES)
    return next(filter(None, found), None) or _downloaded_chromium()


def mail_client() -> str | None:
    return shutil.which("s-nail")


def _downloaded_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = playwright.chromium.executable_path
    return program if Path(program).exists() else None


def _download_chromium() -> bool:
    print("· downloading Chromium")
    return _succeeds([sys.executable, "-m", "playwright", "install", "chromium"])


def _install(package: str, find: Callable[[], str | None]) -> bool:
    manager = next((name for name in INSTALLERS if shutil.which(name)), None)
    prefix = _right_to_install(manager)
    if manager is None or prefix is None:
        return False
    print(f"· installing {package}")
    if manager in REFRESH:
        _succeeds(prefix + REFRESH[manager])
    return _succeeds([*prefix, *INSTALLERS[manager], package]) and bool(find())


def _right_to_install(manager: str | None) -> list[str] | None:
    """What to put before the command, or None where this user may not install."""
    if os.geteuid() == 0 or manager == "brew":
        return []
    if shutil.which("sudo") and _succeeds(["sudo", "-n", "true"]):
        return ["sudo", "-n"]
    return None


def _succeeds(command: list[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
