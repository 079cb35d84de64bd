"""A browser's message arrives encrypted for it alone, and a browser that is gone is forgotten."""

import base64
import json
from dataclasses import dataclass

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from games.refusals import BadRequest, NotAllowed
from notifications import channels, push
from notifications.models import Letter, PushSubscription
from tests.conftest import NOW, make_player
from tests.notifications.peers import listening

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def written(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class Browser:
    """What a browser keeps to itself, and what it says."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey
    auth: bytes

    @property
    def keys(self) -> dict[str, str]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": written(point), "auth": written(self.auth)}

    def reads(self, body: bytes) -> dict:
        plain = http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"
        )
        return json.loads(plain)


def new_browser(endpoint: str) -> Browser:
    return Browser(endpoint, ec.generate_private_key(ec.SECP256R1()), bytes(range(16)))


@pytest.fixture(autouse=True)
def vapid(settings):
    made = Vapid02()
    made.generate_keys()
    number = made.private_key.private_numbers().private_value
    settings.PUSH_KEY = written(number.to_bytes(32, "big"))
    return made


@pytest.fixture
def provider(settings):
    """Stands for the company behind the browser."""
    settings.DEBUG = True
    with listening() as listener:
        yield listener


@pytest.fixture
def browser(alice, provider):
    made = new_browser(f"{provider.url}/alices")
    push.subscribe(
        player=alice, endpoint=made.endpoint, browser="Firefox, Linux", now=NOW, **made.keys
    )
    return made


@pytest.fixture
def letter(start, alice):
    game = start()
    return Letter.objects.create(
        key=f"g{game.pk}.p0.s0.turn.push", kind="turn", channel="push", player=alice,
        game=game, ply=0, seat=0, deadline_at=game.deadline_at,
    )  # fmt: skip


def test_the_browser_reads_what_its_provider_cannot(browser, letter, provider):
    channels.deliver(letter, now=NOW)
    [received] = provider.received
    assert b"alice" not in received.body
    assert b"turn" not in received.body
    assert browser.reads(received.body) == {
        "title": "It is your turn",
        "body": "Tritt (2009) against bob, until 5 Mar 2026, 13:00 CET",
        "url": f"http://localhost:8000/games/{letter.game_id}/",
        "tag": f"g{letter.game_id}",
    }


def test_the_provider_can_check_who_sends_and_knows_how_long_it_matters(
    browser, letter, provider, vapid
):
    channels.deliver(letter, now=NOW)
    headers = provider.received[0].headers
    assert Vapid02.verify(headers["Authorization"])
    token = headers["Authorization"].partition("t=")[2].partition(",")[0]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["aud"] == f"http://127.0.0.1:{provider.port}"
    assert claims["sub"] == "mailto:postmaster@localhost"
    assert headers["Authorization"].endswith(f"k={push.public_key()}")
    assert headers["Content-Encoding"] == "aes128gcm"
    assert headers["TTL"] == str(3 * 24 * 60 * 60)
    assert headers["Topic"] == f"g{letter.game_id}"
    assert headers["Urgency"] == "normal"


def test_a_reminder_is_urgent(browser, letter, provider):
    Letter.objects.update(kind="reminder")
    channels.deliver(letter, now=NOW)
    assert provider.received[0].headers["Urgency"] == "high"


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_forgotten(browser, letter, provider, status):
    provider.statuses = [status]
    with pytest.raises(channels.NobodyThere):
        channels.deliver(letter, now=NOW)
    assert not PushSubscription.objects.exists()


def test_one_that_is_gone_does_not_keep_the_others_from_being_told(
    browser, letter, provider, alice
):
    second = new_browser(f"{provider.url}/second")
    push.subscribe(player=alice, endpoint=second.endpoint, browser="", now=NOW, **second.keys)
    provider.statuses = [410]
    channels.deliver(letter, now=NOW)
    assert len(provider.received) == 2
    assert PushSubscription.objects.count() == 1


@pytest.mark.parametrize("status", [302, 429, 500])
def test_what_the_provider_does_not_take_is_tried_again_once(browser, letter, provider, status):
    provider.statuses = [status]
    with pytest.raises(channels.DeliveryFailed, match=str(status)):
        channels.deliver(letter, now=NOW)
    channels.deliver(letter, now=NOW)
    channels.deliver(letter, now=NOW)
    assert len(provider.received) == 2
    assert PushSubscription.objects.count() == 1


def test_without_a_key_nobody_is_told_and_nothing_is_offered(
    browser, letter, provider, alice, as_player, settings
):
    settings.PUSH_KEY = ""
    with pytest.raises(channels.NobodyThere):
        channels.deliver(letter, now=NOW)
    page = as_player(alice).get("/letters/channels/").text
    assert "has not been set up to send messages to browsers" in page
    assert "data-push-button" not in page
    with pytest.raises(NotAllowed):
        push.subscribe(player=alice, endpoint="https://push.example/", browser="", now=NOW,
                       **browser.keys)  # fmt: skip


# Subscribing


def subscription(made: Browser) -> dict:
    return {"endpoint": made.endpoint, "expirationTime": None, "keys": made.keys}


def test_a_browser_is_subscribed_by_the_page_and_removed_there(alice, as_player):
    client, made = as_player(alice), new_browser("https://push.example/1")
    answer = client.post(
        "/letters/channels/browsers/",
        subscription(made),
        content_type="application/json",
        headers={"User-Agent": FIREFOX},
    )
    assert answer.status_code == 201
    row = PushSubscription.objects.get()
    assert (row.player, row.endpoint, row.browser) == (alice, made.endpoint, "Firefox, Linux")
    page = client.get("/letters/channels/").text
    assert "Firefox, Linux" in page
    assert push.public_key() in page
    client.post(f"/letters/channels/browsers/{row.pk}/")
    assert not PushSubscription.objects.exists()


def test_the_same_browser_is_one_row_and_goes_with_who_uses_it(alice, bob, as_player):
    made = new_browser("https://push.example/1")
    for player in (alice, alice, bob):
        as_player(player).post(
            "/letters/channels/browsers/", subscription(made), content_type="application/json"
        )
    assert PushSubscription.objects.get().player == bob


def test_nobody_removes_the_browser_of_another(browser, bob, as_player):
    as_player(bob).post(f"/letters/channels/browsers/{PushSubscription.objects.get().pk}/")
    assert PushSubscription.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"endpoint": "http://push.example/"}, 422),
        ({"endpoint": "https://10.0.0.1/"}, 422),
        ({"keys": {"p256dh": "AAAA", "auth": "AAAA"}}, 422),
        ({"keys": {"p256dh": "§", "auth": "§"}}, 422),
        ({"keys": {}}, 400),
        ({"keys": {"p256dh": 1, "auth": 2}}, 400),
        ({"keys": "none"}, 400),
    ],
)
def test_what_is_no_subscription_is_refused_with_a_sentence(alice, as_player, wrong, status):
    sent = subscription(new_browser("https://push.example/1")) | wrong
    answer = as_player(alice).post(
        "/letters/channels/browsers/", sent, content_type="application/json"
    )
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")
    assert not PushSubscription.objects.exists()


def test_a_body_that_is_no_json_is_refused(alice, as_player):
    answer = as_player(alice).post(
        "/letters/channels/browsers/", b"{", content_type="application/json"
    )
    assert answer.status_code == 400


def test_a_player_has_ten_browsers_at_most(alice):
    keys = new_browser("").keys
    for number in range(10):
        endpoint = f"https://push.example/{number}"
        push.subscribe(player=alice, endpoint=endpoint, browser="", now=NOW, **keys)
    push.subscribe(player=alice, endpoint="https://push.example/3", browser="", now=NOW, **keys)
    with pytest.raises(NotAllowed, match="10 browsers"):
        push.subscribe(player=alice, endpoint="https://push.example/x", browser="", now=NOW, **keys)


def test_keys_that_lie_on_no_curve_are_refused(alice):
    keys = {"p256dh": written(b"\x04" + b"\x01" * 64), "auth": written(b"1" * 16)}
    with pytest.raises(BadRequest, match="not the keys"):
        push.subscribe(player=alice, endpoint="https://push.example/", browser="", now=NOW, **keys)


def test_the_worker_is_served_at_the_top_so_that_it_may_serve_every_page(client, db):
    answer = client.get("/push-worker.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "showNotification" in answer.content.decode()
    assert answer["Cache-Control"] == "no-cache"


def test_the_page_costs_the_same_however_much_is_on_it(
    alice, as_player, django_assert_max_num_queries
):
    client = as_player(alice)
    client.get("/letters/channels/")
    with django_assert_max_num_queries(10) as few:
        client.get("/letters/channels/")
    keys = new_browser("").keys
    for number in range(5):
        endpoint = f"https://push.example/{number}"
        push.subscribe(player=alice, endpoint=endpoint, browser="x", now=NOW, **keys)
        alice.webhooks.create(url=endpoint, secret="s")
    with django_assert_max_num_queries(10) as many:
        client.get("/letters/channels/")
    assert len(few) == len(many)


def test_the_page_is_for_who_is_signed_in(client, db):
    make_player("emil")
    assert client.get("/letters/channels/").status_code == 302
