"""What directors decide, and who is one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.closing import close_account, settle_closings
from accounts.models import Block, Player
from games import rulings
from games.budgets import BUDGETS, Act, OverBudget
from games.models import Game, RatingEntry, Ruling, Status
from games.refusals import NotAllowed, OwnGame
from notifications import topical
from notifications.letters import compose
from notifications.models import Letter
from tests.conftest import make_player
from tests.games.acts import both_move
from tests.tournaments.life import Stage, entry, fresh, logged, moment
from tournaments import directing, opening
from tournaments.models import Event, Meeting, State
from tournaments.refusals import BadEvent, NotYourEvent, WrongMoment

Crowd = Callable[[int], list[Player]]


def test_the_organiser_appoints_directors_and_dismisses_them(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    with pytest.raises(NotYourEvent):
        directing.appoint(event_id=event.pk, player=charlie, by=bob, now=stage.now)
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert logged(event).count("director") == 1
    with pytest.raises(NotYourEvent):
        directing.appoint(event_id=event.pk, player=charlie, by=bob, now=stage.now)
    directing.dismiss(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert not event.directors.exists()


def test_a_result_that_is_ruled_stands_whatever_the_game_comes_to(
    stage: Stage, alice: Player, crowd: Crowd
) -> None:
    one, two = crowd(2)
    event = stage.started(one, two)
    meeting = event.meetings.get()
    assert meeting.game is not None
    both_move(meeting.game, now=stage.now)
    directing.rule(
        event_id=event.pk, meeting_id=meeting.pk, score=2, other_score=0, by=alice,
        reason="Abuse.", now=stage.now,
    )  # fmt: skip
    stage.work()
    meeting.refresh_from_db()
    assert (meeting.score, meeting.ruled, meeting.forfeit) == (2, True, False)
    assert Game.objects.get(pk=meeting.game_id).score == 2
    assert RatingEntry.objects.filter(game=meeting.game, is_void=False).count() == 1
    assert fresh(event).state == State.FINISHED


def test_neither_may_get_a_point(stage: Stage, alice: Player, crowd: Crowd) -> None:
    event = stage.started(*crowd(3))
    meeting = event.meetings.order_by("id")[0]
    rule = {"event_id": event.pk, "meeting_id": meeting.pk, "by": alice, "now": stage.now}
    with pytest.raises(BadEvent, match="2-0, 1-1, 0-2 or 0-0"):
        directing.rule(score=2, other_score=2, reason="Both nice.", **rule)
    directing.rule(score=0, other_score=0, reason="Neither came.", **rule)
    meeting.refresh_from_db()
    assert (meeting.score, meeting.other_score, meeting.forfeit) == (0, 0, True)
    assert Game.objects.get(pk=meeting.game_id).status == Status.VOID


def test_a_director_does_not_decide_his_own_games(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.started(alice, bob)
    meeting = event.meetings.get()
    assert meeting.game is not None
    with pytest.raises(OwnGame, match=r"You play \w+ – \w+ in this event yourself"):
        directing.rule(
            event_id=event.pk, meeting_id=meeting.pk, score=2, other_score=0, by=alice,
            reason="I am better.", now=stage.now,
        )  # fmt: skip
    assert not rulings.may_rule(alice, meeting.game)


def test_nobody_is_appointed_by_whom_they_blocked_or_too_often(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    Block.objects.create(blocker=bob, blocked=alice, created_at=stage.now)
    appoint = {"event_id": event.pk, "by": alice, "now": stage.now}
    with pytest.raises(NotAllowed, match="bob does not accept invitations from you"):
        directing.appoint(player=bob, **appoint)
    for _ in range(BUDGETS[Act.EVENT_INVITATION].to_one):
        directing.appoint(player=charlie, **appoint)
        directing.step_down(event_id=event.pk, by=charlie, now=stage.now)
    with pytest.raises(OverBudget):
        directing.appoint(player=charlie, **appoint)
    assert not event.directors.exists()


def test_a_director_steps_down(stage: Stage, alice: Player, bob: Player, charlie: Player) -> None:
    event = stage.open()
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    directing.appoint(event_id=event.pk, player=charlie, by=alice, now=stage.now)
    directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    assert [one.player for one in event.directors.all()] == [charlie]
    assert logged(event)[-1] == "stepped-down"
    with pytest.raises(NotYourEvent):
        directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    with pytest.raises(BadEvent, match="You cannot step down"):
        directing.step_down(event_id=event.pk, by=alice, now=stage.now)


def test_directors_may_rule_on_the_games_of_their_events_alone(
    stage: Stage, alice: Player, bob: Player, charlie: Player, crowd: Crowd
) -> None:
    event = stage.started(*crowd(2))
    game = event.meetings.get().game
    assert game is not None
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert rulings.may_rule(alice, game)
    assert rulings.may_rule(bob, game)
    assert not rulings.may_rule(charlie, game)
    game.event_id = None
    assert not rulings.may_rule(bob, game)


def test_a_late_ruling_changes_the_table_but_no_pairing(
    stage: Stage, alice: Player, crowd: Crowd
) -> None:
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    stage.stronger_wins_all(event)
    second = list(event.meetings.filter(round=2).values_list("first", "second"))
    meeting = event.meetings.filter(round=1).select_related("game").order_by("id")[0]
    assert meeting.game is not None
    rulings.set_result(game_id=meeting.game.pk, score=1, by=alice, reason="A fault.", now=stage.now)
    stage.work()
    meeting.refresh_from_db()
    assert (meeting.score, meeting.other_score) == (1, 1)
    assert list(event.meetings.filter(round=2).values_list("first", "second")) == second


def test_a_bye_is_given_for_a_round_to_come(stage: Stage, alice: Player, crowd: Crowd) -> None:
    players = crowd(4)
    event = stage.started(*players, format="swiss", settings={"rounds": 3})
    give = {"event_id": event.pk, "player": players[0], "by": alice, "now": stage.now}
    with pytest.raises(WrongMoment, match="Round 1 is paired already"):
        directing.give_bye(kind="H", round=1, **give)
    with pytest.raises(BadEvent, match="F for a point"):
        directing.give_bye(kind="X", **give)
    directing.give_bye(kind="H", **give)
    stage.stronger_wins_all(event)
    assert not event.meetings.filter(round=2, first__player=players[0]).exists()
    assert not event.meetings.filter(round=2, second__player=players[0]).exists()
    assert event.meetings.filter(round=2).count() == 1


def test_an_event_can_be_finished_at_once(stage: Stage, alice: Player, crowd: Crowd) -> None:
    event = stage.started(*crowd(3))
    ended = directing.finish_now(event_id=event.pk, by=alice, now=stage.now)
    assert ended.state == State.FINISHED
    assert not event.meetings.filter(settled_at=None).exists()
    assert not Game.objects.filter(event_id=event.pk, status=Status.RUNNING).exists()
    assert {each.rank for each in event.entries.all()} == {1}


def test_an_open_event_can_be_given_more_time(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.open(least_entrants=2, starts_at=moment(stage.now, days=1))
    later = moment(stage.now, days=5)
    directing.postpone(event_id=event.pk, by=alice, starts_at=later, now=stage.now)
    stage.later(days=2)
    assert fresh(event).state == State.OPEN
    stage.enter(event, alice, bob)
    stage.later(days=4)
    assert fresh(event).state == State.RUNNING
    assert entry(event, bob).number == 2


# Taking over


@pytest.fixture
def inherited(stage: Stage, alice: Player, bob: Player) -> Callable[..., Event]:
    """An event that Bob got when Alice closed her account; the directors come after him."""

    def made(event: Event, *directors: Player) -> Event:
        for player in (bob, *directors):
            directing.appoint(event_id=event.pk, player=player, by=alice, now=stage.now)
        close_account(player=alice, now=stage.now)
        settle_closings(now=stage.now)
        return fresh(event)

    return made


def test_whoever_took_an_event_over_passes_it_on_to_the_next_director(
    stage: Stage, inherited: Callable[..., Event], bob: Player, charlie: Player
) -> None:
    event = inherited(stage.open(), charlie)
    directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    event = fresh(event)
    assert (event.organiser, event.state) == (charlie, State.OPEN)
    assert not event.directors.exists()
    assert logged(event)[-1] == "passed-on"
    with pytest.raises(NotYourEvent):
        directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    directing.step_down(event_id=event.pk, by=charlie, now=stage.now)
    assert fresh(event).state == State.CALLED_OFF


def test_without_a_director_an_event_that_was_passed_on_ends_or_goes_on_under_the_staff(
    stage: Stage, inherited: Callable[..., Event], alice: Player, bob: Player, crowd: Crowd
) -> None:
    draft, waiting = stage.draft(), stage.open()
    running = stage.started(*crowd(2), renews=True, format="league", settings={"size": 4})
    for event in (draft, waiting):
        directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    inherited(running)
    for event in (draft, waiting, running):
        directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    assert not Event.objects.filter(pk=draft.pk).exists()
    assert fresh(waiting).state == State.CALLED_OFF
    assert logged(waiting)[-1] == "organiser-stepped-down"
    running = fresh(running)
    assert (running.state, running.organiser, running.renews) == (State.RUNNING, alice, False)
    assert logged(running)[-1] == "staff-took-over"
    settle_closings(now=stage.now)
    assert logged(running)[-1] == "staff-took-over"
    with pytest.raises(NotYourEvent):
        directing.step_down(event_id=running.pk, by=bob, now=stage.now)


def test_the_next_season_of_an_event_that_was_taken_over_can_be_passed_on_too(
    stage: Stage, inherited: Callable[..., Event], bob: Player, charlie: Player, crowd: Crowd
) -> None:
    league = stage.started(*crowd(2), renews=True, format="league", settings={"size": 4})
    event = inherited(league, charlie)
    directing.finish_now(event_id=event.pk, by=bob, now=stage.now)
    following = event.seasons.get()
    directing.appoint(event_id=following.pk, player=charlie, by=bob, now=stage.now)
    directing.step_down(event_id=following.pk, by=bob, now=stage.now)
    assert fresh(following).organiser == charlie


def test_an_event_that_is_over_is_not_passed_on(
    stage: Stage, inherited: Callable[..., Event], bob: Player, charlie: Player, crowd: Crowd
) -> None:
    event = inherited(stage.started(*crowd(2)), charlie)
    directing.finish_now(event_id=event.pk, by=bob, now=stage.now)
    with pytest.raises(BadEvent, match="You cannot step down"):
        directing.step_down(event_id=event.pk, by=bob, now=stage.now)


def test_directors_are_told_when_they_are_appointed_and_when_they_take_over(
    stage: Stage, inherited: Callable[..., Event], bob: Player, charlie: Player
) -> None:
    event = inherited(stage.open(), charlie)
    stage.work()
    told = Letter.objects.filter(player__in=[bob, charlie], channel="mail").order_by("pk")
    assert [(one.player, one.details["what"]) for one in told] == [
        (bob, "appointed"), (charlie, "appointed"), (bob, "handed-over"),
    ]  # fmt: skip
    directing.step_down(event_id=event.pk, by=bob, now=stage.now)
    reasons = [topical.why_not(one, now=stage.now) for one in told]
    assert reasons == ["no-director", "no-director", "no-director"]


def test_a_letter_names_whoever_appointed_the_reader(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.open()
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    stage.work()
    letter = Letter.objects.get(player=bob, channel="mail")
    assert topical.why_not(letter, now=stage.now) is None
    message = compose(letter, now=stage.now)
    assert message.subject.endswith("You are now a director of Spring Cup")
    assert "alice appointed you." in message.body


# How often


def test_rulings_have_a_daily_budget_and_each_can_still_be_undone(
    stage: Stage, alice: Player, crowd: Crowd, api_of: Callable[..., APIClient]
) -> None:
    """All of them are of one game; staff in person rule on."""
    stage.now = timezone.now()
    meeting = stage.started(*crowd(2)).meetings.get()
    program, most = api_of(alice, "read", "organise"), BUDGETS[Act.RULING].to_one
    address = f"/api/v1/games/{meeting.game_id}/rulings"
    given = {"kind": "time", "seat": 0, "hours": 1, "reason": "Late."}
    answers = [program.post(address, given, format="json") for _ in range(most + 1)]
    assert [answer.status_code for answer in answers] == [201] * most + [429]
    refusal = answers[-1]
    assert refusal.json()["detail"].startswith(f"A game can be ruled on {most} times a day.")
    assert 0 < int(refusal["Retry-After"]) <= 24 * 3600
    for answer in answers[:-1]:
        undone = program.post(f"/api/v1/rulings/{answer.json()['id']}/undo")
        assert undone.status_code == 200
    assert Ruling.objects.exclude(undone_at=None).count() == Ruling.objects.count() == most
    dora = make_player("dora", is_staff=True)
    now = stage.now
    assert rulings.make_void(game_id=meeting.game_id, by=dora, reason="Robots.", now=now)


def test_results_that_are_ruled_again_and_again_spend_the_same_budget(
    stage: Stage, alice: Player, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = BUDGETS[Act.RULING]
    monkeypatch.setitem(BUDGETS, Act.RULING, replace(usual, to_one=2))
    event = stage.started(*crowd(3))
    begun, unbegun = event.meetings.order_by("id")[:2]
    Meeting.objects.filter(pk=unbegun.pk).update(game=None)
    for meeting in (begun, unbegun):
        rule = {"event_id": event.pk, "meeting_id": meeting.pk, "by": alice, "reason": "So."}
        for score in (0, 2):
            directing.rule(score=score, other_score=2 - score, now=stage.now, **rule)
        with pytest.raises(OverBudget):
            directing.rule(score=1, other_score=1, now=stage.now, **rule)
    assert logged(event).count("ruled") == 4


def test_an_event_that_is_finished_by_its_director_spends_nothing(
    stage: Stage, alice: Player, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = BUDGETS[Act.RULING]
    monkeypatch.setitem(BUDGETS, Act.RULING, replace(usual, in_all=1))
    event = stage.started(*crowd(3))
    directing.finish_now(event_id=event.pk, by=alice, now=stage.now)
    assert fresh(event).state == State.FINISHED


def test_what_is_changed_again_and_again_is_one_line(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.draft()
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    for by in (alice, alice, bob, alice):
        opening.change(event_id=event.pk, plan=stage.plan(name="Cup"), by=by, now=stage.now)
    assert logged(event).count("changed") == 3
    opening.open_entries(event_id=event.pk, by=alice, now=stage.now)
    later = moment(stage.now, hours=1)
    for days in (5, 6, 5):
        directing.postpone(
            event_id=event.pk, starts_at=moment(stage.now, days=days), by=alice, now=later
        )
    assert logged(event)[-2:] == ["opened", "postponed"]
    last = event.log.latest("id")
    assert last.at == later
