"""Whatever happens at the same time happens once, in some order, and to nobody's harm.

Every test here has been seen to fail without the lock or the constraint that it is about.
"""

import time
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection, transaction

from games import elo, files, importing, lobby, outbox, play, ratings, starting, sweeps, talk
from games.clock import PerMove
from games.elo import Result
from games.events import GameStarted
from games.lobby import Terms
from games.models import (
    Challenge,
    ChatLine,
    Game,
    ImportedGame,
    Move,
    OutboxMessage,
    Participant,
    RatingEntry,
    Status,
)
from games.play import Played
from games.refusals import StalePly, TimeRanOut, TooLate, TooMany
from games.table import lock
from tests.conftest import NOW, days, make_player
from tests.games import hearing
from tests.games.acts import (
    as_stored,
    both_move,
    position_of,
    replayed,
    resigned_by,
    submit,
    submit_within,
)
from tests.games.threads import Meanwhile, at_once

pytestmark = pytest.mark.django_db(transaction=True)

FLAG = NOW + days(3)
TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))


def kinds(answers):
    return sorted(type(answer).__name__ for answer in answers)


@pytest.fixture
def game(start):
    """Both have moved; Alice is to move at ply 2."""
    game = start()
    both_move(game)
    return game


@pytest.fixture
def moves(game):
    return [str(move) for move in position_of(game).legal_moves()[:4]]


# Moves


def test_a_move_submitted_twice_at_once_is_one_line_with_one_answer(game, alice, moves):
    answers = at_once(*[lambda: submit(game, alice, moves[0], ply=2)] * 4)
    assert {type(answer) for answer in answers} == {Played}
    assert all(answer == answers[0] for answer in answers)
    assert Move.objects.filter(game=game).count() == 4
    assert as_stored(game).ply == 3


def test_of_several_moves_at_once_one_is_played_and_the_rest_refused(game, alice, moves):
    answers = at_once(*[lambda text=text: submit(game, alice, text, ply=2) for text in moves])
    assert kinds(answers) == ["Played", "StalePly", "StalePly", "StalePly"]
    assert as_stored(game).ply == 3
    assert position_of(game) == replayed(game)


def test_a_move_that_waited_for_the_lock_sees_what_happened_meanwhile(game, alice, moves):
    with transaction.atomic():
        lock(game.pk)
        other = Meanwhile(lambda: submit(game, alice, moves[1], ply=2)).begin()
        other.wait_until_it_waits()
        submit_within(game, alice, moves[0], ply=2)
    assert isinstance(other.end(), StalePly)
    assert Move.objects.get(game=game, ply=3).text == moves[0]


def test_the_log_itself_has_no_room_for_two_moves_of_one_ply(game):
    line = Move.objects.get(game=game, ply=2)
    line.pk = None
    with pytest.raises(Exception, match="one_move_a_ply"):
        line.save(force_insert=True)


# Moves against the flag


def test_a_move_that_arrived_in_time_wins_however_long_it_waited(game, alice, moves):
    """The flag has fallen while it waited, and a sweep passes before it gets through."""
    with transaction.atomic():
        lock(game.pk)
        late = Meanwhile(
            lambda: submit(game, alice, moves[0], ply=2, now=FLAG - timedelta(seconds=1))
        ).begin()
        late.wait_until_it_waits()
        sweep = Meanwhile(lambda: sweeps.end_games_on_time(now=FLAG + timedelta(minutes=1))).begin()
        assert sweep.end() == 0
    assert isinstance(late.end(), Played)
    assert as_stored(game).is_running
    assert as_stored(game).deadline_at == FLAG - timedelta(seconds=1) + days(3)


def test_a_move_that_arrived_late_loses_even_if_it_gets_the_lock_first(game, alice, moves):
    answers = at_once(
        lambda: submit(game, alice, moves[0], ply=2, now=FLAG + timedelta(seconds=1)),
        lambda: sweeps.end_games_on_time(now=FLAG + timedelta(minutes=1)),
    )
    assert "Played" not in kinds(answers)
    over = as_stored(game)
    assert (over.status, over.reason, over.ply) == (Status.FINISHED, "time", 2)
    assert RatingEntry.objects.count() == 1


def test_a_move_and_the_sweep_that_meet_leave_one_ending_or_one_move(game, alice, moves):
    """Both orders are right; what may not be is both."""
    move, ended = at_once(
        lambda: submit(game, alice, moves[0], ply=2, now=FLAG - timedelta(seconds=1)),
        lambda: sweeps.end_games_on_time(now=FLAG + timedelta(minutes=1)),
    )
    after = as_stored(game)
    if isinstance(move, Played):
        assert (ended, after.is_running, after.ply) == (0, True, 3)
    else:
        assert (ended, after.is_running, after.ply) == (1, False, 2)
    assert Participant.objects.get(player=alice).running_games == after.is_running


# Sweeps


def test_two_sweeps_at_once_end_every_game_once(start, alice, bob, everything_is_heard):
    games = [start() for _ in range(12)]
    for game in games:
        both_move(game)
    OutboxMessage.objects.all().delete()
    ended = at_once(*[lambda: sweeps.end_games_on_time(now=FLAG + days(1))] * 3)
    assert sum(ended) == len(games)
    assert Game.objects.filter(status=Status.FINISHED).count() == len(games)
    assert OutboxMessage.objects.filter(fact="game_finished").count() == len(games)
    assert RatingEntry.objects.count() == 1
    assert set(Participant.objects.values_list("running_games", flat=True)) == {0}


def test_a_sweep_passes_over_a_game_that_somebody_holds(game, start):
    other = start()
    both_move(other)
    with transaction.atomic():
        lock(game.pk)
        sweep = Meanwhile(lambda: sweeps.end_games_on_time(now=FLAG + days(1))).begin()
        assert sweep.end() == 1
    assert as_stored(game).is_running
    assert not as_stored(other).is_running


# Ratings


def test_endings_at_once_in_one_pool_give_the_serial_result(start):
    people = [make_player(f"player{number}") for number in range(6)]
    pairs = [(a, b) for a in people for b in people if a != b][:16]
    games = [start("tritt-classic", *pair) for pair in pairs]
    for game in games:
        both_move(game)

    def give_up(game, players):
        play.resign(game_id=game.pk, player_id=players[game.pk % 2].pk, now=NOW + days(1))

    for some in (slice(0, 8), slice(8, 16)):
        acts = [
            lambda game=game, pair=pair: give_up(game, pair)
            for game, pair in zip(games[some], pairs[some], strict=True)
        ]
        assert at_once(*acts) == [None] * 8
    entries = list(RatingEntry.objects.order_by("number"))
    assert [entry.number for entry in entries] == list(range(1, 17))
    serial = elo.fold(
        Result(entry.first_id, entry.second_id, entry.score, entry.rated_at) for entry in entries
    )
    for entry, (first, second) in zip(entries, serial, strict=True):
        assert entry.first_after == first.after.rating
        assert entry.second_after == second.after.rating
    assert ratings.mismatches() == []


def test_a_game_resigned_by_both_at_once_ends_once(game, alice, bob):
    answers = at_once(
        *[
            lambda player=player: play.resign(game_id=game.pk, player_id=player.pk, now=NOW)
            for player in (alice, bob)
        ]
    )
    assert kinds(answers) == ["GameIsOver", "NoneType"]
    assert RatingEntry.objects.count() == 1
    assert Participant.objects.get(player=alice).running_games == 0


# The lobby


def test_of_two_who_accept_one_seek_at_once_one_has_the_game(alice, bob, charlie):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    answers = at_once(
        *[
            lambda player=player: lobby.accept(challenge_id=offer.pk, player=player, now=NOW)
            for player in (bob, charlie)
        ]
    )
    assert kinds(answers) == ["Game", "TooLate"]
    assert Game.objects.count() == 1
    assert Participant.objects.get(player=alice).running_games == 1


def test_accepting_twice_at_once_is_one_game(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    accept = [lambda: lobby.accept(challenge_id=offer.pk, player=bob, now=NOW)] * 2
    first, second = at_once(*accept)
    assert first == second == Game.objects.get()


def test_an_offer_withdrawn_and_accepted_at_once_is_one_or_the_other(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    withdrawn, accepted = at_once(
        lambda: lobby.withdraw(challenge_id=offer.pk, player=alice, now=NOW),
        lambda: lobby.accept(challenge_id=offer.pk, player=bob, now=NOW),
    )
    assert isinstance(withdrawn, TooLate) != isinstance(accepted, TooLate)
    assert Game.objects.count() == (1 if isinstance(accepted, Game) else 0)


def test_two_who_want_a_rematch_at_once_are_in_one_game(start, alice, bob):
    over = resigned_by(alice, start())
    answers = at_once(
        *[
            lambda player=player: lobby.offer_rematch(player=player, game_id=over.pk, now=NOW)
            for player in (alice, bob)
        ]
    )
    assert kinds(answers) == ["Challenge", "Challenge"]
    assert Challenge.objects.get().state == "accepted"
    assert Game.objects.count() == 2


def test_nobody_gets_more_games_than_he_may_by_accepting_at_once(alice, bob, charlie, monkeypatch):
    monkeypatch.setattr(starting, "MOST_RUNNING_GAMES", 2)
    offers = [
        lobby.seek(challenger=challenger, terms=TERMS, now=NOW)
        for challenger in (alice, charlie)
        for _ in range(2)
    ]
    answers = at_once(
        *[
            lambda offer=offer: lobby.accept(challenge_id=offer.pk, player=bob, now=NOW)
            for offer in offers
        ]
    )
    assert kinds(answers) == ["Game", "Game", "TooMany", "TooMany"]
    assert Participant.objects.get(player=bob).running_games == 2


def test_nobody_makes_more_offers_than_he_may_at_once(alice, monkeypatch):
    monkeypatch.setattr(lobby, "MOST_OPEN_CHALLENGES", 2)
    answers = at_once(*[lambda: lobby.seek(challenger=alice, terms=TERMS, now=NOW)] * 4)
    assert kinds(answers) == ["Challenge", "Challenge", "TooMany", "TooMany"]


def test_two_sweeps_expire_an_offer_once(alice, everything_is_heard):
    for _ in range(6):
        lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    expired = at_once(*[lambda: sweeps.expire_challenges(now=NOW + days(8))] * 2)
    assert sum(expired) == 6
    assert OutboxMessage.objects.filter(fact="challenge_answered").count() == 6


# Talk


def test_two_lines_at_once_count_against_the_limit(game, alice, monkeypatch):
    monkeypatch.setattr(talk, "MOST_LINES", 2)
    answers = at_once(
        *[lambda: talk.say(game_id=game.pk, player_id=alice.pk, text="hello", now=NOW)] * 4
    )
    assert kinds(answers) == ["ChatLine", "ChatLine", "TooMany", "TooMany"]
    assert ChatLine.objects.count() == 2


# The outbox


def hear_slowly(fact):
    time.sleep(0.01)
    hearing.HEARD.append(fact)


def subscribe(monkeypatch, *subscribers):
    hearing.HEARD.clear()
    monkeypatch.setattr(outbox, "subscriptions", lambda: {GameStarted: subscribers})


def test_two_relays_never_carry_one_message_twice(monkeypatch):
    subscribe(monkeypatch, "tests.games.test_concurrency.hear_slowly")
    outbox.record(*(GameStarted(game_id=number) for number in range(40)), now=NOW)
    assert at_once(*[lambda: outbox.relay(now=NOW)] * 3) == [False] * 3
    assert sorted(fact.game_id for fact in hearing.HEARD) == list(range(40))
    assert not OutboxMessage.objects.exists()


def test_a_failing_subscriber_blocks_nobody_while_others_work(monkeypatch):
    subscribe(monkeypatch, "tests.games.hearing.fail", "tests.games.test_concurrency.hear_slowly")
    outbox.record(*(GameStarted(game_id=number) for number in range(10)), now=NOW)
    at_once(*[lambda: outbox.relay(now=NOW)] * 2)
    assert sorted(fact.game_id for fact in hearing.HEARD) == list(range(10))
    waiting = OutboxMessage.objects.all()
    assert {message.attempts for message in waiting} == {1}
    assert {message.due_at for message in waiting} == {NOW + outbox.FIRST_PAUSE}


def test_a_message_is_found_when_its_worker_was_killed_before_the_bell(start, monkeypatch):
    subscribe(monkeypatch, "tests.games.hearing.hear")

    def killed():
        raise SystemExit

    monkeypatch.setattr(outbox, "ring", killed)
    with pytest.raises(SystemExit):
        start()
    game = Game.objects.get()
    outbox.relay(now=NOW)
    assert [GameStarted(game_id=game.pk)] == hearing.HEARD


def test_a_message_is_found_when_its_connection_died_in_the_middle_of_a_relay(monkeypatch):
    subscribe(monkeypatch, "tests.games.test_concurrency.cut_the_connection")
    outbox.record(GameStarted(game_id=1), now=NOW)
    Meanwhile(lambda: outbox.relay(now=NOW)).begin().end()
    OutboxMessage.objects.update(subscriber="tests.games.hearing.hear")
    outbox.relay(now=NOW + timedelta(seconds=10))
    assert [GameStarted(game_id=1)] == hearing.HEARD


def cut_the_connection(fact):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_an_emptied_redis_loses_nothing(game, start, alice, moves, monkeypatch):
    subscribe(monkeypatch, "tests.games.hearing.hear")
    second = start()
    assert cache.get(outbox.BELL)
    cache.clear()
    submit(game, alice, moves[0], ply=2)
    third = start()
    cache.clear()
    outbox.relay(now=NOW)
    assert sorted(fact.game_id for fact in hearing.HEARD) == [second.pk, third.pk]
    assert sweeps.end_games_on_time(now=FLAG + days(1)) == 3
    assert Game.objects.filter(status=Status.RUNNING).count() == 0


def test_a_late_move_and_a_sweep_at_once_end_the_game_once(game, alice, moves):
    answers = at_once(
        *[lambda: submit(game, alice, moves[0], ply=2, now=FLAG + days(1))] * 2,
        lambda: sweeps.end_games_on_time(now=FLAG + days(1)),
    )
    assert as_stored(game).reason == "time"
    assert RatingEntry.objects.count() == 1
    assert Participant.objects.get(player=alice).running_games == 0
    assert not any(isinstance(answer, Played) for answer in answers)
    assert {type(a) for a in answers[:2]} <= {TimeRanOut, play.GameIsOver}


def test_two_invitations_of_one_stranger_at_once_are_one_letter(alice, bob):
    def invite(challenger):
        return lobby.invite_by_email(
            challenger=challenger, email="dora@example.org", terms=TERMS, now=NOW
        )

    answers = at_once(lambda: invite(alice), lambda: invite(bob))
    assert sorted(type(answer).__name__ for answer in answers) == ["Challenge", "OverBudget"]


def test_two_files_at_once_do_not_both_take_the_last_place(start, charlie, monkeypatch):
    monkeypatch.setattr(importing, "MOST_KEPT", 1)
    first, second = (files.file_of(start().pk).as_json() for _ in range(2))

    def take_in(data):
        return importing.take_in(owner=charlie, data=data, now=NOW)

    answers = at_once(*[lambda: take_in(first)] * 2, *[lambda: take_in(second)] * 2)
    assert ImportedGame.objects.count() == 1
    assert sum(isinstance(answer, TooMany) for answer in answers) == 2
    assert sum(is_new for _kept, is_new in (a for a in answers if isinstance(a, tuple))) == 1
