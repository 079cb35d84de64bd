"""Who may enter an event, who waits, and who moves up."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from accounts.models import Player
from games.models import Rating, RatingPool
from tests.conftest import make_player
from tests.games.threads import at_once
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import entering, entrants_csv, leaving, opening
from tournaments.models import Entry, EntryState, State
from tournaments.refusals import BadEvent, CannotEnter, NotYourEvent, WrongMoment

Crowd = Callable[[int], list[Player]]


def test_entering_twice_is_the_same_as_once(stage: Stage, bob: Player) -> None:
    event = stage.open()
    stage.enter(event, bob, bob)
    assert event.entries.count() == 1
    assert logged(event) == ["created", "opened", "entered"]


def test_nobody_enters_a_draft_or_after_the_closing_time(stage: Stage, bob: Player) -> None:
    draft = stage.draft()
    with pytest.raises(WrongMoment, match="the event is being prepared"):
        stage.enter(draft, bob)
    event = stage.open(closes_at=stage.now + timedelta(days=1), starts_at=stage.now + timedelta(2))
    stage.now += timedelta(days=1)
    with pytest.raises(WrongMoment, match="Entries for this event are closed"):
        stage.enter(event, bob)


def test_an_event_by_invitation_needs_one(stage: Stage, bob: Player, charlie: Player) -> None:
    event = stage.open(invitation_only=True)
    with pytest.raises(CannotEnter, match="by invitation only"):
        stage.enter(event, bob)
    with pytest.raises(NotYourEvent):
        entering.invite(event_id=event.pk, player=bob, by=charlie, now=stage.now)
    entering.invite(event_id=event.pk, player=bob, by=stage.organiser, now=stage.now)
    stage.enter(event, bob)
    assert entry(event, bob).state == EntryState.ENTERED


def test_the_rating_has_to_be_within_the_bounds(stage: Stage, bob: Player) -> None:
    event = stage.open(rating_from=1600)
    with pytest.raises(CannotEnter, match="from 1600 to 9999; yours is 1500"):
        stage.enter(event, bob)
    pool = RatingPool.objects.create(key="tritt-classic")
    Rating.objects.create(player=bob, pool=pool, rating=165_000, games=9, peak=165_000)
    stage.enter(event, bob)
    assert entry(event, bob).rating == 1650


def test_a_bot_enters_only_where_bots_are_welcome(stage: Stage) -> None:
    bot = make_player("bot", is_bot=True)
    with pytest.raises(CannotEnter, match="Bots cannot enter this event"):
        stage.enter(stage.open(), bot)
    with pytest.raises(BadEvent, match="not rated"):
        stage.draft(bots_allowed=True)
    event = stage.open(bots_allowed=True, rated=False)
    stage.enter(event, bot)
    assert entry(event, bot).state == EntryState.ENTERED


def test_whoever_waited_longest_moves_up(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=3))
    stage.enter(event, *players)
    assert entry(event, players[2]).state == EntryState.WAITING
    leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
    assert entry(event, players[2]).state == EntryState.ENTERED
    assert entry(event, players[3]).state == EntryState.WAITING
    assert "moved-up" in logged(event)


def test_whoever_left_before_the_start_may_come_back(stage: Stage, bob: Player) -> None:
    event = stage.open()
    stage.enter(event, bob)
    leaving.leave(event_id=event.pk, player=bob, now=stage.now)
    assert entry(event, bob).state == EntryState.WITHDRAWN
    stage.enter(event, bob)
    assert entry(event, bob).state == EntryState.ENTERED


def test_a_late_entrant_of_a_swiss_event_is_paired_from_the_next_round_on(
    stage: Stage, crowd: Crowd
) -> None:
    *players, late = crowd(5)
    event = stage.started(*players, format="swiss", settings={"rounds": 3}, late_entry=True)
    stage.enter(event, late)
    assert (entry(event, late).number, entry(event, late).joined_round) == (5, 2)
    stage.stronger_wins_all(event)
    played = {one for row in event.meetings.filter(round=2) for one in (row.first, row.second)}
    rested = {rest.entry for rest in event.rests.filter(round=2)}
    assert entry(event, late) in played | rested


def test_nobody_enters_a_round_robin_after_its_start(stage: Stage, crowd: Crowd) -> None:
    one, other, late = crowd(3)
    with pytest.raises(BadEvent, match="Only Swiss events and ladders"):
        stage.draft(late_entry=True)
    event = stage.started(one, other)
    with pytest.raises(WrongMoment, match="the event is running"):
        stage.enter(event, late)


@pytest.mark.django_db(transaction=True)
def test_two_who_want_the_last_place_do_not_both_get_it(stage: Stage) -> None:
    players = [make_player(f"p{at}") for at in range(3)]
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=3))
    stage.enter(event, players[0])
    at_once(
        *(
            lambda who=who: entering.enter(event_id=event.pk, player=who, now=stage.now)
            for who in players[1:]
        )
    )
    states = sorted(Entry.objects.filter(event=event).values_list("state", flat=True))
    assert states == ["entered", "entered", "waiting"]


# From a file


def test_a_file_is_looked_through_before_anybody_is_entered(stage: Stage, bob: Player) -> None:
    event = stage.open()
    text = "number;name\n1;bob\n2;nobody\n3;bob\n"
    lines = entrants_csv.look_through(event=event, text=text)
    assert [(line.number, line.name, line.problem) for line in lines] == [
        (2, "bob", ""),
        (3, "nobody", 'There is no player called "nobody".'),
        (4, "bob", "bob is in the file twice."),
    ]
    with pytest.raises(BadEvent, match="Line 3: There is no player"):
        entrants_csv.enter_all(event_id=event.pk, text=text, by=stage.organiser, now=stage.now)
    assert not event.entries.exists()


def test_a_file_without_headings_is_a_list_of_names(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.open(invitation_only=True)
    text = "\ufeffalice\nbob\n\n"
    entered = entrants_csv.enter_all(
        event_id=event.pk, text=text, by=stage.organiser, now=stage.now
    )
    assert entered == 2
    assert {one.player for one in event.entries.all()} == {alice, bob}
    again = entrants_csv.look_through(event=event, text=text)
    assert [line.problem for line in again] == [
        "alice has already entered.",
        "bob is already invited.",
    ]


# Opening


def test_a_new_player_runs_one_event_at_a_time(stage: Stage, bob: Player) -> None:
    Player.objects.filter(pk=bob.pk).update(joined_at=stage.now)
    bob.refresh_from_db()
    opening.prepare(plan=stage.plan(), organiser=bob, now=stage.now)
    with pytest.raises(Exception, match="You run 1 events already"):
        opening.prepare(plan=stage.plan(), organiser=bob, now=stage.now)
    later = stage.now + timedelta(days=15)
    assert opening.prepare(plan=stage.plan(), organiser=bob, now=later).state == State.DRAFT


def test_an_event_is_called_off_with_a_reason(stage: Stage, bob: Player) -> None:
    event = stage.open()
    with pytest.raises(BadEvent, match="Say in 1 to 500 characters why"):
        opening.call_off(event_id=event.pk, by=stage.organiser, reason=" ", now=stage.now)
    with pytest.raises(NotYourEvent):
        opening.call_off(event_id=event.pk, by=bob, reason="No.", now=stage.now)
    opening.call_off(event_id=event.pk, by=stage.organiser, reason="Flu.", now=stage.now)
    assert fresh(event).state == State.CALLED_OFF


def test_what_people_have_entered_is_not_changed_under_their_hands(stage: Stage) -> None:
    event = stage.draft()
    by = {"by": stage.organiser, "now": stage.now}
    opening.change(event_id=event.pk, plan=stage.plan(name="Autumn Cup"), **by)
    assert fresh(event).name == "Autumn Cup"
    opening.open_entries(event_id=event.pk, **by)
    with pytest.raises(WrongMoment, match="the event is open for entries"):
        opening.change(event_id=event.pk, plan=stage.plan(), **by)


def test_the_fewest_entrants_are_never_fewer_than_can_play(stage: Stage) -> None:
    event = stage.draft(format="swiss", settings={"rounds": 5}, least_entrants=2)
    assert event.least_entrants == 5


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "x"}, "3 to 80 characters"),
        ({"least_entrants": 9, "most_entrants": 8}, "the fewest not above the most"),
        ({"rating_from": 1800, "rating_to": 1700}, "lowest rating is above the highest"),
        ({"rules_edition": "1999"}, "2023 or 2026"),
        ({"round_days": 0}, "1 to 365 days"),
        ({"round_end": "draw"}, "needs one"),
        ({"renews": True}, "Only a league"),
        ({"settings": {"rounds": 3}}, 'no setting "rounds"'),
        ({"format": "arena"}, "not arena"),
        ({"tie_breaks": ["NICE"]}, "NICE"),
        ({"ruleset": "chess"}, "no game chess"),
    ],
)
def test_what_makes_no_event_is_refused_with_a_sentence(
    stage: Stage, fields: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Exception, match=sentence):
        stage.draft(**fields)
