"""Each player may add his share to the dice, once and until his first move."""

import pytest

from games import dice, play
from games.refusals import BadRequest, TooLate
from tests.conftest import NOW
from tests.games.acts import as_stored, move, position_of


def test_a_salt_is_in_every_throw_after_it(start, alice):
    game = start("tritoc")
    play.add_salt(game_id=game.pk, player_id=alice.pk, salt="a pinch", now=NOW)
    # A game may begin with throws that nobody can use.
    number = as_stored(game).throws_made + 1
    answer = move(game)
    stored = as_stored(game)
    told = {"seed": bytes(stored.seed), "game_id": str(game.pk), "dice": 2, "sides": 6}
    expected = dice.throw(number=number, salts=["a pinch", ""], **told)
    assert answer.throws[0] == list(expected)


def test_a_salt_does_not_change_what_was_thrown_before(start, bob):
    game = start("tritoc")
    before = position_of(game)
    play.add_salt(game_id=game.pk, player_id=bob.pk, salt="late", now=NOW)
    assert position_of(game) == before
    assert game.seats.get(number=1).salted_after_throw == 1


def test_a_salt_cannot_be_changed(start, alice):
    game = start("tritoc")
    play.add_salt(game_id=game.pk, player_id=alice.pk, salt="one", now=NOW)
    with pytest.raises(TooLate) as refused:
        play.add_salt(game_id=game.pk, player_id=alice.pk, salt="two", now=NOW)
    assert str(refused.value) == "You have added your salt already; it cannot be changed."


def test_after_the_first_move_it_is_too_late(start, alice):
    game = start("tritt-classic")
    move(game)
    with pytest.raises(TooLate) as refused:
        play.add_salt(game_id=game.pk, player_id=alice.pk, salt="one", now=NOW)
    assert str(refused.value) == "A salt can be added until your first move."


def test_the_opponent_may_still_add_his(start, bob):
    game = start("tritt-classic")
    move(game)
    play.add_salt(game_id=game.pk, player_id=bob.pk, salt="mine", now=NOW)
    assert game.seats.get(number=1).salt == "mine"


@pytest.mark.parametrize("salt", ["", "x" * 65, "two\nlines", "nul\0"])
def test_a_salt_is_a_short_printable_text(start, alice, salt):
    game = start("tritoc")
    with pytest.raises(BadRequest) as refused:
        play.add_salt(game_id=game.pk, player_id=alice.pk, salt=salt, now=NOW)
    assert str(refused.value) == "A salt is a text of 1 to 64 printable characters."
    assert (refused.value.code, refused.value.status) == ("invalid", 422)
