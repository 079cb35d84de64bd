"""A game of each kind is brought to its end by two people with a mouse, who see each other move."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from games.rules.registry import RULESETS
from tests.flows.tables import PATIENCE_MS, begin, look_again, play, played
from tests.rules.playthroughs import FOLDER, Options, wanted

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

BY_MOUSE = 3
"""So many plies of the end; what comes before is made elsewhere."""


@dataclass(frozen=True)
class WrittenGame:
    options: Options
    throws: tuple[tuple[int, ...], ...]
    moves: tuple[str, ...]
    end: str


def written_games(key: str) -> list[WrittenGame]:
    """Whole games of this ruleset, of all that are written down."""
    found = []
    for name, (ruleset, options) in wanted().items():
        if ruleset.key != key:
            continue
        throws: list[tuple[int, ...]] = []
        moves: list[str] = []
        for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
            _ply, awaited, _number, event, _fingerprint = line.split(" | ")
            if awaited.startswith("over"):
                found.append(WrittenGame(options, tuple(throws), tuple(moves), awaited.split()[3]))
                throws, moves = [], []
            elif awaited.startswith("roll"):
                throws.append(tuple(map(int, event.split())))
            else:
                moves.append(event)
    return found


@pytest.mark.parametrize("key", RULESETS)
def test_two_bring_a_game_to_its_end_by_mouse(key, pages, site, two, loaded_dice):
    written = min(written_games(key), key=lambda game: len(game.moves))
    loaded_dice(*written.throws)
    game = begin(two, key, **written.options)
    played(game, *written.moves[:-BY_MOUSE])
    for page in pages:
        page.goto(site + game.get_absolute_url())
    for text in written.moves[-BY_MOUSE:]:
        game.refresh_from_db()
        mover = pages[game.seat_to_move]
        look_again(mover)
        play(mover, game, text)
    game.refresh_from_db()
    assert (game.reason, game.ply) == (written.end, len(written.moves))
    for page in pages:
        look_again(page)
        expect(page.locator("#table-state")).to_contain_text("It ended on", timeout=PATIENCE_MS)
        expect(page.locator(".moves a").last).to_have_text(written.moves[-1])
        expect(page.get_by_role("button", name="Play again")).to_be_visible()
