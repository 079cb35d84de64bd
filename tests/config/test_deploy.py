"""A production environment is safe, and what is missing is said."""

import os
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


def test_every_variable_is_in_the_readme():
    import re

    source = Path(settings.BASE_DIR, "config/settings.py").read_text()
    readme = Path(settings.BASE_DIR, "README.md").read_text()
    names = re.findall(r'\benv(?:\.\w+)?\(\s*"(\w+)"', source)
    assert len(names) > 10
    assert [name for name in names if f"`{name}`" not in readme] == []


def test_static_files_are_collected_under_hashed_names(tmp_path):
    code = f"""
from django.conf import settings
from django.core.management import call_command

settings.STATIC_ROOT = {str(tmp_path)!r}
call_command(
    "collectstatic", interactive=False, verbosity=0, ignore=["drf_spectacular_sidecar", "admin"]
)
"""
    done = manage("shell", "-v0", "-c", code, **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("css/site.*.css"))
