"""SECURITY.md names only tests that exist, at least one for every promise."""

import ast
import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def table() -> list[str]:
    page = (ROOT / "SECURITY.md").read_text()
    rows = page.partition("| promise | test |\n|---|---|\n")[2].splitlines()
    assert len(rows) > 50
    return rows


def functions_of(file: str) -> set[str]:
    if not (ROOT / file).is_file():
        return set()
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_on_the_page_exists():
    named = {found for row in table() for found in NAMED.findall(row)}
    assert sorted(f"{file}::{test}" for file, test in named if test not in functions_of(file)) == []


def test_every_promise_has_a_test():
    promises = [row for row in table() if not row.startswith("| **")]
    assert [row for row in promises if not NAMED.search(row)] == []
    # Nothing in the second column is only almost the name of a test.
    assert all(row.split("|")[-2].count("`") == 2 * len(NAMED.findall(row)) for row in promises)


def test_every_part_has_promises():
    rows = table()
    parts = [number for number, row in enumerate(rows) if row.startswith("| **")]
    assert len(parts) == 12
    assert all(number + 1 < len(rows) and number + 1 not in parts for number in parts)
