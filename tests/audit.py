"""Ask a vulnerability service about every locked package."""

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path("requirements-dev.lock")
OSV = "https://api.osv.dev/v1/query"
PATIENCE = 120
NOT_REACHED = 75  # EX_TEMPFAIL


def main(lock: Path = LOCK, service: str = OSV) -> int:
    try:
        answer = _ask(lock, service)
        packages = json.loads(answer.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        print("Not checked for known vulnerabilities: the service cannot be reached from here.")
        print("Run `make audit` on a machine that reaches api.osv.dev.")
        return NOT_REACHED
    found = [(package, hole) for package in packages for hole in package.get("vulns", [])]
    for package, hole in found:
        fixed = ", ".join(hole["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {hole['id']}, fixed in {fixed}")
    if found:
        print(
            "Raise these pins in the requirement files (others: ARGS=--upgrade), then `make lock`."
        )
    return 1 if found else 0


def _ask(lock: Path, service: str) -> subprocess.CompletedProcess[str]:
    # OSV and not PyPI's own service: where PyPI is a mirror without that part, pip-audit
    # passes over every package and reports that all is well.
    command = ["--require-hashes", "--disable-pip", "--requirement", str(lock)]
    command += ["--vulnerability-service", "osv", "--osv-url", service, "--timeout", "10"]
    command += ["--format", "json", "--desc", "off", "--progress-spinner", "off"]
    return subprocess.run(
        [sys.executable, "-m", "pip_audit", *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


if __name__ == "__main__":
    sys.exit(main())
