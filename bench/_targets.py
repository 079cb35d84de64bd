"""Which targets were missed, so that a run can say so at its end and in its exit code."""

MISSED: list[str] = []
UNSTEADY = "no steady round; try again on a quieter machine"


def mark(what: str, is_met: bool, said: str = "  target missed") -> str:
    """What to print behind a figure; a target that is missed is remembered."""
    if is_met:
        return ""
    MISSED.append(f"{what}:{said.replace('  ', ' ')}")
    return said


def note_unsteady(what: str) -> None:
    """What could not be measured is not known to be met."""
    MISSED.append(f"{what}: {UNSTEADY}")


def conclude() -> int:
    """Print what was missed; the exit code."""
    if MISSED:
        print(f"\n{len(MISSED)} missed", *MISSED, sep="\n  ", flush=True)
    return 1 if MISSED else 0
