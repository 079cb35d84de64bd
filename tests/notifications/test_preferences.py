"""How a player is told, chosen by page and by API in the same words."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from games.refusals import BadRequest
from notifications import preferences, wishes
from notifications.models import Channel, Habits, Kind, Letter, Preference, Suppression, Timing
from tests.conftest import NOW
from tests.notifications.posting import again, write_news

API = "/api/v1/me/letter-preferences"


def kinds_form(**chosen) -> dict[str, object]:
    """As the browser sends the table, with these rows changed."""
    sent: dict[str, object] = {"kinds": ""}
    for kind in preferences.CHOOSABLE:
        timing, channels = chosen.get(kind.value.replace("-", "_"), ("at-once", ["mail"]))
        sent |= {f"{kind.value}-timing": timing, f"{kind.value}-channels": channels}
    return sent


def habits_form(**changed) -> dict[str, object]:
    usual = {
        "habits": "", "digest_hour": 7, "quiet_from": "", "quiet_until": "",
        "reminders": ["half", "24h", "3h"],
    }  # fmt: skip
    return {**usual, **changed}


# What is there without a choice


def test_without_a_choice_everything_comes_at_once_by_mail(alice):
    assert {(one.timing, tuple(one.channels)) for one in preferences.preferences(alice)} == {
        (Timing.AT_ONCE, ("mail",))
    }
    habits = preferences.habits(alice)
    assert (habits.quiet_from, habits.digest_hour, habits.one_until_back) == (None, 7, False)
    assert habits.reminders == ["half", "24h", "3h"]


def test_all_choices_are_read_in_one_query(alice, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert len(preferences.preferences(alice)) == len(preferences.CHOOSABLE)


# The page


def test_the_page_has_a_row_for_every_kind_that_can_be_chosen(alice, as_player):
    page = as_player(alice).get(reverse("letter_preferences")).content.decode()
    for kind in Kind:
        assert (f'name="{kind}-timing"' in page) == (kind in preferences.CHOOSABLE)


def test_the_page_is_linked_from_the_settings(alice, as_player):
    page = as_player(alice).get(reverse("settings")).content.decode()
    assert reverse("letter_preferences") in page


def test_visitors_are_asked_to_sign_in(db, client):
    for name in ("letter_preferences", "receipts"):
        assert client.get(reverse(name)).status_code == 302


def test_kinds_are_chosen_on_the_page(alice, as_player):
    data = kinds_form(turn=("digest", ["mail", "push"]), chat=("off", []))
    answer = as_player(alice).post(reverse("letter_preferences"), data)
    assert answer.status_code == 302
    chosen = {one.kind: (one.timing, one.channels) for one in Preference.objects.all()}
    assert chosen == {"turn": ("digest", ["mail", "push"]), "chat": ("off", ["mail"])}


def test_a_letter_without_a_way_is_refused_and_nothing_is_saved(alice, as_player):
    data = kinds_form(chat=("off", []), turn=("at-once", []))
    answer = as_player(alice).post(reverse("letter_preferences"), data)
    assert "Choose at least one way" in answer.content.decode()
    assert not Preference.objects.exists()


def test_hours_and_moments_are_chosen_on_the_page(alice, as_player):
    data = habits_form(
        digest_hour=18, quiet_from=22, quiet_until=6, reminders=["3h", "48h"], one_until_back="on"
    )
    as_player(alice).post(reverse("letter_preferences"), data)
    habits = Habits.objects.get(player=alice)
    assert (habits.digest_hour, habits.quiet_from, habits.quiet_until) == (18, 22, 6)
    assert (habits.reminders, habits.one_until_back) == (["48h", "3h"], True)


def test_quiet_hours_need_both_ends(alice, as_player):
    answer = as_player(alice).post(reverse("letter_preferences"), habits_form(quiet_from=22))
    assert "give both or neither" in answer.content.decode()
    assert not Habits.objects.exists()


def test_the_page_costs_the_same_whatever_is_chosen(
    alice, as_player, django_assert_max_num_queries, django_assert_num_queries
):
    browser = as_player(alice)
    browser.get(reverse("letter_preferences"))
    with django_assert_max_num_queries(9) as few:
        browser.get(reverse("letter_preferences"))
    for kind in preferences.CHOOSABLE:
        Preference.objects.create(player=alice, kind=kind, timing="digest")
    Habits.objects.create(player=alice)
    with django_assert_num_queries(len(few)):
        browser.get(reverse("letter_preferences"))


# The doors


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "reply"},
        {"kind": "digest"},
        {"kind": "poem"},
        {"timing": "soon"},
        {"channels": ["pigeon"]},
        {"channels": []},
    ],
)
def test_what_makes_no_sense_is_refused(alice, wrong):
    wish = {"kind": "turn", "timing": "at-once", "channels": ["mail"], **wrong}
    with pytest.raises(BadRequest):
        wishes.choose(player=alice, now=NOW, **wish)
    assert not Preference.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"digest_hour": 24},
        {"digest_hour": None},
        {"quiet_from": 5},
        {"quiet_from": 5, "quiet_until": 5},
        {"quiet_from": -1, "quiet_until": 5},
        {"reminders": ["25h"]},
    ],
)
def test_hours_that_make_no_sense_are_refused(alice, wrong):
    with pytest.raises(BadRequest):
        wishes.live_by(player=alice, now=NOW, **wrong)
    assert not Habits.objects.exists()


def test_what_waits_follows_the_new_wish(alice):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    letter = write_news(alice)
    wishes.choose(player=alice, kind="event", timing="at-once", channels=["mail"], now=NOW)
    assert (again(letter).digest, again(letter).due_at) == (False, NOW)


# The API


def test_a_program_reads_what_is_chosen(alice, api_of):
    Preference.objects.create(player=alice, kind=Kind.CHAT, timing="off")
    answer = api_of(alice).get(API).json()
    assert (answer["digest_hour"], answer["quiet_from"]) == (7, None)
    assert {one["kind"]: one["timing"] for one in answer["kinds"]}["chat"] == "off"
    assert (answer["address"], answer["address_takes_mail"]) == ("alice@example.org", True)


def test_a_program_changes_what_it_names_and_nothing_else(alice, api_of):
    Habits.objects.create(player=alice, digest_hour=9)
    change = {
        "quiet_from": 22,
        "quiet_until": 7,
        "kinds": [{"kind": "turn", "timing": "digest", "channels": ["mail"]}],
    }
    answer = api_of(alice).patch(API, change, format="json")
    assert answer.status_code == 200
    assert (answer.json()["digest_hour"], answer.json()["quiet_until"]) == (9, 7)
    assert Preference.objects.get().timing == "digest"


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"digest_hour": 24}, 400),
        ({"kinds": [{"kind": "reply", "timing": "off", "channels": []}]}, 400),
        ({"quiet_from": 3}, 422),
        ({"kinds": [{"kind": "turn", "timing": "at-once", "channels": []}]}, 422),
    ],
)
def test_what_the_page_refuses_the_api_refuses_too(alice, api_of, wrong, status):
    change = {"kinds": [{"kind": "chat", "timing": "off", "channels": []}], **wrong}
    answer = api_of(alice).patch(API, change, format="json")
    assert answer.status_code == status
    assert not Preference.objects.exists()
    assert not Habits.objects.exists()


def test_a_program_that_only_reads_changes_nothing(alice, api_of):
    answer = api_of(alice, "read").patch(API, {"digest_hour": 9}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")


def test_a_program_has_the_address_tried_again(alice, api_of):
    Suppression.objects.create(address="alice@example.org", since=NOW)
    program = api_of(alice)
    assert program.get(API).json()["address_takes_mail"] is False
    assert program.post(f"{API}/try-again").status_code == 204
    assert program.get(API).json()["address_takes_mail"] is True
    assert program.post(f"{API}/try-again").json()["code"] == "nothing_to_answer"


# Where mail goes


def test_mail_goes_to_the_address_that_was_confirmed(alice):
    assert preferences.address_of(alice) == "alice@example.org"
    alice.emailaddress_set.update(verified=False)
    assert preferences.address_of(alice) == ""


def test_channels_are_kept_in_one_order(alice):
    wishes.choose(
        player=alice, kind="turn", timing="at-once", channels=["webhook", "mail"], now=NOW
    )
    assert Preference.objects.get().channels == [Channel.MAIL, Channel.WEBHOOK]
    assert not Letter.objects.exists()


# When he was last here


def seen(player: Player):
    return Player.objects.get(pk=player.pk).seen_at


@pytest.mark.parametrize("door", ["web", "api"])
def test_a_visit_is_noted_at_most_every_five_minutes(alice, as_player, api_of, door):
    browser, program = as_player(alice), api_of(alice)
    ask = {
        "web": lambda: browser.get(reverse("lobby")),
        "api": lambda: program.get("/api/v1/me"),
    }[door]
    Player.objects.update(seen_at=None)
    ask()
    first = seen(alice)
    assert timezone.now() - first < timedelta(minutes=5)
    ask()
    assert seen(alice) == first
    earlier = timezone.now() - timedelta(minutes=6)
    Player.objects.update(seen_at=earlier)
    ask()
    assert seen(alice) > earlier


def test_a_visit_is_one_more_write_and_the_next_none(
    alice, as_player, django_assert_num_queries, django_assert_max_num_queries
):
    browser = as_player(alice)
    Player.objects.update(seen_at=None)
    with django_assert_max_num_queries(20) as first:
        browser.get(reverse("rules"))
    with django_assert_num_queries(len(first) - 1):
        browser.get(reverse("rules"))
