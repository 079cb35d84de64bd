"""Whoever gives up has lost, unless the game had not really begun."""

import pytest

from games import play
from games.models import RatingEntry, Status
from games.refusals import GameIsOver, NotAtThisTable, TimeRanOut
from tests.conftest import NOW, days
from tests.games.acts import as_stored, both_move, move, play_to_the_end, resigned_by
from tests.games.hearing import facts


@pytest.mark.parametrize(("number", "score"), [(0, 0), (1, 2)])
def test_whoever_resigns_has_lost(start, number, score):
    game = start()
    over = resigned_by(game.seats.get(number=number).player, game)
    assert (over.status, over.reason, over.score) == (Status.FINISHED, "resignation", score)
    assert RatingEntry.objects.get(game=game).score == score


def test_one_may_resign_while_the_opponent_is_to_move(start, alice):
    game = start()
    both_move(game)
    move(game)
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert as_stored(game).score == 0


def test_resigning_before_both_have_moved_calls_the_game_off(start, bob):
    game = start()
    move(game)
    play.resign(game_id=game.pk, player_id=bob.pk, now=NOW)
    over = as_stored(game)
    assert (over.status, over.reason, over.score) == (Status.VOID, "aborted", None)
    assert not RatingEntry.objects.exists()


def test_points_on_the_board_count_for_whoever_resigns_too(start, alice):
    game = start("tritoc")
    resigned_by(alice, game)
    assert as_stored(game).points == [0, 0]


def test_a_resignation_is_told_once(start, alice, everything_is_heard):
    game = start()
    resigned_by(alice, game)
    with pytest.raises(GameIsOver):
        play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    endings = [fact for fact in facts() if fact[0] == "game_finished"]
    assert endings == [("game_finished", {"game_id": game.pk, "reason": "resignation"})]


def test_a_game_that_is_over_cannot_be_resigned(start, alice):
    game = start()
    play_to_the_end(game)
    with pytest.raises(GameIsOver):
        play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)


def test_a_stranger_cannot_resign(start, charlie):
    game = start()
    with pytest.raises(NotAtThisTable):
        play.resign(game_id=game.pk, player_id=charlie.pk, now=NOW)


def test_after_the_flag_has_fallen_it_is_too_late_to_resign(start, bob):
    game = start()
    both_move(game)
    with pytest.raises(TimeRanOut) as refused:
        play.resign(game_id=game.pk, player_id=bob.pk, now=NOW + days(3))
    assert str(refused.value) == "Time has run out in this game; it will be ended in a moment."
    assert as_stored(game).is_running
