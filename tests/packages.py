"""Check that lock files, requirement files and installed packages agree."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKED_FROM = {
    "requirements.lock": ["requirements.txt"],
    "requirements-dev.lock": ["requirements.txt", "requirements-dev.txt"],
}
ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?P<rest>(?:.*\n)(?: .*\n)*)", re.MULTILINE
)


class Entry(NamedTuple):
    name: str
    version: str
    rest: str

    @property
    def is_hashed(self) -> bool:
        return "--hash=sha256:" in self.rest


def main() -> int:
    problems = [*problems_of_files(Path()), *problems_of_installed(Path(), distributions())]
    for problem in problems:
        print(problem)
    if problems:
        print("`make lock` writes the lock files anew; any make target then installs from them.")
    return 1 if problems else 0


def problems_of_files(folder: Path) -> Iterator[str]:
    for lock, lists in LOCKED_FROM.items():
        text = (folder / lock).read_text()
        entries = entries_of(text)
        if "://" in text:
            yield f"{lock} names an address; it must install from any package index."
        for entry in entries:
            if not entry.is_hashed:
                yield f"{lock}: {entry.name} has no hash."
        for file in lists:
            yield from _differences(lock, entries, file, _requirements(folder / file))
    run, dev = (_pins(entries_of((folder / lock).read_text())) for lock in LOCKED_FROM)
    for name, version in sorted(run - dev):
        yield f"requirements-dev.lock has another {name} than requirements.lock ({version})."


def problems_of_installed(folder: Path, installed: Iterator[Distribution]) -> Iterator[str]:
    locked = _pins(entries_of((folder / "requirements-dev.lock").read_text()))
    names = {name for name, _ in locked}
    extras = {
        canonicalize_name(one.name): one.extras
        for file in LOCKED_FROM["requirements-dev.lock"]
        for one in _requirements(folder / file)
    }
    for package in installed:
        name = canonicalize_name(package.name)
        if name in names and (name, package.version) not in locked:
            yield f"{name} {package.version} is installed, but another version is locked."
        for needed in _brought_by(package, extras.get(name, set())) - names:
            yield f"requirements-dev.lock lacks {needed}, an extra of {name}."


def entries_of(lock: str) -> list[Entry]:
    return [
        Entry(canonicalize_name(found["name"]), found["version"], found["rest"])
        for found in ENTRY.finditer(lock)
    ]


def _differences(
    lock: str, entries: list[Entry], file: str, wanted: list[Requirement]
) -> Iterator[str]:
    pins = _pins(entries)
    for one in wanted:
        version = str(one.specifier).removeprefix("==")
        if not str(one.specifier).startswith("=="):
            yield f"{file}: {one.name} is not pinned."
        elif (canonicalize_name(one.name), version) not in pins:
            yield f"{lock} lacks {one.name}=={version} of {file}."
    names = {canonicalize_name(one.name) for one in wanted}
    for entry in entries:
        if re.search(rf"-r {re.escape(file)}\b", entry.rest) and entry.name not in names:
            yield f"{lock} has {entry.name}, which is no longer in {file}."


def _requirements(file: Path) -> list[Requirement]:
    lines = (line.partition("#")[0].strip() for line in file.read_text().splitlines())
    return [Requirement(line) for line in lines if line]


def _pins(entries: list[Entry]) -> set[tuple[str, str]]:
    return {(entry.name, entry.version) for entry in entries}


def _brought_by(package: Distribution, extras: set[str]) -> set[str]:
    needed = [Requirement(line) for line in package.requires or []]
    return {
        canonicalize_name(one.name)
        for one in needed
        for extra in extras
        if one.marker and one.marker.evaluate({"extra": extra})
    }


if __name__ == "__main__":
    sys.exit(main())
