"""The quick part of the test run: every check is one line, and speaks only when it fails."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

CHECKS = {
    "types": ["-m", "mypy"],
    "lint": ["-m", "ruff", "check"],
    "format": ["-m", "ruff", "format", "--check"],
    "import contracts": ["-c", "from importlinter.cli import lint_imports_command as c; c()"],
    "migrations": ["manage.py", "makemigrations", "--check", "--dry-run"],
    "translations": ["-m", "config.messages", "check"],
    "security": ["-m", "bandit", "--quiet", "--recursive", "--configfile", "pyproject.toml", "."],
    "packages": ["-m", "tests.packages"],
}
# Vulnerabilities become known after a commit, and only to those with a network: shown here,
# they fail `make audit`, but the same commit always passes or fails the same tests.
WARNINGS = {"vulnerabilities": ["-m", "tests.audit"]}


class Finding(NamedTuple):
    passed: bool
    seconds: float
    output: str


def main() -> int:
    commands = CHECKS | WARNINGS
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = dict(zip(commands, pool.map(_find, commands.values()), strict=True))
    for name, finding in findings.items():
        print(f"{name:<18} {_verdict(name, finding):<8} {finding.seconds:5.1f} s")
    for name, finding in findings.items():
        if not finding.passed:
            print(f"\n{name}:\n{finding.output}", file=sys.stderr)
    return 0 if all(findings[name].passed for name in CHECKS) else 1


def _verdict(name: str, finding: Finding) -> str:
    if finding.passed:
        return "ok"
    return "WARNING" if name in WARNINGS else "FAILED"


def _find(command: list[str]) -> Finding:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Finding(not done.returncode, time.monotonic() - began, done.stdout)


if __name__ == "__main__":
    sys.exit(main())
