"""Somebody who has left traces everywhere: a distinctive name, address and words in every table."""

from datetime import timedelta
from email.message import EmailMessage

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from accounts import tokens
from accounts.models import Block, Player
from games import (
    files,
    importing,
    lobby,
    outbox,
    play,
    reviews,
    ruling_requests,
    rulings,
    talk,
    vacations,
)  # fmt: skip
from games.clock import PerMove
from games.lobby import Terms
from games.models import ConditionalMoves, Game, OutboxMessage, Visit
from games.starting import start_game
from notifications import reply_address
from notifications.models import (
    FeedLink,
    Habits,
    InboundMail,
    Kind,
    Letter,
    MailboxLetter,
    Preference,
    PushSubscription,
    Suppression,
    Webhook,
)
from tests.conftest import NOW, PASSWORD, make_player
from tests.games.acts import both_move, move, to_move
from tests.tournaments.life import Stage
from tournaments import directing, entering, leaving
from tournaments.models import Guest, Rest

NAME = "Zaphira"
ADDRESS = f"{NAME}@example.org"
WORDS = "quokka"
"""In every text that she writes herself."""
STRANGER = f"{WORDS}-friend@example.net"
TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3), message=f"A {WORDS} for you?")


def live() -> Player:
    """Everything that a player can do, as far as it leaves a row behind."""
    # A number that allauth writes differently, to base 36.
    zaphira = make_player(NAME, pk=4711, about=f"I like every {WORDS}.")
    # Organisers who are new have one event at a time.
    Player.objects.filter(pk=zaphira.pk).update(joined_at=NOW - timedelta(days=100))
    zaphira.refresh_from_db()
    bob, dora = make_player("bob"), make_player("dora", is_staff=True)
    _have_an_account(zaphira)
    running = _play(zaphira, bob, dora)
    _make_offers(zaphira, bob)
    _take_part_in_events(zaphira, bob, dora)
    _be_on_the_staff(zaphira, bob, running)
    _block_and_be_blocked(zaphira)
    outbox.relay(now=NOW)
    _be_written_to(zaphira, bob, running)
    return zaphira


def _have_an_account(zaphira: Player) -> None:
    tokens.mint(player=zaphira, name=f"{WORDS} bot", scopes=["read"])
    log_in = {"login": NAME, "password": PASSWORD}
    Client().post("/accounts/login/", log_in)
    address = EmailAddress.objects.get(user=zaphira)
    EmailConfirmation.objects.create(email_address=address, key="k")
    Authenticator.objects.create(user=zaphira, type="totp", data={"secret": WORDS})
    # With a second factor she is half-way in, and her session says so.
    Client().post("/accounts/login/", log_in)
    Visit.objects.create(
        player=zaphira, address="digest", came_at=NOW, look_again_at=NOW + timedelta(days=1)
    )


def _play(zaphira: Player, bob: Player, dora: Player) -> Game:
    over, running = (_start(zaphira, bob) for _ in range(2))
    for game in (over, running):
        both_move(game)
        move(game)
        talk.say(game_id=game.pk, player_id=zaphira.pk, text=f"My {WORDS}!", now=NOW)
        talk.say(game_id=game.pk, player_id=bob.pk, text=f"Hello {NAME}!", now=NOW)
        talk.write_note(game_id=game.pk, player_id=zaphira.pk, note=f"Hide the {WORDS}.")
        talk.write_note(game_id=game.pk, player_id=bob.pk, note=f"{NAME} likes corners.")
        asked = ruling_requests.ask(
            game_id=game.pk, player=zaphira, text=f"He ate my {WORDS}.", now=NOW
        )
    ruling_requests.settle(request_id=asked.pk, by=dora, answer=f"Sorry, {NAME}.", now=NOW)
    # Filled by hand: a tree of moves has no room for words.
    seat = running.seats.get(player=zaphira)
    ConditionalMoves.objects.create(seat=seat, tree=[], log=[{"why": WORDS}])
    second = _start(bob, zaphira)
    both_move(second)
    play.resign(game_id=second.pk, player_id=bob.pk, now=NOW)
    play.resign(game_id=over.pk, player_id=to_move(over).pk, now=NOW)
    over.refresh_from_db()
    reviews.ask(game=over, player=zaphira, now=NOW)
    rulings.set_result(game_id=over.pk, score=1, by=dora, reason=f"{NAME} was right.", now=NOW)
    importing.take_in(owner=zaphira, data=files.file_of(over.pk).as_json(), now=NOW)
    vacations.begin(player_id=zaphira.pk, now=NOW)
    reply_address.token_for(
        game_id=running.pk, seat=seat.number, ply=0, player_id=zaphira.pk, now=NOW
    )
    return running


def _start(first: Player, second: Player) -> Game:
    return start_game(
        ruleset="tritt-classic", options={}, players=(first, second), clock_settings=PerMove(3),
        now=NOW,
    )  # fmt: skip


def _make_offers(zaphira: Player, bob: Player) -> None:
    lobby.seek(challenger=zaphira, terms=TERMS, now=NOW)
    lobby.invite_by_email(challenger=zaphira, email=STRANGER, terms=TERMS, now=NOW)
    hello = Terms(ruleset="tritt-classic", clock=PerMove(3), message=f"Hi {NAME}")
    lobby.challenge(challenger=bob, opponent=zaphira, terms=hello, now=NOW)
    lobby.invite_by_email(challenger=bob, email=ADDRESS, terms=hello, now=NOW)


def _take_part_in_events(zaphira: Player, bob: Player, dora: Player) -> None:
    own = Stage(zaphira)
    emil = make_player("emil")
    cup = own.open(name=f"{NAME} Cup", about=f"By {NAME}.")
    own.enter(cup, zaphira, bob, emil, make_player("gustav"))
    leaving.expel(event_id=cup.pk, player=emil, by=zaphira, reason=f"{NAME} says so.", now=NOW)
    own.start(cup)
    Rest.objects.create(event=cup, round=9, entry=cup.entries.get(player=zaphira), kind="H")
    theirs = Stage(dora)
    declined = theirs.open(about=f"In honour of {NAME}.")
    entering.invite(event_id=declined.pk, player=zaphira, by=dora, now=NOW)
    entering.decline(event_id=declined.pk, player=zaphira, now=NOW)
    event = theirs.open()
    directing.appoint(event_id=event.pk, player=zaphira, by=dora, now=NOW)
    entering.invite(event_id=event.pk, player=zaphira, by=dora, now=NOW)
    Guest.objects.get_or_create(event=event, player=zaphira)
    past = theirs.started(zaphira, bob)
    leaving.leave(event_id=past.pk, player=zaphira, now=NOW)


def _be_on_the_staff(zaphira: Player, bob: Player, running: Game) -> None:
    zaphira.groups.add(Group.objects.create(name="helpers"))
    zaphira.user_permissions.add(Permission.objects.first())
    for user, target in ((zaphira, bob), (bob, zaphira)):
        LogEntry.objects.create(
            user=user, content_type=ContentType.objects.get_for_model(Player),
            object_id=str(target.pk), object_repr=str(target), action_flag=CHANGE,
            change_message=f"Changed name of {target}.",
        )  # fmt: skip
    others = _start(bob, Player.objects.get(name="dora"))
    asked = ruling_requests.ask(game_id=others.pk, player=bob, text="Please.", now=NOW)
    ruling_requests.settle(request_id=asked.pk, by=zaphira, answer="No.", now=NOW)
    made = rulings.make_void(game_id=others.pk, by=zaphira, reason="Nobody came.", now=NOW)
    rulings.undo(ruling_id=made.pk, by=zaphira, now=NOW)


def _block_and_be_blocked(zaphira: Player) -> None:
    frida = make_player("frida")
    for blocker, blocked in ((zaphira, frida), (frida, zaphira)):
        Block.objects.create(blocker=blocker, blocked=blocked, created_at=NOW)


def _be_written_to(zaphira: Player, bob: Player, running: Game) -> None:
    token = zaphira.tokens.first()
    FeedLink.objects.create(player=zaphira, feed="turns", key="k", token=token)
    Webhook.objects.create(player=zaphira, url=f"https://{WORDS}.example/", secret="s", token=token)
    PushSubscription.objects.create(
        player=zaphira, endpoint="https://push.example/1", p256dh="p", auth="a", browser=WORDS
    )
    Habits.objects.create(player=zaphira, digest_hour=9)
    Preference.objects.create(player=zaphira, kind=Kind.CHAT, timing="off")
    Suppression.objects.create(address=ADDRESS, last_error=f"<{ADDRESS}>: mailbox full")
    _have_mail_stored(zaphira, bob, running)
    carrier = Letter.objects.create(key="digest", kind=Kind.DIGEST, player=zaphira, address=ADDRESS)
    Letter.objects.create(key="told", kind=Kind.CHAT, player=zaphira, carried_by=carrier)
    Letter.objects.create(
        key="reply", kind=Kind.REPLY, player=bob, game=running,
        details={"said": [f"{NAME} has moved."], "outcome": "played", "wants": []},
    )  # fmt: skip
    for recipient, subject, text in (
        (ADDRESS, "Yours", WORDS),
        (bob.email, f"{NAME} has moved", ""),
        (bob.email, "Your turn", f"{NAME} has moved"),
    ):
        raw = _message(text)
        MailboxLetter.objects.create(recipient=recipient, subject=subject, raw=raw)
    OutboxMessage.objects.create(
        fact="Lost", subscriber="nobody.hears", payload={}, error=f"{NAME} was not found",
        attempts=99,
    )  # fmt: skip


def _have_mail_stored(zaphira: Player, bob: Player, running: Game) -> None:
    """Her own, what her opponent quotes of it, and what came back from her address."""
    hers = zaphira.replytoken_set.first()
    his = reply_address.token_for(
        game_id=running.pk, seat=1 - hers.seat, ply=0, player_id=bob.pk, now=NOW
    )
    for number, (player, token, sender, outcome) in enumerate(
        (
            (zaphira, hers, ADDRESS, "played"),
            (None, hers, ADDRESS, "no-game"),
            (bob, his, bob.email, "played"),
            (bob, None, bob.email, "no-game"),
            (None, None, "", "bounce"),
        )
    ):
        InboundMail.objects.create(
            player=player, token=token, mail_from=sender, recipient="play@localhost", peer="",
            raw=_message(f"{WORDS}\n> {NAME} has moved."), sha256=str(number), outcome=outcome,
            reason=f"Final-Recipient: {ADDRESS}", state="done", due_at=NOW + timedelta(days=999),
        )  # fmt: skip


def _message(text: str) -> bytes:
    """As mail programs send it: what it says is not to be read in the raw bytes."""
    message = EmailMessage()
    message["From"] = "play@localhost"
    message.set_content(text, cte="base64")
    return message.as_bytes()
