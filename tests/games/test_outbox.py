"""Facts reach every subscriber once; one who fails waits longer and blocks nobody."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.urls import reverse

from accounts.models import Player
from games import outbox, play, tasks, vacations
from games.events import ChallengeMade, GameFinished, GameStarted, MovePlayed
from games.models import Game, OutboxMessage, RatingPool
from tests.conftest import NOW, days
from tests.games import hearing

HEAR, FAIL = "tests.games.hearing.hear", "tests.games.hearing.fail"


@pytest.fixture(autouse=True)
def _nothing_heard():
    hearing.HEARD.clear()


@pytest.fixture
def subscribe(monkeypatch):
    def subscribe(subscriptions):
        monkeypatch.setattr(outbox, "subscriptions", lambda: subscriptions)

    return subscribe


def write_and_fail(fact):
    RatingPool.objects.create(key="half-done")
    raise ConnectionError("nobody is at home")


def die(fact):
    raise SystemExit("killed")


# Written


def test_a_fact_is_written_once_for_each_subscriber(db, subscribe):
    subscribe({GameStarted: (HEAR, FAIL)})
    outbox.record(GameStarted(game_id=7), GameFinished(game_id=7, reason="line"), now=NOW)
    rows = OutboxMessage.objects.order_by("id").values_list("fact", "subscriber", "payload")
    assert list(rows) == [
        ("game_started", HEAR, {"game_id": 7}),
        ("game_started", FAIL, {"game_id": 7}),
    ]


def test_a_fact_is_gone_with_what_did_not_happen(db, subscribe):
    subscribe({GameStarted: (HEAR,)})
    with transaction.atomic():
        outbox.record(GameStarted(game_id=7), now=NOW)
        transaction.set_rollback(True)
    assert not OutboxMessage.objects.exists()


def test_the_map_of_the_house_names_functions_that_exist(db):
    for subscribers in outbox.subscriptions().values():
        assert all(callable(outbox._subscriber(path)) for path in subscribers)


# Carried


def test_what_is_carried_is_the_fact_itself_and_the_row_is_gone(db, subscribe):
    subscribe({GameFinished: (HEAR,)})
    outbox.record(GameFinished(game_id=7, reason="line"), now=NOW)
    assert not outbox.relay(now=NOW, seconds=60)
    assert [GameFinished(game_id=7, reason="line")] == hearing.HEARD
    assert not OutboxMessage.objects.exists()


def test_many_are_carried_in_one_task_and_those_of_a_game_in_order(db, subscribe):
    subscribe({MovePlayed: (HEAR,)})
    moves = [MovePlayed(game_id=game, ply=ply, seat=0) for ply in range(8) for game in range(5)]
    outbox.record(*moves, now=NOW)
    tasks.relay()
    for game in range(5):
        assert [fact.ply for fact in hearing.HEARD if fact.game_id == game] == list(range(8))


def test_one_who_fails_blocks_nobody(db, subscribe):
    subscribe({GameStarted: (FAIL, HEAR)})
    outbox.record(GameStarted(game_id=1), GameStarted(game_id=2), now=NOW)
    outbox.relay(now=NOW)
    assert sorted(fact.game_id for fact in hearing.HEARD) == [1, 2]
    assert set(OutboxMessage.objects.values_list("subscriber", "attempts")) == {(FAIL, 1)}


def test_what_a_failing_subscriber_wrote_is_undone(db, subscribe):
    subscribe({GameStarted: ("tests.games.test_outbox.write_and_fail", HEAR)})
    outbox.record(GameStarted(game_id=1), now=NOW)
    outbox.relay(now=NOW)
    assert not RatingPool.objects.exists()
    assert len(hearing.HEARD) == 1


def test_a_failure_is_noted_and_waits_longer_each_time(db, subscribe):
    subscribe({GameStarted: (FAIL,)})
    outbox.record(GameStarted(game_id=1), now=NOW)
    now, pauses = NOW, []
    for _ in range(outbox.MOST_ATTEMPTS):
        outbox.relay(now=now)
        message = OutboxMessage.objects.get()
        pauses.append(message.due_at - now)
        outbox.relay(now=message.due_at - timedelta(microseconds=1))
        assert OutboxMessage.objects.get().attempts == message.attempts
        now = message.due_at
    assert pauses[:4] == [timedelta(seconds=seconds) for seconds in (10, 20, 40, 80)]
    assert max(pauses) == outbox.LONGEST_PAUSE or pauses == sorted(pauses)
    assert message.error == "ConnectionError: nobody is at home"
    outbox.relay(now=now + days(30))
    assert OutboxMessage.objects.get().attempts == outbox.MOST_ATTEMPTS


def test_one_that_works_again_is_served(db, subscribe, monkeypatch):
    subscribe({GameStarted: (FAIL,)})
    outbox.record(GameStarted(game_id=1), now=NOW)
    outbox.relay(now=NOW)
    OutboxMessage.objects.update(subscriber=HEAR)
    outbox.relay(now=NOW + timedelta(seconds=10))
    assert [GameStarted(game_id=1)] == hearing.HEARD


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(db, subscribe):
    subscribe({GameStarted: ("tests.games.test_outbox.die",)})
    outbox.record(GameStarted(game_id=1), now=NOW)
    with pytest.raises(SystemExit), transaction.atomic():
        outbox.relay(now=NOW)
    OutboxMessage.objects.update(subscriber=HEAR)
    outbox.relay(now=NOW)
    assert [GameStarted(game_id=1)] == hearing.HEARD


# The bell


def test_the_bell_rings_after_the_commit_and_once(
    db, subscribe, monkeypatch, django_capture_on_commit_callbacks
):
    rung = []
    monkeypatch.setattr(tasks.relay, "delay", lambda: rung.append(1))
    subscribe({GameStarted: (HEAR,)})
    with django_capture_on_commit_callbacks(execute=True):
        outbox.record(GameStarted(game_id=1), now=NOW)
        outbox.record(GameStarted(game_id=2), now=NOW)
        assert rung == []
    assert rung == [1]
    outbox.relay(now=NOW)
    with django_capture_on_commit_callbacks(execute=True):
        outbox.record(GameStarted(game_id=3), now=NOW)
    assert rung == [1, 1]


def test_a_broken_bell_costs_nothing_but_time(
    db, subscribe, monkeypatch, django_capture_on_commit_callbacks
):
    def broken():
        raise ConnectionError("no Redis")

    monkeypatch.setattr(tasks.relay, "delay", broken)
    subscribe({GameStarted: (HEAR,)})
    with django_capture_on_commit_callbacks(execute=True):
        outbox.record(GameStarted(game_id=1), now=NOW)
    tasks.relay()
    assert len(hearing.HEARD) == 1


# What is stuck


@pytest.fixture
def stuck(db, subscribe):
    subscribe({ChallengeMade: (FAIL,), GameStarted: (FAIL,)})
    outbox.record(ChallengeMade(challenge_id=1), GameStarted(game_id=2), now=NOW)
    OutboxMessage.objects.filter(fact="challenge_made").update(
        attempts=12, error="ConnectionError: nobody is at home"
    )
    return OutboxMessage.objects.get(fact="challenge_made")


def test_what_has_often_failed_is_stuck(stuck):
    assert list(outbox.stuck()) == [stuck]


def test_staff_see_what_is_stuck_and_why(staff, stuck):
    page = staff.get(reverse("admin:games_outboxmessage_changelist"), {"stuck": "yes"})
    assert "nobody is at home" in page.text
    assert list(page.context["cl"].result_list) == [stuck]


def test_staff_have_it_tried_again(staff, stuck):
    chosen = {"action": "try_again_now", "_selected_action": [stuck.pk]}
    page = staff.post(reverse("admin:games_outboxmessage_changelist"), chosen, follow=True)
    assert "1 message is tried again." in page.text
    stuck.refresh_from_db()
    assert stuck.attempts == 0


def test_nobody_changes_a_message_by_hand(staff, stuck):
    address = reverse("admin:games_outboxmessage_change", args=[stuck.pk])
    assert staff.post(address, {"fact": "game_finished"}).status_code == 403
    assert (
        staff.post(reverse("admin:games_outboxmessage_delete", args=[stuck.pk])).status_code == 403
    )
    assert staff.get(reverse("admin:games_outboxmessage_add")).status_code == 403


# Several games in one transaction


def test_a_vacation_moves_the_deadlines_of_all_games_in_order_of_their_ids(
    start, alice, monkeypatch
):
    """Two players who go on vacation at once would wait for each other in any other order."""
    games = [start() for _ in range(3)]
    Game.objects.filter(pk=games[0].pk).update(opening="moved to the end of the table")
    OutboxMessage.objects.all().delete()
    Player.objects.update(joined_at=NOW - days(300))
    vacations.begin(player_id=alice.pk, now=NOW)
    recounted = []
    recount = play.recount_deadline

    def watched(game_id):
        recounted.append(game_id)
        recount(game_id)

    monkeypatch.setattr(play, "recount_deadline", watched)
    outbox.relay(now=NOW)
    assert recounted == [game.pk for game in games]
    for game in games:
        assert Game.objects.get(pk=game.pk).deadline_at > game.deadline_at
    assert not OutboxMessage.objects.exists()
