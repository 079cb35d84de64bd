"""The import contracts hold, and would not if somebody built a stair up."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

FLOORS = ("accounts", "config", "games", "notifications", "tournaments")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the code that may be spoilt."""
    for floor in FLOORS:
        shutil.copytree(
            Path(settings.BASE_DIR, floor),
            tmp_path / floor,
            ignore=shutil.ignore_patterns("__pycache__", "fonts"),
        )
    shutil.copy(Path(settings.BASE_DIR, "pyproject.toml"), tmp_path)
    return tmp_path


def contracts_hold(house: Path) -> bool:
    command = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
    done = subprocess.run([sys.executable, "-c", command], cwd=house, capture_output=True)
    assert b"Contracts:" in done.stdout, done.stderr
    return done.returncode == 0


def test_the_floors_are_in_order(house):
    assert contracts_hold(house)


@pytest.mark.parametrize(
    ("room", "planted"),
    [
        ("accounts/closing.py", "import games.lobby"),
        ("games/play.py", "import notifications.letters"),
        ("games/rules/tritoc.py", "import django.conf"),
        ("games/rules/tritoc.py", "import games.boards.svg"),
    ],
)
def test_an_import_that_goes_up_is_found(house, room, planted):
    with (house / room).open("a") as file:
        file.write(f"\n{planted}\n")
    assert not contracts_hold(house)
