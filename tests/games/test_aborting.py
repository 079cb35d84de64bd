"""A game that has not really begun can be called off by either player."""

import pytest

from games import play
from games.models import Participant, RatingEntry, Status
from games.refusals import GameIsOver, NotAtThisTable, TooLate
from tests.conftest import NOW
from tests.games.acts import as_stored, both_move, move
from tests.games.hearing import facts


@pytest.mark.parametrize("number", [0, 1])
def test_either_calls_the_game_off_before_both_have_moved(start, number, everything_is_heard):
    game = start()
    move(game)
    player = game.seats.get(number=number).player
    play.abort(game_id=game.pk, player_id=player.pk, now=NOW)
    over = as_stored(game)
    assert (over.status, over.reason, over.score) == (Status.VOID, "aborted", None)
    assert facts()[-1] == ("game_finished", {"game_id": game.pk, "reason": "aborted"})
    assert not RatingEntry.objects.exists()
    assert Participant.objects.filter(running_games=0).count() == 2


def test_once_both_have_moved_it_is_too_late(start, alice):
    game = start()
    both_move(game)
    with pytest.raises(TooLate) as refused:
        play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert str(refused.value) == "Both have moved, so the game can be resigned but not called off."
    assert (refused.value.code, refused.value.status) == ("too_late", 409)
    assert as_stored(game).is_running


def test_a_game_is_called_off_once(start, alice, bob):
    game = start()
    play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    with pytest.raises(GameIsOver):
        play.abort(game_id=game.pk, player_id=bob.pk, now=NOW)


def test_a_stranger_calls_nothing_off(start, charlie):
    game = start()
    with pytest.raises(NotAtThisTable):
        play.abort(game_id=game.pk, player_id=charlie.pk, now=NOW)
