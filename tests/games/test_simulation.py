import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from games import dice, invariants, lobby, outbox, play, sweeps
from games.clock import PerMove
from games.events import FACTS, GameStarted, VacationChanged
from games.lobby import Terms
from games.models import (
    Challenge,
    ChatLine,
    EntryPoint,
    Game,
    Move,
    Outage,
    OutboxMessage,
    Participant,
    RatingEntry,
    Seat,
    Status,
    Vacation,
)
from games.simulation import START, Simulation
from tests.conftest import NOW


@pytest.fixture(autouse=True)
def _everything_is_heard(monkeypatch):
    """Every fact goes up, and a vacation to the clocks as well."""
    everyone = dict.fromkeys(FACTS.values(), ("tests.games.hearing.hear",))
    everyone[VacationChanged] += ("games.sweeps.recount_after_vacation",)
    monkeypatch.setattr(outbox, "subscriptions", lambda: everyone)


@pytest.mark.django_db(transaction=True, reset_sequences=True)
def test_a_small_season_leaves_everything_as_it_must_be(fate):
    told = io.StringIO()
    call_command("simulate", players=8, games=40, days=14, seed=3, stdout=told)
    assert "40 games checked: everything is as it must be." in told.getvalue()
    assert Game.objects.count() == 40
    assert Move.objects.filter(ply__gt=0).count() > 300
    assert Outage.objects.exists()


@pytest.mark.django_db(transaction=True, reset_sequences=True)
def test_every_breach_is_found(fate):
    season = Simulation(players=6, games=16, days=12, seed=5)
    season.run()
    bring_about_what_is_rare(season)
    assert list(invariants.breaches(now=season.now)) == []
    for damage, complaint in DAMAGES:
        with transaction.atomic():
            damage(season)
            # Rows whose constraints wait for the commit never get there.
            found = list(invariants.breaches(now=season.now))
            transaction.set_rollback(True)
        assert any(complaint in breach for breach in found), (complaint, found)


def bring_about_what_is_rare(season: Simulation) -> None:
    """An offer that has expired, a vacation, and a game that was lost on time."""
    person = season.people[0].player
    if not Vacation.objects.filter(player=person).exists():
        Vacation.objects.create(player=person, began_at=START, ends_at=START + timedelta(hours=1))
        play.recount_deadlines(list(games(status="running").values_list("pk", flat=True)))
    terms = Terms(ruleset="tritoc", clock=PerMove(1), lasts=timedelta(hours=1))
    lobby.seek(challenger=person, terms=terms, now=season.now)
    while not games(reason="time", status="finished").exists():
        flags = games(status="running", seats_moved=3).order_by("deadline_at")
        season.now = flags[0].deadline_at + timedelta(minutes=1)
        EntryPoint.objects.update(beat_at=season.now)
        sweeps.end_games_on_time(now=season.now)
        outbox.relay(now=season.now)
    season.now += timedelta(hours=1)
    for _ in range(2):
        EntryPoint.objects.update(beat_at=season.now)
        sweeps.end_games_on_time(now=season.now)
        sweeps.expire_challenges(now=season.now)
        outbox.relay(now=season.now)


def one(rows):
    """The first of the rows, to be changed by `update`."""
    return rows.model.objects.filter(pk=rows.order_by("pk")[0].pk)


def games(**which: object):
    return Game.objects.filter(**which)


def forget_a_seat(season: Simulation) -> None:
    one(Seat.objects.all()).delete()


def exchange_the_seed(season: Simulation) -> None:
    seed = bytes(range(32))
    one(games(throws_made__gt=5)).update(seed=seed, commitment=dice.commitment(seed))


def stand_on_another_nail(season: Simulation) -> None:
    offer = one(Challenge.objects.filter(state="accepted"))
    other = next(
        person.player
        for person in season.people
        if person.player.pk not in (offer.get().challenger_id, offer.get().opponent_id)
    )
    offer.update(opponent=other)


def write_as_a_stranger(season: Simulation) -> None:
    game = one(games()).get()
    players = game.seats.values("player")
    stranger = Participant.objects.exclude(pk__in=players).first()
    ChatLine.objects.create(game=game, author_id=stranger.pk, text="psst", written_at=season.now)


def be_away_twice(season: Simulation) -> None:
    first = Vacation.objects.filter(ends_at__gt=F("began_at")).first()
    began_at = first.began_at + (first.ends_at - first.began_at) / 2
    Vacation.objects.create(player=first.player, began_at=began_at, ends_at=season.now)


def leave_a_fact(season: Simulation) -> None:
    outbox.record(GameStarted(game_id=1), now=season.now)
    assert OutboxMessage.objects.exists()


def find_an_outage_too_late(season: Simulation) -> None:
    game = games(reason="time", status="finished").first()
    Outage.objects.create(began_at=game.clock_from, ended_at=game.ended_at)


def lose_an_entry(season: Simulation) -> None:
    one(RatingEntry.objects.all()).delete()


Damage = Callable[[Simulation], object]
DAMAGES: list[tuple[Damage, str]] = [
    (forget_a_seat, "it has not two seats"),
    (lambda season: one(Move.objects.filter(ply=1)).delete(), "its lines are not numbered"),
    (lambda season: one(Move.objects.filter(ply=1)).update(text="z9"), "cannot be replayed"),
    (lambda season: one(games()).update(position={}), "its position is not"),
    (lambda season: one(games()).update(throws_made=99), "its throws are not"),
    (lambda season: one(games(seats_moved=3)).update(seats_moved=0), "who has moved"),
    (lambda season: games(status="running").update(seat_to_move=None), "is to move, by its log"),
    (lambda season: games(status="running").update(reason="line"), "although it is over"),
    (lambda season: games(status="finished").update(draw_offered_by=0), "waits for an answer"),
    (lambda season: games(status="finished").update(reason="luck"), "cannot have ended"),
    (
        lambda season: one(games(status="finished", seats_moved=3)).update(
            status="void", score=None
        ),
        "it is void, and those who moved are 11",
    ),
    (lose_an_entry, "it is rated without an entry"),
    (lose_an_entry, "the entries are not numbered"),
    (lambda season: RatingEntry.objects.update(score=2 - F("score")), "tells of another game"),
    (lambda season: one(RatingEntry.objects.all()).update(first_after=1), "folded"),
    (lambda season: one(games(throws_made__gt=0)).update(commitment="0" * 64), "committed to"),
    (exchange_the_seed, "should be"),
    (
        lambda season: games(status="running").update(deadline_at=F("deadline_at") + timedelta(1)),
        "its flag falls at",
    ),
    (find_an_outage_too_late, "it ended on time at"),
    (
        lambda season: games(status="running").update(deadline_at=season.now - timedelta(1)),
        "and still runs",
    ),
    (leave_a_fact, "is still on its way"),
    (
        lambda season: one(Challenge.objects.filter(state="expired")).update(state="open"),
        "it should have expired",
    ),
    (lambda season: Participant.objects.update(running_games=99), "running games noted"),
    (be_away_twice, "two vacations"),
    (write_as_a_stranger, "its author does not play"),
    (stand_on_another_nail, "others play the game"),
]


def test_a_database_with_players_is_not_played_in(alice):
    with pytest.raises(CommandError, match="There are players in this database"):
        call_command("simulate", players=2, games=1, days=1)
    assert not Game.objects.exists()


def test_check_alone_plays_nothing_and_fails_on_a_breach(start):
    start(now=timezone.now())
    outbox.relay(now=timezone.now())
    told = io.StringIO()
    call_command("simulate", check=True, stdout=told)
    assert "1 games checked" in told.getvalue()
    Game.objects.update(throws_made=5)
    with pytest.raises(CommandError, match="1 breaches"):
        call_command("simulate", check=True, stderr=told)
    assert "its throws are not those of its log" in told.getvalue()


def test_the_bell_rings_again_after_a_season(db):
    ring = outbox.ring
    Simulation(players=2, games=1, days=1, seed=1).run()
    assert outbox.ring is ring
    assert connection.in_atomic_block


def test_a_draw_agreed_on_before_both_have_moved_is_no_rated_game(start, alice, bob):
    game = start()
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=NOW)
    play.accept_draw(game_id=game.pk, player_id=bob.pk, now=NOW)
    game.refresh_from_db()
    assert (game.status, game.reason, game.score) == (Status.VOID, "aborted", None)
    assert not RatingEntry.objects.exists()
