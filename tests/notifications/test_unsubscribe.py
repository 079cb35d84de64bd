"""One click stops one kind of mail, without a log-in, and can be taken back."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from games.refusals import NotFound
from notifications import unsubscribe
from notifications.models import Kind, Preference
from tests.conftest import NOW


def path_of(player, kind=Kind.TURN) -> str:
    return unsubscribe.link_for(player.pk, kind).split("localhost:8000")[1]


@pytest.fixture
def mail_program() -> Client:
    """Has no cookies and is told off if one were needed."""
    return Client(enforce_csrf_checks=True)


def timing(player, kind=Kind.TURN) -> str:
    choice = Preference.objects.filter(player=player, kind=kind).first()
    return choice.timing if choice else "unchosen"


def undo_of(page: str) -> str:
    found = re.search(r'name="undo" value="([^"]+)"', page)
    assert found
    return found[1]


def test_reading_the_page_changes_nothing(alice, mail_program):
    for ask in (mail_program.get, mail_program.head):
        response = ask(path_of(alice))
        assert response.status_code == 200
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["X-Robots-Tag"] == "noindex"
        assert response["Cache-Control"] == "private, no-store"
    assert not Preference.objects.exists()


def test_one_click_stops_this_kind_and_no_other(alice, mail_program):
    response = mail_program.post(path_of(alice), {"List-Unsubscribe": "One-Click"})
    assert response.status_code == 200
    assert timing(alice) == "off"
    assert Preference.objects.count() == 1


def test_a_second_click_does_no_harm(alice, mail_program):
    for _ in range(2):
        assert mail_program.post(path_of(alice)).status_code == 200
    assert timing(alice) == "off"
    assert "Stopped already" in mail_program.get(path_of(alice)).content.decode()


def test_what_was_stopped_can_be_undone_on_the_spot(alice, mail_program):
    Preference.objects.create(player=alice, kind=Kind.TURN, timing="digest", channels=["mail"])
    page = mail_program.post(path_of(alice)).content.decode()
    assert timing(alice) == "off"
    mail_program.post(path_of(alice), {"undo": undo_of(page)})
    assert timing(alice) == "digest"


def test_other_channels_go_on(alice, mail_program):
    Preference.objects.create(player=alice, kind=Kind.TURN, channels=["mail", "push"])
    mail_program.post(path_of(alice))
    choice = Preference.objects.get()
    assert (choice.timing, choice.channels) == ("at-once", ["push"])


def test_stopping_the_digest_stops_what_comes_in_it_and_undoing_brings_it_back(alice, mail_program):
    for kind in (Kind.CHAT, Kind.GAME_OVER):
        Preference.objects.create(player=alice, kind=kind, timing="digest")
    page = mail_program.post(path_of(alice, Kind.DIGEST)).content.decode()
    assert [timing(alice, kind) for kind in (Kind.CHAT, Kind.GAME_OVER, Kind.TURN)] == [
        "off", "off", "unchosen",
    ]  # fmt: skip
    mail_program.post(path_of(alice, Kind.DIGEST), {"undo": undo_of(page)})
    assert [timing(alice, kind) for kind in (Kind.CHAT, Kind.GAME_OVER)] == ["digest"] * 2


@pytest.mark.parametrize(
    "spoil",
    [lambda s: s[:-1], lambda s: s + "0", lambda s: "9" + s, lambda _: "x", lambda _: "١-turn-a"],
)
def test_a_link_that_was_not_made_here_leads_nowhere(alice, mail_program, spoil):
    spoilt = spoil(unsubscribe.signed(alice.pk, Kind.TURN))
    assert mail_program.post(f"/letters/stop/{spoilt}/").status_code == 404
    assert not Preference.objects.exists()


def test_an_undo_that_was_not_made_here_is_refused(alice, mail_program):
    assert mail_program.post(path_of(alice), {"undo": "x:y"}).status_code == 404
    assert not Preference.objects.exists()


def test_the_link_survives_as_a_mail_address(alice):
    address = unsubscribe.mailto_for(alice.pk, Kind.CHALLENGE_ANSWER)
    local, _at, _domain = address.partition("@")
    assert len(local) <= 64
    assert address == address.lower()
    signed = local.removeprefix("stop+").upper()
    stopped = unsubscribe.stop(signed, now=NOW)
    assert (stopped.player, stopped.kinds) == (alice, [Kind.CHALLENGE_ANSWER])


def test_a_letter_about_something_else_cannot_be_stopped_by_this_link(alice, bob):
    signed = unsubscribe.signed(alice.pk, Kind.TURN)
    with pytest.raises(NotFound):
        unsubscribe.stop(signed.replace(f"{alice.pk}-", f"{bob.pk}-", 1), now=timezone.now())
    with pytest.raises(NotFound):
        unsubscribe.stop(signed.replace("turn", "chat"), now=timezone.now())
