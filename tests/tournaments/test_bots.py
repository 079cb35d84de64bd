"""Bots of the house in casual events: a director lets them in, and they play like everyone."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from config.subscriptions import SUBSCRIPTIONS
from games import bot_moves, house_bots, outbox, play
from games.models import Game, Move, RatingEntry, Status, Via
from games.refusals import BadRequest
from notifications.models import Letter
from tests.games.acts import move, to_move
from tests.tournaments.conftest import OF_EVENTS
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import directing, entering, ladders, leaving
from tournaments.models import EntryState, Event, State
from tournaments.refusals import CannotEnter, NotYourEvent, WrongMoment

Crowd = Callable[[int], list[Player]]
CASUAL = {"rated": False, "bots_allowed": True}
NOT_WELCOME = "They can enter one that is not rated"


@pytest.fixture(autouse=True)
def _bots_hear_too(_only_events_hear: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of their worker is done by the tests."""
    heard = {
        fact: tuple(path for path in paths if path.startswith((*OF_EVENTS, "bots")))
        for fact, paths in SUBSCRIPTIONS.items()
    }
    monkeypatch.setattr(outbox, "subscriptions", lambda: heard)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)


def let_in(stage: Stage, event: Event, level: str = "dew") -> Player:
    entered = entering.enter_bot(event_id=event.pk, level=level, by=stage.organiser, now=stage.now)
    return entered.player


def work(stage: Stage) -> None:
    """Of all workers, until nothing is left that does not wait for a person."""
    stage.work()
    while bot_moves.do_next(now=stage.now):
        stage.work()


def people_play_on(stage: Stage, event: Event) -> None:
    """Each person makes one move in every game in which it is his turn, then gives up."""
    for game in Game.objects.filter(event_id=event.pk, status=Status.RUNNING).order_by("pk"):
        player = to_move(game)
        if player.is_bot:
            continue
        if game.seats_moved == 0b11:
            play.resign(game_id=game.pk, player_id=player.pk, now=stage.now)
        else:
            move(game, now=stage.now)


def play_out(stage: Stage, event: Event) -> None:
    for _ in range(20):
        work(stage)
        if fresh(event).state != State.RUNNING:
            return
        people_play_on(stage, event)
        stage.later(minutes=1)
    raise AssertionError("the event does not end")


# A whole event


@pytest.mark.parametrize(
    ("format", "settings"),
    [("round-robin", {}), ("swiss", {"rounds": 3}), ("knockout", {})],
)
def test_bots_play_a_casual_event_to_its_end(
    stage: Stage, crowd: Crowd, format: str, settings: dict[str, object]
) -> None:
    event = stage.open(format=format, settings=settings, **CASUAL)
    stage.enter(event, *crowd(2))
    bots = [let_in(stage, event, level) for level in ("dew", "brook")]
    stage.start(event)
    play_out(stage, event)
    assert fresh(event).state == State.FINISHED
    games = Game.objects.filter(event_id=event.pk)
    assert not games.exclude(status=Status.FINISHED).exists()
    by_bots = Move.objects.filter(game__in=games, via=Via.BOT)
    assert by_bots.filter(game__seats__player=bots[0]).exists()
    assert entry(event, bots[0]).timeouts == 0
    assert not RatingEntry.objects.exists()
    ranks = event.entries.values_list("rank", flat=True)
    assert sorted(ranks)[0] == 1
    assert None not in ranks
    assert not Letter.objects.filter(player__in=bots).exists()


def test_a_bot_on_a_ladder_answers_whoever_challenges_it(stage: Stage, crowd: Crowd) -> None:
    event = stage.open(format="ladder", **CASUAL)
    dew = let_in(stage, event)
    stage.enter(event, *crowd(2))
    stage.start(event)
    last = event.entries.select_related("player").order_by("-place").exclude(player=dew)[0]
    meeting = ladders.challenge(
        event_id=event.pk, challenger=last.player, challenged=dew, now=stage.now
    )
    work(stage)
    assert meeting.game is not None
    assert to_move(meeting.game) == last.player
    move(meeting.game, now=stage.now)
    work(stage)
    assert Move.objects.filter(game=meeting.game, via=Via.BOT).exists()


# Letting them in


def test_a_bot_is_entered_once_however_often_it_is_asked_for(stage: Stage) -> None:
    event = stage.open(**CASUAL)
    dew = let_in(stage, event)
    assert let_in(stage, event) == dew
    assert logged(event) == ["created", "opened", "entered"]
    assert entry(event, dew).state == EntryState.ENTERED


@pytest.mark.parametrize("fields", [{}, {"rated": False}], ids=["rated", "for people"])
def test_a_bot_stays_out_of_an_event_that_was_not_declared_open_to_bots(
    stage: Stage, fields: dict[str, object]
) -> None:
    event = stage.open(**fields)
    with pytest.raises(CannotEnter, match=NOT_WELCOME):
        let_in(stage, event)
    assert not event.entries.exists()


def test_only_those_who_run_an_event_let_a_bot_in(stage: Stage, bob: Player) -> None:
    event = stage.open(**CASUAL)
    with pytest.raises(NotYourEvent):
        entering.enter_bot(event_id=event.pk, level="dew", by=bob, now=stage.now)
    directing.appoint(event_id=event.pk, player=bob, by=stage.organiser, now=stage.now)
    assert entering.enter_bot(event_id=event.pk, level="dew", by=bob, now=stage.now)


def test_a_bot_needs_no_invitation(stage: Stage) -> None:
    event = stage.open(invitation_only=True, **CASUAL)
    assert entry(event, let_in(stage, event)).state == EntryState.ENTERED


def test_a_bot_waits_for_a_place_and_takes_nobodys(stage: Stage, crowd: Crowd) -> None:
    people = crowd(2)
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=3), **CASUAL)
    stage.enter(event, *people)
    dew = let_in(stage, event)
    assert entry(event, dew).state == EntryState.WAITING
    leaving.leave(event_id=event.pk, player=people[0], now=stage.now)
    assert entry(event, dew).state == EntryState.ENTERED


def test_a_bot_comes_late_only_where_people_may(stage: Stage, crowd: Crowd) -> None:
    swiss = {"format": "swiss", "settings": {"rounds": 3}, **CASUAL}
    people = crowd(4)
    with pytest.raises(WrongMoment, match="the event is running"):
        let_in(stage, stage.started(*people, **swiss))
    event = stage.started(*people, late_entry=True, **swiss)
    assert entry(event, let_in(stage, event)).joined_round == 2


def test_a_bot_is_taken_out_as_others_are(stage: Stage, crowd: Crowd) -> None:
    event = stage.open(**CASUAL)
    stage.enter(event, *crowd(3))
    dew = let_in(stage, event)
    stage.start(event)
    leaving.expel(
        event_id=event.pk, player=dew, by=stage.organiser, reason="We are even.", now=stage.now
    )
    work(stage)
    assert entry(event, dew).state == EntryState.EXPELLED
    assert not Game.objects.filter(seats__player=dew, status=Status.RUNNING).exists()


def test_a_level_that_there_is_not_is_named_with_those_that_are(stage: Stage) -> None:
    with pytest.raises(BadRequest, match="There is no bot rain; there are: dew, brook"):
        let_in(stage, stage.open(**CASUAL), "rain")


# By page and by program


@pytest.fixture
def now(stage: Stage) -> None:
    """Requests come when they come, so these events go by the real clock."""
    stage.now = timezone.now()


@pytest.mark.usefixtures("now")
def test_the_console_offers_a_bot_where_bots_may_enter(stage, alice, as_player):
    browser = as_player(alice)
    casual, serious = stage.open(**CASUAL), stage.open(name="Serious Cup")
    console = {event: reverse("event_console", args=[event.pk]) for event in (casual, serious)}
    assert "Enter a bot" in browser.get(console[casual]).content.decode()
    assert "Enter a bot" not in browser.get(console[serious]).content.decode()
    door = reverse("event_act", args=[casual.pk, "enter-bot"])
    html = browser.post(door, {"level": "river"}, follow=True).content.decode()
    assert "The bot is entered." in html
    assert entry(casual, house_bots.of_level("river")).state == EntryState.ENTERED
    door = reverse("event_act", args=[serious.pk, "enter-bot"])
    assert NOT_WELCOME in browser.post(door, {"level": "dew"}, follow=True).content.decode()
    assert not serious.entries.exists()


@pytest.mark.usefixtures("now")
def test_a_program_enters_a_bot(stage, alice, bob, api_of):
    casual, serious = stage.open(**CASUAL), stage.open(name="Serious Cup")
    organise = api_of(alice, "read", "organise")
    door = f"/api/v1/events/{casual.pk}/bots"
    assert organise.post(door, {"level": "ocean"}, format="json").json()["entered"] == 1
    unknown = organise.post(door, {"level": "rain"}, format="json")
    assert unknown.status_code == 400
    refused = organise.post(f"/api/v1/events/{serious.pk}/bots", {"level": "dew"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_enter")
    assert NOT_WELCOME in refused.json()["detail"]
    other = api_of(bob, "organise").post(door, {"level": "dew"}, format="json")
    assert other.status_code == 403
