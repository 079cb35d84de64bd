"""The post: every letter leaves once, and what does not leave says why."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings as the_settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import vacations
from games.models import EntryPoint, Outage
from notifications import channels, desk, letters, post, receipts, smtp, tasks
from notifications.models import Channel, Habits, Kind, Letter, Preference, Suppression
from tests.conftest import NOW, days
from tests.games.acts import move, resigned_by
from tests.games.threads import at_once
from tests.notifications.mail_peer import DROP, listening, scripted
from tests.notifications.mails import answer, token_of
from tests.notifications.posting import DUE, again, outcome, send, write_news, write_turn

HOUR = timedelta(hours=1)


@pytest.fixture
def peer(settings):
    with listening() as peer:
        peer.take_mail_of(settings)
        yield peer


# Sending


def test_a_turn_letter_leaves_after_the_pause_and_once(start, peer):
    letter = write_turn(start())
    send(DUE - timedelta(seconds=1))
    assert peer.messages == []
    send()
    send(DUE + HOUR)
    assert peer.message_ids == [f"<{letter.key}@{the_settings.MAIL_DOMAIN}>"]
    assert peer.envelopes[0][1] == ["alice@example.org"]
    sent = again(letter)
    assert (sent.state, sent.address, sent.settled_at) == ("sent", "alice@example.org", DUE)
    assert (sent.attempts, sent.doubts, sent.claimed_until) == (1, 0, None)


def test_several_letters_go_through_one_connection(alice, peer):
    for number in range(3):
        write_news(alice, f"v{number}.news")
    send(NOW)
    assert (len(peer.messages), peer.connections) == (3, 1)


def test_a_batch_that_takes_too_long_leaves_the_rest_to_the_next(alice, mailoutbox, monkeypatch):
    letters = [write_news(alice, f"v{number}.news") for number in range(2)]
    monkeypatch.setattr(post.Line, "seconds", property(lambda line: 15.0 * len(mailoutbox)))
    monkeypatch.setattr(post, "LONGEST_BATCH", 10.0)
    assert post.send_due(now=NOW)
    assert len(mailoutbox) == 1
    assert (outcome(letters[1]), again(letters[1]).claimed_until) == (("waiting", ""), None)
    monkeypatch.undo()
    post.send_due(now=NOW)
    assert len(mailoutbox) == 2


def test_the_worker_sends_what_is_due(alice, mailoutbox):
    write_news(alice)
    tasks.send_letters()
    assert len(mailoutbox) == 1


# What would come too late


def test_no_letter_is_sent_about_a_turn_that_is_played(start, mailoutbox):
    game = start()
    letter = write_turn(game)
    move(game)
    send()
    assert (mailoutbox, outcome(letter)) == ([], ("cancelled", "played"))


def test_no_turn_letter_is_sent_when_the_game_is_over(start, alice, mailoutbox):
    game = start()
    letter = write_turn(game)
    resigned_by(alice, game)
    send()
    assert outcome(letter) == ("cancelled", "game-over")


def test_no_turn_letter_is_sent_after_the_flag(start, mailoutbox):
    letter = write_turn(start())
    send(NOW + days(3))
    assert (mailoutbox, outcome(letter)) == ([], ("cancelled", "too-late"))


def test_a_challenge_that_is_gone_is_not_told(start, alice, bob, mailoutbox):
    desk.write(kind=Kind.CHALLENGE, player_id=bob.pk, key="c1.challenge", now=NOW, about=99)
    send()
    assert (mailoutbox, outcome(Letter.objects.get())) == ([], ("cancelled", "challenge-gone"))


def test_an_offer_that_was_withdrawn_is_not_told(start, bob, mailoutbox):
    game = start()
    details = {"what": "draw-offered"}
    key = f"g{game.pk}.p0.s1.offer-draw"
    desk.write(
        kind=Kind.OFFER,
        player_id=bob.pk,
        key=key,
        now=NOW,
        game_id=game.pk,
        seat=1,
        details=details,
    )
    send()
    assert (mailoutbox, outcome(Letter.objects.get())) == ([], ("cancelled", "offer-gone"))


def test_the_end_of_a_game_that_goes_on_again_is_not_told(start, alice, mailoutbox):
    game = start()
    key = f"g{game.pk}.s0.game-over"
    desk.write(kind=Kind.GAME_OVER, player_id=alice.pk, key=key, now=NOW, game_id=game.pk, seat=0)
    send()
    assert outcome(Letter.objects.get()) == ("cancelled", "runs-again")


def test_who_has_left_is_not_written_to(alice, mailoutbox):
    letter = write_news(alice)
    alice.is_active = False
    alice.save()
    send(NOW)
    assert (mailoutbox, outcome(letter)) == ([], ("cancelled", "closed"))


def test_without_a_confirmed_address_there_is_no_mail(alice, mailoutbox):
    letter = write_news(alice)
    alice.emailaddress_set.update(verified=False)
    send(NOW)
    assert (mailoutbox, outcome(letter)) == ([], ("cancelled", "no-address"))


def test_nothing_is_sent_to_an_address_that_takes_no_mail(alice, mailoutbox):
    letter = write_news(alice)
    Suppression.objects.create(address="ALICE@example.org", since=NOW)
    send(NOW)
    assert (mailoutbox, outcome(letter)) == ([], ("refused", "suppressed"))


# One until I come back


@pytest.fixture
def patient(alice):
    Habits.objects.create(player=alice, one_until_back=True)
    alice.seen_at = NOW - days(1)
    alice.save()
    return alice


def test_a_second_turn_letter_waits_until_the_player_was_here(start, patient, mailoutbox):
    first = write_turn(start())
    send()
    second = write_turn(start(), now=NOW + HOUR)
    send(NOW + 2 * HOUR)
    assert [outcome(first), outcome(second)] == [
        ("sent", ""),
        ("cancelled", "one-until-back"),
    ]
    patient.seen_at = NOW + 3 * HOUR
    patient.save()
    third = write_turn(start(), now=NOW + 4 * HOUR)
    send(NOW + 5 * HOUR)
    assert outcome(third) == ("sent", "")


def test_who_answers_by_mail_has_come_back(start, patient, mailoutbox):
    game = start()
    write_turn(game)
    send()
    answer(token_of(game), "board", at=NOW + HOUR)
    second = write_turn(start(), now=NOW + HOUR)
    send(NOW + 2 * HOUR)
    assert outcome(second) == ("sent", "")


def test_who_was_here_just_before_a_letter_may_have_been_here_after_it(start, patient, mailoutbox):
    """Presence is noted every five minutes at most."""
    patient.seen_at = DUE - timedelta(minutes=4)
    patient.save()
    write_turn(start())
    send()
    second = write_turn(start(), now=NOW + HOUR)
    send(NOW + 2 * HOUR)
    assert outcome(second) == ("sent", "")


# Failures


def test_a_server_that_is_busy_is_asked_again_later_and_later(alice, peer):
    letter = write_news(alice)
    peer.answers = ["451 4.3.0 busy"] * 3
    waits = []
    now = NOW
    for _ in range(3):
        send(now)
        waits.append(again(letter).due_at - now)
        assert outcome(letter) == ("waiting", "retrying")
        assert "busy" in again(letter).error
        now = again(letter).due_at
    assert [wait / timedelta(minutes=1) for wait in waits] == [1, 2, 4]
    send(now)
    assert (outcome(letter), len(peer.messages)) == (("sent", ""), 1)
    assert (again(letter).attempts, again(letter).doubts) == (4, 0)


def test_after_many_tries_a_letter_is_given_up_with_the_last_error(alice, peer):
    letter = write_news(alice)
    peer.answers = ["451 4.3.0 busy"] * post.MOST_TRIES_BY_MAIL
    for _ in range(post.MOST_TRIES_BY_MAIL):
        assert again(letter).due_at < NOW + days(6)
        send(again(letter).due_at)
    assert outcome(letter) == ("refused", "gave-up")
    assert again(letter).settled_at > NOW + days(5)
    assert (again(letter).attempts, peer.messages) == (post.MOST_TRIES_BY_MAIL, [])


def test_the_next_try_is_not_put_off_past_the_deadline(alice, peer):
    letter = write_news(alice, deadline=NOW + 2 * HOUR)
    Letter.objects.update(attempts=10)
    peer.answers = ["451 4.3.0 busy"]
    send(NOW)
    assert again(letter).due_at == NOW + HOUR / 2


def tries_until(letter, end, now):
    """How often it is tried until then, and the longest time without a try in the last hour."""
    tries, longest = 0, timedelta()
    while now < end:
        send(now)
        tries += 1
        assert outcome(letter) == ("waiting", "retrying")
        assert again(letter).due_at >= now + post.FIRST_PAUSE
        if again(letter).due_at > end - HOUR:
            longest = max(longest, again(letter).due_at - max(now, end - HOUR))
        now = again(letter).due_at
    return tries, longest


def test_a_letter_is_tried_until_its_deadline_and_floods_nobody(alice, peer, unpainted):
    letter = write_news(alice, deadline=NOW + days(14))
    peer.answers = ["451 4.3.0 busy"] * 200
    tries, longest = tries_until(letter, NOW + days(14), NOW)
    assert post.MOST_TRIES_BY_MAIL < tries < 130
    assert longest < HOUR / 2
    peer.answers = []
    send(again(letter).due_at)
    assert outcome(letter) == ("sent", "")


def test_a_letter_about_a_turn_is_tried_for_as_long_as_it_is_of_use(start, peer, unpainted):
    game = start()
    letter = write_turn(game)
    Letter.objects.update(attempts=100)
    peer.rcpt_answers = [DROP]
    send()
    assert outcome(letter) == ("waiting", "retrying")
    move(game)
    send(again(letter).due_at)
    assert outcome(letter) == ("cancelled", "played")
    assert peer.messages == []


def test_after_a_deadline_that_has_moved_the_pauses_grow_again(alice, peer):
    letter = write_news(alice, deadline=NOW + HOUR)
    Letter.objects.update(attempts=100)
    peer.answers = ["451 4.3.0 busy"]
    send(NOW + 2 * HOUR)
    assert again(letter).due_at == NOW + 2 * HOUR + post.LONGEST_PAUSE


def test_what_is_refused_for_good_is_not_tried_again_and_counts_against_the_address(alice, peer):
    letter = write_news(alice)
    peer.answers = ["552 5.2.2 mailbox full"]
    send(NOW)
    assert (outcome(letter), again(letter).doubts) == (("refused", "refused"), 0)
    known = Suppression.objects.get(address="alice@example.org")
    assert (known.hard_bounces, known.since) == (1, None)
    assert "mailbox full" in known.last_error


def test_an_unknown_recipient_is_a_bounce(alice, peer):
    letter = write_news(alice)
    peer.rcpt_answers = ["550 5.1.1 no such user"]
    send(NOW)
    assert outcome(letter) == ("refused", "refused")
    assert Suppression.objects.get().hard_bounces == 1


def test_a_recipient_that_is_put_off_is_no_bounce(alice, peer):
    letter = write_news(alice)
    peer.rcpt_answers = ["450 4.2.0 greylisted"]
    send(NOW)
    assert outcome(letter) == ("waiting", "retrying")
    assert not Suppression.objects.exists()


def test_a_server_that_is_away_costs_no_attempt_and_is_not_asked_for_every_letter(
    alice, settings, peer
):
    settings.EMAIL_PORT = 1
    first, second = write_news(alice, "v1.news"), write_news(alice, "v2.news")
    assert post.send_due(now=NOW) is False
    assert (outcome(first), again(first).attempts) == (("waiting", "line-down"), 0)
    assert outcome(second) == ("waiting", "")
    settings.EMAIL_PORT = peer.port
    send(NOW + HOUR)
    assert len(peer.messages) == 2


def test_a_letter_that_cannot_be_written_stops_no_other(alice, mailoutbox, monkeypatch):
    compose = letters.compose

    def sometimes(letter, *, now):
        if letter.key == "v1.news":
            raise ValueError("no words")
        return compose(letter, now=now)

    monkeypatch.setattr(letters, "compose", sometimes)
    broken, good = write_news(alice, "v1.news"), write_news(alice, "v2.news")
    send(NOW)
    assert [outcome(broken), outcome(good)] == [("waiting", "retrying"), ("sent", "")]
    assert (again(broken).attempts, again(broken).error) == (1, "ValueError: no words")


# Nothing twice


def test_a_connection_lost_after_the_message_gives_the_same_letter_twice_at_most(alice, peer):
    letter = write_news(alice)
    peer.answers = [DROP] * 5
    for hour in range(5):
        send(NOW + hour * HOUR)
    assert len(peer.messages) == 2
    assert len(set(peer.message_ids)) == 1
    assert outcome(letter) == ("refused", "unanswered")


def test_after_a_lost_connection_the_second_try_settles_it(alice, peer):
    letter = write_news(alice)
    peer.answers = [DROP]
    for hour in range(4):
        send(NOW + hour * HOUR)
    assert (len(peer.messages), len(set(peer.message_ids))) == (2, 1)
    assert (outcome(letter), again(letter).doubts) == (("sent", ""), 1)


GREETING = ("220 hello", "250 hello")


@pytest.mark.parametrize(
    "lines",
    [
        GREETING,
        (*GREETING, "250 sender"),
        (*GREETING, "250 sender", "250 recipient"),
        # The client has begun to give the message, and only its first bytes are read.
        (*GREETING, "250 sender", "250 recipient", "354 go on"),
    ],
)
def test_a_peer_that_hangs_up_before_it_has_the_message_costs_only_time(
    lines, alice, settings, monkeypatch
):
    def compose(letter, *, now):
        message = written(letter, now=now)
        message.attach("more.bin", bytes(20_000_000))  # Too much to be on its way all at once.
        return message

    written = letters.compose
    monkeypatch.setattr(letters, "compose", compose)
    letter = write_news(alice)
    with scripted(settings, *lines):
        send(NOW)
    assert (outcome(letter), again(letter).doubts) == (("waiting", "retrying"), 0)


def test_a_peer_that_answers_a_byte_at_a_time_is_hung_up_on(alice, settings, monkeypatch):
    monkeypatch.setattr(smtp, "ANSWER_WITHIN", 0.5)
    letter = write_news(alice)
    with scripted(settings, *GREETING, bytes_a_second=5):
        began = time.monotonic()
        send(NOW)
    assert time.monotonic() - began < 5
    assert (outcome(letter), again(letter).attempts) == (("waiting", "line-down"), 0)


def test_a_letter_in_doubt_is_shown_as_such(alice, peer):
    letter = write_news(alice)
    peer.answers = [DROP]
    send(NOW)
    assert "may have arrived" in receipts.sentence(again(letter))
    send(NOW + HOUR)
    assert receipts.sentence(again(letter)) == ""


def test_after_the_second_doubt_the_receipt_promises_no_third_try(alice, peer):
    letter = write_news(alice)
    peer.answers = [DROP] * 2
    send(NOW)
    send(NOW + HOUR)
    assert outcome(letter) == ("refused", "unanswered")
    assert (again(letter).attempts, again(letter).doubts) == (2, 2)
    assert "may have arrived" in receipts.sentence(again(letter))


def test_a_doubt_is_shown_however_the_letter_ends(start, peer, unpainted):
    game = start()
    letter = write_turn(game)
    peer.answers = [DROP]
    send()
    move(game)
    send(again(letter).due_at)
    assert outcome(letter) == ("cancelled", "played")
    assert receipts.sentence(again(letter)) == (
        "The turn had been played before the letter left."
        " It may have arrived all the same: it was handed over once and the connection broke."
    )


def test_a_silent_server_leaves_a_doubt(alice, peer, settings):
    settings.EMAIL_TIMEOUT = 3
    letter = write_news(alice)
    heard = threading.Event()
    peer.before_answering = lambda: heard.wait(60)
    try:
        send(NOW)
    finally:
        heard.set()
    assert (outcome(letter), again(letter).doubts) == (("waiting", "retrying"), 1)
    assert "timed out" in again(letter).error


def test_two_workers_send_each_letter_once(transactional_db, alice, peer):
    for number in range(30):
        write_news(alice, f"v{number}.news")
    answers = at_once(*[lambda: send(NOW)] * 3)
    assert answers == [None] * 3
    assert len(peer.messages) == 30
    assert len(set(peer.message_ids)) == 30


def test_what_a_worker_has_claimed_is_left_to_it_until_the_claim_ends(alice, mailoutbox):
    letter = write_news(alice)
    post._claim(post.due(NOW, "mail"), until=NOW + post.CLAIM)
    send(NOW + post.CLAIM - timedelta(seconds=1))
    assert mailoutbox == []
    send(NOW + post.CLAIM)
    assert (len(mailoutbox), outcome(letter)) == (1, ("sent", ""))


def test_a_worker_that_lost_its_claim_neither_sends_nor_settles(alice, mailoutbox):
    letter = write_news(alice)
    mine = post._claim(post.due(NOW, "mail"), until=NOW + post.CLAIM)
    post._claim(post.due(NOW + post.CLAIM, "mail"), until=NOW + 2 * post.CLAIM)
    line = post.Line(NOW)
    assert post._deal_with(mine, line, NOW)
    assert mailoutbox == []
    assert again(letter).state == "sending"


KILLED_BEFORE_IT_IS_NOTED = """
import os, signal
from datetime import datetime
import django
django.setup()
from notifications import post
post._settle = lambda *_args, **_more: os.kill(os.getpid(), signal.SIGKILL)
post.send_due(now=datetime.fromisoformat(os.environ["NOW"]))
"""


def test_a_worker_killed_between_sending_and_noting_gives_the_same_letter_twice_at_most(
    transactional_db, alice, peer
):
    letter = write_news(alice)
    database = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": urlunsplit(database),
        "EMAIL_URL": f"smtp://127.0.0.1:{peer.port}",
    }
    now = NOW
    for _ in range(2):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED_BEFORE_IT_IS_NOTED],
            env={**environment, "NOW": now.isoformat()},
            cwd=the_settings.BASE_DIR,
            timeout=120,
        )
        assert killed.returncode == -signal.SIGKILL
        now += post.CLAIM + timedelta(seconds=20)
    send(now)
    assert len(peer.messages) == 2
    assert len(set(peer.message_ids)) == 1
    assert outcome(letter) == ("refused", "unanswered")


# Other channels


@pytest.fixture
def pushed(alice, monkeypatch):
    """What each delivery by another channel does, in order; nothing means that it worked."""
    Preference.objects.create(player=alice, kind=Kind.EVENT, channels=["push"])
    errors, delivered = [], []

    def deliver(letter, *, now):
        delivered.append(letter.key)
        if errors:
            raise errors.pop(0)

    monkeypatch.setattr(channels, "deliver", deliver)
    return errors, delivered


def write_push(alice):
    desk.write(kind=Kind.EVENT, player_id=alice.pk, key="v1.news", now=NOW)
    return Letter.objects.get(channel=Channel.PUSH)


def test_a_letter_by_another_channel_is_sent_through_it(alice, pushed, mailoutbox):
    letter = write_push(alice)
    send(NOW)
    assert (pushed[1], outcome(letter), mailoutbox) == (["v1.news.push"], ("sent", ""), [])


def test_a_delivery_that_fails_is_tried_again(alice, pushed):
    letter = write_push(alice)
    pushed[0].append(channels.DeliveryFailed("503"))
    send(NOW)
    assert outcome(letter) == ("waiting", "retrying")
    send(NOW + HOUR)
    assert (len(pushed[1]), outcome(letter)) == (2, ("sent", ""))


def test_with_nobody_there_a_message_is_cancelled(alice, pushed):
    letter = write_push(alice)
    pushed[0].append(channels.NobodyThere())
    send(NOW)
    assert outcome(letter) == ("cancelled", "nobody-there")


# Cost


def test_sending_costs_what_is_due_and_not_what_waits(alice, bob, mailoutbox):
    def statements(key):
        write_news(alice, key)
        with CaptureQueriesContext(connection) as queries:
            send(NOW)
        assert len(mailoutbox) == 1
        mailoutbox.clear()
        return len(queries)

    statements("v0.news")
    alone = statements("v1.news")
    for number in range(20):
        write_news(bob, f"w{number}.news", at=NOW + days(1))
    assert statements("v2.news") == alone


def test_what_is_due_is_found_by_its_index_among_thousands(alice):
    write_news(alice)
    with connection.cursor() as cursor:
        for state, due_at in (("sent", NOW - days(9)), ("waiting", NOW + days(9))):
            cursor.execute(
                "INSERT INTO notifications_letter (key, kind, channel, player_id, address, details,"
                " written_at, due_at, digest, state, why, attempts, doubts, error)"
                " SELECT %s || n, 'event', 'mail', %s, '', '{}', %s, %s, n %% 2 = 0, %s, '', 0, 0,"
                " '' FROM generate_series(1, 5000) n",
                [state, alice.pk, NOW, due_at, state],
            )
        cursor.execute("ANALYZE notifications_letter")
    plan = post.due(NOW, "mail")[:20].explain(analyze=True, timing=False)
    assert "letters_due" in plan
    assert "Seq Scan" not in plan
    assert "Rows Removed by Filter" not in plan


# After we were away


def test_an_outage_is_entered_before_anybody_is_reminded(db, monkeypatch):
    EntryPoint.objects.create(pk="web", beat_at=NOW)
    known = []

    def look(**_when):
        known.append(Outage.objects.count())
        return False

    monkeypatch.setattr(post, "send_due", look)
    tasks.send_letters()
    assert known == [1]


def test_a_vacation_does_not_disturb_a_letter_about_the_turn(start, alice, mailoutbox):
    alice.joined_at = NOW - days(200)
    alice.save()
    letter = write_turn(start())
    vacations.begin(player_id=alice.pk, now=NOW)
    send()
    assert outcome(letter) == ("sent", "")
