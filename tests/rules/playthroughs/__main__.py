"""Writes every playthrough anew: `python -m tests.rules.playthroughs`."""

from tests.rules.playthroughs import FOLDER, chosen_by_hash, recorded, wanted

for stale in FOLDER.glob("*.txt"):
    stale.unlink()
for name, (ruleset, options) in wanted().items():
    lines = recorded(ruleset, options, chosen_by_hash(name))
    (FOLDER / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
