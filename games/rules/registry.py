"""Every game that can be played here, by its key; older versions live as long as their games."""

from games.rules import tri_trac, triotrio, tritoc, tritt_classic, tritt_reloaded
from games.rules.position import Ruleset

VERSIONS: dict[tuple[str, int], Ruleset] = {
    (rules.key, rules.version): rules
    for rules in (
        tritt_reloaded.RULESET,
        tritt_classic.RULESET,
        tritoc.RULESET,
        tri_trac.RULESET,
        triotrio.RULESET,
    )
}

RULESETS: dict[str, Ruleset] = {rules.key: rules for rules in VERSIONS.values()}
"""The newest of each: what a new game is begun under; VERSIONS names the older ones first."""


def ruleset(key: str, version: int) -> Ruleset:
    """The rules that a game was begun under."""
    return VERSIONS[key, version]
