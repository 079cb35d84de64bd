"""Every page: answers, is built alike, runs nothing inline, and can be read by day and night."""

import re
from itertools import product
from pathlib import Path

import pytest
from allauth.core.internal.ratelimit import handler429
from django.conf import settings as site_settings
from django.contrib.auth.models import AnonymousUser
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from config import views
from notifications.models import MailboxLetter
from tests.conftest import log_in

STYLES = Path(site_settings.BASE_DIR) / "static" / "css"
FOR_ALL = [
    "home",
    "account_login",
    "account_signup",
    "account_reset_password",
    "account_reset_password_done",
    "account_email_verification_sent",
    "account_inactive",
]
FOR_PLAYERS = [
    "home",
    "settings",
    "api_tokens",
    "close_account",
    "account_email",
    "account_change_password",
    "account_logout",
    "mfa_index",
    "account_reauthenticate",
]

INLINE_STYLE = re.compile(r"<[^>]+\sstyle\s*=|<style", re.IGNORECASE)
INLINE_SCRIPT = re.compile(
    r"<script(?! type=.application/json)(?![^>]*\ssrc=)|<[^>]+\son\w+\s*=|javascript:",
    re.IGNORECASE,
)
HEADING = re.compile(r"<h1[\s>]")

TOKEN = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
GROUNDS = ["paper", "sheet", "well"]
TEXTS = ["ink", "ink-soft", "warm", "cool", "good", "care", "bad"]
TINTED = ["warm", "cool", "good", "care", "bad"]
TEXT_PAIRS = [
    *product(TEXTS, GROUNDS),
    *((text, f"{text}-tint") for text in TINTED),
    *(("ink", f"{tint}-tint") for tint in TINTED),
    ("on-warm", "warm-fill"),
    ("on-warm", "warm-fill-hover"),
]
CONTROL_PAIRS = list(product(["line-strong", "cool", "bad"], GROUNDS))
ENOUGH_FOR_TEXT, ENOUGH_FOR_CONTROLS = 4.5, 3.0


def assert_well_built(response: HttpResponse) -> None:
    html = response.content.decode()
    assert len(HEADING.findall(html)) == 1
    assert '<html lang="en">' in html
    assert 'name="viewport"' in html
    assert not INLINE_STYLE.search(html)
    assert not INLINE_SCRIPT.search(html)


def assert_guarded(response: HttpResponse) -> None:
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


def as_visitor(rf: RequestFactory):
    request = rf.get("/")
    request.user = AnonymousUser()
    return request


@pytest.fixture
def trial(settings):
    """A set-up for trying out: debugging, and letters stay in the mailbox."""
    settings.DEBUG = settings.MAILBOX = True
    settings.EMAIL_BACKEND = "notifications.mailbox.MailboxBackend"


@pytest.mark.django_db
@pytest.mark.parametrize("name", FOR_ALL)
def test_a_visitor_is_shown(name, client):
    response = client.get(reverse(name))
    assert response.status_code == 200
    assert_well_built(response)
    assert_guarded(response)


@pytest.mark.parametrize("name", FOR_PLAYERS)
def test_a_player_is_shown(name, client, alice):
    log_in(client, alice)
    response = client.get(reverse(name))
    assert response.status_code == 200
    assert_well_built(response)
    assert_guarded(response)


def test_a_players_page_is_public_and_shows_his_words_escaped(client, alice):
    alice.about = "<b>bold</b> see https://example.org"
    alice.save()
    response = client.get(alice.get_absolute_url())
    assert_well_built(response)
    html = response.content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert '<a href="https://example.org" rel="nofollow">' in html


def test_only_staff_is_shown_the_way_to_the_staff_pages(client, alice):
    alice.is_staff = False
    alice.save()
    log_in(client, alice)
    assert reverse("admin:index") not in client.get("/").content.decode()
    alice.is_staff = True
    alice.save()
    assert reverse("admin:index") in client.get("/").content.decode()


def test_a_new_tokens_secret_is_shown_once_with_a_call_to_try(client, alice):
    log_in(client, alice)
    page = reverse("api_tokens")
    made = {"name": "my bot", "scopes": ["read"], "lifetime": ""}
    response = client.post(page, made, follow=True)
    secret = response.context["secret"]
    html = response.content.decode()
    assert f'<code id="secret">{secret}</code>' in html
    assert f"Bearer {secret}" in html.replace("&quot;", '"')
    assert "http://testserver/api/v1/me" in html
    assert secret not in client.get(page).content.decode()


def test_a_refused_form_says_why_beside_the_field(client, alice):
    log_in(client, alice)
    response = client.post(reverse("api_tokens"), {"name": "bot", "lifetime": "99"})
    html = response.content.decode()
    assert 'aria-invalid="true"' in html
    assert '<ul class="field-error" id="id_lifetime_error"><li>' in html
    assert 'aria-describedby="id_lifetime_error"' in html


@pytest.mark.django_db
def test_the_mailbox_lists_letters_and_makes_their_links_clickable(trial, client):
    EmailMessage("Hello", "Open http://testserver/x/", to=["bob@example.org"]).send()
    listed = client.get(reverse("mailbox"))
    assert_well_built(listed)
    assert "bob@example.org" in listed.content.decode()
    letter = client.get(reverse("mailbox_letter", args=[MailboxLetter.objects.get().pk]))
    assert_well_built(letter)
    assert '<a href="http://testserver/x/"' in letter.content.decode()


@pytest.mark.django_db
def test_the_mailbox_keeps_its_filter_from_page_to_page(trial, client):
    for number in range(31):
        EmailMessage(f"No. {number}", "-", to=["bob@example.org"]).send()
    html = client.get(reverse("mailbox"), {"for": "bob@example.org"}).content.decode()
    assert 'href="?for=bob%40example.org&amp;page=2"' in html


def test_the_style_guide_is_well_built(rf):
    assert_well_built(views.styleguide(as_visitor(rf)))


@pytest.mark.django_db
def test_a_visitor_can_switch_to_german_and_back(client):
    chosen = client.post(reverse("set_language"), {"language": "de", "next": "/"}, follow=True)
    assert '<html lang="de">' in chosen.content.decode()
    again = client.post(reverse("set_language"), {"language": "en", "next": "/"}, follow=True)
    assert '<html lang="en">' in again.content.decode()


@pytest.mark.django_db
def test_a_wrong_host_a_forged_form_and_a_lost_page_lead_home(client):
    forged = Client(enforce_csrf_checks=True).post(reverse("account_login"))
    answers = {
        400: client.get("/", headers={"host": "elsewhere.example"}),
        403: forged,
        404: client.get("/nowhere/"),
    }
    for status, response in answers.items():
        assert response.status_code == status
        assert_well_built(response)
        assert 'class="button button--primary" href="/"' in response.content.decode()


def test_too_many_tries_lead_home(rf):
    response = handler429(as_visitor(rf))
    assert response.status_code == 429
    assert_well_built(response)
    html = response.content.decode()
    assert "Wait a few minutes" in html
    assert 'class="button button--primary" href="/"' in html


def test_a_broken_server_leads_home_without_its_database(rf):
    response = views.error_500(rf.get("/"))
    assert response.status_code == 500
    assert_well_built(response)
    assert 'class="button button--primary" href="/"' in response.content.decode()


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
def test_words_and_controls_stand_out_from_their_ground(theme):
    colours = {name: pair[theme] for name, *pair in TOKEN.findall(stylesheet())}
    too_faint = [
        (front, ground, round(contrast(colours[front], colours[ground]), 2))
        for pairs, enough in (
            (TEXT_PAIRS, ENOUGH_FOR_TEXT),
            (CONTROL_PAIRS, ENOUGH_FOR_CONTROLS),
        )
        for front, ground in pairs
        if contrast(colours[front], colours[ground]) < enough
    ]
    assert too_faint == []


def test_every_token_that_the_stylesheet_uses_is_defined():
    css = "".join(path.read_text("utf-8") for path in STYLES.glob("*.css"))
    used = set(re.findall(r"var\(--([\w-]+)", css))
    defined = set(re.findall(r"^\s*(?:\.[\w-]+ \{ )?--([\w-]+):", css, re.MULTILINE))
    assert used
    assert used - defined == set()


def stylesheet() -> str:
    return (STYLES / "site.css").read_text("utf-8")


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio of two colours."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
