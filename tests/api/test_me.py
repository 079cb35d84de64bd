"""What a person can do with himself on the site, a program can do too; tokens stay with people."""

import json

import pytest
from django.utils import timezone

from accounts.models import ApiToken, Player
from games import talk
from games.models import Game, Participant, Seat
from tests.described import DescribedClient
from tests.games.acts import both_move


def test_a_player_changes_what_is_said_about_him(alice, api_of):
    changed = {"zone": "Asia/Tokyo", "language": "de", "about": "slow and steady"}
    answer = api_of(alice).patch("/api/v1/me", changed, format="json")
    assert answer.json() | changed == answer.json()
    alice.refresh_from_db()
    assert (alice.zone, alice.language, alice.about) == tuple(changed.values())


@pytest.mark.parametrize(
    "wrong", [{"zone": "Mars/Base"}, {"language": "tlh"}, {"about": "x" * 1001}]
)
def test_what_the_page_refuses_the_api_refuses_too(alice, api_of, wrong):
    answer = api_of(alice).patch("/api/v1/me", wrong, format="json")
    assert (answer.status_code, list(answer.json()["fields"])) == (400, list(wrong))


def test_a_name_and_an_address_are_not_changed_here(alice, api_of):
    api_of(alice).patch("/api/v1/me", {"name": "eve", "email": "e@e.example"}, format="json")
    assert Player.objects.filter(name="alice", email="alice@example.org").exists()


def test_a_token_that_only_reads_changes_nothing(alice, api_of):
    answer = api_of(alice, "read").patch("/api/v1/me", {"about": "x"}, format="json")
    assert answer.json()["code"] == "missing_scope"


def test_tokens_are_made_listed_and_revoked_in_person(alice, in_person):
    page = in_person(alice)
    asked = {"name": "my bot", "scopes": ["play", "read"], "days": 30}
    made = page.post("/api/v1/me/tokens", asked, format="json")
    assert made.status_code == 201
    bot = DescribedClient()
    bot.credentials(HTTP_AUTHORIZATION=f"Bearer {made.json()['secret']}")
    assert bot.get("/api/v1/me").json()["scopes"] == ["play", "read"]
    (listed,) = page.get("/api/v1/me/tokens").json()["tokens"]
    assert (listed["name"], "secret" in listed) == ("my bot", False)
    assert page.delete(f"/api/v1/me/tokens/{listed['id']}").status_code == 204
    assert bot.get("/api/v1/me").status_code == 401


def test_a_token_makes_no_tokens(alice, api_of):
    program = api_of(alice)
    asked = {"name": "another", "scopes": ["play"]}
    for answer in (
        program.get("/api/v1/me/tokens"),
        program.post("/api/v1/me/tokens", asked, format="json"),
        program.delete(f"/api/v1/me/tokens/{ApiToken.objects.get().pk}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "session_only")
    assert ApiToken.objects.count() == 1


def test_nobody_revokes_the_token_of_another(alice, bob, api_of, in_person):
    api_of(alice)
    token = ApiToken.objects.get()
    assert in_person(bob).delete(f"/api/v1/me/tokens/{token.pk}").status_code == 404


def test_there_is_an_end_to_tokens(alice, in_person):
    page = in_person(alice)
    asked = {"name": "x", "scopes": ["read"]}
    answers = [page.post("/api/v1/me/tokens", asked, format="json") for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [403]


def test_a_vacation_may_begin_by_itself(alice, api_of):
    program = api_of(alice)
    assert program.get("/api/v1/me/vacation").json()["automatic"] is False
    answer = program.patch("/api/v1/me/vacation", {"automatic": True}, format="json")
    assert answer.json()["automatic"] is True
    assert Participant.objects.get(pk=alice.pk).takes_vacation_automatically


def test_chat_is_hidden_and_shown(alice, bob, api_of, begin):
    game = begin()
    talk.say(game_id=game.pk, player_id=bob.pk, text="hello", now=timezone.now())
    program, address = api_of(alice), f"/api/v1/games/{game.pk}/chat"

    def texts():
        return [line["text"] for line in program.get(address).json()["results"]]

    assert texts() == ["hello"]
    assert program.patch(address, {"hidden": True}, format="json").json() == {"hidden": True}
    assert texts() == []
    program.patch(address, {"hidden": False}, format="json")
    assert texts() == ["hello"]


def test_a_note_is_for_its_writer(alice, bob, api_of, begin):
    address = f"/api/v1/games/{begin().pk}/note"
    assert api_of(alice).put(address, {"note": " watch d4\n"}, format="json").status_code == 200
    assert api_of(alice).get(address).json() == {"note": " watch d4\n"}
    assert api_of(bob).get(address).json() == {"note": ""}
    assert Seat.objects.exclude(note="").count() == 1


def test_my_games_are_all_of_mine(alice, bob, charlie, api_of, client, begin):
    public, private = begin(), begin(private=True)
    begin("tritoc", bob, charlie)

    def listed(program, **asked):
        return [game["id"] for game in program.get("/api/v1/games", asked).json()["results"]]

    assert listed(api_of(alice), mine="true") == [private.pk, public.pk]
    assert private.pk not in listed(api_of(alice))
    assert listed(api_of(alice), mine="true", ruleset="tritoc") == []
    assert client.get("/api/v1/games", {"mine": "true"}).status_code == 401


def test_an_invitation_is_seen_by_its_link(alice, bob, api_of):
    offer = (
        api_of(alice)
        .post("/api/v1/challenges", {"ruleset": "tritoc", "by_link": True}, format="json")
        .json()
    )
    seen = api_of(bob).get(f"/api/v1/invitations/{offer['link']}").json()
    assert (seen["id"], seen["link"]) == (offer["id"], None)
    accept = {"link": offer["link"]}
    answer = api_of(bob).post(f"/api/v1/challenges/{seen['id']}/accept", accept, format="json")
    assert answer.status_code == 200
    assert api_of(bob).get("/api/v1/invitations/guess").status_code == 404


def test_everything_that_is_stored_can_be_taken_away(alice, api_of):
    answer = api_of(alice).get("/api/v1/me/data")
    assert json.loads(answer.getvalue())["account"]["name"] == "alice"


def test_turns_are_told_by_urgency(alice, api_of, begin):
    first, second = begin(), begin()
    both_move(first, now=timezone.now())
    turns = api_of(alice).get("/api/v1/me/turns").json()["games"]
    assert [game["id"] for game in turns] == [second.pk, first.pk]


def test_the_chat_of_a_private_game_is_that_of_no_game_for_others(alice, charlie, api_of, begin):
    game = begin()
    Game.objects.filter(pk=game.pk).update(private_link="secret")
    assert api_of(alice).get(f"/api/v1/games/{game.pk}/chat").status_code == 200
    assert api_of(charlie).get(f"/api/v1/games/{game.pk}/chat").status_code == 404
