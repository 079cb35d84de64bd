"""A game is made void, given a result or taken up again, whatever it was before."""

import pytest

from games import play, rulings, sweeps
from games.models import RatingEntry, Ruling, Status
from games.refusals import BadRequest, GameIsOver, NotAllowed, TooLate
from tests.conftest import NOW, days
from tests.games.acts import (
    as_stored,
    both_move,
    move,
    play_to_the_end,
    position_of,
    resigned_by,
    submit,
)
from tests.games.hearing import facts
from tests.games.rulings.ground import LATER, all_is_well, counts, rating_of, result_of

# Void


def test_a_decided_game_that_is_made_void_is_rated_no_more(rule, lost_by_alice, alice, bob):
    ruling = rule(rulings.make_void, lost_by_alice)
    assert result_of(lost_by_alice) == (Status.VOID, None, "ruling")
    assert as_stored(lost_by_alice).ended_at == NOW
    assert (rating_of(alice), rating_of(bob)) == ([], [])
    assert RatingEntry.objects.get().is_void
    assert ruling.detail["ratings"] == [[149_000, None], [151_000, None]]
    all_is_well()


def test_a_running_game_that_is_made_void_is_over(rule, running, alice, everything_is_heard):
    play.offer_draw(game_id=running.pk, player_id=alice.pk, now=NOW)
    ruling = rule(rulings.make_void, running)
    assert result_of(running) == (Status.VOID, None, "ruling")
    assert as_stored(running).ended_at == LATER
    assert as_stored(running).draw_offered_by is None
    assert counts() == {"alice": 0, "bob": 0}
    assert facts()[-2:] == [
        ("game_finished", {"game_id": running.pk, "reason": "ruling"}),
        ("ruling_changed", {"ruling_id": ruling.pk, "undone": False}),
    ]
    with pytest.raises(GameIsOver):
        move_by_hand(running, alice)


def move_by_hand(game, player):
    text = str(position_of(game).legal_moves()[0])
    return submit(game, player, text, now=LATER)


def test_a_void_game_is_not_made_void_again(rule, running):
    rule(rulings.make_void, running)
    with pytest.raises(TooLate, match="void already"):
        rule(rulings.make_void, running)
    assert Ruling.objects.count() == 1


# A result


@pytest.mark.parametrize("score", [0, 1, 2])
def test_a_result_is_set_on_a_decided_game(rule, lost_by_alice, score):
    rule(rulings.set_result, lost_by_alice, score=score)
    assert result_of(lost_by_alice) == (Status.FINISHED, score, "ruling")
    assert RatingEntry.objects.get(is_void=False).score == score
    all_is_well()


def test_a_result_is_set_on_a_running_game(rule, running, alice):
    rule(rulings.set_result, running, score=2)
    assert result_of(running) == (Status.FINISHED, 2, "ruling")
    assert as_stored(running).ended_at == LATER
    assert rating_of(alice) == [151_000]
    assert counts() == {"alice": 0, "bob": 0}
    all_is_well()


def test_a_result_on_a_game_that_was_void_is_entered_at_the_end(
    rule, undo, start, alice, bob, lost_by_alice
):
    void = start()
    both_move(void)
    rule(rulings.make_void, void, now=NOW + days(1))
    resigned_by(bob, start(now=NOW + days(5)), now=NOW + days(5))
    ruling = rule(rulings.set_result, void, score=2, now=NOW + days(6))
    entry = RatingEntry.objects.get(game=void)
    assert (entry.number, entry.score, entry.rated_at) == (3, 2, NOW + days(6))
    all_is_well(now=NOW + days(6))
    undo(ruling, now=NOW + days(6))
    assert result_of(void) == (Status.VOID, None, "ruling")
    assert RatingEntry.objects.get(game=void).is_void
    all_is_well(now=NOW + days(6))


def test_a_result_on_a_game_that_was_not_played_rates_nothing(rule, undo, start):
    unplayed = start()
    sweeps.end_games_on_time(now=NOW + days(4))
    assert result_of(unplayed) == (Status.VOID, None, "time")
    ruling = rule(rulings.set_result, unplayed, score=2, now=NOW + days(6))
    assert result_of(unplayed) == (Status.FINISHED, 2, "ruling")
    assert not RatingEntry.objects.exists()
    all_is_well(now=NOW + days(6))
    undo(ruling, now=NOW + days(6))
    assert result_of(unplayed) == (Status.VOID, None, "time")


def test_a_result_on_an_unrated_game_rates_nothing(rule, start, alice):
    game = resigned_by(alice, start(rated=False))
    rule(rulings.set_result, game, score=2)
    assert not RatingEntry.objects.exists()
    all_is_well()


def test_a_result_leaves_the_points_on_the_board(rule, start):
    game = play_to_the_end(start("tritoc"))
    assert game.points
    rule(rulings.make_void, game)
    assert as_stored(game).points == []
    rule(rulings.set_result, game, score=1)
    assert as_stored(game).points == game.points


def test_there_is_no_other_result_than_three(rule, running):
    with pytest.raises(BadRequest):
        rule(rulings.set_result, running, score=3)


# Going on


def test_a_game_that_is_reopened_goes_on_where_it_ended(rule, lost_by_alice, alice, bob):
    """Alice gave up with three days on her clock."""
    rule(rulings.reopen, lost_by_alice)
    game = as_stored(lost_by_alice)
    assert (game.status, game.score, game.reason, game.ended_at) == ("running", None, "", None)
    assert (game.seat_to_move, game.clock_from, game.deadline_at) == (0, LATER, LATER + days(3))
    assert counts() == {"alice": 1, "bob": 1}
    assert rating_of(alice) == []
    all_is_well()
    move(game, now=LATER + days(1))
    play.resign(game_id=game.pk, player_id=bob.pk, now=LATER + days(1))
    assert [(e.number, e.is_void, e.score) for e in RatingEntry.objects.filter(game=game)] == [
        (1, True, 0),
        (2, False, 2),
    ]
    assert rating_of(alice) == [151_000]
    all_is_well(now=LATER + days(1))


def test_only_what_was_left_of_the_clock_is_left(rule, running, alice):
    play.resign(game_id=running.pk, player_id=alice.pk, now=NOW + days(1))
    rule(rulings.reopen, running, now=NOW + days(9), hours=12)
    assert as_stored(running).deadline_at == NOW + days(9) + days(2.5)


def test_a_game_that_was_lost_on_time_needs_hours_to_go_on(rule, running):
    sweeps.end_games_on_time(now=NOW + days(4))
    with pytest.raises(BadRequest, match="say how many hours"):
        rule(rulings.reopen, running, now=NOW + days(5))
    rule(rulings.reopen, running, now=NOW + days(5), hours=24)
    assert as_stored(running).deadline_at == NOW + days(6)
    all_is_well(now=NOW + days(5))


def test_a_vacation_holds_the_clock_of_a_reopened_game(rule, lost_by_alice, alice):
    alice.vacations.create(began_at=NOW, ends_at=NOW + days(5))
    rule(rulings.reopen, lost_by_alice)
    assert as_stored(lost_by_alice).deadline_at == NOW + days(8)


def test_a_game_that_ended_on_the_board_does_not_go_on(rule, start):
    game = play_to_the_end(start())
    with pytest.raises(NotAllowed, match="on the board"):
        rule(rulings.reopen, game)


def test_a_game_that_runs_is_not_reopened(rule, running):
    with pytest.raises(TooLate, match="still being played"):
        rule(rulings.reopen, running)
