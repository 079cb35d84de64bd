"""Runs the benchmarks one after the other: all of them, or those named."""

import importlib
import pkgutil
import sys

import bench
from bench import _targets


def main(wanted: list[str]) -> int:
    """The exit code: 1 if a target was missed."""
    names = [module.name for module in pkgutil.iter_modules(bench.__path__)]
    for name in wanted or [name for name in names if not name.startswith("_")]:
        print(f"== {name} ==", flush=True)
        importlib.import_module(f"bench.{name}").main()
    return _targets.conclude()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
