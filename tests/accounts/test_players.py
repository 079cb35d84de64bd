import json

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.closing import close_account
from accounts.models import Player
from tests.conftest import NOW, PASSWORD

SIGN_UP = {
    "username": "dora",
    "email": "dora@example.org",
    "password1": PASSWORD,
    "password2": PASSWORD,
    "zone": "Asia/Kolkata",
}


def check_name(name: str) -> None:
    player = Player(name=name, password="x")
    player.full_clean(validate_unique=False, validate_constraints=False)


def test_a_name_is_unique_without_regard_to_case(alice):
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.create_user("ALICE")


@pytest.mark.parametrize("name", ["x y", "1abc", "_a", "a" * 25, "", "a/b", "<b>"])
def test_a_name_that_could_confuse_is_refused(name):
    with pytest.raises(ValidationError):
        check_name(name)


@pytest.mark.parametrize("name", ["alice", "Jörg", "a.b-c_d", "x2"])
def test_an_ordinary_name_is_taken(name):
    check_name(name)


def test_sign_up_takes_zone_and_language_from_the_browser(db):
    Client().post("/accounts/signup/", SIGN_UP, headers={"Accept-Language": "de"})
    dora = Player.objects.get(name="dora")
    assert (dora.zone, dora.language) == ("Asia/Kolkata", "de")


def test_an_unknown_zone_at_sign_up_becomes_utc(db):
    Client().post("/accounts/signup/", SIGN_UP | {"zone": "Mars/Olympus"})
    assert Player.objects.get(name="dora").zone == "UTC"


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_signs_up_where_mail_reaches_nobody(db, settings, mailoutbox, method):
    settings.EMAIL_BACKEND = settings.MAILBOX_BACKEND
    answer = getattr(Client(), method)("/accounts/signup/", SIGN_UP)
    assert "This site cannot send e-mail yet, so nobody can sign up." in answer.text
    assert "<form" not in answer.text.partition("<main")[2].partition("</main>")[0]
    assert not Player.objects.filter(name="dora").exists()


def test_in_a_trial_set_up_its_mailbox_is_enough(db, settings):
    settings.EMAIL_BACKEND, settings.DEBUG = settings.MAILBOX_BACKEND, True
    Client().post("/accounts/signup/", SIGN_UP)
    assert Player.objects.filter(name="dora").exists()


def test_a_taken_name_is_said_so_whatever_its_case(alice):
    answer = Client().post("/accounts/signup/", SIGN_UP | {"username": "Alice"})
    assert answer.status_code == 200
    assert answer.context["form"].errors["username"]


def test_nobody_logs_in_before_the_address_is_verified(db, mailoutbox):
    client = Client()
    client.post("/accounts/signup/", SIGN_UP)
    client.post("/accounts/login/", {"login": "dora", "password": PASSWORD})
    assert "_auth_user_id" not in client.session
    assert mailoutbox[0].to == ["dora@example.org"]


@pytest.mark.parametrize("login", ["alice", "ALICE", "alice@example.org", "Alice@Example.org"])
def test_one_logs_in_by_name_or_address(alice, login):
    client = Client()
    client.post("/accounts/login/", {"login": login, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_guessing_a_password_is_stopped_after_some_tries(alice):
    client = Client()
    for _ in range(12):
        answer = client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    answer = client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert "_auth_user_id" not in client.session, answer.status_code


def test_sign_ups_from_one_place_are_limited(db):
    answers = [
        Client().post("/accounts/signup/", SIGN_UP | {"username": f"n{i}", "email": f"n{i}@a.org"})
        for i in range(25)
    ]
    assert answers[-1].status_code == 429
    assert "Too many tries" in answers[-1].content.decode()


def test_an_unknown_player_is_a_page_not_found(db, client):
    assert client.get("/players/nobody/").status_code == 404


def test_a_profile_is_found_whatever_the_case_of_the_name(alice, client):
    assert client.get("/players/ALICE/").status_code == 200


def test_settings_change_zone_language_and_text(alice, as_player):
    browser = as_player(alice)
    browser.post("/settings/", {"zone": "Asia/Tokyo", "language": "de", "about": "Hi"})
    alice.refresh_from_db()
    assert (alice.zone, alice.language, alice.about) == ("Asia/Tokyo", "de", "Hi")
    assert browser.get("/settings/").headers["Content-Language"] == "de"


def test_times_are_shown_in_the_players_zone(alice, as_player, client):
    alice.joined_at = NOW.replace(hour=20)
    alice.zone = "Asia/Kolkata"
    alice.save()
    assert "2 Mar 2026" in client.get("/players/alice/").content.decode()
    assert "3 Mar 2026" in as_player(alice).get("/players/alice/").content.decode()


def test_a_closed_account_keeps_its_row_and_forgets_the_person(alice, api_of):
    client = api_of(alice)
    close_account(player=alice, now=NOW)
    alice.refresh_from_db()
    assert alice.name == f"closed account {alice.pk}"
    assert alice.email == ""
    assert alice.closed_at == NOW
    assert client.get("/api/v1/me").status_code == 401
    assert not alice.emailaddress_set.exists()


def test_closing_needs_the_password_and_ends_the_session(alice, as_player):
    browser = Client()
    browser.force_login(alice)
    browser.post("/settings/close/")
    alice.refresh_from_db()
    assert not alice.is_closed
    browser = as_player(alice)
    browser.post("/settings/close/")
    alice.refresh_from_db()
    assert alice.is_closed
    assert "_auth_user_id" not in browser.session


def test_closing_twice_changes_nothing(alice):
    close_account(player=alice, now=NOW)
    close_account(player=alice, now=NOW.replace(year=2027))
    alice.refresh_from_db()
    assert alice.closed_at == NOW


def test_a_player_can_take_away_what_is_stored_about_him(alice, as_player):
    answer = as_player(alice).get("/settings/download/")
    data = json.loads(answer.getvalue())
    assert data["account"]["name"] == "alice"
    assert data["account"]["email_addresses"][0]["email"] == "alice@example.org"
    assert "attachment" in answer["Content-Disposition"]
