"""What happens is told to those whom it concerns, once, and to nobody else."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Player
from games import lobby, outbox, plans, play, ruling_requests, rulings, talk, vacations
from games.clock import PerMove
from games.diagrams import CLASSIC
from games.events import GameStarted, MovePlayed
from games.lobby import Terms
from games.models import Via, WayIn
from notifications import letters, writing
from notifications.models import Channel, Kind, Letter, Preference, State, Timing
from tests.conftest import days, make_player

pytestmark = pytest.mark.usefixtures("unpainted")
TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def game(start, now):
    started = start(now=now)
    relay()
    return started


def relay():
    outbox.relay(now=timezone.now() + days(100))
    assert not outbox.OutboxMessage.objects.exists(), "a fact could not be told"


def move(game, text, now):
    game.refresh_from_db()
    player = game.seats.get(number=game.seat_to_move).player_id
    play.submit_move(
        game_id=game.pk, player_id=player, text=text, ply=game.ply, now=now, via=Via.WEB
    )


def told(state=State.WAITING):
    """Kind and name of every mail but reminders, which have a room of their own."""
    rows = Letter.objects.filter(state=state, channel=Channel.MAIL).exclude(kind=Kind.REMINDER)
    return sorted(rows.values_list("kind", "player__name"))


def cleared():
    Letter.objects.exclude(kind=Kind.REMINDER).delete()


def composed(kind, name):
    letter = Letter.objects.get(kind=kind, player__name=name, state=State.WAITING)
    return letters.compose(letter, now=timezone.now()).body


# A game


def test_the_one_who_begins_is_asked_and_the_other_is_told(game):
    assert told() == [("started", "bob"), ("turn", "alice")]
    turn = Letter.objects.get(kind=Kind.TURN)
    assert turn.key == f"g{game.pk}.p0.s0.turn"
    assert turn.deadline_at == game.deadline_at


def test_who_wants_no_turn_letters_still_learns_of_the_game(start, alice, now):
    Preference.objects.create(player=alice, kind=Kind.TURN, timing=Timing.OFF)
    start(now=now)
    relay()
    assert told() == [("started", "alice"), ("started", "bob")]


def test_a_move_asks_the_other(game, now):
    move(game, CLASSIC[0], now)
    relay()
    assert ("turn", "bob") in told()
    assert told(State.CANCELLED) == [("started", "alice"), ("turn", "alice")]


def test_a_turn_that_is_over_is_not_asked_for(game, now):
    cleared()
    for text in CLASSIC[:3]:
        move(game, text, now)
    relay()
    assert told() == [("turn", "bob")]
    assert Letter.objects.get(kind=Kind.TURN, state=State.WAITING).ply == 3


def test_a_fact_that_is_carried_twice_is_told_once(game, now):
    move(game, CLASSIC[0], now)
    relay()
    before = Letter.objects.count()
    writing.tell_of_start(GameStarted(game_id=game.pk))
    writing.tell_of_move(MovePlayed(game_id=game.pk, ply=1, seat=0))
    assert Letter.objects.count() == before


def test_the_end_is_told_to_both_and_nothing_else_is(game, now):
    for text in CLASSIC:
        move(game, text, now)
    relay()
    assert told() == [("game-over", "alice"), ("game-over", "bob")]


def test_a_flag_is_told_as_what_it_is(game, now):
    play.forfeit_on_time(
        due_by=dict.fromkeys(WayIn.values, game.deadline_at), now=game.deadline_at, most=10
    )
    relay()
    assert told() == [("timeout", "alice"), ("timeout", "bob")]
    assert "You ran out of time against bob." in composed(Kind.TIMEOUT, "alice")
    assert "alice ran out of time." in composed(Kind.TIMEOUT, "bob")


@pytest.mark.parametrize(
    "fields",
    [{"is_bot": True}, {"is_guest": True}, {"is_active": False}, {"closed_at": timezone.now()}],
)
def test_programs_guests_and_those_who_left_get_no_mail(start, bob, now, fields):
    Player.objects.filter(pk=bob.pk).update(**fields)
    game = start(now=now)
    move(game, CLASSIC[0], now)
    talk.say(game_id=game.pk, player_id=game.seats.get(number=0).player_id, text="hi", now=now)
    relay()
    assert [name for _kind, name in told() if name == "bob"] == []


# Offers, take-backs and words


def test_a_draw_is_offered_and_declined(game, alice, bob, now):
    cleared()
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=now)
    relay()
    assert told() == [("offer", "bob")]
    assert "alice offers a draw." in composed(Kind.OFFER, "bob")
    play.decline_draw(game_id=game.pk, player_id=bob.pk, now=now)
    relay()
    assert told() == [("offer", "alice"), ("offer", "bob")]
    assert "bob declined the draw" in composed(Kind.OFFER, "alice")


def test_an_offer_that_is_gone_is_not_told(game, alice, now):
    cleared()
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=now)
    play.withdraw_draw(game_id=game.pk, player_id=alice.pk, now=now)
    relay()
    assert told() == []


def test_a_takeback_is_asked_declined_and_asked_again_in_one_letter_each(game, alice, bob, now):
    move(game, CLASSIC[0], now)
    relay()
    cleared()
    for _again in range(2):
        play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=now)
        relay()
        play.decline_takeback(game_id=game.pk, player_id=bob.pk, now=now)
        relay()
    assert told() == [("offer", "alice"), ("offer", "bob")]


def test_after_a_takeback_the_asker_is_to_move_again(game, alice, bob, now):
    move(game, CLASSIC[0], now)
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=now)
    relay()
    cleared()
    play.accept_takeback(game_id=game.pk, player_id=bob.pk, now=now, via=Via.WEB)
    relay()
    assert told() == [("turn", "alice")]
    assert "bob agreed to take back" in composed(Kind.TURN, "alice")


def test_what_is_said_is_told_by_the_turn_letter_if_one_is_about_to_go(game, alice, bob, now):
    talk.say(game_id=game.pk, player_id=bob.pk, text="Good luck", now=now)
    relay()
    assert ("chat", "alice") in told(State.CANCELLED)
    assert "Good luck" in composed(Kind.TURN, "alice")
    talk.say(game_id=game.pk, player_id=alice.pk, text="Thanks", now=now)
    relay()
    assert ("chat", "bob") in told()
    assert "| Thanks" in composed(Kind.CHAT, "bob")


def test_a_turn_letter_takes_the_words_along_that_still_wait(game, alice, now):
    talk.say(game_id=game.pk, player_id=alice.pk, text="Thanks", now=now)
    relay()
    move(game, CLASSIC[0], now + timedelta(seconds=1))
    relay()
    assert ("chat", "bob") in told(State.CANCELLED)
    assert "| Thanks" in composed(Kind.TURN, "bob")


def test_a_hidden_chat_is_not_told(game, alice, bob, now):
    talk.hide_chat(game_id=game.pk, player_id=bob.pk, hidden=True)
    talk.say(game_id=game.pk, player_id=alice.pk, text="Hello?", now=now)
    relay()
    assert not Letter.objects.filter(kind=Kind.CHAT).exists()


# Plans


def planned(game, player, move, then):
    tree = [{"move": move, "dice": None, "then": then, "next": []}]
    plans.write(game_id=game.pk, player_id=player.pk, tree=tree)


def test_a_plan_that_answered_is_told_to_its_owner(game, bob, now):
    planned(game, bob, CLASSIC[0], CLASSIC[1])
    cleared()
    move(game, CLASSIC[0], now)
    relay()
    assert told() == [("plan", "bob"), ("turn", "alice")]
    text = composed(Kind.PLAN, "bob")
    assert f"1. alice: {CLASSIC[0]}" in text
    assert f"2. bob: {CLASSIC[1]}" in text
    assert "Now alice is to play" in text


def test_two_plans_that_answer_each_other_are_told_once_each(game, alice, bob, now):
    planned(game, bob, CLASSIC[0], CLASSIC[1])
    planned(game, alice, CLASSIC[1], CLASSIC[2])
    cleared()
    move(game, CLASSIC[0], now)
    relay()
    assert told() == [("plan", "alice"), ("turn", "bob")]


def test_a_plan_that_stopped_is_told_with_the_turn(game, bob, now):
    planned(game, bob, "a1-a3", "b1-b3")
    cleared()
    move(game, CLASSIC[0], now)
    relay()
    assert told() == [("turn", "bob")]
    assert told(State.CANCELLED) == [("plan", "bob")]
    assert "Your plan did not foresee this" in composed(Kind.TURN, "bob")


def test_a_plan_that_stopped_has_its_own_letter_where_no_turn_letter_goes(game, bob, now):
    Preference.objects.create(player=bob, kind=Kind.TURN, timing=Timing.DIGEST)
    planned(game, bob, "a1-a3", "b1-b3")
    cleared()
    move(game, CLASSIC[0], now)
    relay()
    assert ("plan", "bob") in told()
    assert "Your plan did not foresee this" in composed(Kind.PLAN, "bob")


# Rulings


def test_a_ruling_is_told_to_both_and_so_is_its_end(game, staff, now):
    judge = Player.objects.get(name="dora")
    cleared()
    made = rulings.set_result(game_id=game.pk, score=2, by=judge, reason="Because.", now=now)
    relay()
    assert told() == [("ruling", "alice"), ("ruling", "bob")]
    assert "| Because." in composed(Kind.RULING, "alice")
    cleared()
    rulings.undo(ruling_id=made.pk, by=judge, now=now)
    relay()
    assert told() == [("ruling", "alice"), ("ruling", "bob")]
    assert "was undone" in composed(Kind.RULING, "bob")


def test_who_asked_for_a_ruling_gets_the_answer(game, alice, staff, now):
    judge = Player.objects.get(name="dora")
    cleared()
    asked = ruling_requests.ask(game_id=game.pk, player=alice, text="May he?", now=now)
    ruling_requests.settle(request_id=asked.pk, by=judge, answer="He may.", now=now)
    relay()
    assert told() == [("ruling", "alice")]
    assert "| He may." in composed(Kind.RULING, "alice")


# The lobby


def test_a_challenge_is_told_to_whom_it_is_for(alice, bob, now):
    lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=now)
    lobby.seek(challenger=alice, terms=TERMS, now=now)
    lobby.invite_by_link(challenger=alice, terms=TERMS, now=now)
    relay()
    assert told() == [("challenge", "bob")]


def test_a_challenge_that_is_gone_is_not_told(alice, bob, now):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=now)
    lobby.withdraw(challenge_id=offer.pk, player=alice, now=now)
    relay()
    assert told() == []


def test_a_stranger_is_invited_by_one_letter(alice, now):
    offer = lobby.invite_by_email(challenger=alice, email="emil@example.org", terms=TERMS, now=now)
    relay()
    letter = Letter.objects.get()
    assert (letter.kind, letter.player, letter.address) == ("invitation", None, "emil@example.org")
    assert letter.deadline_at == offer.expires_at
    message = letters.compose(letter, now=now)
    assert message.to == ["emil@example.org"]
    assert f"/invite/{offer.link}/" in message.body
    assert "/letters/never/" in message.extra_headers["List-Unsubscribe"]


def test_a_stranger_reads_nothing_that_the_host_wrote_freely(alice, now):
    terms = Terms(ruleset="tritt-classic", clock=PerMove(3), message="Buy cheap watches!")
    lobby.invite_by_email(challenger=alice, email="emil@example.org", terms=terms, now=now)
    relay()
    message = letters.compose(Letter.objects.get(), now=now)
    assert "watches" not in message.message().as_string()


def test_an_answer_is_told_to_the_challenger(alice, bob, now):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=now)
    lobby.decline(challenge_id=offer.pk, player=bob, now=now)
    late = lobby.seek(challenger=bob, terms=TERMS, now=now)
    lobby.expire(now=late.expires_at)
    relay()
    assert told() == [("challenge-answer", "alice"), ("challenge-answer", "bob")]
    assert "bob declined your challenge" in composed(Kind.CHALLENGE_ANSWER, "alice")
    assert "Nobody took up your challenge" in composed(Kind.CHALLENGE_ANSWER, "bob")


def test_an_accepted_challenge_is_told_as_a_game(alice, bob, now):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=now)
    lobby.accept(challenge_id=offer.pk, player=bob, now=now)
    relay()
    assert [kind for kind, _name in told()] == ["started", "turn"]


# Time off


def on_vacation(player, now):
    Player.objects.filter(pk=player.pk).update(joined_at=now - days(200))
    return vacations.begin(player_id=player.pk, until=now + days(3), now=now)


def test_a_vacation_is_told_once_to_each_opponent(start, alice, bob, charlie, now):
    for opponent in (bob, bob, charlie):
        start("tritt-classic", alice, opponent, now=now)
    make_player("emil")
    relay()
    cleared()
    taken = on_vacation(alice, now)
    relay()
    going = [("vacation", name) for name in ("alice", "bob", "charlie")]
    assert told() == sorted(going * 2)
    began, ended = (
        Letter.objects.filter(kind=Kind.VACATION, details__what=what) for what in ("began", "ended")
    )
    assert {letter.due_at for letter in ended} == {taken.ends_at}
    assert all(letter.due_at <= timezone.now() for letter in began)


def test_who_comes_back_early_is_back_at_once(game, alice, bob, now):
    on_vacation(alice, now)
    relay()
    cleared_at = now + days(1)
    vacations.end(player_id=alice.pk, now=cleared_at)
    relay()
    planned = Letter.objects.filter(kind=Kind.VACATION, details__what="ended")
    assert {letter.state for letter in planned} == {State.CANCELLED}
    back = Letter.objects.filter(kind=Kind.VACATION, details__what="ended-early")
    assert {letter.player.name for letter in back} == {"alice", "bob"}
    text = letters.compose(back.get(player=bob), now=cleared_at).body
    assert "alice is back from vacation." in text
