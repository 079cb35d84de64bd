"""Nobody plays who did not say yes: names entered by an organiser are invitations."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Block, Player
from games import budgets, house_bots
from games.models import Game
from games.refusals import NotAllowed
from notifications import topical
from notifications.letters import compose
from notifications.models import Letter
from tests.conftest import make_player
from tests.tournaments.life import Stage, entry, fresh
from tournaments import directing, entering, entrants_csv, leaving, opening
from tournaments.models import EntryState, Event, State
from tournaments.refusals import BadEvent, CannotEnter, NotEntered, WrongMoment

Name = Callable[[Stage, Event, Player, Callable[..., Any]], None]


def by_list(stage: Stage, event: Event, player: Player, api_of: Callable[..., APIClient]) -> None:
    entrants_csv.enter_all(event_id=event.pk, text=player.name, by=stage.organiser, now=stage.now)


def by_api(stage: Stage, event: Event, player: Player, api_of: Callable[..., APIClient]) -> None:
    given = {"names": player.name, "dry_run": False}
    answer = api_of(stage.organiser).post(f"/api/v1/events/{event.pk}/list", given, format="json")
    assert answer.json()["invited"] == 1


def by_page(stage: Stage, event: Event, player: Player, api_of: Callable[..., APIClient]) -> None:
    browser = Client()
    browser.force_login(stage.organiser)
    address = reverse("event_entrants", args=[event.pk])
    browser.post(address, {"names": player.name, "enter": "yes"})


def by_name(stage: Stage, event: Event, player: Player, api_of: Callable[..., APIClient]) -> None:
    entering.invite(event_id=event.pk, player=player, by=stage.organiser, now=stage.now)


def by_name_in_api(
    stage: Stage, event: Event, player: Player, api_of: Callable[..., APIClient]
) -> None:
    given = {"player": player.name}
    answer = api_of(stage.organiser).post(f"/api/v1/events/{event.pk}/invite", given, format="json")
    assert answer.json()["invited"] == 1


WAYS: list[Name] = [by_list, by_api, by_page, by_name, by_name_in_api]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_whoever_is_named_does_not_play_before_accepting(
    stage: Stage, alice: Player, bob: Player, charlie: Player,
    api_of: Callable[..., APIClient], way: Name,
) -> None:  # fmt: skip
    event = stage.open()
    stage.enter(event, alice, charlie)
    way(stage, event, bob, api_of)
    assert entry(event, bob).state == EntryState.INVITED
    stage.start(event)
    stage.work()
    assert Game.objects.filter(seats__player=bob).count() == 0
    assert Game.objects.filter(event_id=event.pk).count() == 1
    assert entry(event, bob).number is None


def test_whoever_accepts_plays(stage: Stage, alice: Player, bob: Player, charlie: Player) -> None:
    event = stage.open(invitation_only=True)
    entrants_csv.enter_all(event_id=event.pk, text="alice\nbob\ncharlie", by=alice, now=stage.now)
    assert entry(event, alice).state == EntryState.ENTERED
    stage.enter(event, bob)
    assert entry(event, bob).state == EntryState.ENTERED
    stage.start(event)
    stage.work()
    assert event.meetings.count() == 1
    assert entry(event, charlie).state == EntryState.LAPSED


def test_an_invitation_can_be_accepted_after_the_entries_close(
    stage: Stage, bob: Player, charlie: Player
) -> None:
    event = stage.open(closes_at=stage.now + timedelta(days=1), least_entrants=2,
                       starts_at=stage.now + timedelta(days=3))  # fmt: skip
    by_name(stage, event, bob, lambda: None)
    stage.now += timedelta(days=2)
    stage.enter(event, bob)
    assert entry(event, bob).state == EntryState.ENTERED
    with pytest.raises(Exception, match="closed"):
        stage.enter(event, charlie)


def test_the_invited_are_asked_by_a_letter_and_the_organiser_hears_a_no(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.open()
    by_name(stage, event, bob, lambda: None)
    stage.work()
    assert Letter.objects.get(player=bob, channel="mail").details["what"] == "invited"
    leaving.leave(event_id=event.pk, player=bob, now=stage.now)
    stage.work()
    told = Letter.objects.get(player=alice, channel="mail")
    assert (told.details["what"], told.details["player"]) == ("declined", "bob")
    assert entry(event, bob).state == EntryState.DECLINED


def test_the_letter_names_the_director_who_invited(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    directing.appoint(event_id=event.pk, player=charlie, by=alice, now=stage.now)
    entering.invite(event_id=event.pk, player=bob, by=charlie, now=stage.now)
    stage.work()
    letter = Letter.objects.get(player=bob, channel="mail")
    message = compose(letter, now=stage.now)
    assert "charlie invited you." in message.body
    assert "alice" not in message.body
    Block.objects.create(blocker=bob, blocked=charlie, created_at=stage.now)
    assert topical.why_not(letter, now=stage.now) == "blocked"


def test_whoever_declined_is_not_asked_again_but_can_enter(stage: Stage, bob: Player) -> None:
    event = stage.open()
    by_name(stage, event, bob, lambda: None)
    entering.decline(event_id=event.pk, player=bob, now=stage.now)
    with pytest.raises(NotEntered, match="no open invitation"):
        entering.decline(event_id=event.pk, player=bob, now=stage.now)
    with pytest.raises(BadEvent, match="bob declined the invitation"):
        by_list(stage, event, bob, lambda: None)
    with pytest.raises(CannotEnter, match="bob declined the invitation"):
        by_name(stage, event, bob, lambda: None)
    stage.enter(event, bob)
    assert entry(event, bob).state == EntryState.ENTERED


def test_bots_of_the_house_always_say_yes(stage: Stage) -> None:
    bot = house_bots.of_level("river")
    event = stage.open(rated=False, bots_allowed=True)
    by_list(stage, event, bot, lambda: None)
    assert entry(event, bot).state == EntryState.ENTERED


def test_no_more_are_invited_than_fit_in(stage: Stage) -> None:
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=2))
    for at in range(2):
        by_name(stage, event, make_player(f"guest{at}"), lambda: None)
    with pytest.raises(CannotEnter, match="At most 2 invitations"):
        by_name(stage, event, make_player("guest9"), lambda: None)


def test_an_invited_player_can_join_a_swiss_event_late(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    players = [make_player("dan"), make_player("eve"), bob, charlie]
    event = stage.started(*players, format="swiss", settings={"rounds": 3}, late_entry=True)
    late = make_player("late")
    by_name(stage, event, late, lambda: None)
    assert entry(event, late).state == EntryState.INVITED
    stage.enter(event, late)
    assert (entry(event, late).state, entry(event, late).joined_round) == ("entered", 2)
    assert fresh(event).state == State.RUNNING


def test_the_page_asks_the_invited_and_takes_the_answer(
    stage: Stage, alice: Player, bob: Player, as_player: Callable[[Player], Client]
) -> None:
    event = stage.open()
    by_name(stage, event, bob, lambda: None)
    browser = as_player(bob)
    page = browser.get(reverse("event", args=[event.pk])).content.decode()
    assert "You are invited." in page
    assert "Decline" in page
    console = as_player(alice).get(reverse("event_console", args=[event.pk])).content.decode()
    assert "Invited, no reply yet" in console
    said = browser.post(reverse("leave_event", args=[event.pk]), follow=True).content.decode()
    assert "You declined the invitation." in said
    console = as_player(alice).get(reverse("event_console", args=[event.pk])).content.decode()
    assert "Invitation declined" in console


def test_only_those_who_run_it_see_who_is_invited(
    stage: Stage, bob: Player, charlie: Player, api_of: Callable[..., APIClient]
) -> None:
    event = stage.open()
    by_name(stage, event, bob, lambda: None)
    address = f"/api/v1/events/{event.pk}/entrants"
    assert api_of(charlie).get(address).json()["results"] == []
    listed = api_of(stage.organiser).get(address).json()["results"]
    assert [(one["player"], one["state"]) for one in listed] == [("bob", "invited")]
    full = api_of(bob).get(f"/api/v1/events/{event.pk}").json()
    assert (full["entered"], full["invited"], full["you"]["state"]) == (0, 1, "invited")


def test_the_organiser_can_take_an_invitation_back(
    stage: Stage, alice: Player, bob: Player, as_player: Callable[[Player], Client]
) -> None:
    event = stage.open()
    by_name(stage, event, bob, lambda: None)
    as_player(alice).post(reverse("event_act", args=[event.pk, "uninvite"]), {"player": "bob"})
    assert not event.entries.exists()
    assert not event.guests.exists()


def test_whoever_blocked_the_organiser_is_not_invited(
    stage: Stage, alice: Player, bob: Player
) -> None:
    Block.objects.create(blocker=bob, blocked=alice, created_at=stage.now)
    event = stage.open()
    with pytest.raises(NotAllowed, match="bob does not accept invitations from you"):
        by_name(stage, event, bob, lambda: None)
    with pytest.raises(BadEvent, match="bob does not accept invitations from you"):
        by_list(stage, event, bob, lambda: None)
    assert not event.entries.exists()


def test_invitations_have_a_daily_budget(
    stage: Stage, crowd: Callable[[int], list[Player]], monkeypatch: pytest.MonkeyPatch
) -> None:
    act = budgets.Act.EVENT_INVITATION
    monkeypatch.setitem(budgets.BUDGETS, act, replace(budgets.BUDGETS[act], in_all=2))
    event = stage.open()
    one, two, three = crowd(3)
    by_name(stage, event, one, lambda: None)
    by_list(stage, event, two, lambda: None)
    with pytest.raises(budgets.OverBudget, match="invite 2 players a day"):
        by_list(stage, event, three, lambda: None)


def test_a_draft_that_opens_does_not_write_to_whoever_has_blocked_its_organiser(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    draft = stage.draft()
    for player in (bob, charlie):
        by_name(stage, draft, player, lambda: None)
    Block.objects.create(blocker=bob, blocked=alice, created_at=stage.now)
    opening.open_entries(event_id=draft.pk, by=alice, now=stage.now)
    stage.work()
    told = Letter.objects.filter(channel="mail").values_list("player__name", flat=True)
    assert list(told) == ["charlie"]


def test_a_director_cannot_invite_whoever_has_blocked_the_organiser(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    directing.appoint(event_id=event.pk, player=charlie, by=alice, now=stage.now)
    Block.objects.create(blocker=bob, blocked=alice, created_at=stage.now)
    with pytest.raises(NotAllowed):
        entering.invite(event_id=event.pk, player=bob, by=charlie, now=stage.now)
    [line] = entrants_csv.look_through(event=event, text="bob")
    assert line.problem == "bob does not accept invitations from you."


# What the organiser and the invited are told


def invite_said(browser: Client, event: Event, name: str) -> list[str]:
    address = reverse("event_act", args=[event.pk, "invite"])
    page = browser.post(address, {"player": name}, follow=True)
    return [str(message) for message in page.context["messages"]]


def test_nobody_is_invited_into_a_running_event_without_late_entry(
    stage: Stage, alice: Player, bob: Player, charlie: Player,
    as_player: Callable[[Player], Client], api_of: Callable[..., APIClient],
) -> None:  # fmt: skip
    event = stage.started(alice, charlie)
    browser = as_player(alice)
    refused = "The event has started and takes no late entries. Nobody was invited."
    assert invite_said(browser, event, "bob") == [refused]
    given = {"player": "bob"}
    answer = api_of(alice).post(f"/api/v1/events/{event.pk}/invite", given, format="json")
    assert (answer.status_code, answer.json()["detail"]) == (409, refused)
    with pytest.raises(WrongMoment):
        by_list(stage, event, bob, lambda: None)
    assert not event.guests.exists()
    console = browser.get(reverse("event_console", args=[event.pk])).content.decode()
    assert reverse("event_act", args=[event.pk, "invite"]) not in console
    assert "have entered" not in console


def test_whoever_did_not_accept_in_time_reads_that_the_invitation_has_lapsed(
    stage: Stage, alice: Player, bob: Player, charlie: Player,
    as_player: Callable[[Player], Client], api_of: Callable[..., APIClient],
) -> None:  # fmt: skip
    event = stage.draft()
    dan = make_player("dan")
    by_name(stage, event, dan, lambda: None)
    opening.open_entries(event_id=event.pk, by=alice, now=stage.now)
    stage.enter(event, alice, charlie)
    by_name(stage, event, bob, lambda: None)
    lapsed = "Your invitation has lapsed: the event has started."
    address = reverse("event", args=[event.pk])
    assert lapsed not in as_player(bob).get(address).content.decode()
    stage.start(event)
    for player in (bob, dan):
        assert lapsed in as_player(player).get(address).content.decode()
    for player in (alice, make_player("eve")):
        assert lapsed not in as_player(player).get(address).content.decode()
    listed = api_of(charlie).get(f"/api/v1/events/{event.pk}/entrants").json()["results"]
    assert {one["player"] for one in listed} == {"alice", "charlie"}


def test_the_organiser_reads_what_became_of_an_invitation(
    stage: Stage, alice: Player, bob: Player, charlie: Player,
    as_player: Callable[[Player], Client],
) -> None:  # fmt: skip
    browser = as_player(alice)
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=2))
    assert invite_said(browser, event, "bob") == ["The invitation is sent."]
    assert invite_said(browser, event, "bob") == ["bob is already invited."]
    stage.enter(event, bob)
    assert invite_said(browser, event, "bob") == ["bob has already entered."]
    console = browser.get(reverse("event_console", args=[event.pk])).content.decode()
    assert "1 has entered; at least 2 are needed, at most 2 fit in." in console
    assert invite_said(browser, event, "alice") == ["You have entered."]
    leaving.leave(event_id=event.pk, player=alice, now=stage.now)
    stage.enter(event, charlie)
    full = "The event is full: alice is on the waiting list."
    assert invite_said(browser, event, "alice") == [full]


def test_the_organiser_of_a_draft_reads_when_the_invitation_is_sent(
    stage: Stage, alice: Player, bob: Player, as_player: Callable[[Player], Client]
) -> None:
    browser = as_player(alice)
    draft = stage.draft()
    later = "The invitation is sent when the event opens."
    assert invite_said(browser, draft, "bob") == [later]
    assert invite_said(browser, draft, "bob") == ["bob is already invited."]


def test_a_bot_that_is_named_is_entered_at_once(
    stage: Stage, alice: Player, as_player: Callable[[Player], Client]
) -> None:
    event = stage.open(rated=False, bots_allowed=True)
    bot = house_bots.of_level("river")
    assert invite_said(as_player(alice), event, bot.name) == ["The bot is entered."]
