"""Moves are taken back by consent, never past a die, and the log keeps them."""

import pytest

from games import play
from games.clock import Fischer
from games.models import Move, Via
from games.refusals import NotAllowed, NotAtThisTable, NothingToAnswer
from tests.conftest import NOW, days
from tests.games.acts import as_stored, move, position_of, replayed, submit
from tests.games.hearing import facts, names_of_facts

BANK = Fischer(bank_hours=240, increment_hours=24, cap_hours=504)


def ask(game, player, now=NOW):
    play.ask_takeback(game_id=game.pk, player_id=player.pk, now=now)


def consent(game, player, now=NOW):
    play.accept_takeback(game_id=game.pk, player_id=player.pk, now=now, via=Via.WEB)


def test_the_last_move_is_taken_back_by_consent(start, alice, bob, everything_is_heard):
    game = start()
    before = position_of(game)
    move(game)
    ask(game, alice)
    consent(game, bob)
    stored = as_stored(game)
    assert position_of(game) == before == replayed(game)
    assert (stored.ply, stored.seat_to_move, stored.takeback_asked_by) == (2, 0, None)
    assert facts()[-2:] == [
        ("takeback_asked", {"game_id": game.pk, "seat": 0}),
        ("moves_taken_back", {"game_id": game.pk, "ply": 2}),
    ]


def test_the_log_keeps_what_was_taken_back(start, alice, bob):
    game = start()
    submit(game, alice, "d3-f5")
    ask(game, alice)
    consent(game, bob)
    submit(game, alice, "g8-g10")
    lines = Move.objects.filter(game=game).values_list("ply", "text", "back_to")
    assert list(lines) == [
        (0, "", None),
        (1, "d3-f5", None),
        (2, "takeback", 0),
        (3, "g8-g10", None),
    ]
    assert position_of(game) == replayed(game)


def test_ones_own_move_is_taken_back_with_the_answer_to_it(start, alice, bob):
    game = start()
    before = position_of(game)
    submit(game, alice, "d3-f5")
    submit(game, bob, "e3-g4")
    ask(game, alice)
    consent(game, bob)
    assert position_of(game) == before == replayed(game)
    assert as_stored(game).seat_to_move == 0


def test_taking_back_again_goes_further_back(start, alice, bob):
    game = start()
    before = position_of(game)
    submit(game, alice, "d3-f5")
    submit(game, bob, "e3-g4")
    submit(game, alice, "k1-k3")
    ask(game, alice)
    consent(game, bob)
    assert position_of(game) != before
    ask(game, alice)
    consent(game, bob)
    assert position_of(game) == before == replayed(game)


def test_a_move_cannot_be_taken_back_past_a_die(start, alice, everything_is_heard):
    game = start("tritoc")
    move(game)
    told = names_of_facts()
    with pytest.raises(NotAllowed) as refused:
        ask(game, alice)
    assert str(refused.value) == (
        "A move cannot be taken back once dice have been thrown after it."
    )
    assert names_of_facts() == told


def test_whoever_has_not_moved_has_nothing_to_take_back(start, alice, bob):
    game = start()
    for player in (alice, bob):
        with pytest.raises(NotAllowed) as refused:
            ask(game, player)
        assert str(refused.value) == "You have no move to take back."


def test_nobody_consents_to_his_own_wish(start, alice):
    game = start()
    move(game)
    ask(game, alice)
    with pytest.raises(NothingToAnswer):
        consent(game, alice)


def test_a_declined_wish_is_gone_and_told(start, alice, bob, everything_is_heard):
    game = start()
    move(game)
    ask(game, alice)
    play.decline_takeback(game_id=game.pk, player_id=bob.pk, now=NOW)
    assert facts()[-1] == ("takeback_declined", {"game_id": game.pk, "seat": 1})
    with pytest.raises(NothingToAnswer):
        consent(game, bob)


def test_a_wish_lapses_when_a_move_is_played(start, alice, bob):
    game = start()
    move(game)
    ask(game, alice)
    move(game)
    assert as_stored(game).takeback_asked_by is None


def test_a_wish_is_told_once(start, alice, everything_is_heard):
    game = start()
    move(game)
    ask(game, alice)
    ask(game, alice)
    assert names_of_facts().count("takeback_asked") == 1


def test_a_stranger_takes_nothing_back(start, charlie):
    game = start()
    move(game)
    with pytest.raises(NotAtThisTable):
        ask(game, charlie)


def test_a_draw_offer_lapses_with_the_move(start, alice, bob):
    game = start()
    move(game)
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=NOW)
    ask(game, alice)
    consent(game, bob)
    assert as_stored(game).draw_offered_by is None


# Clocks


def test_the_clock_runs_for_whoever_is_to_move_again(start, alice, bob):
    game = start()
    move(game)
    ask(game, alice, now=NOW + days(1))
    consent(game, bob, now=NOW + days(2))
    stored = as_stored(game)
    assert (stored.clock_from, stored.time_left) == (NOW + days(2), days(3))
    assert stored.deadline_at == NOW + days(5)


def test_what_the_opponent_thought_before_consenting_is_spent(start, alice, bob):
    game = start(clock=BANK)
    move(game)
    ask(game, alice)
    consent(game, bob, now=NOW + days(4))
    move(game, now=NOW + days(4))
    stored = as_stored(game)
    assert (stored.seat_to_move, stored.time_left) == (1, days(6))


def test_with_days_for_each_move_the_opponent_has_them_again(start, alice, bob):
    game = start()
    move(game)
    ask(game, alice)
    consent(game, bob, now=NOW + days(2))
    move(game, now=NOW + days(2))
    assert as_stored(game).time_left == days(3)


def test_two_plies_taken_back_leave_the_mover_what_he_had(start, alice, bob):
    game = start(clock=BANK)
    move(game)
    move(game)
    ask(game, alice, now=NOW + days(3))
    consent(game, bob, now=NOW + days(3))
    stored = as_stored(game)
    assert (stored.seat_to_move, stored.time_left) == (0, days(11 - 3))
