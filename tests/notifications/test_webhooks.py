"""A webhook is told once for each letter, in a way that it can check, or is switched off."""

import contextlib
import hashlib
import hmac
import json
import time
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from accounts.models import Player
from games import play
from games.models import Game
from games.refusals import BadRequest, NotAllowed
from notifications import channels, webhooks
from notifications.calls import DeliveryFailed
from notifications.models import Letter, Webhook
from tests.chaos.peers import webhook_peer
from tests.conftest import NOW
from tests.notifications.peers import listening


@pytest.fixture
def peer(settings):
    settings.DEBUG = True
    with listening() as listener:
        yield listener


@pytest.fixture
def hook(alice, peer):
    return webhooks.register(player=alice, url=peer.url, now=NOW)


@pytest.fixture
def letter(start, alice):
    """It is Alice's turn in a game that has just begun."""
    return turn_letter(start(), alice)


def turn_letter(game: Game, player: Player) -> Letter:
    return Letter.objects.create(
        key=f"g{game.pk}.p{game.ply}.s0.turn.webhook",
        kind="turn",
        channel="webhook",
        player=player,
        game=game,
        ply=game.ply,
        seat=0,
        deadline_at=game.deadline_at,
    )


def test_the_message_is_enough_to_answer_by_the_api(hook, letter, peer, alice, api_of):
    game = Game.objects.get()
    # The answer comes by the real clock, so the deadline must lie ahead of it.
    Game.objects.update(clock_from=timezone.now(), deadline_at=timezone.now() + timedelta(days=3))
    channels.deliver(letter, now=NOW)
    told = json.loads(peer.received[0].body)
    assert (told["kind"], told["game"], told["ply"], told["seat"]) == ("turn", game.pk, 0, 0)
    assert told["state"]["ruleset"] == "tritt-classic"
    assert told["state"]["position"] == game.position
    assert told["state"]["your_turn"] is True
    assert "Orange is to move." in told["board"]
    assert told["url"] == f"http://localhost:8000/games/{game.pk}/"
    asked = told["move_url"].removeprefix("http://localhost:8000")
    answer = api_of(alice).post(asked, {"ply": told["ply"], "move": "a1-a3"}, format="json")
    assert (answer.status_code, answer.json()["ply"]) == (201, 1)


def test_the_deadline_is_the_very_instant(hook, letter, peer, start):
    channels.deliver(letter, now=NOW)
    told = json.loads(peer.received[0].body)
    assert told["deadline"] == told["state"]["deadline_at"] == "2026-03-05T12:00:00Z"


def test_the_signature_proves_the_body_and_the_moment(hook, letter, peer):
    channels.deliver(letter, now=NOW)
    [received] = peer.received
    fields = dict(part.split("=") for part in received.headers["Tripost-Signature"].split(","))
    signed = f"{int(NOW.timestamp())}.".encode() + received.body
    expected = hmac.new(hook.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert fields == {"t": str(int(NOW.timestamp())), "v1": expected}
    assert received.headers["Tripost-Delivery"] == letter.key
    assert received.headers["Content-Type"] == "application/json"


def test_a_letter_of_every_kind_can_be_told(hook, peer, alice, start):
    game = start()
    for number, kind in enumerate(Letter._meta.get_field("kind").choices):
        for about in (game, None):
            letter = Letter.objects.create(
                key=f"{number}.{about and about.pk}", kind=kind[0], channel="webhook",
                player=alice, game=about, seat=None,
            )  # fmt: skip
            channels.deliver(letter, now=NOW)
    kinds = [json.loads(received.body)["kind"] for received in peer.received]
    assert kinds == [kind for kind, _label in Letter._meta.get_field("kind").choices for _ in "ab"]


def test_an_address_that_fails_is_tried_again_and_only_that_one(hook, letter, peer, alice):
    with listening() as other:
        webhooks.register(player=alice, url=other.url, now=NOW)
        peer.statuses = [500]
        with pytest.raises(channels.DeliveryFailed, match="answered with 500"):
            channels.deliver(letter, now=NOW)
        assert (len(peer.received), len(other.received)) == (1, 1)
        letter.refresh_from_db()
        channels.deliver(letter, now=NOW)
        assert (len(peer.received), len(other.received)) == (2, 1)
        channels.deliver(letter, now=NOW)
        assert (len(peer.received), len(other.received)) == (2, 1)
    first, second = (received.headers["Tripost-Delivery"] for received in peer.received)
    assert first == second


@pytest.mark.parametrize("status", [301, 302, 400, 410, 429, 500])
def test_only_an_answer_of_success_counts(hook, letter, peer, status):
    peer.statuses = [status]
    with pytest.raises(channels.DeliveryFailed, match=str(status)):
        channels.deliver(letter, now=NOW)
    hook.refresh_from_db()
    assert hook.failures == 1
    assert hook.last_error == f"The address answered with {status}."
    assert peer.asked == ["POST"]


def test_success_forgets_the_failures(hook, letter, peer):
    Webhook.objects.update(failures=19, last_error="something")
    channels.deliver(letter, now=NOW)
    hook.refresh_from_db()
    assert (hook.failures, hook.last_error) == (0, "")


def test_twenty_failures_in_a_row_switch_it_off_and_its_owner_reads_why(
    hook, letter, peer, alice, as_player
):
    peer.statuses = [503] * 20
    for _ in range(20):
        with pytest.raises(channels.DeliveryFailed):
            channels.deliver(letter, now=NOW)
    hook.refresh_from_db()
    assert (hook.failures, hook.switched_off_at) == (20, NOW)
    with pytest.raises(channels.NobodyThere):
        channels.deliver(letter, now=NOW)
    assert len(peer.received) == 20
    page = as_player(alice).get("/letters/channels/").text
    assert "switched off after 20 failures in a row" in page
    assert "The address answered with 503." in page


def test_it_is_switched_on_again_by_hand(hook, letter, peer, alice, as_player):
    Webhook.objects.update(failures=20, switched_off_at=NOW)
    as_player(alice).post(f"/letters/channels/webhooks/{hook.pk}/", {"act": "switch-on"})
    channels.deliver(letter, now=NOW)
    assert len(peer.received) == 1


def test_a_name_that_moves_into_a_private_net_is_not_called(letter, alice, settings, peer):
    hook = webhooks.register(player=alice, url="https://hook.example/", now=NOW)
    Webhook.objects.filter(pk=hook.pk).update(url=peer.url)
    settings.DEBUG = False
    with pytest.raises(channels.DeliveryFailed):
        channels.deliver(letter, now=NOW)
    hook.refresh_from_db()
    assert hook.failures == 1
    assert peer.received == []


def test_whoever_has_left_is_told_nothing(hook, letter, peer, alice):
    Player.objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(channels.NobodyThere):
        channels.deliver(letter, now=NOW)
    assert peer.received == []


def test_the_words_are_in_the_players_language_and_zone(charlie, bob, start, peer):
    webhooks.register(player=charlie, url=peer.url, now=NOW)
    Player.objects.filter(pk=charlie.pk).update(zone="Asia/Tokyo", language="en")
    letter = turn_letter(start("tritoc", charlie, bob), charlie)
    channels.deliver(letter, now=NOW)
    told = json.loads(peer.received[0].body)
    assert told["title"] == "It is your turn"
    assert told["text"] == "Tritoc against bob, until 5 Mar 2026, 21:00 JST"


# Keeping them


def test_the_secret_is_shown_once(alice, as_player):
    browser = as_player(alice)
    page = browser.post("/letters/channels/webhooks/", {"url": "https://hook.example/x"})
    secret = Webhook.objects.get().secret
    assert secret in page.text
    assert page["Cache-Control"] == "private, no-store"
    later = browser.get("/letters/channels/").text
    assert "https://hook.example/x" in later
    assert secret not in later


def test_a_bad_address_is_explained_and_kept_in_the_field(alice, as_player):
    page = as_player(alice).post("/letters/channels/webhooks/", {"url": "http://hook.example/x"})
    assert page.status_code == 422
    assert "must begin with https://" in page.text
    assert 'value="http://hook.example/x"' in page.text
    assert not Webhook.objects.exists()


def test_there_are_five_at_most(alice):
    for number in range(5):
        webhooks.register(player=alice, url=f"https://hook.example/{number}", now=NOW)
    with pytest.raises(NotAllowed, match="5 webhooks"):
        webhooks.register(player=alice, url="https://hook.example/6", now=NOW)


@pytest.mark.django_db(transaction=True)
def test_there_are_five_at_most_when_many_come_at_once(alice):
    barrier, refused = Barrier(8), []

    def register():
        barrier.wait()
        try:
            webhooks.register(player=alice, url="https://hook.example/", now=NOW)
        except NotAllowed as refusal:
            refused.append(refusal)
        finally:
            connection.close()

    threads = [Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Webhook.objects.count(), len(refused)) == (5, 3)


def test_nobody_touches_the_webhook_of_another(hook, bob, as_player):
    for act in ("try", "switch-on", "remove"):
        page = as_player(bob).post(
            f"/letters/channels/webhooks/{hook.pk}/", {"act": act}, follow=True
        )
        assert "There is no such webhook." in page.text
    assert Webhook.objects.filter(pk=hook.pk).exists()


def test_a_trial_says_what_came_of_it_and_counts_no_failure(hook, peer, alice, as_player):
    browser, address = as_player(alice), f"/letters/channels/webhooks/{hook.pk}/"
    assert "has taken the trial" in browser.post(address, {"act": "try"}, follow=True).text
    assert json.loads(peer.received[0].body)["kind"] == "test"
    cache.clear()
    peer.statuses = [404]
    assert "answered with 404" in browser.post(address, {"act": "try"}, follow=True).text
    hook.refresh_from_db()
    assert hook.failures == 0


def test_trials_cannot_be_used_to_pelt_somebody(hook, peer, alice, as_player):
    browser, address = as_player(alice), f"/letters/channels/webhooks/{hook.pk}/"
    browser.post(address, {"act": "try"})
    assert "wait a few seconds" in browser.post(address, {"act": "try"}, follow=True).text
    assert len(peer.received) == 1


def test_while_a_trial_waits_for_a_slow_address_others_are_refused(
    transactional_db, settings, alice, bob, as_player, api_of
):
    """One at a time in each web process, of which strangers may hold up one thread alone."""
    settings.DEBUG = True
    with webhook_peer() as slow, listening() as quick:
        slow.hangs = True
        of_alice = webhooks.register(player=alice, url=slow.url, now=NOW)
        of_bob = webhooks.register(player=bob, url=quick.url, now=NOW)
        page, api = as_player(bob), api_of(bob)
        first = Thread(target=try_out_and_close, args=(alice, of_alice))
        first.start()
        wait_until(webhooks.trying.locked)
        refused = api.post(f"/api/v1/me/webhooks/{of_bob.pk}/try")
        told = page.post(f"/letters/channels/webhooks/{of_bob.pk}/", {"act": "try"}, follow=True)
        assert (refused.status_code, refused["Retry-After"]) == (429, "5")
        assert "The server is busy. Try again in a moment." in told.text
        assert quick.received == []
        first.join()
        assert slow.received.total() == 1
        assert api.post(f"/api/v1/me/webhooks/{of_bob.pk}/try").status_code == 204


def try_out_and_close(player: Player, webhook: Webhook) -> None:
    try:
        with contextlib.suppress(DeliveryFailed):
            webhooks.try_out(player=player, webhook_id=webhook.pk, now=NOW)
    finally:
        connection.close()


def wait_until(condition) -> None:
    give_up_at = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.01)


# By the API


def test_a_program_registers_tries_and_removes_a_webhook(alice, api_of, peer):
    api = api_of(alice)
    made = api.post("/api/v1/me/webhooks", {"url": peer.url}, format="json")
    assert made.status_code == 201
    assert made.json()["secret"] == Webhook.objects.get().secret
    [listed] = api.get("/api/v1/me/webhooks").json()["webhooks"]
    assert "secret" not in listed
    address = f"/api/v1/me/webhooks/{listed['id']}"
    assert api.post(f"{address}/try").status_code == 204
    assert len(peer.received) == 1
    cache.clear()
    peer.statuses = [500]
    failed = api.post(f"{address}/try")
    assert (failed.status_code, failed.json()["code"]) == (422, "delivery_failed")
    Webhook.objects.update(switched_off_at=NOW, failures=20)
    assert api.post(f"{address}/switch-on").json()["switched_off_at"] is None
    assert api.delete(address).status_code == 204
    assert api.delete(address).status_code == 404
    assert not Webhook.objects.exists()


def test_the_api_refuses_with_the_same_sentence(alice, api_of):
    with pytest.raises(BadRequest) as refusal:
        webhooks.register(player=alice, url="http://hook.example/", now=NOW)
    answer = api_of(alice).post(
        "/api/v1/me/webhooks", {"url": "http://hook.example/"}, format="json"
    )
    assert (answer.status_code, answer.json()["detail"]) == (422, str(refusal.value))


def test_a_token_that_only_reads_makes_no_webhook(alice, api_of):
    wanted = {"url": "https://hook.example/"}
    answer = api_of(alice, "read").post("/api/v1/me/webhooks", wanted, format="json")
    assert answer.status_code == 403
    assert not Webhook.objects.exists()


def test_a_letter_costs_the_same_number_of_queries_in_any_game(
    hook, peer, start, alice, bob, django_assert_num_queries
):
    game = start()
    letter = turn_letter(game, alice)
    for ply, (player, text) in enumerate([(alice, "a1-a3"), (bob, "k1-k3")]):
        play.submit_move(
            game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=NOW, via="web"
        )
    with django_assert_num_queries(8):
        channels.deliver(letter, now=NOW)
