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
}


class Finding(NamedTuple):
    passed: bool
    seconds: float
    output: str


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = dict(zip(CHECKS, pool.map(_find, CHECKS.values()), strict=True))
    for name, finding in findings.items():
        verdict = "ok" if finding.passed else "FAILED"
        print(f"{name:<18} {verdict:<8} {finding.seconds:5.1f} s")
    for name, finding in findings.items():
        if not finding.passed:
            print(f"\n{name}:\n{finding.output}", file=sys.stderr)
    return 0 if all(finding.passed for finding in findings.values()) else 1


def _find(command: list[str]) -> Finding:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Finding(not done.returncode, time.monotonic() - began, done.stdout)


if __name__ == "__main__":
    sys.exit(main())
