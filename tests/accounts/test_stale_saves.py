"""What a request read before is never written back over what was changed meanwhile."""

import copy

import pytest
from django.test import Client
from django.utils import timezone

from accounts import api, closing, forms
from accounts.closing import SECOND_LOOK_AFTER, close_account, settle_closings
from accounts.models import Player
from tests.conftest import PASSWORD, log_in, make_player

PROFILE = {"zone": "UTC", "language": "en", "about": "x"}
NEW_PASSWORD = "another-horse-battery"


@pytest.fixture(autouse=True)
def _no_other_worker(monkeypatch):
    monkeypatch.setattr(closing, "_wake_worker", lambda: None)
    monkeypatch.setattr("games.outbox.ring", lambda: None)


@pytest.fixture
def meanwhile(monkeypatch):
    """The request has read the player, something is done elsewhere, then the request saves."""

    def before_saving(form, act):
        save = form.save

        def saved_late(self, **more):
            act()
            return save(self, **more)

        monkeypatch.setattr(form, "save", saved_late)

    return before_saving


def close(player: Player) -> None:
    close_account(player=Player.objects.get(pk=player.pk), now=timezone.now())


def test_saved_settings_do_not_undo_a_closing(alice, meanwhile):
    browser = log_in(Client(), alice)
    meanwhile(forms.ProfileForm, lambda: close(alice))
    browser.post("/settings/", PROFILE)
    after = Player.objects.get(pk=alice.pk)
    assert (after.is_active, after.is_closed, after.email) == (False, True, "")
    assert not after.check_password(PASSWORD)


def test_the_second_look_forgets_what_was_saved_after_the_closing(alice, meanwhile):
    browser = log_in(Client(), alice)
    meanwhile(forms.ProfileForm, lambda: close(alice))
    browser.post("/settings/", PROFILE)
    assert Player.objects.get(pk=alice.pk).about == "x"
    closed_at = Player.objects.get(pk=alice.pk).closed_at
    settle_closings(now=timezone.now() + SECOND_LOOK_AFTER)
    after = Player.objects.get(pk=alice.pk)
    assert (after.about, after.closed_at) == ("", closed_at)


def test_saved_settings_undo_neither_a_ban_nor_the_loss_of_rights(db, meanwhile):
    mallory = make_player("mallory", is_staff=True)
    browser = log_in(Client(), mallory)
    row = Player.objects.filter(pk=mallory.pk)
    meanwhile(forms.ProfileForm, lambda: row.update(is_active=False, is_staff=False))
    browser.post("/settings/", PROFILE)
    after = row.get()
    assert (after.is_active, after.is_staff, after.about) == (False, False, "x")


def test_a_change_by_token_does_not_undo_a_new_password(alice, api_of, meanwhile):
    def change_password():
        passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        page = log_in(Client(), alice)
        page.post("/accounts/password/change/", {"oldpassword": PASSWORD, **passwords})

    meanwhile(api.Myself, change_password)
    api_of(alice, "connect", "read").patch("/api/v1/me", {"about": "x"}, format="json")
    after = Player.objects.get(pk=alice.pk)
    assert after.check_password(NEW_PASSWORD)
    assert after.about == "x"


def test_a_new_password_does_not_undo_a_ban(alice):
    stale = Player.objects.get(pk=alice.pk)
    Player.objects.filter(pk=alice.pk).update(is_active=False, session_epoch=7)
    stale.set_password(NEW_PASSWORD)
    stale.save()
    after = Player.objects.get(pk=alice.pk)
    assert (after.is_active, after.session_epoch) == (False, 7)
    assert after.check_password(NEW_PASSWORD)


def test_a_member_of_staff_who_saves_does_not_undo_what_another_did(alice, staff, monkeypatch):
    from accounts.admin import PlayerAdmin

    save_model = PlayerAdmin.save_model

    def saved_late(self, *args):
        Player.objects.filter(pk=alice.pk).update(is_active=False, password="!")
        return save_model(self, *args)

    monkeypatch.setattr(PlayerAdmin, "save_model", saved_late)
    form = {"zone": "UTC", "language": "en", "about": "seen", "is_active": "on"}
    assert staff.post(f"/staff/accounts/player/{alice.pk}/change/", form).status_code == 302
    after = Player.objects.get(pk=alice.pk)
    assert (after.is_active, after.password, after.about) == (False, "!", "seen")


def test_what_was_saved_once_is_not_saved_again(alice):
    alice.about = "first"
    alice.save()
    Player.objects.filter(pk=alice.pk).update(about="second")
    alice.zone = "UTC"
    alice.save()
    assert Player.objects.get(pk=alice.pk).about == "second"


def test_a_value_that_is_set_back_is_saved(alice):
    alice = Player.objects.get(pk=alice.pk)
    alice.about = "first"
    alice.save()
    alice.about = ""
    alice.save()
    assert Player.objects.get(pk=alice.pk).about == ""


def test_a_copy_does_not_take_the_changes_of_the_other_for_its_own(alice):
    other = copy.copy(alice)
    alice.is_active = False
    alice.save()
    other.about = "x"
    other.save()
    assert not Player.objects.get(pk=alice.pk).is_active


def test_a_refreshed_player_saves_only_what_comes_after(alice):
    Player.objects.filter(pk=alice.pk).update(about="second")
    alice.refresh_from_db()
    Player.objects.filter(pk=alice.pk).update(about="third")
    alice.zone = "UTC"
    alice.save()
    assert Player.objects.get(pk=alice.pk).about == "third"


def test_a_refresh_of_one_field_keeps_the_changes_of_others(alice):
    alice.about = "x"
    alice.refresh_from_db(fields=["session_epoch"])
    alice.save()
    assert Player.objects.get(pk=alice.pk).about == "x"


def test_fields_that_were_not_loaded_are_saved_only_if_they_are_set(alice):
    few = Player.objects.only("zone").get(pk=alice.pk)
    Player.objects.filter(pk=alice.pk).update(language="de")
    few.about = "x"
    few.save()
    after = Player.objects.get(pk=alice.pk)
    assert (after.about, after.language, after.name) == ("x", "de", "alice")
