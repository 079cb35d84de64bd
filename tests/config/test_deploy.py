"""A production environment is safe, and what is missing is said."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

PRODUCTION = {
    "SECRET_KEY": "k" * 25 + "3jv9Qw-zR8_tYp0aXcVbNmLs5fGhJd",
    "SITE_URL": "https://play.example.org",
    "EMAIL_URL": "smtp://localhost:25",
    "TRUSTED_PROXIES": "1",
    "STREAM_URL": "https://play.example.org",
    "DJANGO_SETTINGS_MODULE": "tests.config.deployed",
}


@pytest.fixture(scope="module")
def production(tmp_path_factory) -> dict[str, str]:
    """Of a host who has done all that the README says."""
    environment = PRODUCTION | {"STATIC_ROOT": str(tmp_path_factory.mktemp("static"))}
    done = manage("collectstatic", "--no-input", **environment)
    assert done.returncode == 0, done.stderr
    return environment


def manage(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: os.environ[key] for key in ("PATH", "DATABASE_URL", "REDIS_URL")}
    return subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=settings.BASE_DIR,
        env=kept | environment,
        capture_output=True,
        text=True,
    )


def test_the_deployment_check_is_clean(production):
    done = manage("check", "--deploy", "--fail-level", "WARNING", **production)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"EMAIL_URL": ""}, "EMAIL_URL is not set"),
        ({"SITE_URL": "http://play.example.org"}, "SITE_URL is not https"),
        ({"STREAM_URL": None}, "STREAM_URL is not"),
        ({"STREAM_URL": "http://play.example.org:8050"}, "STREAM_URL is not"),
        ({"TRUSTED_PROXIES": "0"}, "TRUSTED_PROXIES is 0"),
        ({"METRICS": "1"}, "nobody can read the metrics"),
        ({"STATIC_ROOT": "/nowhere"}, "manage.py collectstatic"),
    ],
)
def test_the_deployment_check_says_what_a_host_forgot(production, changes, told):
    given = {name: value for name, value in (production | changes).items() if value is not None}
    done = manage("check", "--deploy", "--fail-level", "WARNING", **given)
    assert done.returncode == 1
    assert "identified 1 issue " in done.stderr, done.stderr
    assert told in done.stderr


@pytest.mark.parametrize("reader", ["METRICS_ADDRESSES", "METRICS_TOKEN"])
def test_metrics_that_somebody_can_read_are_no_finding(production, reader):
    given = production | {"METRICS": "1", reader: "10.1.2.3"}
    done = manage("check", "--deploy", "--fail-level", "WARNING", **given)
    assert done.returncode == 0, done.stderr


def test_there_is_no_default_secret():
    done = manage("check")
    assert done.returncode != 0
    assert done.stderr == "Set the SECRET_KEY environment variable\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("TRUSTED_PROXIES", "one"), ("EMAIL_URL", "xx"), ("DATABASE_URL", "xx"), ("PORT", "web")],
)
def test_a_variable_that_cannot_be_read_is_named_in_one_sentence(name, value):
    done = manage("check", **PRODUCTION | {name: value})
    assert done.returncode == 1
    assert done.stderr.startswith(name)
    assert done.stderr.count("\n") == 1


def test_without_a_word_nothing_is_debugged():
    code = "from django.conf import settings; print(settings.DEBUG)"
    done = manage("shell", "-c", code, **PRODUCTION)
    assert done.stdout.strip().endswith("False")


def test_the_first_admin_before_the_tables_is_told_what_to_do_first():
    url = f"{os.environ['DATABASE_URL']}&options=-csearch_path%3Dnowhere"
    done = manage("first_admin", "dora", "dora@example.org", **PRODUCTION, DATABASE_URL=url)
    assert done.returncode == 1
    told = "The database has no tables yet. Run first: python manage.py migrate"
    assert done.stderr == f"CommandError: {told}\n"


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
