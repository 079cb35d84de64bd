"""Every kind of letter is somebody's act or nobody's; blocks and budgets hold for each."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Block, Player
from config.subscriptions import SUBSCRIPTIONS
from games import blocking, budgets, events, lobby, outbox, play, rulings, talk, vacations
from games.budgets import Act
from games.clock import PerMove
from games.events import Fact
from games.lobby import Terms
from games.models import Challenge, Game, OutboxMessage, Ruling
from games.refusals import NotAllowed
from games.starting import start_game
from notifications import answers, desk, reaching
from notifications.models import Kind, Letter, Preference
from notifications.reaching import REACHES, SENDERS, Reach
from tests.conftest import NOW, make_player
from tests.games.acts import move, resigned_by
from tests.notifications.mails import answer, token_of
from tests.notifications.posting import outcome, send
from tests.tournaments.life import Stage
from tournaments import directing, entering, facts, ladders, opening
from tournaments.facts import EventOpened

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))
SEVEN = datetime(2026, 3, 3, 6, tzinfo=UTC)
"""The hour of Alice's digest, the day after."""


def challenge(bob, alice, game: Game) -> None:
    lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)


def say(bob, alice, game: Game) -> None:
    talk.say(game_id=game.pk, player_id=bob.pk, text="hello", now=NOW)


def offer_draw(bob, alice, game: Game) -> None:
    play.offer_draw(game_id=game.pk, player_id=bob.pk, now=NOW)


def take_vacation(bob, alice, game: Game) -> None:
    vacations.begin(player_id=bob.pk, now=NOW)


def give_up(bob, alice, game: Game) -> None:
    play.resign(game_id=game.pk, player_id=bob.pk, now=NOW)


def answer_with_a_move(bob, alice, game: Game) -> None:
    move(game, now=NOW)


def offer_rematch(bob, alice, game: Game) -> None:
    again = start_game(
        ruleset="tritt-classic", options={}, players=(alice, bob), clock_settings=PerMove(3),
        now=NOW,
    )  # fmt: skip
    over = resigned_by(bob, again)
    lobby.offer_rematch(player=bob, game_id=over.pk, now=NOW)


def invite_to_event(bob, alice, game: Game) -> None:
    stage = Stage(bob)
    entering.invite(event_id=stage.open().pk, player=alice, by=bob, now=NOW)


def invite_to_draft(bob, alice, game: Game) -> None:
    draft = Stage(bob).draft()
    entering.invite(event_id=draft.pk, player=alice, by=bob, now=NOW)
    opening.open_entries(event_id=draft.pk, by=bob, now=NOW)


KEPT_AWAY: dict[Kind, tuple[Callable[..., None], ...]] = {
    Kind.CHALLENGE: (challenge, offer_rematch),
    Kind.CHAT: (say,),
    Kind.EVENT: (invite_to_event, invite_to_draft),
}
WAYS = [(kind, way) for kind, ways in KEPT_AWAY.items() for way in ways]
GOES_ON: dict[Kind, Callable[..., None]] = {
    Kind.TURN: answer_with_a_move,
    Kind.OFFER: offer_draw,
    Kind.GAME_OVER: give_up,
    Kind.VACATION: take_vacation,
}


@pytest.fixture
def game(start, bob) -> Game:
    """Alice and Bob have both moved, and Bob is to move; he has saved some vacation."""
    bob.joined_at = NOW - timedelta(days=300)
    bob.save()
    game = start()
    for _ in range(3):
        move(game, now=NOW)
    heard(None)
    return game


@pytest.fixture
def _challenges_stay_open(monkeypatch):
    """By the real clock, they would have expired long ago."""
    monkeypatch.setattr("notifications.writing.timezone.now", lambda: NOW)


def heard(kind: Kind | None) -> int:
    """Letters of this kind to Alice, once all facts have been relayed."""
    outbox.relay(now=NOW + timedelta(days=3650))
    return Letter.objects.filter(player__name="alice", kind=kind).count()


def test_every_kind_of_letter_is_decided():
    assert set(REACHES) == set(Kind)
    kept_away = {kind for kind, reach in REACHES.items() if reach == Reach.PERSON}
    assert kept_away == set(KEPT_AWAY)
    assert {REACHES[kind] for kind in GOES_ON} == {Reach.COMMON}
    assert kept_away <= set(SENDERS)


@pytest.mark.usefixtures("_challenges_stay_open")
@pytest.mark.parametrize(("kind", "way"), WAYS, ids=lambda one: getattr(one, "__name__", one))
def test_a_block_keeps_away_what_a_person_wants(kind, way, game, alice, bob):
    way(bob, alice, game)
    before = heard(kind)
    assert before
    blocking.block(blocker=alice, blocked=bob, now=NOW)
    with pytest.raises(NotAllowed):
        way(bob, alice, game)
    assert heard(kind) == before


@pytest.mark.parametrize("kind", GOES_ON)
def test_a_game_goes_on_in_spite_of_a_block(kind, game, alice, bob):
    blocking.block(blocker=alice, blocked=bob, now=NOW)
    before = heard(kind)
    GOES_ON[kind](bob, alice, game)
    assert heard(kind) > before


def waiting_for_the_digest(kind: Kind, player: Player) -> Letter:
    """By the real clock it was written long after the tests' hour of the digest."""
    letter = Letter.objects.filter(kind=kind, player=player, channel="mail").latest("pk")
    letter.written_at, letter.due_at, letter.digest = NOW, SEVEN, True
    letter.state, letter.why = "waiting", ""
    letter.save()
    return letter


@pytest.mark.usefixtures("_challenges_stay_open")
@pytest.mark.parametrize(("kind", "way"), WAYS, ids=lambda one: getattr(one, "__name__", one))
def test_what_waits_is_not_sent_to_whoever_has_blocked_its_sender(kind, way, game, alice, bob):
    way(bob, alice, game)
    heard(kind)
    letter = waiting_for_the_digest(kind, alice)
    # Without what else a block does: every kind is held back by itself.
    Block.objects.create(blocker=alice, blocked=bob, created_at=NOW)
    send(SEVEN)
    assert outcome(letter) == ("cancelled", "blocked")


def test_whoever_is_blocked_by_the_sender_does_not_learn_it_from_a_letter(game, alice, bob):
    say(bob, alice, game)
    heard(Kind.CHAT)
    letter = waiting_for_the_digest(Kind.CHAT, alice)
    blocking.block(blocker=bob, blocked=alice, now=NOW)
    send(SEVEN)
    assert outcome(letter) == ("sent", "")


def test_an_entrant_hears_of_a_new_season_in_spite_of_a_block(alice, bob):
    event = Stage(bob).open()
    entering.enter(event_id=event.pk, player=alice, now=NOW)
    outbox.record(EventOpened(event_id=event.pk), now=NOW)
    heard(Kind.EVENT)
    letter = waiting_for_the_digest(Kind.EVENT, alice)
    blocking.block(blocker=alice, blocked=bob, now=NOW)
    send(SEVEN)
    assert outcome(letter) == ("sent", "")


# Whatever another player can cause at will


def somebody(name: str) -> Player:
    return Player.objects.filter(name=name).first() or make_player(name)


def rule(bob, alice, game: Game) -> Ruling:
    directed = start_game(
        ruleset="tritt-classic", options={}, players=(alice, somebody("other")),
        clock_settings=PerMove(3), now=NOW, event_id=Stage(bob).open().pk,
    )  # fmt: skip
    return rulings.give_time(game_id=directed.pk, seat=0, hours=1, by=bob, reason="Late.", now=NOW)


def undo(bob, alice, game: Game) -> None:
    rulings.undo(ruling_id=rule(bob, alice, game).pk, by=bob, now=NOW)


def challenge_on_a_ladder(bob, alice, game: Game) -> None:
    stage = Stage(somebody("organiser"))
    event = stage.started(alice, bob, format="ladder")
    ladders.challenge(event_id=event.pk, challenger=bob, challenged=alice, now=stage.now)


def appoint(bob, alice, game: Game) -> None:
    directing.appoint(event_id=Stage(bob).open().pk, player=alice, by=bob, now=NOW)


AT_WILL: dict[type[Fact], dict[Act, Callable[..., None]]] = {
    events.GameStarted: {Act.CHALLENGE: challenge_on_a_ladder},
    events.ChatWritten: {Act.CHAT: say},
    events.ChallengeMade: {Act.CHALLENGE: challenge},
    events.RulingChanged: {Act.RULING: rule, Act.UNDOING: undo},
    facts.EventOpened: {Act.EVENT_INVITATION: invite_to_draft},
    facts.EntrantInvited: {Act.EVENT_INVITATION: invite_to_event},
    facts.DirectorAppointed: {Act.EVENT_INVITATION: appoint},
}
NOT_AT_WILL: dict[type[Fact], str] = {
    events.MovePlayed: "The reader moves in between.",
    events.MovesTakenBack: "The reader has agreed.",
    events.GameFinished: "A game ends once, unless a ruling reopens it.",
    events.PlanStopped: "It is the reader's own plan.",
    events.DrawOffered: "One letter at a ply.",
    events.DrawDeclined: "The reader has offered.",
    events.TakebackAsked: "One letter at a ply.",
    events.TakebackDeclined: "The reader has asked.",
    events.ChallengeAnswered: "The reader has challenged.",
    events.VacationChanged: "It is not refused, as clocks stop; its mail has a sender's budget.",
    events.RulingRequestSettled: "The reader has asked, and it is settled once.",
    facts.EventCalledOff: "The reader has entered, and it happens once.",
    facts.InvitationDeclined: "The reader has invited; one letter for each who declines.",
    facts.EventHandedOver: "The reader is a director, and inherits an event once.",
    facts.EventStarted: "The reader has entered, and it happens once.",
    facts.RoundPaired: "The reader has entered, and a round is paired once.",
    facts.RoundEnded: "The reader has entered, and a round ends once.",
    facts.EntrantLeft: "The reader has entered; one letter an event.",
    facts.EventFinished: "The reader has entered, and it happens once.",
}
NO_SENDER: dict[Kind, str] = {
    Kind.TURN: "The reader moves, agrees or is challenged in between.",
    Kind.REMINDER: "The reader has chosen when.",
    Kind.GAME_OVER: "A game ends once, unless a ruling reopens it.",
    Kind.TIMEOUT: "A game ends once, unless a ruling reopens it.",
    Kind.PLAN: "It is the reader's own plan.",
    Kind.CHALLENGE_ANSWER: "The reader has challenged.",
    Kind.ROUND_PAIRED: "A round is paired once.",
    Kind.STANDINGS: "A round ends once.",
    Kind.UNREACHABLE: "The other one's mail came back; they learn nothing from it.",
    Kind.INVITATION: "The address has a budget for all who write to it.",
    Kind.REPLY: "The reader has written.",
    Kind.DIGEST: "One a day.",
}
ACTS = [(act, fact, way) for fact, ways in AT_WILL.items() for act, way in ways.items()]


def test_every_fact_and_every_kind_has_a_budget_or_a_reason():
    told = {
        fact
        for fact, names in SUBSCRIPTIONS.items()
        if any(name.startswith(("letters.", "event_letters.")) for name in names)
    }
    assert set(AT_WILL) | set(NOT_AT_WILL) == told
    assert not set(AT_WILL) & set(NOT_AT_WILL)
    assert set(SENDERS) | set(NO_SENDER) == set(Kind)
    assert not set(SENDERS) & set(NO_SENDER)
    counted = {act for act, _fact, _way in ACTS} | {Act.EMAIL_INVITATION}
    assert counted == set(Act), "a budget that nothing is tried against"


@pytest.mark.parametrize(
    ("act", "fact", "way"), ACTS, ids=lambda one: getattr(one, "__name__", one)
)
def test_what_a_player_can_do_at_will_has_a_daily_budget(
    act, fact, way, game, alice, bob, monkeypatch
):
    OutboxMessage.objects.all().delete()
    monkeypatch.setitem(budgets.BUDGETS, act, replace(budgets.BUDGETS[act], in_all=1))
    way(bob, alice, game)
    assert OutboxMessage.objects.filter(fact=fact.name).exists()
    with pytest.raises(budgets.OverBudget):
        way(bob, alice, game)


# Budgets of mail


def challenges_of(senders, alice, each=1) -> list[Letter]:
    """Written as they are heard, by the test's own clock."""
    for sender in senders:
        for _ in range(each):
            lobby.challenge(challenger=sender, opponent=alice, terms=TERMS, now=NOW)
    heard(Kind.CHALLENGE)
    Letter.objects.update(written_at=NOW, due_at=NOW)
    Letter.objects.filter(kind=Kind.CHALLENGE).update(state="waiting", why="")
    return list(Letter.objects.filter(kind=Kind.CHALLENGE).order_by("pk"))


@pytest.mark.usefixtures("_challenges_stay_open")
def test_many_strangers_fill_no_mailbox_and_nothing_is_lost(alice, mailoutbox):
    crowd = [make_player(f"crowd{at:02}") for at in range(budgets.MAILS_RECEIVED + 5)]
    letters = challenges_of(crowd, alice)
    send(NOW)
    assert len(mailoutbox) == budgets.MAILS_RECEIVED
    rest = [outcome(letter) for letter in letters[budgets.MAILS_RECEIVED :]]
    assert rest == [("waiting", "many-today")] * 5
    send(SEVEN)
    assert len(mailoutbox) == budgets.MAILS_RECEIVED + 1
    digest = mailoutbox[-1].body
    late = Challenge.objects.filter(pk__in=[one.about for one in letters[budgets.MAILS_RECEIVED :]])
    assert all(offer.challenger.name in digest for offer in late)


@pytest.mark.usefixtures("_challenges_stay_open")
def test_one_sender_has_a_budget_for_one_reader_and_for_all(alice, bob, mailoutbox, monkeypatch):
    monkeypatch.setattr(budgets, "MAILS_TO_ONE", 2)
    challenges_of([bob], alice, each=4)
    send(NOW)
    assert len(mailoutbox) == 2
    monkeypatch.setattr(budgets, "MAILS_IN_ALL", 3)
    others = [make_player(f"other{at}") for at in range(2)]
    for other in others:
        lobby.challenge(challenger=bob, opponent=other, terms=TERMS, now=NOW)
    heard(None)
    send(NOW)
    assert len(mailoutbox) == 3


@pytest.mark.usefixtures("_challenges_stay_open")
def test_a_letter_is_counted_once_however_often_it_is_tried(alice, bob, monkeypatch):
    [letter] = challenges_of([bob], alice)
    counted = []
    monkeypatch.setattr(
        reaching, "is_one_too_many", lambda letter, now: counted.append(letter.pk) or False
    )
    Letter.objects.update(attempts=1)
    send(NOW)
    Letter.objects.update(attempts=0, state="waiting", why="line-down")
    send(NOW)
    assert counted == []
    assert outcome(letter)[0] == "sent"


@pytest.mark.usefixtures("_challenges_stay_open")
def test_another_choice_of_times_does_not_free_what_waits_for_the_digest(
    alice, bob, mailoutbox, monkeypatch
):
    monkeypatch.setattr(budgets, "MAILS_TO_ONE", 1)
    challenges_of([bob], alice, each=2)
    send(NOW)
    Preference.objects.create(player=alice, kind=Kind.CHALLENGE)
    desk.reschedule(player=alice, now=NOW)
    send(NOW)
    assert len(mailoutbox) == 1


def test_by_mail_too_a_message_is_refused_in_the_same_words(start, alice, bob, monkeypatch):
    sentences = []
    monkeypatch.setattr(
        answers, "write", lambda mail, said, wants, now: sentences.append(" ".join(said))
    )
    usual = budgets.BUDGETS[budgets.Act.CHAT]
    monkeypatch.setitem(budgets.BUDGETS, budgets.Act.CHAT, replace(usual, to_one=1))
    game = start()
    answer(token_of(game), "board\n\nGood luck!")
    answer(token_of(game), "board\n\nAnd have fun!")
    blocking.block(blocker=bob, blocked=alice, now=NOW)
    answer(token_of(game), "board\n\nHello?")
    assert sentences == [
        "Your message was passed on to your opponent.",
        "Your message was not passed on. You can send bob 1 messages a day. Try again in 11 h.",
        "Your message was not passed on. bob does not chat with you.",
    ]
