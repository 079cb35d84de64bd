"""A ruling that is undone is as if it had not been made, as long as that makes sense."""

import pytest

from games import elo, invariants, play, ratings, records, rulings, sweeps
from games.models import Game, Rating, RatingEntry, Ruling, Status
from games.refusals import BadRequest, TooLate
from tests.conftest import NOW, days
from tests.games.acts import as_stored, move, resigned_by
from tests.games.hearing import facts, names_of_facts
from tests.games.rulings.ground import LATER, all_is_well, counts, result_of


def test_undoing_a_void_gives_the_result_back_in_its_place(
    rule, undo, start, alice, bob, lost_by_alice
):
    resigned_by(bob, start(now=LATER), now=LATER)
    before = list(Rating.objects.order_by("player").values_list("rating", "games", "peak"))
    ruling = rule(rulings.make_void, lost_by_alice)
    undone = undo(ruling)
    assert result_of(lost_by_alice) == (Status.FINISHED, 0, "resignation")
    assert RatingEntry.objects.get(number=1, is_void=False).game == lost_by_alice
    assert list(Rating.objects.order_by("player").values_list("rating", "games", "peak")) == before
    made, taken_back = undone.detail["ratings"], undone.detail["ratings_undone"]
    assert taken_back == [pair[::-1] for pair in made]
    all_is_well()


def test_undoing_the_end_of_a_running_game_gives_its_clock_back(rule, undo, running):
    """A day was used; the three days for which it was void cost nothing."""
    ruling = rule(rulings.make_void, running)
    undo(ruling, now=NOW + days(4))
    game = as_stored(running)
    assert (game.status, game.seat_to_move) == (Status.RUNNING, 0)
    assert game.deadline_at == NOW + days(4) + days(2)
    assert counts() == {"alice": 1, "bob": 1}
    all_is_well(now=NOW + days(4))


def test_a_game_that_was_reopened_and_stopped_goes_on_where_it_was_stopped(
    rule, undo, lost_by_alice
):
    rule(rulings.reopen, lost_by_alice)
    ruling = rule(rulings.make_void, lost_by_alice, now=LATER + days(1))
    undo(ruling, now=LATER + days(4))
    assert as_stored(lost_by_alice).deadline_at == LATER + days(4) + days(2)


def test_undoing_the_first_of_two_endings_costs_no_time(rule, undo, running):
    first = rule(rulings.set_result, running, score=2)
    second = rule(rulings.make_void, running, now=NOW + days(2))
    undo(first, now=NOW + days(5))
    assert result_of(running) == (Status.VOID, None, "ruling")
    undo(second, now=NOW + days(6))
    assert as_stored(running).deadline_at == NOW + days(6) + days(2)


def test_undoing_a_reopening_is_as_if_it_had_not_been_made(rule, undo, running):
    sweeps.end_games_on_time(now=NOW + days(4))
    before = Game.objects.filter(pk=running.pk).values().get()
    ruling = rule(rulings.reopen, running, now=NOW + days(5), hours=24)
    rule(rulings.give_time, running, seat=0, hours=24, now=NOW + days(5))
    undo(ruling, now=NOW + days(5.5))
    after = Game.objects.filter(pk=running.pk).values().get()
    assert after | {"as_played": None} == before
    assert RatingEntry.objects.get().is_void is False
    all_is_well(now=NOW + days(6))


def test_what_is_left_of_several_rulings_is_the_last_that_stands(rule, undo, lost_by_alice):
    void = rule(rulings.make_void, lost_by_alice)
    drawn = rule(rulings.set_result, lost_by_alice, score=1)
    won = rule(rulings.set_result, lost_by_alice, score=2)
    undo(drawn)
    assert result_of(lost_by_alice) == (Status.FINISHED, 2, "ruling")
    undo(won)
    assert result_of(lost_by_alice) == (Status.VOID, None, "ruling")
    undo(void)
    assert result_of(lost_by_alice) == (Status.FINISHED, 0, "resignation")


def test_a_reopening_is_not_undone_once_the_game_has_gone_on(rule, undo, lost_by_alice):
    ruling = rule(rulings.reopen, lost_by_alice)
    move(lost_by_alice, now=LATER)
    with pytest.raises(TooLate, match="has gone on"):
        undo(ruling)
    assert as_stored(lost_by_alice).is_running


def test_a_reopening_is_not_undone_once_the_game_has_ended_again(rule, undo, lost_by_alice, bob):
    ruling = rule(rulings.reopen, lost_by_alice)
    play.resign(game_id=lost_by_alice.pk, player_id=bob.pk, now=LATER)
    with pytest.raises(TooLate, match="has gone on"):
        undo(ruling)
    void = rule(rulings.make_void, lost_by_alice)
    undo(void)
    assert result_of(lost_by_alice) == (Status.FINISHED, 2, "resignation")
    all_is_well()


def test_a_gift_is_not_undone_once_the_game_has_gone_on(rule, undo, running, alice, bob):
    gift = rule(rulings.give_time, running, seat=1, hours=24)
    move(running, now=LATER)
    second = rule(rulings.give_time, running, seat=1, hours=24)
    with pytest.raises(TooLate, match="has gone on"):
        undo(gift)
    undo(second)
    assert as_stored(running).deadline_at == LATER + days(4)


def test_what_was_undone_stays_undone_and_in_the_log(rule, undo, lost_by_alice, dora):
    ruling = rule(rulings.make_void, lost_by_alice)
    undo(ruling, now=LATER)
    undo(ruling, now=LATER + days(1))
    kept = Ruling.objects.get()
    assert (kept.undone_at, kept.undone_by) == (LATER, dora)


def test_both_are_told_that_a_ruling_was_undone(rule, undo, lost_by_alice, everything_is_heard):
    ruling = rule(rulings.make_void, lost_by_alice)
    undo(ruling)
    assert facts()[-1] == ("ruling_changed", {"ruling_id": ruling.pk, "undone": True})
    assert "game_finished" not in names_of_facts()[-2:]


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001, "a\0b"])
def test_a_ruling_needs_a_reason(running, dora, reason):
    with pytest.raises(BadRequest, match="reason"):
        rulings.make_void(game_id=running.pk, by=dora, reason=reason, now=LATER)
    assert as_stored(running).is_running


def test_a_struck_entry_is_not_in_a_players_history(rule, start, alice, bob, lost_by_alice):
    other = resigned_by(bob, start(now=LATER), now=LATER)
    rule(rulings.make_void, lost_by_alice)
    assert [point.game_id for point in records.history(alice.pk, "tritt-classic")] == [other.pk]


def test_a_struck_entry_is_not_one_of_the_recent_games(
    rule, start, alice, lost_by_alice, monkeypatch
):
    monkeypatch.setattr(elo, "MOST_K_TIMES_GAMES", 20)
    rule(rulings.make_void, lost_by_alice)
    other = resigned_by(alice, start(now=LATER), now=LATER)
    assert RatingEntry.objects.get(game=other).first_k == 20
    assert ratings.mismatches() == []


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ({"status": "finished", "score": 2}, "not what its rulings make of it"),
        ({"as_played": None}, "by a ruling that there is not"),
        ({"points": [1, 2]}, "not what its rulings make of it"),
    ],
)
def test_a_game_that_is_not_what_was_ruled_is_found(rule, start, damage, complaint):
    game = start(rated=False)
    rule(rulings.make_void, game)
    all_is_well()
    Game.objects.filter(pk=game.pk).update(**damage)
    assert any(complaint in breach for breach in invariants.breaches(now=LATER))


def test_only_staff_may_rule(dora, alice, running):
    assert rulings.may_rule(dora, running)
    assert not rulings.may_rule(alice, running)
