"""A benchmark that misses a target says so at its end and in its exit code."""

import sys
from types import SimpleNamespace

import pytest

from bench import __main__, _stage, _targets


@pytest.fixture
def exit_code(monkeypatch):
    """Of `python -m bench` with one benchmark, which reports these figures."""
    monkeypatch.setattr(_targets, "MISSED", [])

    def exit_code(figures: list[float], **bound: float) -> int:
        module = SimpleNamespace(main=lambda: _stage.report("facts a second", figures, **bound))
        monkeypatch.setitem(sys.modules, "bench.made_up", module)
        return __main__.main(["made_up"])

    return exit_code


@pytest.mark.parametrize("bound", [{"least": 2.0}, {"most": 2.0}, {}])
def test_targets_that_are_met_end_well(exit_code, capsys, bound):
    assert exit_code([2.0], **bound) == 0
    assert "missed" not in capsys.readouterr().out


@pytest.mark.parametrize(("figures", "bound"), [([1.9], {"least": 2.0}), ([2.1], {"most": 2.0})])
def test_a_missed_target_is_the_last_that_is_said_and_ends_badly(exit_code, capsys, figures, bound):
    assert exit_code(figures, **bound) == 1
    assert capsys.readouterr().out.endswith("\n1 missed\n  facts a second: target missed\n")


def test_what_could_not_be_measured_is_not_known_to_be_met(exit_code):
    assert exit_code([], most=2.0) == 1
