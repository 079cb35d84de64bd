"""Staff reach no further than they were given, and search by index alone."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.closing import close_account
from accounts.models import APPS_OF_SUPERUSERS, Player
from accounts.staff_search import BoundedSearch
from games import play
from tests.conftest import PASSWORD, log_in, make_player

OF_SUPERUSERS = [
    model for model in admin.site._registry if model._meta.app_label in APPS_OF_SUPERUSERS
]
OURS = [model for model in admin.site._registry if model not in OF_SUPERUSERS]


@pytest.fixture
def clerk(db) -> Player:
    """On the staff, with every permission there is, but no superuser."""
    player = make_player("clerk", is_staff=True)
    player.user_permissions.set(Permission.objects.all())
    return player


@pytest.fixture
def desk(clerk) -> Client:
    return log_in(Client(), clerk)


def page(model, name: str, *args) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def with_rights(player: Player, **fields) -> dict[str, str]:
    return {"zone": "UTC", "language": "en", "is_active": "on", "about": "hm", **fields}


RIGHTS = {"is_staff": "on", "is_superuser": "on", "groups": "1", "user_permissions": "1"}


@pytest.mark.parametrize("who", ["clerk", "alice", "boss"])
def test_staff_make_nobody_staff_or_a_superuser(desk, clerk, alice, who):
    boss = make_player("boss", is_staff=True, is_superuser=True)
    Group.objects.create(pk=1, name="all")
    player = {"clerk": clerk, "alice": alice, "boss": boss}[who]
    before = (player.is_staff, player.is_superuser)
    desk.post(page(Player, "change", player.pk), with_rights(player, **RIGHTS))
    player.refresh_from_db()
    assert (player.is_staff, player.is_superuser) == before
    assert not player.groups.exists()
    assert player.about == ("hm" if who == "alice" else "")


def test_staff_do_not_shut_out_a_superuser(desk):
    boss = make_player("boss", is_staff=True, is_superuser=True)
    fields = with_rights(boss)
    fields.pop("is_active")
    assert desk.post(page(Player, "change", boss.pk), fields).status_code == 403
    boss.refresh_from_db()
    assert boss.is_active


@pytest.mark.parametrize("is_superuser", [False, True])
def test_nobody_opens_a_closed_account_again(desk, clerk, alice, is_superuser):
    Player.objects.filter(pk=clerk.pk).update(is_superuser=is_superuser)
    close_account(player=alice, now=timezone.now())
    assert desk.get(page(Player, "change", alice.pk)).status_code == 200
    assert desk.post(page(Player, "change", alice.pk), with_rights(alice)).status_code == 403
    alice.refresh_from_db()
    assert (alice.is_active, alice.about) == (False, "")


@pytest.mark.parametrize("is_superuser", [False, True])
def test_staff_do_not_shut_out_whom_they_play(desk, clerk, alice, bob, is_superuser, start):
    """The opponent would run out of time."""
    Player.objects.filter(pk=clerk.pk).update(is_superuser=is_superuser)
    game = start("tritoc", clerk, alice, now=timezone.now())
    fields = with_rights(alice)
    fields.pop("is_active")
    refused = desk.post(page(Player, "change", alice.pk), fields)
    assert "You are playing alice. Ask another staff member" in refused.text
    desk.post(page(Player, "change", bob.pk), fields)
    assert is_active(alice)
    assert not is_active(bob)
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    desk.post(page(Player, "change", alice.pk), fields)
    assert not is_active(alice)


def is_active(player: Player) -> bool:
    player.refresh_from_db()
    return player.is_active


def test_a_superuser_gives_and_takes_rights(staff, alice):
    staff.post(page(Player, "change", alice.pk), with_rights(alice, is_staff="on"))
    alice.refresh_from_db()
    assert (alice.is_staff, alice.is_superuser) == (True, False)


@pytest.mark.parametrize("model", OF_SUPERUSERS)
def test_how_people_log_in_is_for_superusers(desk, staff, model):
    for name in ("changelist", "add"):
        assert desk.get(page(model, name)).status_code == 403
        assert desk.post(page(model, name), {}).status_code == 403
    assert staff.get(page(model, "changelist")).status_code == 200


def test_staff_change_no_address_of_another(desk, alice):
    address = EmailAddress.objects.get(user=alice)
    fields = {"user": alice.pk, "email": "mine@example.org", "verified": "on", "primary": "on"}
    assert desk.post(page(EmailAddress, "change", address.pk), fields).status_code == 403
    address.refresh_from_db()
    assert address.email == "alice@example.org"


def test_nobody_on_the_staff_reads_or_sets_the_secret_of_a_second_factor(staff, alice):
    secret = {"secret": "JBSWY3DPEHPK3PXP"}
    factor = Authenticator.objects.create(user=alice, type=Authenticator.Type.TOTP, data=secret)
    address = page(Authenticator, "change", factor.pk)
    assert "JBSWY3DPEHPK3PXP" not in staff.get(address).text
    changed = {"user": alice.pk, "type": "totp", "data": '{"secret": "X"}'}
    assert staff.post(address, changed).status_code == 403
    assert staff.post(page(Authenticator, "add"), changed).status_code == 403
    staff.post(page(Authenticator, "delete", factor.pk), {"post": "yes"})
    assert not Authenticator.objects.exists()


@pytest.mark.parametrize("many", [True, False])
def test_a_session_that_staff_delete_is_over_and_its_key_is_not_shown(staff, alice, many):
    browser = Client()
    browser.post(reverse("account_login"), {"login": "alice", "password": PASSWORD})
    assert browser.get(reverse("settings")).status_code == 200
    session = UserSession.objects.get(user=alice)
    assert session.session_key not in staff.get(page(UserSession, "change", session.pk)).text
    if many:
        chosen = {"action": "delete_selected", "_selected_action": session.pk, "post": "yes"}
        staff.post(page(UserSession, "changelist"), chosen)
    else:
        staff.post(page(UserSession, "delete", session.pk), {"post": "yes"})
    assert browser.get(reverse("settings")).status_code == 302
    assert not UserSession.objects.filter(user=alice).exists()


# Search


@pytest.mark.parametrize("model", OURS)
def test_every_list_is_searched_by_index(model):
    assert isinstance(admin.site._registry[model], BoundedSearch)
    assert not admin.site._registry[model].search_fields


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize("term", ["alice", "7", "9" * 5000, "x" * 5000, "a b c d e f g", "%"])
def test_a_search_takes_a_fixed_number_of_short_statements(staff, alice, model, term):
    if not admin.site._registry[model].get_search_fields(None):
        return
    staff.get(page(model, "changelist"))
    with CaptureQueriesContext(connection) as asked:
        assert staff.get(page(model, "changelist"), {"q": term}).status_code in (200, 400, 414)
    assert len(asked) <= 12
    for query in asked:
        assert "LIKE" not in query["sql"].upper().replace("UPPER(", "")
        assert len(query["sql"]) < 6000


def test_a_whole_name_address_or_number_is_found(staff, alice, bob, start):
    game = start()

    def found(model, term):
        answer = staff.get(page(model, "changelist"), {"q": term})
        return list(answer.context["cl"].result_list)

    for term in ("ALICE", "alice@example.org", str(alice.pk)):
        assert found(Player, term) == [alice]
    for term in ("alice", "bob@example.org", str(game.pk)):
        assert found(type(game), term) == [game]
    assert found(Player, "alic") == []
