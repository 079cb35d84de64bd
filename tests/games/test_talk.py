"""Chat is for the two who play, in moderation; notes are for one's own eyes."""

from datetime import timedelta

import pytest

from games import talk
from games.refusals import BadRequest, NotAtThisTable, NotFound, TooMany
from tests.conftest import NOW
from tests.games.hearing import facts


def say(game, player, text="hello", now=NOW):
    return talk.say(game_id=game.pk, player_id=player.pk, text=text, now=now)


def read(game, player):
    return [line.text for line in talk.lines_for(game_id=game.pk, player_id=player.pk)]


def test_the_two_who_play_read_what_is_said(start, alice, bob, charlie, everything_is_heard):
    game = start()
    line = say(game, alice, "  good luck  ")
    assert read(game, alice) == read(game, bob) == ["good luck"]
    assert read(game, charlie) == []
    assert facts()[-1] == ("chat_written", {"game_id": game.pk, "line_id": line.pk})


def test_a_stranger_says_nothing(start, charlie):
    with pytest.raises(NotAtThisTable):
        say(start(), charlie)


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001, "nul\0"])
def test_a_line_has_a_length(start, alice, text):
    with pytest.raises(BadRequest) as refused:
        say(start(), alice, text)
    assert str(refused.value) == "A message has 1 to 1000 characters."


def test_a_few_lines_a_minute_are_enough_over_all_games(start, alice, bob):
    games = [start(), start()]
    for number in range(talk.MOST_LINES):
        say(games[number % 2], alice)
    with pytest.raises(TooMany) as refused:
        say(games[0], alice, now=NOW + timedelta(seconds=59))
    assert str(refused.value) == ("That was a lot at once; wait a minute before you write more.")
    say(games[0], bob)
    say(games[0], alice, now=NOW + timedelta(seconds=60))


def test_a_line_of_the_opponent_is_reported_once(start, alice, bob):
    game = start()
    line = say(game, alice)
    for after in (0, 1):
        talk.report(
            game_id=game.pk, line_id=line.pk, player_id=bob.pk, now=NOW + timedelta(hours=after)
        )
    line.refresh_from_db()
    assert line.reported_at == NOW


def test_ones_own_line_is_not_reported(start, alice):
    game = start()
    line = say(game, alice)
    with pytest.raises(NotFound):
        talk.report(game_id=game.pk, line_id=line.pk, player_id=alice.pk, now=NOW)


def test_whoever_hides_the_chat_reads_only_himself(start, alice, bob):
    game = start()
    say(game, alice, "mine")
    say(game, bob, "his")
    talk.hide_chat(game_id=game.pk, player_id=alice.pk, hidden=True)
    assert read(game, alice) == ["mine"]
    assert read(game, bob) == ["mine", "his"]
    talk.hide_chat(game_id=game.pk, player_id=alice.pk, hidden=False)
    assert read(game, alice) == ["mine", "his"]


def test_a_note_is_for_ones_own_eyes(start, alice, bob, charlie):
    game = start()
    talk.write_note(game_id=game.pk, player_id=alice.pk, note="watch g8")
    assert talk.seat_of(game.pk, alice.pk).note == "watch g8"
    assert talk.seat_of(game.pk, bob.pk).note == ""
    with pytest.raises(NotAtThisTable):
        talk.write_note(game_id=game.pk, player_id=charlie.pk, note="mine")


@pytest.mark.parametrize("note", ["x" * 20_001, "nul\0"])
def test_a_note_has_a_length(start, alice, note):
    with pytest.raises(BadRequest):
        talk.write_note(game_id=start().pk, player_id=alice.pk, note=note)
