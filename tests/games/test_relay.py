"""Several relays at once: in order within a game, nobody waits for another, nothing is lost."""

import threading
import time
from dataclasses import fields

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import outbox
from games.events import GameStarted, MovePlayed
from games.models import OutboxMessage, RatingPool
from notifications.models import Letter
from tests import deadlocks
from tests.conftest import NOW
from tests.games import hearing
from tests.games.acts import as_stored, move
from tests.games.threads import Meanwhile, at_once

HERE = "tests.games.test_relay"
MOST_STATEMENTS = 12
"""For a move: BEGIN and COMMIT are not counted."""


@pytest.fixture(autouse=True)
def _nothing_heard():
    hearing.HEARD.clear()
    ENTERED.clear()
    LEAVE.clear()
    BUSY.clear()
    MET.clear()


@pytest.fixture
def subscribe(monkeypatch):
    def subscribe(*subscribers):
        kinds = dict.fromkeys((MovePlayed, GameStarted), subscribers)
        monkeypatch.setattr(outbox, "subscriptions", lambda: kinds)

    return subscribe


# Subscribers

ENTERED, LEAVE = threading.Event(), threading.Event()
BUSY: set[int] = set()
MET: list[int] = []


def hear_alone_in_its_game(fact):
    """Notes whoever comes while another is there for the same game."""
    if fact.game_id in BUSY:
        MET.append(fact.game_id)
    BUSY.add(fact.game_id)
    time.sleep(0.002)
    hearing.HEARD.append(fact)
    BUSY.discard(fact.game_id)


def wait_in_the_first_game(fact):
    if fact.game_id == 1:
        ENTERED.set()
        assert LEAVE.wait(20)
    hearing.HEARD.append(fact)


def write(fact):
    RatingPool.objects.create(key=f"{fact.game_id}")


def write_and_fail_in_the_third_game(fact):
    write(fact)
    if fact.game_id == 3:
        raise ConnectionError("nobody is at home")


def write_and_die_in_the_third_game(fact):
    write(fact)
    if fact.game_id == 3:
        raise SystemExit("killed")


def take_a_moment(fact):
    time.sleep(0.05)
    hearing.HEARD.append(fact)


def written() -> set[str]:
    return set(RatingPool.objects.values_list("key", flat=True))


# Order


@pytest.mark.django_db(transaction=True)
def test_three_workers_carry_the_facts_of_a_game_in_order_and_one_at_a_time(subscribe):
    subscribe(f"{HERE}.hear_alone_in_its_game")
    for ply in range(80):
        outbox.record(*(MovePlayed(game_id=n, ply=ply, seat=0) for n in range(4)), now=NOW)
    assert at_once(*[lambda: outbox.relay(now=NOW)] * 3) == [False] * 3
    assert MET == []
    for game in range(4):
        assert [fact.ply for fact in hearing.HEARD if fact.game_id == game] == list(range(80))
    assert not OutboxMessage.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_slow_subscriber_of_one_game_holds_up_no_other(subscribe):
    subscribe(f"{HERE}.wait_in_the_first_game")
    outbox.record(MovePlayed(game_id=1, ply=1, seat=0), now=NOW)
    slow = Meanwhile(lambda: outbox.relay(now=NOW)).begin()
    assert ENTERED.wait(20)
    later = [MovePlayed(game_id=game, ply=2, seat=1) for game in range(1, 6)]
    outbox.record(*later, now=NOW)
    assert not outbox.relay(now=NOW)
    assert sorted(fact.game_id for fact in hearing.HEARD) == [2, 3, 4, 5]
    LEAVE.set()
    slow.end()
    assert [fact.ply for fact in hearing.HEARD if fact.game_id == 1] == [1, 2]


def test_later_facts_of_a_game_pass_one_that_failed(db, subscribe, monkeypatch):
    subscribe("tests.games.hearing.fail")
    outbox.record(MovePlayed(game_id=1, ply=1, seat=0), now=NOW)
    outbox.relay(now=NOW)
    subscribe("tests.games.hearing.hear")
    outbox.record(MovePlayed(game_id=1, ply=2, seat=1), now=NOW)
    outbox.relay(now=NOW)
    assert [fact.ply for fact in hearing.HEARD] == [2]


def test_every_fact_names_first_what_it_is_about(db):
    for kind in outbox.subscriptions():
        assert fields(kind)[0].name.endswith("_id")


# Failures


@pytest.mark.django_db(transaction=True)
def test_one_that_fails_takes_nothing_of_others_with_it(subscribe):
    subscribe("tests.games.hearing.hear", f"{HERE}.write_and_fail_in_the_third_game")
    outbox.record(*(GameStarted(game_id=number) for number in range(6)), now=NOW)
    outbox.relay(now=NOW)
    assert written() == {"0", "1", "2", "4", "5"}
    (left,) = OutboxMessage.objects.all()
    assert (left.payload, left.attempts) == ({"game_id": 3}, 1)
    assert left.due_at == NOW + outbox.FIRST_PAUSE


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_its_fact_and_keeps_what_it_has_carried(subscribe, monkeypatch):
    """What was carried before is not carried again: it would be written twice, and fail."""
    monkeypatch.setattr(outbox, "randbelow", lambda _queues: 0)
    subscribe(f"{HERE}.write_and_die_in_the_third_game")
    outbox.record(*(GameStarted(game_id=number) for number in range(6)), now=NOW)
    before = [n for n in range(6) if queue(n) < queue(3)]
    with pytest.raises(SystemExit):
        outbox.relay(now=NOW)
    assert written() == {str(number) for number in before}
    assert OutboxMessage.objects.count() == 6 - len(before)
    OutboxMessage.objects.update(subscriber=f"{HERE}.write")
    outbox.relay(now=NOW)
    assert written() == {str(number) for number in range(6)}
    assert not OutboxMessage.objects.exists()


def queue(game_id: int) -> int:
    return outbox.queue_of(GameStarted(game_id=game_id))


# Time


def test_a_relay_ends_when_its_time_is_over_and_says_that_there_is_more(db, subscribe):
    subscribe(f"{HERE}.take_a_moment")
    outbox.record(*(GameStarted(game_id=number) for number in range(8)), now=NOW)
    assert outbox.relay(now=NOW, seconds=0)
    assert len(hearing.HEARD) == 1
    assert outbox.relay(now=NOW, seconds=0.12)
    assert 2 <= len(hearing.HEARD) <= 5
    assert not outbox.relay(now=NOW, seconds=60)
    assert len(hearing.HEARD) == 8


def test_the_last_fact_in_the_last_moment_leaves_nothing(db, subscribe):
    subscribe("tests.games.hearing.hear")
    outbox.record(GameStarted(game_id=1), now=NOW)
    assert not outbox.relay(now=NOW, seconds=0)


def test_a_fact_is_found_by_an_index_however_many_wait(db):
    OutboxMessage.objects.bulk_create(
        OutboxMessage(fact="game_started", subscriber="x", payload={}, queue=n % 7, due_at=NOW)
        for n in range(20_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE games_outboxmessage")
        for statement in (outbox.FRESH, outbox.RETRY):
            params = {"now": NOW, "queue": 3, "due_at": NOW, "id": 0}
            cursor.execute(f"EXPLAIN {statement}", params)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan on games_outboxmessage" not in plan
            assert "Index Scan using outbox_" in plan


# With everyone listening


@pytest.mark.whole_house
def test_a_move_is_told_in_few_statements(start, alice):
    game = start()
    move(game)
    outbox.relay(now=timezone.now())
    move(game)
    with CaptureQueriesContext(
        connection,
    ) as statements:
        assert next(outbox._carry_fresh(timezone.now()))
    told = Letter.objects.filter(game=game, ply=as_stored(game).ply)
    assert {"turn", "reminder"} >= set(told.values_list("kind", flat=True)) >= {"turn"}
    asked = [one["sql"] for one in statements if "SAVEPOINT" not in one["sql"]]
    assert len(asked) <= MOST_STATEMENTS, "\n".join(asked)


@pytest.mark.whole_house
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.long)])
def test_three_workers_and_players_never_wait_for_each_other_in_a_circle(
    start, seconds, caplog, monkeypatch
):
    """Letters of few games are written, put away and armed all at once.

    A victim would be repeated and leave no trace in our log, so PostgreSQL is asked.
    """
    monkeypatch.setattr(outbox, "ring", lambda: None)
    until = time.monotonic() + seconds

    def work():
        while time.monotonic() < until:
            outbox.relay(now=timezone.now(), seconds=0.5)

    def play():
        games = [start("tritt-classic") for _ in range(3)]
        while time.monotonic() < until:
            games = [game if as_stored(game).is_running else start() for game in games]
            for game in games:
                move(game)

    with deadlocks.none():
        threads = [Meanwhile(work).begin() for _ in range(3)]
        play()
        for thread in threads:
            assert thread.end() is None
        outbox.relay(now=timezone.now())
    assert not OutboxMessage.objects.exists()
    assert [one for one in caplog.records if one.name == "games.outbox"] == []
    connections.close_all()
