"""A production environment is safe, and what is missing is said."""

import os
import re
import subprocess
import sys
from pathlib import Path

from django.conf import settings

PRODUCTION = {
    "SECRET_KEY": "k" * 25 + "3jv9Qw-zR8_tYp0aXcVbNmLs5fGhJd",
    "SITE_URL": "https://play.example.org",
    "EMAIL_URL": "smtp://localhost:25",
}


def manage(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: os.environ[key] for key in ("PATH", "DATABASE_URL", "REDIS_URL")}
    return subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=settings.BASE_DIR,
        env=kept | environment,
        capture_output=True,
        text=True,
    )


def test_the_deployment_check_is_clean():
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_there_is_no_default_secret():
    done = manage("check")
    assert done.returncode != 0
    assert "SECRET_KEY" in done.stderr


def test_without_a_word_nothing_is_debugged():
    code = "from django.conf import settings; print(settings.DEBUG)"
    done = manage("shell", "-c", code, **PRODUCTION)
    assert done.stdout.strip().endswith("False")


def test_logs_are_lines_of_json_in_production():
    code = "import logging; logging.getLogger('x').warning('hello')"
    done = manage("shell", "-v0", "-c", code, **PRODUCTION)
    assert '"message": "hello"' in done.stderr
    assert '"level": "warning"' in done.stderr


def test_every_variable_is_in_the_documentation():
    source = Path(settings.BASE_DIR, "config/settings.py").read_text()
    manual = Path(settings.BASE_DIR, "docs/configuration.md").read_text()
    read = set(re.findall(r'\benv(?:\.\w+)?\(\s*"(\w+)"', source))
    listed = {
        name
        for line in manual.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([A-Z_]+)`", line.split("|")[1])
    }
    assert len(read) > 10
    assert listed == read
