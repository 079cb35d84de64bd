"""Slow addresses use up their player's seconds of the hour, and nobody else's."""

import socket
import threading
import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import daily
from notifications import call_budget, calls, channels, post, tasks, webhooks
from notifications.call_budget import BudgetIsSpent
from notifications.models import Letter, Webhook
from tests.conftest import NOW
from tests.notifications.peers import listening
from tests.notifications.posting import again, outcome, write_news


@pytest.fixture
def peer(settings):
    settings.DEBUG = True
    with listening() as listener:
        yield listener


@pytest.fixture
def hook(alice, peer):
    return webhooks.register(player=alice, url=peer.url, now=NOW)


def letter_to(player, key="v1", channel="webhook", due_at=NOW) -> Letter:
    return Letter.objects.create(
        key=key, kind="event", channel=channel, player=player, due_at=due_at,
        details={"event": "Spring", "name": "Spring", "address": "/", "what": "opened"},
    )  # fmt: skip


def spend(player, seconds, now=NOW):
    key = call_budget._key(player.pk, now)
    daily.add(kind=call_budget.KIND, key=key, amount=round(seconds * 1000), now=now)


def test_what_a_call_takes_is_counted(hook, alice, peer):
    channels.deliver(letter_to(alice), now=NOW)
    assert 0 < call_budget.spent(alice.pk, now=NOW) < 5
    assert call_budget.spent(alice.pk, now=NOW + timedelta(hours=1)) == 0


def test_a_call_that_fails_is_counted(hook, alice, monkeypatch):
    def fail(*_what, **_more):
        time.sleep(0.1)
        raise calls.DeliveryFailed("no")

    monkeypatch.setattr(calls, "post", fail)
    with pytest.raises(calls.DeliveryFailed):
        channels.deliver(letter_to(alice), now=NOW)
    assert call_budget.spent(alice.pk, now=NOW) >= 0.1


def test_whoever_has_used_up_the_hour_waits_for_the_next(hook, alice, peer):
    letter = letter_to(alice)
    spend(alice, call_budget.A_PLAYER_AN_HOUR)
    assert post.call_webhooks(now=NOW) is False
    letter = again(letter)
    assert (letter.state, letter.why, letter.attempts) == ("waiting", "calls-spent", 0)
    assert letter.due_at == NOW + timedelta(hours=1)
    assert peer.received == []
    post.call_webhooks(now=NOW + timedelta(hours=1))
    assert outcome(letter) == ("sent", "")
    assert Webhook.objects.get().failures == 0


def test_look_ups_of_others_that_hang_cost_no_failure_no_attempt_and_no_seconds(
    hook, alice, bob, peer, monkeypatch
):
    """The name server of Bob's address says nothing, for as long as it likes."""
    is_over, ask = threading.Event(), socket.getaddrinfo

    def getaddrinfo(host, *what, **kind):
        if host == "slow.example":
            is_over.wait(60)
        return ask(host, *what, **kind)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with monkeypatch.context() as impatient:
        impatient.setattr(calls, "PATIENCE", 0.05)
        for _ in range(calls.MOST_LOOK_UPS):
            with pytest.raises(calls.DeliveryFailed):
                calls.post("https://slow.example/", body=b"", headers={})
    letter = letter_to(alice)
    try:
        post.call_webhooks(now=NOW)
        waiting = again(letter)
        assert (waiting.state, waiting.why, waiting.attempts) == ("waiting", "retrying", 0)
        assert waiting.due_at == NOW + post.FIRST_PAUSE
        assert Webhook.objects.get().failures == 0
        assert call_budget.spent(alice.pk, now=NOW) < 1
    finally:
        is_over.set()
        for thread in threading.enumerate():
            if thread.name.startswith("look up"):
                thread.join()
    post.call_webhooks(now=waiting.due_at)
    assert (outcome(letter), len(peer.received)) == (("sent", ""), 1)


def test_a_trial_is_bounded_by_the_same_seconds(hook, alice, peer):
    spend(alice, call_budget.A_PLAYER_AN_HOUR)
    with pytest.raises(BudgetIsSpent, match="60 seconds in this hour"):
        webhooks.try_out(player=alice, webhook_id=hook.pk, now=NOW)
    assert peer.received == []


def test_the_page_says_why_webhooks_wait(hook, alice, as_player):
    browser = as_player(alice)
    assert "limit of 60 seconds" not in browser.get(reverse("channels")).text
    spend(alice, call_budget.A_PLAYER_AN_HOUR, now=timezone.now())
    assert "limit of 60 seconds" in browser.get(reverse("channels")).text


def test_who_took_the_least_time_comes_first(alice, bob, charlie, peer):
    for player in (alice, bob, charlie):
        webhooks.register(player=player, url=peer.url, now=NOW)
    letters = [
        letter_to(alice, "v1", due_at=NOW - timedelta(minutes=3)),
        letter_to(bob, "v2", due_at=NOW - timedelta(minutes=2)),
        letter_to(charlie, "v3", due_at=NOW - timedelta(minutes=1)),
    ]
    spend(alice, 20)
    spend(bob, 10)
    order = call_budget.by_turns(post.due(NOW, "webhook"), now=NOW)
    assert list(order) == letters[::-1]


def test_a_slow_reply_counts_as_a_failure_and_is_not_sent_twice(hook, alice, peer, monkeypatch):
    monkeypatch.setattr(webhooks, "SLOW_AFTER", 0.0)
    Webhook.objects.update(failures=webhooks.FAILURES_UNTIL_OFF - 1)
    letter = letter_to(alice)
    post.call_webhooks(now=NOW)
    assert outcome(letter) == ("sent", "")
    assert len(peer.received) == 1
    hook.refresh_from_db()
    assert (hook.failures, hook.switched_off_at) == (webhooks.FAILURES_UNTIL_OFF, NOW)
    assert "counts as a failure" in hook.last_error


def test_a_slow_webhook_does_not_delay_a_mail(hook, alice, mailoutbox, monkeypatch):
    def call(*_what, **_more):
        raise AssertionError("mail waited for a webhook")

    monkeypatch.setattr(calls, "post", call)
    letter_to(alice, "v1", due_at=NOW - timedelta(hours=1))
    write_news(alice, "v2.news")
    assert post.send_due(now=NOW) is False
    assert len(mailoutbox) == 1


def test_a_second_letter_wakes_a_second_worker(alice, monkeypatch):
    rung = []
    monkeypatch.setattr("notifications.desk.ring_for_webhooks", lambda: rung.append(1))
    letter_to(alice, "v1")
    tasks.call_webhooks()
    assert rung == []
    letter_to(alice, "v2")
    letter_to(alice, "v3")
    tasks.call_webhooks()
    assert rung == [1]


def test_mail_goes_before_push(alice, mailoutbox, monkeypatch):
    order = []
    monkeypatch.setattr(channels, "deliver", lambda letter, now: order.append(letter.channel))
    monkeypatch.setattr(post, "_mail", lambda letter, *_more: order.append("mail") or True)
    letter_to(alice, "v1", channel="push", due_at=NOW - timedelta(hours=1))
    write_news(alice, "v2.news")
    claimed = []
    monkeypatch.setattr(post, "_renew", lambda *_what, **_more: claimed.append(1))
    post.send_due(now=NOW, seconds=0.5)
    assert order[0] == "mail"


def test_one_letter_takes_some_seconds_for_all_addresses(alice, settings, monkeypatch):
    settings.DEBUG = True
    for number in range(5):
        webhooks.register(player=alice, url=f"http://127.0.0.1:1/{number}", now=NOW)
    asked = []

    def call(url, *, seconds, **_more):
        asked.append(url)
        time.sleep(0.2)
        raise calls.DeliveryFailed("slow")

    monkeypatch.setattr(calls, "post", call)
    monkeypatch.setattr(channels, "SECONDS_A_LETTER", 0.5)
    monkeypatch.setattr(channels, "LEAST_SECONDS", 0.1)
    letter = letter_to(alice)
    for attempt in range(5):
        Letter.objects.update(attempts=attempt)
        with pytest.raises(calls.DeliveryFailed):
            channels.deliver(letter, now=NOW)
    assert len(asked) < 25
    assert len(set(asked)) == 5
