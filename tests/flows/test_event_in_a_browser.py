"""A person opens an event by its form, eight enter, it plays out, and the table is right."""

import random
from collections import defaultdict
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Player
from games.models import Game
from tests.conftest import make_player
from tests.flows.tables import sign_in
from tournaments import entering
from tournaments.models import Event, State
from tournaments.simulation import play_on, work

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

ROUNDS = 3
MOST_STEPS = 300


def prepared_and_opened(page: Page, site: str) -> Event:
    page.goto(site)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Events").click()
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name", exact=True).fill("Club Evening")
    page.get_by_label("Swiss", exact=True).check()
    page.locator("[data-of='format-swiss']").get_by_label("Rounds").fill(str(ROUNDS))
    page.get_by_label("Tritt (2009)").check()
    page.get_by_label("Most entrants").fill("8")
    page.get_by_role("button", name="Prepare the event").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Club Evening")
    expect(page.get_by_text("3 rounds; nobody meets the same opponent twice.")).to_be_visible()
    page.get_by_role("button", name="Open entries").click()
    expect(page.locator(".event-head .badge")).to_have_text("open for entries")
    return Event.objects.get()


def enters(context, site: str, event: Event, player: Player) -> None:
    page = sign_in(context, site, player)
    page.goto(f"{site}/events/")
    page.get_by_role("link", name="Club Evening").click()
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("You have entered.")


def plays_out(event: Event, chance: random.Random, now: datetime) -> Event:
    """It starts by itself because it is full, and ends by itself when all is played."""
    for _ in range(MOST_STEPS):
        work(now=now)
        event.refresh_from_db()
        if event.state == State.FINISHED:
            return event
        play_on(event=event, chance=chance, now=now, ends=0.6)
        now += timedelta(hours=1)
    raise AssertionError("the event does not end")


def folded(event: Event) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    """By name, from the games alone: points, Buchholz without the worst opponent, Buchholz."""
    points: dict[str, Fraction] = defaultdict(Fraction)
    met: dict[str, list[str]] = defaultdict(list)
    for game in Game.objects.filter(event_id=event.pk).prefetch_related("seats__player"):
        first, second = (seat.player.name for seat in game.seats.order_by("number"))
        points[first] += Fraction(game.score, 2)
        points[second] += 1 - Fraction(game.score, 2)
        met[first].append(second)
        met[second].append(first)
    sums = {name: sorted(points[other] for other in others) for name, others in met.items()}
    return {name: (points[name], sum(each[1:]), sum(each)) for name, each in sums.items()}


def number(text: str) -> Fraction:
    whole = text.removesuffix("½")
    return Fraction(int(whole or 0)) + Fraction(text.endswith("½"), 2)


def shown(page: Page) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    table = {}
    for row in page.locator(".standings tbody tr").all():
        name = row.locator("a.player").evaluate("link => link.firstChild.textContent.trim()")
        cells = row.locator("td.number").all_inner_texts()
        table[name] = (number(cells[1]), number(cells[2]), number(cells[3]))
    return table


def test_an_event_is_opened_entered_played_out_and_its_table_is_right(browser, site):
    organiser = make_player("alice")
    players = [make_player(f"demo{number}") for number in range(1, 9)]
    context = browser.new_context(locale="en-GB")
    page = sign_in(context, site, organiser)
    event = prepared_and_opened(page, site)
    own = browser.new_context(locale="en-GB")
    enters(own, site, event, players[0])
    own.close()
    for player in players[1:]:
        entering.enter(event_id=event.pk, player=player, now=timezone.now())
    event = plays_out(event, random.Random(8), timezone.now())
    page.goto(f"{site}{event.get_absolute_url()}table/")
    told, own = shown(page), folded(event)
    assert len(told) == 8
    assert sum(points for points, *_ in own.values()) == ROUNDS * 4
    assert told == own
    assert list(told.values()) == sorted(own.values(), reverse=True)
    page.goto(site + event.get_absolute_url())
    expect(page.locator(".event-head .badge")).to_have_text("finished")
    winner = next(iter(told))
    first = page.get_by_role("region", name="How it ended").locator("tbody tr").first
    expect(first).to_contain_text(winner)
    tabs = page.get_by_role("navigation", name="Of this event")
    tabs.get_by_role("link", name="Games").click()
    expect(page.get_by_role("heading", name=f"Round {ROUNDS}", exact=True)).to_be_visible()
    expect(page.get_by_text("running")).to_have_count(0)
    context.close()
