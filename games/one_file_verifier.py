"""The verifier of game files as one file, which Python runs without anything installed."""

import io
import zipfile
from functools import cache
from pathlib import Path

NAME = "tripost-verify.pyz"
HERE = Path(__file__).parent
MODULES = (
    "__init__", "clock", "dice", "ed25519", "record", "record_dice", "record_origin",
    "record_shape", "record_times", "vrf",
)  # fmt: skip
MAIN = '''\
import sys

from games import dice, record

record.USAGE = dice.USAGE = """\\
usage: python tripost-verify.pyz verify FILE.json [--keys KEYS.json or URL]
       python tripost-verify.pyz dice FILE.json"""
command, *files = sys.argv[1:] or [""]
sys.exit(dice.main(["verify", *files]) if command == "dice" else record.main(sys.argv[1:]))
'''
EPOCH = (1980, 1, 1, 0, 0, 0)


@cache
def program() -> bytes:
    """A zip file with a `__main__`; the same bytes for the same code."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        _add(archive, "__main__.py", MAIN.encode())
        for path in (*(HERE / f"{name}.py" for name in MODULES), *sorted(HERE.glob("rules/*.py"))):
            _add(archive, str(path.relative_to(HERE.parent)), path.read_bytes())
    return made.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
