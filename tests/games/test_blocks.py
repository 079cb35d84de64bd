"""Whoever is blocked reaches the blocker by no way of their own, and is not told why."""

import json
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse
from django.utils import timezone

from accounts.closing import close_account, settle_closings
from accounts.models import Block
from games import blocking, lobby, play, talk
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge
from games.refusals import BadRequest, NotAllowed, TooMany
from tests.conftest import NOW, make_player
from tests.games.acts import move, resigned_by
from tests.games.threads import at_once

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))


@pytest.fixture
def blocked(alice, bob):
    """Alice has blocked Bob."""
    return blocking.block(blocker=alice, blocked=bob, now=NOW)


def refused(act, **given) -> str:
    with pytest.raises(NotAllowed) as refusal:
        act(**given)
    return str(refusal.value)


def test_whoever_is_blocked_cannot_challenge(blocked, alice, bob):
    given = {"terms": TERMS, "now": NOW}
    assert (
        refused(lobby.challenge, challenger=bob, opponent=alice, **given)
        == "alice does not take challenges from you."
    )
    assert (
        refused(lobby.challenge, challenger=alice, opponent=bob, **given)
        == "You have blocked bob. Unblock them first."
    )
    assert not Challenge.objects.exists()


def test_a_rematch_is_a_challenge(start, alice, bob):
    game = resigned_by(bob, start())
    blocking.block(blocker=alice, blocked=bob, now=NOW)
    assert (
        refused(lobby.offer_rematch, player=bob, game_id=game.pk, now=NOW)
        == "alice does not take challenges from you."
    )


def test_what_is_open_to_all_is_not_open_between_the_two(blocked, alice, bob, charlie):
    for maker, other in ((alice, bob), (bob, alice)):
        seek = lobby.seek(challenger=maker, terms=TERMS, now=NOW)
        by_link = lobby.invite_by_link(challenger=maker, terms=TERMS, now=NOW)
        sentences = {
            refused(lobby.accept, challenge_id=seek.pk, player=other, now=NOW),
            refused(
                lobby.accept, challenge_id=by_link.pk, player=other, link=by_link.link, now=NOW
            ),
        }
        assert sentences == {
            "alice does not play with you."
            if other == bob
            else "You have blocked bob. Unblock them first."
        }
        seen_by = [
            player
            for player in (alice, bob, charlie)
            if seek in lobby.open_seeks(now=NOW, viewer_id=player.pk)
        ]
        assert seen_by == [maker, charlie]
        assert seek in lobby.open_seeks(now=NOW)


def test_pages_and_api_leave_their_seeks_out(alice, bob, as_player, api_of):
    lobby.seek(challenger=alice, terms=TERMS, now=timezone.now())
    by_web, by_api = as_player(bob), api_of(bob)

    def offers():
        return (
            len(by_web.get(reverse("lobby")).context["seeks"]),
            len(by_web.get(reverse("home")).context["seeks"]),
            len(by_api.get("/api/v1/challenges").json()["results"]),
        )

    assert offers() == (1, 1, 1)
    blocking.block(blocker=alice, blocked=bob, now=timezone.now())
    assert offers() == (0, 0, 0)


@pytest.mark.parametrize(
    "spelt",
    ["Alice@example.org", "alice+games@example.org", "second.one@gmail.com", "secondone@gmail.com"],
)
def test_an_invitation_by_email_is_refused_however_the_address_is_spelt(blocked, alice, bob, spelt):
    """In words that hold for whoever said no, so that they do not tell whose address it is."""
    EmailAddress.objects.create(user=alice, email="second.one@gmail.com", verified=True)
    sentence = refused(lobby.invite_by_email, challenger=bob, email=spelt, terms=TERMS, now=NOW)
    assert sentence == "This address does not want invitations."


def test_an_address_that_the_blocker_only_claims_can_be_invited(blocked, alice, bob):
    EmailAddress.objects.create(user=alice, email="dora@example.org", verified=False)
    assert lobby.invite_by_email(challenger=bob, email="dora@example.org", terms=TERMS, now=NOW)


def test_chat_is_closed_both_ways_and_the_game_goes_on(start, blocked, alice, bob, as_player):
    game = start()
    say = {"game_id": game.pk, "text": "hello", "now": NOW}
    assert refused(talk.say, player_id=bob.pk, **say) == "alice does not chat with you."
    assert (
        refused(talk.say, player_id=alice.pk, **say) == "You have blocked bob. Unblock them first."
    )
    for player in (alice, bob):
        page = as_player(player).get(game.get_absolute_url()).text
        assert "Chat is closed in this game." in page
        assert "Write to your opponent" not in page
    move(game)
    move(game)
    play.offer_draw(game_id=game.pk, player_id=bob.pk, now=NOW)
    play.accept_draw(game_id=game.pk, player_id=alice.pk, now=NOW)


def test_what_is_open_between_them_is_closed(alice, bob, charlie):
    theirs = lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)
    mine = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    others = lobby.challenge(challenger=charlie, opponent=alice, terms=TERMS, now=NOW)
    blocking.block(blocker=alice, blocked=bob, now=NOW)
    states = [Challenge.objects.get(pk=offer.pk).state for offer in (theirs, mine, others)]
    assert states == ["declined", "withdrawn", "open"]


def test_blocking_twice_is_once_and_unblocking_ends_it(blocked, alice, bob):
    assert blocking.block(blocker=alice, blocked=bob, now=NOW) == blocked
    blocking.unblock(blocker=alice, blocked=bob)
    lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)


def test_some_cannot_be_blocked(alice, db, monkeypatch):
    dew = make_player("Dewy", bot_level=0, is_bot=True)
    guest = make_player("Guest-1", is_guest=True)
    for other, sentence in (
        (alice, "You cannot block yourself."),
        (dew, "Dewy cannot be blocked."),
        (guest, "Guest-1 cannot be blocked."),
    ):
        with pytest.raises(BadRequest) as refusal:
            blocking.block(blocker=alice, blocked=other, now=NOW)
        assert str(refusal.value) == sentence
    with pytest.raises(NotAllowed):
        blocking.block(blocker=guest, blocked=alice, now=NOW)


def test_there_is_a_limit(blocked, alice, charlie, monkeypatch):
    monkeypatch.setattr(blocking, "MOST_BLOCKS", 1)
    with pytest.raises(TooMany):
        blocking.block(blocker=alice, blocked=charlie, now=NOW)


def test_a_block_goes_with_either_account(blocked, alice, bob, charlie):
    blocking.block(blocker=charlie, blocked=alice, now=NOW)
    close_account(player=alice, now=NOW)
    settle_closings(now=NOW)
    assert not Block.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_challenge_and_a_block_at_once_leave_nothing_open(alice, bob):
    at_once(
        lambda: lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW),
        lambda: blocking.block(blocker=alice, blocked=bob, now=NOW),
    )
    assert not Challenge.objects.filter(state="open").exists()


@pytest.mark.django_db(transaction=True)
def test_accepting_while_being_blocked_does_not_deadlock(alice, bob):
    offer = lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)
    answers = at_once(
        lambda: lobby.accept(challenge_id=offer.pk, player=alice, now=NOW),
        lambda: blocking.block(blocker=alice, blocked=bob, now=NOW),
    )
    assert isinstance(answers[1], Block)
    offer.refresh_from_db()
    assert offer.state in ("accepted", "declined")


# By web and API


def test_on_a_players_page(alice, bob, as_player):
    browser = as_player(alice)
    page = browser.get(bob.get_absolute_url())
    assert "Block bob" in page.text
    assert "They are not notified, but if they try, they read that" in page.text
    assert "Games in events you both play go on too" in page.text
    page = browser.post(reverse("block_player", args=["bob"]), {"act": "block"}, follow=True)
    assert "You have blocked bob." in page.text
    page = browser.get(reverse("blocked_players"))
    assert "Unblock bob" in page.text
    assert "Challenge bob" not in browser.get(bob.get_absolute_url()).text
    page = browser.post(reverse("block_player", args=["bob"]), {"act": "unblock"}, follow=True)
    assert "You have unblocked bob." in page.text
    assert "Challenge bob" in browser.get(bob.get_absolute_url()).text
    assert not Block.objects.exists()
    assert "Block alice" not in browser.get(alice.get_absolute_url()).text


def test_a_visitor_and_the_blocked_one_see_nothing_of_it(blocked, alice, bob, client, as_player):
    for browser in (client, as_player(bob)):
        assert "You have blocked" not in browser.get(bob.get_absolute_url()).text
        assert "You have blocked" not in browser.get(alice.get_absolute_url()).text
    assert client.get(reverse("blocked_players")).status_code == 302
    assert client.post(reverse("block_player", args=["bob"])).status_code == 302


def test_by_api(alice, bob, charlie, api_of):
    program = api_of(alice)
    assert program.put("/api/v1/me/blocks/bob").json()["player"] == "bob"
    assert program.put("/api/v1/me/blocks/bob").status_code == 200
    program.put("/api/v1/me/blocks/charlie")
    names = [row["player"] for row in program.get("/api/v1/me/blocks").json()["results"]]
    assert names == ["charlie", "bob"]
    assert program.delete("/api/v1/me/blocks/bob").status_code == 204
    assert program.delete("/api/v1/me/blocks/nobody").status_code == 404
    assert program.put("/api/v1/me/blocks/alice").status_code == 422
    answer = api_of(charlie).post(
        "/api/v1/challenges", {"ruleset": "tritoc", "opponent": "alice"}, format="json"
    )
    assert answer.status_code == 403
    assert answer.json()["detail"] == "alice nimmt keine Herausforderungen von dir an."


def test_lists_of_blocks_have_a_fixed_number_of_queries(
    alice, as_player, api_of, django_assert_num_queries
):
    browser, program = as_player(alice), api_of(alice)
    program.get("/api/v1/me/blocks")
    counted = []
    for number in (2, 12):
        for at in range(number):
            other = make_player(f"other{number}-{at}")
            blocking.block(blocker=alice, blocked=other, now=NOW + timedelta(seconds=at))
        with django_assert_num_queries(1000, exact=False) as asked:
            browser.get(reverse("blocked_players"))
            program.get("/api/v1/me/blocks")
        counted.append(len(asked))
    assert counted[0] == counted[1]


def test_ones_own_blocks_are_in_the_export(blocked, alice, as_player):
    data = json.loads(as_player(alice).get(reverse("download_data")).getvalue())
    assert [row["name"] for row in data["account"]["blocked"]] == ["bob"]
