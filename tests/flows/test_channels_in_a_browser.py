"""A browser that is to be told, told, and a move made from the link of a letter."""

import json

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from games.models import Move
from notifications.answer_links import link_for
from notifications.models import PushSubscription
from notifications.reply_address import token_for
from tests.conftest import log_in
from tests.notifications.test_push import new_browser, vapid  # noqa: F401

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

# The company behind the browser is not asked in a test; everything else is as it is.
SUBSCRIBED = """
PushManager.prototype.subscribe = async function (wanted) {
  window.name = wanted.applicationServerKey.length;
  localStorage.subscribed = "yes";
  return { endpoint: ENDPOINT, keys: KEYS };
};
PushManager.prototype.getSubscription = async () =>
  localStorage.subscribed ? { endpoint: ENDPOINT, unsubscribe: async () => {} } : null;
"""


@pytest.fixture(autouse=True)
def _no_error_in_the_console(page: Page):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield
    assert errors == []


@pytest.fixture
def signed_in(context: BrowserContext, site, settings, alice):
    settings.SITE_URL = site
    client = log_in(Client(), alice)
    cookie = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": site}])
    context.grant_permissions(["notifications", "clipboard-write", "clipboard-read"], origin=site)


def test_a_browser_is_subscribed_and_knows_itself_in_the_list(page, site, signed_in, alice):
    made = new_browser("https://push.example/1")
    script = SUBSCRIBED.replace("ENDPOINT", json.dumps(made.endpoint))
    page.add_init_script(script.replace("KEYS", json.dumps(made.keys)))
    page.goto(f"{site}/letters/channels/")
    page.get_by_role("button", name="Tell me in this browser").click()
    expect(page.get_by_role("status").first).to_contain_text("This browser will be told.")
    row = PushSubscription.objects.get()
    assert (row.player, row.endpoint) == (alice, made.endpoint)
    assert page.evaluate("window.name") == "65"
    expect(page.get_by_text("this one")).to_be_visible()
    expect(page.get_by_role("button", name="Tell me in this browser")).to_be_hidden()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status").first).to_contain_text("will not be told any more")
    assert not PushSubscription.objects.exists()


def test_the_worker_shows_the_message(page, site, signed_in, context):
    page.goto(f"{site}/letters/channels/")
    devtools = context.new_cdp_session(page)
    registrations: list[str] = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registrations.extend(one["registrationId"] for one in told["registrations"]),
    )
    devtools.send("ServiceWorker.enable")
    page.evaluate(
        "navigator.serviceWorker.register('/push-worker.js')"
        ".then(() => navigator.serviceWorker.ready).then(() => true)"
    )
    message = {"title": "It is your turn", "body": "Tritoc", "url": f"{site}/", "tag": "g1"}
    devtools.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": site, "registrationId": registrations[0], "data": json.dumps(message)},
    )
    page.wait_for_function(
        "navigator.serviceWorker.ready.then((worker) => worker.getNotifications())"
        ".then((shown) => shown.length === 1)"
    )
    shown = page.evaluate(
        "navigator.serviceWorker.ready.then((worker) => worker.getNotifications())"
        ".then(([one]) => ({title: one.title, body: one.body, url: one.data.url, tag: one.tag}))"
    )
    assert shown == message


def test_a_feed_is_made_and_copied(page, site, signed_in):
    page.goto(f"{site}/letters/channels/")
    page.get_by_role("button", name="Make a link").first.click()
    address = page.locator("#feed-calendar").inner_text()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address
    assert page.request.get(address).ok


def test_a_move_is_picked_and_played_from_the_link_of_a_letter(
    page, site, settings, start, alice, context
):
    settings.SITE_URL = site
    game = start(now=timezone.now())
    token = token_for(game_id=game.pk, seat=0, ply=0, player_id=alice.pk, now=timezone.now())
    page.goto(link_for(token))
    for spot in ("a1", "a3"):
        page.locator(f'.choice[data-spot="{spot}"]').click()
    expect(page.get_by_label("Pick it on the board")).to_have_value("a1-a3")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_text("You played a1-a3 as move 1.")).to_be_visible()
    assert Move.objects.filter(game=game, ply=1, seat=0).exists()
    assert "sessionid" not in {cookie["name"] for cookie in context.cookies()}
