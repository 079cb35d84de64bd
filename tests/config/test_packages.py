"""What is installed is locked by hash, in step with the lists, and can be audited."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import Distribution
from pathlib import Path
from threading import Thread

import pytest
from django.conf import settings

from tests import audit, packages

ROOT = Path(settings.BASE_DIR)
HASH = "    --hash=sha256:" + "0" * 64 + "\n"
HOLE = {
    "id": "PYSEC-2026-1",
    "summary": "A hole.",
    "published": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "holey"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
            "versions": ["1.0"],
        }
    ],
}


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """The lists and locks, to be spoilt."""
    for file in [*packages.LOCKED_FROM, *packages.LOCKED_FROM["requirements-dev.lock"]]:
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def test_the_locks_are_in_step_with_the_lists(copies):
    assert list(packages.problems_of_files(copies)) == []


@pytest.mark.parametrize(
    ("file", "before", "after", "problem"),
    [
        ("requirements.txt", "celery==5.7.0", "celery==5.7.1", "lacks celery==5.7.1"),
        ("requirements.txt", "celery==5.7.0", "celery>=5.7.0", "celery is not pinned"),
        ("requirements.txt", "celery==5.7.0", "", "celery, which is no longer in"),
        ("requirements-dev.txt", "pytest==", "nothing==1\npytest==", "lacks nothing==1"),
        ("requirements.lock", "amqp==", "amqp-==", "another amqp-"),
        ("requirements.lock", "amqp==", "bare==1 \\\namqp==", "bare has no hash"),
        ("requirements-dev.lock", "amqp==", "# https://host/\namqp==", "names an address"),
    ],
)
def test_a_lock_out_of_step_is_found(copies, file, before, after, problem):
    text = (copies / file).read_text()
    assert before in text
    (copies / file).write_text(text.replace(before, after, 1))
    assert any(problem in found for found in packages.problems_of_files(copies))


def test_another_version_than_the_locked_one_is_found(copies, tmp_path):
    installed = _installed(tmp_path, "celery", "1.0")
    assert list(packages.problems_of_installed(copies, installed)) == [
        "celery 1.0 is installed, but another version is locked."
    ]


def test_the_packages_of_an_extra_must_be_locked(copies, tmp_path):
    lock = copies / "requirements-dev.lock"
    lock.write_text(lock.read_text().replace("psycopg-binary==", "another=="))
    needs = 'Requires-Dist: psycopg-binary==3.3.8; extra == "binary"\n'
    installed = _installed(tmp_path, "psycopg", "3.3.8", needs)
    assert list(packages.problems_of_installed(copies, installed)) == [
        "requirements-dev.lock lacks psycopg-binary, an extra of psycopg."
    ]


def test_everything_is_installed_by_hash():
    makefile = (ROOT / "Makefile").read_text()
    assert makefile.count("pip install") - makefile.count("grep -o '^uv==") == 1
    assert "--require-hashes -r $(1)" in makefile
    readme = (ROOT / "README.md").read_text()
    assert "pip install --require-hashes -r requirements.lock" in readme


def test_a_dangerous_habit_is_found(tmp_path):
    (tmp_path / "planted.py").write_text("import pickle\npickle.loads(open('x', 'rb').read())\n")
    command = ["bandit", "--quiet", "--configfile", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [sys.executable, "-m", *command, "planted.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "B301" in done.stdout


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "some.lock"
    path.write_text(f"holey==1.0 \\\n{HASH}sound==2.0 \\\n{HASH}")
    return path


@pytest.fixture
def service() -> Iterator[str]:
    """A vulnerability service as on the internet, which knows of one hole."""

    class Osv(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = {"vulns": [HOLE]} if asked["package"]["name"] == "holey" else {}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Osv) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def test_a_known_vulnerability_is_named_with_its_remedy(lock, service, capsys):
    assert audit.main(lock, service) == 1
    assert "holey 1.0: PYSEC-2026-1, fixed in 1.1" in capsys.readouterr().out


def test_sound_packages_pass_the_audit(lock, service, capsys):
    lock.write_text(f"sound==2.0 \\\n{HASH}")
    assert audit.main(lock, service) == 0
    assert capsys.readouterr().out == ""


def test_an_audit_without_network_says_so_and_is_not_a_pass(lock, capsys):
    assert audit.main(lock, "http://127.0.0.1:9/v1/query") == audit.NOT_REACHED
    assert "cannot be reached" in capsys.readouterr().out


def _installed(folder: Path, name: str, version: str, more: str = "") -> Iterator[Distribution]:
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}"
    )
    yield Distribution.at(place)
