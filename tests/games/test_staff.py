"""Staff search everything and change nothing that the log depends on."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games import lobby, talk
from games.clock import PerMove
from games.models import ChatLine
from tests.conftest import NOW
from tests.games.acts import move, resigned_by

PAGES = [
    (model._meta.model_name, model)
    for model in admin.site._registry
    if model._meta.app_label == "games"
]


@pytest.fixture
def house(start, alice, bob):
    """One of everything."""
    lobby.seek(challenger=alice, terms=lobby.Terms(ruleset="tritoc", clock=PerMove(3)), now=NOW)
    talk.say(game_id=start().pk, player_id=alice.pk, text="hello", now=NOW)
    return resigned_by(alice, start("tritoc"))


def test_every_model_of_the_games_has_its_page():
    names = {name for name, _model in PAGES}
    assert {"game", "move", "ratingentry", "chatline", "challenge", "outboxmessage"} <= names


@pytest.mark.parametrize(("name", "model"), PAGES)
def test_a_list_is_shown_and_searched(staff, house, name, model):
    address = reverse(f"admin:games_{name}_changelist")
    assert staff.get(address).status_code == 200
    if admin.site._registry[model].get_search_fields(None):
        assert staff.get(address, {"q": "alice"}).status_code == 200


@pytest.mark.parametrize(("name", "model"), PAGES)
def test_nothing_is_added_changed_or_deleted_by_hand(staff, house, name, model):
    assert staff.post(reverse(f"admin:games_{name}_add"), {}).status_code == 403
    row = model.objects.first()
    if row is not None:
        for page in ("change", "delete"):
            address = reverse(f"admin:games_{name}_{page}", args=[row.pk])
            assert staff.post(address, {"post": "yes"}).status_code == 403
            assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("name", ["game", "move", "ratingentry", "chatline"])
def test_a_list_costs_the_same_for_many_rows(staff, house, start, alice, name):
    address = reverse(f"admin:games_{name}_changelist")

    def statements():
        with CaptureQueriesContext(connection) as queries:
            staff.get(address)
        return len(queries)

    staff.get(address)
    before = statements()
    for _ in range(5):
        game = resigned_by(alice, start())
        talk.say(game_id=game.pk, player_id=alice.pk, text="hello", now=NOW)
    assert statements() == before


def test_the_seed_of_a_game_is_not_shown(staff, start):
    game = start("tritoc")
    move(game)
    page = staff.get(reverse("admin:games_game_change", args=[game.pk])).text
    assert game.commitment in page
    assert bytes(game.seed).hex() not in page
    assert repr(bytes(game.seed)) not in page


def test_the_secret_of_a_challenge_is_not_shown(staff, alice):
    terms = lobby.Terms(ruleset="tritoc", clock=PerMove(3))
    offer = lobby.seek(challenger=alice, terms=terms, now=NOW)
    page = staff.get(reverse("admin:games_challenge_change", args=[offer.pk])).text
    secret = bytes(offer.dice_secret)
    assert "dice_secret" not in page
    assert secret.hex() not in page
    assert repr(secret) not in page


def test_a_private_note_and_a_secret_link_are_not_shown(staff, start, alice):
    game = start()
    talk.write_note(game_id=game.pk, player_id=alice.pk, note="my secret plan")
    assert (
        "my secret plan" not in staff.get(reverse("admin:games_game_change", args=[game.pk])).text
    )
    terms = lobby.Terms(ruleset="tritoc", clock=PerMove(3))
    offer = lobby.invite_by_email(challenger=alice, email="emil@example.org", terms=terms, now=NOW)
    assert (
        offer.link not in staff.get(reverse("admin:games_challenge_change", args=[offer.pk])).text
    )


def test_staff_hide_a_reported_line_and_show_it_again(staff, house, alice, bob, api_of):
    line = ChatLine.objects.get()
    talk.report(game_id=line.game_id, line_id=line.pk, player_id=bob.pk, now=NOW)
    address = reverse("admin:games_chatline_changelist")
    reported = staff.get(address, {"reported_at__isempty": "0"})
    assert list(reported.context["cl"].result_list) == [line]

    def what_bob_reads():
        return api_of(bob).get(f"/api/v1/games/{line.game_id}/chat").json()["results"][0]["text"]

    staff.post(address, {"action": "hide", "_selected_action": [line.pk]})
    assert what_bob_reads() is None
    staff.post(address, {"action": "show_again", "_selected_action": [line.pk]})
    assert what_bob_reads() == "hello"


def test_the_staff_pages_are_for_staff(as_player, alice, house):
    address = reverse("admin:games_game_changelist")
    assert as_player(alice).get(address).status_code == 302
