"""Dora is on the staff and rules on games of Alice and Bob."""

import pytest

from games import rulings
from tests.conftest import make_player
from tests.games.acts import both_move, resigned_by
from tests.games.rulings.ground import LATER


@pytest.fixture
def dora(db):
    return make_player("dora", is_staff=True)


@pytest.fixture
def rule(dora):
    """A ruling by Dora, with a reason."""

    def ruled(act, game, *, now=LATER, **terms):
        return act(game_id=game.pk, by=dora, reason="The server lied.", now=now, **terms)

    return ruled


@pytest.fixture
def undo(dora):
    return lambda ruling, *, now=LATER: rulings.undo(ruling_id=ruling.pk, by=dora, now=now)


@pytest.fixture
def running(start):
    """Both have moved; Alice is to move, with three days from now on."""
    game = start()
    both_move(game)
    return game


@pytest.fixture
def lost_by_alice(start, alice):
    return resigned_by(alice, start())
