from datetime import timedelta

from django.utils import timezone
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import ApiToken


def test_a_token_opens_the_door_to_its_player(alice, api_of):
    answer = api_of(alice, "read").get("/api/v1/me")
    assert answer.status_code == 200
    assert answer.json()["name"] == "alice"
    assert answer.json()["scopes"] == ["read"]


def test_the_secret_is_nowhere_in_the_database(alice):
    token, secret = tokens.mint(player=alice, name="bot", scopes=["read"])
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert secret not in str(row)


def test_without_a_token_one_is_told_to_bring_one(db):
    answer = APIClient().get("/api/v1/me")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "not_authenticated"


def test_an_unknown_an_expired_and_a_revoked_token_are_refused(alice):
    _expired, secret = tokens.mint(
        player=alice, name="old", scopes=["read"], expires_at=timezone.now() - timedelta(seconds=1)
    )
    revoked, gone = tokens.mint(player=alice, name="gone", scopes=["read"])
    revoked.delete()
    for text in (secret, gone, "tripost_nonsense", "ü"):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
        answer = client.get("/api/v1/me")
        assert answer.status_code == 401, text
        assert answer.json()["detail"] == "This token is unknown, expired or revoked."


def test_a_token_of_a_closed_account_is_refused(alice, api_of):
    client = api_of(alice)
    alice.is_active = False
    alice.save()
    assert client.get("/api/v1/me").status_code == 401


def test_a_malformed_header_gets_the_right_form(db):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Bearer one two")
    answer = client.get("/api/v1/me")
    assert answer.status_code == 401
    assert "Authorization: Bearer TOKEN" in answer.json()["detail"]


def test_a_token_without_the_scope_read_reads_nothing(alice, api_of):
    answer = api_of(alice, "organise").get("/api/v1/me")
    assert answer.status_code == 403
    assert answer.json()["code"] == "missing_scope"


def test_looking_a_token_up_is_one_query(alice, api_of, django_assert_num_queries):
    client = api_of(alice)
    client.get("/api/v1/me")
    with django_assert_num_queries(1):
        client.get("/api/v1/me")


def test_a_token_is_made_shown_once_and_revoked_on_the_settings_page(alice, as_player):
    browser = as_player(alice)
    made = browser.post("/settings/tokens/", {"name": "bot", "scopes": ["read", "play"]})
    assert made.status_code == 302, "reloading the page makes no second one"
    shown = browser.get(made["Location"])
    secret = shown.context["secret"]
    assert secret in shown.content.decode()
    assert secret not in browser.get("/settings/tokens/").content.decode()
    assert secret not in str(browser.session.items())
    browser.post(f"/settings/tokens/{alice.tokens.get().pk}/revoke/")
    assert not alice.tokens.exists()


def test_a_planted_cookie_is_not_shown_as_a_new_token(alice, bob, as_player):
    _token, secret = tokens.mint(player=bob, name="bot", scopes=["read"])
    browser = as_player(alice)
    browser.cookies["new_token"] = secret
    assert secret not in browser.get("/settings/tokens/").content.decode()


def test_nobody_revokes_the_token_of_another(alice, bob, as_player):
    token, _secret = tokens.mint(player=alice, name="bot", scopes=["read"])
    assert as_player(bob).post(f"/settings/tokens/{token.pk}/revoke/").status_code == 404
    assert alice.tokens.exists()


def test_the_number_of_tokens_is_limited(alice, as_player):
    for number in range(tokens.MOST_PER_PLAYER):
        tokens.mint(player=alice, name=str(number), scopes=["read"])
    answer = as_player(alice).post("/settings/tokens/", {"name": "more", "scopes": ["read"]})
    assert "the most one can have" in answer.content.decode()
    assert alice.tokens.count() == tokens.MOST_PER_PLAYER
