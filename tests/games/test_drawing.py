"""A draw is offered and agreed on; an offer lapses when the opponent moves."""

import pytest

from games import play
from games.models import RatingEntry, Status
from games.refusals import NotAllowed, NotAtThisTable, NothingToAnswer, TimeRanOut
from tests.conftest import NOW, days
from tests.games.acts import as_stored, both_move, move, submit
from tests.games.hearing import facts, names_of_facts


@pytest.fixture
def game(start):
    game = start()
    both_move(game)
    return game


@pytest.fixture
def offered(game, alice):
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=NOW)
    return game


def test_an_offer_is_told_once(game, alice, everything_is_heard):
    for _ in range(2):
        play.offer_draw(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert as_stored(game).draw_offered_by == 0
    assert facts() == [("draw_offered", {"game_id": game.pk, "seat": 0})]


def test_an_accepted_offer_ends_the_game(offered, bob):
    play.accept_draw(game_id=offered.pk, player_id=bob.pk, now=NOW + days(1))
    over = as_stored(offered)
    assert (over.status, over.reason, over.score) == (Status.FINISHED, "agreement", 1)
    assert (over.draw_offered_by, over.ended_at) == (None, NOW + days(1))
    assert RatingEntry.objects.get(game=offered).score == 1


def test_two_offers_that_meet_are_an_agreement(offered, bob):
    play.offer_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)
    assert as_stored(offered).reason == "agreement"


def test_a_declined_offer_is_gone_and_told(offered, bob, everything_is_heard):
    play.decline_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)
    assert as_stored(offered).draw_offered_by is None
    assert facts() == [("draw_declined", {"game_id": offered.pk, "seat": 1})]


def test_a_withdrawn_offer_cannot_be_accepted(offered, alice, bob):
    play.withdraw_draw(game_id=offered.pk, player_id=alice.pk, now=NOW)
    with pytest.raises(NothingToAnswer) as refused:
        play.accept_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)
    assert str(refused.value) == "There is no such offer, or it was withdrawn."
    assert (refused.value.code, refused.value.status) == ("nothing_to_answer", 409)
    assert as_stored(offered).is_running


def test_nobody_accepts_his_own_offer(offered, alice):
    with pytest.raises(NothingToAnswer):
        play.accept_draw(game_id=offered.pk, player_id=alice.pk, now=NOW)


def test_nobody_withdraws_the_offer_of_the_other(offered, bob):
    with pytest.raises(NothingToAnswer):
        play.withdraw_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)


def test_an_offer_stands_while_its_maker_moves(offered):
    move(offered)
    assert as_stored(offered).draw_offered_by == 0


def test_an_offer_lapses_when_the_opponent_moves(offered, bob):
    move(offered)
    move(offered)
    assert as_stored(offered).draw_offered_by is None
    with pytest.raises(NothingToAnswer):
        play.accept_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)


def test_one_offers_once_at_each_move(offered, alice, bob):
    play.decline_draw(game_id=offered.pk, player_id=bob.pk, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        play.offer_draw(game_id=offered.pk, player_id=alice.pk, now=NOW)
    assert str(refused.value) == (
        "You have offered a draw at this move already; wait until the game has gone on."
    )
    assert (refused.value.code, refused.value.status) == ("not_allowed", 403)
    move(offered)
    play.offer_draw(game_id=offered.pk, player_id=alice.pk, now=NOW)
    assert as_stored(offered).draw_offered_by == 0


def test_a_draw_is_not_accepted_after_the_flag_has_fallen(offered, bob):
    move(offered, now=NOW)
    with pytest.raises(TimeRanOut):
        play.accept_draw(game_id=offered.pk, player_id=bob.pk, now=NOW + days(3))
    assert as_stored(offered).is_running


def test_a_stranger_offers_nothing(game, charlie, everything_is_heard):
    with pytest.raises(NotAtThisTable):
        play.offer_draw(game_id=game.pk, player_id=charlie.pk, now=NOW)
    assert names_of_facts() == []


def test_a_refused_move_leaves_the_offer(offered, alice, bob):
    move(offered)
    with pytest.raises(ValueError, match="no move"):
        submit(offered, bob, "hello")
    assert as_stored(offered).draw_offered_by == 0
