"""A move is played once, by whoever is to move, in time and by the rules."""

import pytest

from games import play
from games.clock import Fischer
from games.models import Game, Move, Status
from games.refusals import (
    GameIsOver,
    NoSuchGame,
    NotAtThisTable,
    NotYourTurn,
    StalePly,
    TimeRanOut,
)
from games.rules.position import IllegalMove, InvalidMove
from games.rules.registry import RULESETS
from tests.conftest import NOW, days
from tests.games.acts import (
    as_stored,
    both_move,
    move,
    play_to_the_end,
    position_of,
    replayed,
    submit,
    to_move,
)
from tests.games.hearing import facts


def test_a_move_is_a_line_of_the_log(start, alice):
    game = start()
    submit(game, alice, "d3-f5", now=NOW + days(1))
    line = Move.objects.get(game=game, ply=1)
    assert (line.seat, line.text, line.via, line.back_to) == (0, "d3-f5", "web", None)
    assert (line.played_at, line.used) == (NOW + days(1), days(1))


def test_a_move_leads_where_the_rules_say(start, alice):
    game = start()
    submit(game, alice, "d3-f5")
    expected = RULESETS["tritt-classic"].start({})
    assert position_of(game) == expected.play(expected.parse("d3-f5"))
    stored = as_stored(game)
    assert (stored.ply, stored.seat_to_move, stored.seats_moved) == (1, 1, 0b01)


def test_a_move_starts_the_clock_of_the_opponent(start, alice):
    game = start()
    submit(game, alice, "d3-f5", now=NOW + days(2))
    stored = as_stored(game)
    assert (stored.clock_from, stored.time_left) == (NOW + days(2), days(3))
    assert stored.deadline_at == NOW + days(5)


def test_a_move_leaves_the_rest_of_the_bank_and_adds_the_increment(start, alice):
    game = start(clock=Fischer(bank_hours=240, increment_hours=24, cap_hours=504))
    submit(game, alice, "d3-f5", now=NOW + days(4))
    assert game.seats.get(number=0).bank == days(7)
    assert game.seats.get(number=1).bank == days(10)


def test_a_move_is_told(start, alice, everything_is_heard):
    game = start()
    submit(game, alice, "d3-f5")
    assert facts()[-1] == ("move_played", {"game_id": game.pk, "ply": 1, "seat": 0})


def test_what_is_typed_is_read_leniently_and_stored_canonically(start, alice):
    game = start()
    answer = submit(game, alice, "  D3 – F5 ")
    assert answer.text == "d3-f5"
    assert Move.objects.get(game=game, ply=1).text == "d3-f5"


# The same again


@pytest.mark.parametrize("again", ["f5-d3", "F5 - D3", "d3-f5"])
def test_a_move_sent_again_gets_the_answer_of_the_first_time(start, alice, again):
    game = start()
    first = submit(game, alice, "f5 - d3", ply=0)
    assert submit(game, alice, again, ply=0, now=NOW + days(1)) == first
    assert Move.objects.filter(game=game).count() == 2


def test_a_move_sent_again_is_known_after_the_opponent_has_answered(start, alice, bob):
    game = start()
    first = submit(game, alice, "D3-F5", ply=0)
    submit(game, bob, "e3-g4", ply=1)
    assert submit(game, alice, "D3-F5", ply=0) == first
    assert as_stored(game).ply == 2


def test_the_last_move_of_a_game_sent_again_gets_the_same_answer(start):
    game = start()
    over = play_to_the_end(game)
    last = Move.objects.get(game=game, ply=over.ply)
    player = game.seats.get(number=last.seat).player
    answer = submit(game, player, last.text, ply=over.ply - 1)
    assert (answer.ply, answer.text) == (over.ply, last.text)


def test_throws_are_in_the_answer_both_times(start, alice, loaded_dice):
    loaded_dice((3, 4), (2, 5))
    game = start("tritoc")
    text = str(position_of(game).legal_moves()[0])
    first = submit(game, alice, text, ply=0)
    assert first.throws == [[2, 5]]
    assert submit(game, alice, text, ply=0) == first


@pytest.mark.parametrize("text", ["e3-g4", "", "   "])
def test_another_text_for_a_ply_that_is_played_is_refused(start, alice, text):
    game = start()
    submit(game, alice, "d3-f5", ply=0)
    with pytest.raises(StalePly) as refused:
        submit(game, alice, text, ply=0)
    assert str(refused.value) == (
        "This move answers ply 0, but the game has gone on to ply 1; nothing was played."
    )
    assert (refused.value.code, refused.value.status) == ("stale_ply", 409)


def test_the_move_of_the_opponent_cannot_be_claimed(start, alice, bob):
    game = start()
    submit(game, alice, "d3-f5", ply=0)
    with pytest.raises(StalePly):
        submit(game, bob, "d3-f5", ply=0)


def test_a_move_for_a_ply_to_come_is_refused(start, alice):
    game = start()
    with pytest.raises(StalePly) as refused:
        submit(game, alice, "d3-f5", ply=4)
    assert str(refused.value) == ("This move answers ply 4, but the game has only come to ply 0.")


# Refusals


def test_only_the_seat_to_move_moves(start, bob):
    game = start()
    with pytest.raises(NotYourTurn) as refused:
        submit(game, bob, "d3-f5")
    assert str(refused.value) == "It is not your turn; your opponent is to move."
    assert (refused.value.code, refused.value.status) == ("not_your_turn", 409)


def test_a_stranger_can_only_watch(start, charlie):
    game = start()
    with pytest.raises(NotAtThisTable) as refused:
        submit(game, charlie, "d3-f5")
    assert str(refused.value) == "You do not play in this game, so you can only watch it."
    assert (refused.value.code, refused.value.status) == ("not_a_player", 403)


def test_a_game_that_does_not_exist_is_not_found(alice):
    with pytest.raises(NoSuchGame) as refused:
        play.submit_move(game_id=10**9, player_id=alice.pk, text="a1-a3", ply=0, now=NOW, via="web")
    assert str(refused.value) == "There is no such game."
    assert (refused.value.code, refused.value.status) == ("not_found", 404)


def test_nothing_is_played_in_a_game_that_is_over(start):
    game = start()
    over = play_to_the_end(game)
    player = game.seats.get(number=0).player
    with pytest.raises(GameIsOver) as refused:
        submit(game, player, "a1-a3", ply=over.ply)
    assert str(refused.value) == "This game is over; nothing more can be played in it."
    assert (refused.value.code, refused.value.status) == ("game_over", 409)


@pytest.mark.parametrize(("text", "error"), [("hello", InvalidMove), ("swap", IllegalMove)])
def test_a_refused_move_changes_nothing(start, alice, text, error):
    game = start()
    before = Game.objects.filter(pk=game.pk).values().get()
    with pytest.raises(error):
        submit(game, alice, text)
    assert Game.objects.filter(pk=game.pk).values().get() == before
    assert Move.objects.filter(game=game).count() == 1


def test_a_move_in_the_last_instant_is_in_time(start, alice):
    game = start()
    submit(game, alice, "d3-f5", now=NOW + days(3) - days(1) / 86_400_000_000)
    assert as_stored(game).ply == 1


def test_a_move_at_the_fall_of_the_flag_is_late_and_ends_the_game(start):
    game = start()
    both_move(game)
    with pytest.raises(TimeRanOut) as refused:
        move(game, now=NOW + days(3))
    assert str(refused.value) == "Your time ran out before this move arrived."
    assert (refused.value.code, refused.value.status) == ("time_ran_out", 409)
    over = as_stored(game)
    assert (over.status, over.reason, over.score, over.ply) == (Status.FINISHED, "time", 0, 2)


# Endings


@pytest.mark.parametrize(
    ("ruleset", "options"),
    [
        ("tritt-reloaded", {}),
        ("tritt-classic", {}),
        ("tritoc", {}),
        ("tri-trac", {"move_limit": 9}),
        ("triotrio", {"turn_limit": 3}),
    ],
)
def test_the_server_finds_the_end(start, everything_is_heard, ruleset, options):
    game = start(ruleset, options=options)
    over = play_to_the_end(game)
    outcome = replayed(game).awaiting
    assert over.status == Status.FINISHED
    assert over.reason == outcome.reason
    assert [over.score / 2, 1 - over.score / 2] == list(outcome.scores)
    assert tuple(over.points) == outcome.points
    assert (over.ended_at, over.deadline_at, over.seat_to_move) == (NOW, None, None)
    assert facts()[-1] == ("game_finished", {"game_id": game.pk, "reason": outcome.reason})


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_stored_position_is_that_of_the_log(start, ruleset):
    game = start(ruleset)
    for _ in range(6):
        move(game)
        assert position_of(game) == replayed(game)


def test_an_ended_game_no_longer_counts_as_running(start, alice, bob):
    game, _other = start(), start()
    play_to_the_end(game)
    for player in (alice, bob):
        player.participant.refresh_from_db()
        assert player.participant.running_games == 1


def test_whoever_is_to_move_may_be_the_same_again(start, alice, loaded_dice):
    loaded_dice((4, 3), (1,))
    game = start("triotrio")
    assert to_move(game) == alice
    move(game, "change f1")
    assert to_move(game) == alice
    assert as_stored(game).seats_moved == 0b01
