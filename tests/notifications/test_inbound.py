"""A mail plays one move, or nothing, and its writer is told which and why."""

import pytest
from django.utils import translation

from accounts.models import Player
from games import play
from games.models import ChatLine, ConditionalMoves, Game, Move
from games.pages.acts import ACTS
from notifications import inbound, letters, reply_address, unsubscribe
from notifications.models import InboundMail, Kind, Letter, Preference
from tests.conftest import NOW, days
from tests.games.acts import both_move
from tests.notifications.mails import SOON, answer, arrive, mail, token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(start) -> Game:
    return start("tritt-classic")


def told(settled: InboundMail) -> str:
    """The text of the answer to a mail."""
    letter = Letter.objects.get(key=f"r{settled.pk}.reply")
    with translation.override("en"):
        return " ".join(letters.compose(letter, now=SOON).body.split())


def moves(game: Game) -> list[str]:
    return list(Move.objects.filter(game=game, ply__gt=0).values_list("text", flat=True))


# Who writes has been here


def test_whoever_answers_has_been_here(game, alice):
    Player.objects.update(seen_at=None)
    answer(token_of(game), "board")
    alice.refresh_from_db()
    assert alice.seen_at == SOON


# Moves


def test_a_move_is_played_and_answered_with_the_board(game):
    done = answer(token_of(game), "c3-e5\n")
    assert (done.state, done.outcome, moves(game)) == ("done", "played", ["c3-e5"])
    line = Move.objects.get(game=game, ply=1)
    assert (line.via, line.played_at) == ("mail", SOON)
    assert "Your move c3-e5 is played. This is Tritt (2009)" in told(done)


def test_the_moment_of_arrival_decides_against_the_flag(game):
    token = token_of(game)
    late = answer(token, "c3-e5", at=NOW + days(3))
    assert late.outcome == "time-ran-out"
    assert "Your time ran out before this move arrived." in told(late)
    assert moves(game) == []


def test_a_move_that_came_too_late_ends_its_game(start):
    game = start()
    both_move(game)
    answer(token_of(game), "c3-e5", at=NOW + days(3))
    game.refresh_from_db()
    assert (game.status, game.reason, game.score) == ("finished", "time", 0)


@pytest.mark.parametrize("typed", ["C3 – E5", "move c3-e5", "  e5-c3  ", "*c3-e5*", "c3‑e5."])
def test_a_move_may_be_written_as_people_do(game, typed):
    assert answer(token_of(game), f"\n\n{typed}\n").outcome == "played"
    assert moves(game) == ["c3-e5"]


def test_an_illegal_move_is_told_why_and_what_is_legal(game):
    answer(token_of(game), "c3-e5")
    done = answer(token_of(game, 1), "c3-e5")
    assert (done.outcome, moves(game)) == ("illegal", ["c3-e5"])
    assert "legal moves, for example" in told(done)


def test_what_only_says_move_gets_the_rules_own_sentence(game):
    done = answer(token_of(game), "move to the middle")
    assert done.outcome == "not-a-move"
    assert "“to the middle” is no move here." in told(done)


def test_an_ambiguous_move_names_the_possible_ones(start, loaded_dice):
    loaded_dice((3, 4))
    game = start("tritoc")
    done = answer(token_of(game), "7")
    assert (done.outcome, moves(game)) == ("ambiguous", [])


def test_a_late_mail_plays_nothing_and_tells_what_was_played_meanwhile(game):
    old = token_of(game)
    answer(old, "c3-e5")
    answer(token_of(game, 1), "a1-a3")
    done = answer(old, "f1-f3")
    assert (done.outcome, moves(game)) == ("late", ["c3-e5", "a1-a3"])
    words = told(done)
    assert "the game has gone on to ply 2; nothing was played." in words
    assert "2. bob: a1-a3" in words


def test_the_same_move_again_is_played_once_and_told_the_same(game):
    token = token_of(game)
    answer(token, "c3-e5")
    again = answer(token, "c3-e5")
    assert (again.outcome, moves(game)) == ("duplicate", ["c3-e5"])
    assert "Your move c3-e5 is played." in told(again)


def test_the_same_message_delivered_twice_is_one(game):
    token = token_of(game)
    raw = mail("c3-e5", sender=token.player)
    arrive(raw, reply_address.address_of(token))
    with pytest.raises(InboundMail.DoesNotExist):
        arrive(raw + b"\n", reply_address.address_of(token))
    assert InboundMail.objects.count() == 1


def test_a_mail_that_is_settled_is_not_settled_again(game):
    done = answer(token_of(game), "c3-e5")
    inbound.settle(done.pk, now=SOON + days(1))
    again = InboundMail.objects.get(pk=done.pk)
    assert (again.outcome, again.handled_at) == ("played", SOON)


def test_it_must_be_ones_turn(game):
    done = answer(token_of(game, 1), "c3-e5")
    assert (done.outcome, moves(game)) == ("not-your-turn", [])
    assert "It is not your turn; your opponent is to move." in told(done)


def test_a_game_that_is_over_stays_over(game, bob):
    token = token_of(game)
    play.resign(game_id=game.pk, player_id=bob.pk, now=NOW)
    done = answer(token, "c3-e5")
    assert (done.outcome, moves(game)) == ("over", [])
    assert "This game is over" in told(done)


def test_two_different_moves_are_none(game):
    done = answer(token_of(game), "c3-e5\na1-a3")
    assert (done.outcome, moves(game)) == ("conflicting", [])


def test_the_same_move_written_twice_is_one(game):
    assert answer(token_of(game), "c3-e5\nE5-C3").outcome == "played"


def test_what_is_not_understood_gets_a_short_help(game):
    done = answer(token_of(game), "Hi Bob,\n\nc3-e5")
    assert (done.outcome, moves(game)) == ("not-understood", [])
    assert "What we understand on the first line" in told(done)


# Other commands


def test_to_resign_takes_the_number(game):
    answer(token_of(game), "c3-e5")
    asked = answer(token_of(game, 1), "resign")
    assert asked.outcome == "confirm-resign"
    assert f"resign #{game.pk}" in told(asked)
    assert answer(token_of(game, 1), f"resign #{game.pk + 1}").outcome == "confirm-resign"
    answer(token_of(game, 1), "a1-a3")
    done = answer(token_of(game), f"resign #{game.pk}")
    game.refresh_from_db()
    assert (done.outcome, game.reason, game.score) == ("done", "resignation", 0)
    assert "You have resigned." in told(done)


def test_a_draw_is_offered_with_a_move_and_accepted(game):
    answer(token_of(game), "c3-e5")
    done = answer(token_of(game, 1), "draw\na1-a3")
    assert "Your move a1-a3 is played. You have offered a draw." in told(done)
    game.refresh_from_db()
    assert (game.ply, game.draw_offered_by) == (2, 1)
    accepted = answer(token_of(game), "accept")
    assert "The game is drawn." in told(accepted)
    game.refresh_from_db()
    assert game.reason == "agreement"


@pytest.mark.parametrize("word", ["decline", "ablehnen", "Decline draw!"])
def test_a_draw_is_declined(game, bob, word):
    answer(token_of(game), "c3-e5")
    play.offer_draw(game_id=game.pk, player_id=bob.pk, now=NOW)
    assert str(ACTS["decline-draw"].done) in told(answer(token_of(game), word))
    game.refresh_from_db()
    assert game.draw_offered_by is None


def test_there_must_be_an_offer_to_accept(game):
    done = answer(token_of(game), "accept")
    assert "There is no such offer, or it was withdrawn." in told(done)


def test_a_refused_command_undoes_the_others(game):
    done = answer(token_of(game), "c3-e5\ndecline draw")
    assert (done.outcome, moves(game)) == ("nothing-to-answer", [])


def test_an_old_letter_cannot_resign_or_offer(game):
    old = token_of(game)
    answer(old, "c3-e5")
    answer(token_of(game, 1), "a1-a3")
    assert answer(old, f"resign #{game.pk}").outcome == "late"
    assert answer(old, "draw").outcome == "late"
    game.refresh_from_db()
    assert (game.status, game.draw_offered_by) == ("running", None)


@pytest.mark.parametrize("word", ["board", "Brett", "history", "Verlauf", "help", "Hilfe"])
def test_to_ask_changes_nothing_and_shows_the_game(game, word):
    done = answer(token_of(game), word)
    assert done.outcome == "shown"
    assert "This is Tritt (2009)" in told(done)
    assert moves(game) == []


def test_history_lists_every_move(game):
    answer(token_of(game), "c3-e5")
    assert "All moves: 1. alice: c3-e5" in told(answer(token_of(game, 1), "history"))


def test_conditional_moves_are_noted_and_played(game):
    done = answer(token_of(game), "c3-e5\nif a1-a3 then f1-f3\nif any then resign")
    assert "Your conditional moves are noted." in told(done)
    answer(token_of(game, 1), "a1-a3")
    assert moves(game) == ["c3-e5", "a1-a3", "f1-f3"]


def test_a_conditional_move_that_breaks_a_rule_is_refused_with_all_else(game):
    done = answer(token_of(game), "c3-e5\nif c3-e5 then f1-f3")
    assert (done.outcome, moves(game)) == ("invalid-plan", [])
    assert ConditionalMoves.objects.exclude(tree=[]).count() == 0


def test_stop_ends_letters_of_the_kind_that_was_answered(game):
    token = token_of(game)
    Letter.objects.create(key=f"g{game.pk}.p0.s0.reminder-3h", kind=Kind.REMINDER, game=game)
    done = answer(token, "stop", In_Reply_To=f"<g{game.pk}.p0.s0.reminder-3h@localhost>")
    assert "No more mail of this kind will be sent to you" in told(done)
    assert Preference.objects.filter(player=token.player, kind="reminder").exists()
    assert not Preference.objects.filter(player=token.player, kind="turn").exists()


def test_decline_is_a_move_where_the_rules_say_so_unless_a_draw_is_offered(start, monkeypatch):
    game = start("tritt-classic")
    token = token_of(game)
    legal = "notifications.mail_acts._is_legal"
    monkeypatch.setattr(legal, lambda position, text: text == "decline")
    assert answer(token, "decline").outcome == "not-a-move"
    answer(token, "c3-e5")
    play.offer_draw(game_id=game.pk, player_id=token.player_id, now=NOW)
    unclear = answer(token_of(game, 1), "decline")
    assert unclear.outcome == "ambiguous"
    assert "Write “decline draw”, or “move decline”." in told(unclear)


# Chat


def test_text_below_an_empty_line_goes_to_the_opponent(game):
    text = "c3-e5\n\nGood luck!\nAnd have fun.\n\n-- \nAlice\n\nOn Mon, Tripost wrote:\n> draw"
    done = answer(token_of(game), text)
    assert ChatLine.objects.get().text == "Good luck!\nAnd have fun."
    assert "Your message was passed on to your opponent." in told(done)


def test_nothing_is_passed_on_with_a_move_that_was_not_played(game):
    done = answer(token_of(game, 1), "c3-e5\n\nTake that!")
    assert not ChatLine.objects.exists()
    assert "Your message was not passed on either." in told(done)


def test_what_looks_quoted_is_never_passed_on(game):
    answer(token_of(game), "c3-e5\n\nVon: Tripost <play@localhost>\nGesendet: Montag\n\nsecret")
    assert not ChatLine.objects.exists()


# Languages


def test_the_answer_is_in_the_players_language(start, charlie, bob):
    game = start("tritt-classic", bob, charlie)
    done = answer(token_of(game, 1), "c3-e5")
    english = "It is not your turn; your opponent is to move."
    with translation.override("de"):
        german = translation.gettext(english)
    assert german != english
    assert Letter.objects.get(key=f"r{done.pk}.reply").details["said"] == [german]


# Ways in


def test_mail_to_the_common_address_is_routed_by_the_letters_reference(game):
    token = token_of(game)
    references = f"<g{game.pk}@localhost> {reply_address.reference_of(token)} <x@localhost>"
    raw = mail("c3-e5", sender=token.player, References=references)
    assert arrive(raw, "play@localhost").outcome == "played"


def test_a_message_id_that_can_be_guessed_is_not_enough(game):
    token = token_of(game)
    key = f"g{game.pk}.p0.s0.turn"
    Letter.objects.create(key=key, kind=Kind.TURN, game=game, seat=0, ply=0, player=token.player)
    raw = mail("c3-e5", sender=token.player, In_Reply_To=f"<{key}@localhost>")
    held = arrive(raw, "play@localhost")
    assert (held.state, held.outcome, moves(game)) == ("held", "held", [])


def test_mail_about_nothing_is_answered_once_a_day_to_a_player_and_never_to_a_stranger(alice):
    done = arrive(mail("c3-e5", sender=alice), "play@localhost")
    assert done.outcome == "no-game"
    assert Letter.objects.get().player == alice
    arrive(mail("c3-e5", sender=alice), "play@localhost")
    arrive(mail("c3-e5", sender="stranger@example.com"), "play@localhost")
    assert Letter.objects.count() == 1


def test_an_address_to_stop_stops(alice):
    address = unsubscribe.mailto_for(alice.pk, Kind.TURN)
    done = arrive(mail("", sender=alice), address, mail_from="")
    assert (done.outcome, done.player) == ("stopped", alice)
    forged = arrive(mail("", sender=alice), "stop+1.turn.0000@localhost")
    assert forged.state == "refused"


def test_one_kind_of_answer_is_not_sent_without_end(game):
    token = token_of(game)
    for number in range(12):
        answer(token, f"no command {number}")
    assert Letter.objects.filter(kind=Kind.REPLY).count() == 10
    assert InboundMail.objects.filter(outcome="not-understood").count() == 12


def test_a_mail_that_fails_is_tried_again_and_given_up_in_the_end(game, monkeypatch):
    def fail(*_args, **_more):
        raise ValueError("broken\0pipe")

    monkeypatch.setattr("notifications.mail_acts.act", fail)
    stored = answer(token_of(game), "c3-e5")
    assert (stored.state, stored.attempts) == ("new", 1)
    assert "broken" in stored.reason
    for day in range(1, 9):
        inbound.read_new(now=SOON + days(day))
    stored.refresh_from_db()
    assert (stored.state, stored.outcome) == ("refused", "failed")


def test_old_mail_is_forgotten(game, monkeypatch):
    monkeypatch.setattr(inbound, "BATCH", 2)
    token = token_of(game)
    for number in range(5):
        answer(token, f"no command {number}")
    young = answer(token, "board", at=SOON + days(20))
    assert inbound.forget_old(now=SOON + days(29)) == 0
    assert inbound.forget_old(now=SOON + days(31)) == 5
    assert list(InboundMail.objects.all()) == [young]
