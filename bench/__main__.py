"""Runs the benchmarks one after the other: all of them, or those named."""

import importlib
import pkgutil
import sys

import bench


def main(wanted: list[str]) -> None:
    names = [module.name for module in pkgutil.iter_modules(bench.__path__)]
    for name in wanted or [name for name in names if not name.startswith("_")]:
        print(f"== {name} ==", flush=True)
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
