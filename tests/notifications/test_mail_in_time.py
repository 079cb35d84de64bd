"""Mail that came in time counts, however long it has to wait for a worker or for DNS."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from games import files, lobby, outages, play, record, sweeps
from games.clock import PerMove
from games.models import EntryPoint, Game, Move, WayIn
from games.refusals import TimeRanOut
from notifications import challenge_mail, inbound, letters, mail_in, reply_address, sender
from notifications.mail_body import Unreadable
from notifications.models import InboundMail, Letter
from notifications.sender import DnsIsAway, Proof
from tests.conftest import NOW, days
from tests.games.acts import both_move
from tests.notifications.mails import mail, token_of

pytestmark = pytest.mark.django_db

FLAG = NOW + days(3)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def game(start) -> Game:
    game = start("tritt-classic")
    both_move(game)
    game.refresh_from_db()
    assert game.deadline_at == FLAG
    return game


def store(game: Game, text: str, *, at, to: str = "", **headers: str) -> InboundMail:
    """It came in, and no worker has looked at it."""
    token = token_of(game, game.seat_to_move)
    to = to or reply_address.address_of(token)
    raw = mail(text, sender=token.player, to=to, **headers)
    mail_in.store(raw, recipients=[to], mail_from=token.player.email, peer="127.0.0.1")
    stored = InboundMail.objects.latest("pk")
    stored.received_at = stored.due_at = at
    stored.save()
    return stored


def status(game: Game) -> str:
    game.refresh_from_db()
    return str(game.status)


def text_of_reply(stored: InboundMail) -> str:
    return Letter.objects.get(key=f"r{stored.pk}.reply").details["said"][0]


# Waiting for a worker


def test_no_flag_falls_while_an_answer_that_came_in_time_is_unread(game):
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    assert sweeps.end_games_on_time(now=FLAG + 2 * HOUR) == 0
    inbound.read_new(now=FLAG + 2 * HOUR)
    stored.refresh_from_db()
    assert (stored.outcome, status(game)) == ("played", "running")
    line = Move.objects.get(game=game, ply=game.ply)
    assert (line.played_at, line.used) == (FLAG + 2 * HOUR, days(3) - MINUTE)


def test_the_opponent_s_time_begins_when_a_late_read_mail_is_played(game):
    """Nobody can reply to a move that nobody has read yet."""
    store(game, "c3-e5", at=FLAG - MINUTE)
    long_after = FLAG + days(4)
    inbound.read_new(now=long_after)
    game.refresh_from_db()
    assert (game.clock_from, game.deadline_at) == (long_after, long_after + days(3))
    assert sweeps.end_games_on_time(now=long_after + days(2)) == 0
    mover = game.seats.get(number=game.seat_to_move).player_id
    play.resign(game_id=game.pk, player_id=mover, now=long_after + days(2))
    assert record.verify(files.file_of(game.pk).as_json()) == []


def test_an_answer_by_the_reference_of_a_letter_counts_as_well(game):
    reference = reply_address.reference_of(token_of(game, game.seat_to_move))
    store(game, "c3-e5", at=FLAG - MINUTE, to="play@localhost", References=reference)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 0


def test_an_answer_without_a_secret_keeps_no_flag_from_falling(game):
    store(game, "c3-e5", at=FLAG - MINUTE, to="play@localhost")
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 1


def test_an_answer_that_came_too_late_keeps_no_flag_from_falling(game):
    store(game, "c3-e5", at=FLAG + MINUTE)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 1
    assert status(game) == "finished"


def test_an_answer_to_an_earlier_ply_keeps_no_flag_from_falling(game):
    token = token_of(game, game.seat_to_move, ply=game.ply - 2)
    to = reply_address.address_of(token)
    store(game, "c3-e5", at=FLAG - MINUTE, to=to)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 1


def test_a_late_move_by_web_does_not_end_a_game_whose_mail_came_in_time(game):
    store(game, "c3-e5", at=FLAG - MINUTE)
    mover = game.seats.get(number=game.seat_to_move).player_id
    with pytest.raises(TimeRanOut):
        play.submit_move(
            game_id=game.pk, player_id=mover, text="c3-e5", ply=game.ply, now=FLAG + HOUR, via="web"
        )
    assert status(game) == "running"


def test_what_asks_for_the_board_only_saves_nobody_for_longer_than_it_is_unread(game):
    store(game, "board", at=FLAG - MINUTE)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 0
    inbound.read_new(now=FLAG + HOUR)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 1


def test_many_unread_answers_keep_no_other_flag_from_falling(start, game, monkeypatch):
    monkeypatch.setattr(sweeps, "BATCH", 1)
    store(game, "c3-e5", at=FLAG - MINUTE)
    other = start("tritt-classic")
    both_move(other)
    assert sweeps.end_games_on_time(now=FLAG + HOUR) == 1
    assert (status(game), status(other)) == ("running", "finished")


# Waiting for what is known of outages


@pytest.fixture
def web_silent_since(monkeypatch):
    """Sets when the web last beat; silence is noted by the clock of the mail."""

    def silent_since(at, *, now):
        EntryPoint.objects.update_or_create(pk=WayIn.WEB, defaults={"beat_at": at})
        monkeypatch.setattr(outages, "database_now", lambda: now)

    return silent_since


def test_a_late_mail_is_not_judged_while_the_web_of_its_player_may_be_out(game, web_silent_since):
    web_silent_since(FLAG - SECOND, now=FLAG + 20 * SECOND)
    stored = store(game, "c3-e5", at=FLAG + 19 * SECOND)
    inbound.read_new(now=FLAG + 20 * SECOND)
    stored.refresh_from_db()
    assert (stored.state, stored.attempts, status(game)) == ("new", 0, "running")
    web_silent_since(FLAG - SECOND, now=FLAG + 2 * MINUTE)
    inbound.read_new(now=FLAG + 2 * MINUTE)
    stored.refresh_from_db()
    assert (stored.outcome, status(game)) == ("played", "running")
    assert Move.objects.get(game=game, ply=game.ply).played_at == FLAG + 2 * MINUTE


def test_a_late_mail_ends_its_game_once_the_web_is_known_to_have_been_up(game, web_silent_since):
    web_silent_since(FLAG - SECOND, now=FLAG + 20 * SECOND)
    stored = store(game, "c3-e5", at=FLAG + 19 * SECOND)
    inbound.read_new(now=FLAG + 20 * SECOND)
    web_silent_since(FLAG + 21 * SECOND, now=FLAG + 30 * SECOND)
    inbound.read_new(now=FLAG + 30 * SECOND)
    stored.refresh_from_db()
    assert (stored.outcome, status(game)) == ("time-ran-out", "finished")
    assert "ran out before" in text_of_reply(stored)


def test_a_held_mail_that_is_confirmed_too_early_to_judge_stays_held(game, web_silent_since):
    web_silent_since(FLAG - SECOND, now=FLAG + 20 * SECOND)
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    InboundMail.objects.update(state=InboundMail.State.HELD)
    made = inbound.confirm(stored.pk, now=FLAG + 20 * SECOND)
    assert "unless an outage" in made.said[0]
    stored.refresh_from_db()
    assert (stored.state, status(game)) == ("held", "running")


# Waiting for DNS


@pytest.fixture
def dns(monkeypatch) -> dict[str, bool]:
    """The network's names, which can be away."""
    network = {"is_away": True}

    def proof_of(message, raw):
        if network["is_away"]:
            raise DnsIsAway("no name server answers")
        return Proof.PASS

    monkeypatch.setattr(sender, "proof_of", proof_of)
    return network


def read_each_minute(since, until) -> None:
    while since < until:
        inbound.read_new(now=since)
        sweeps.end_games_on_time(now=since)
        since += MINUTE


def test_a_mail_that_waits_for_dns_is_played_when_it_comes_back(game, dns):
    stored = store(game, "c3-e5", at=FLAG - 20 * MINUTE)
    read_each_minute(FLAG - 20 * MINUTE, FLAG + 3 * HOUR)
    assert status(game) == "running"
    dns["is_away"] = False
    read_each_minute(FLAG + 3 * HOUR, FLAG + 3 * HOUR + 16 * MINUTE)
    stored.refresh_from_db()
    assert (stored.outcome, stored.attempts) == ("played", 1)
    assert status(game) == "running"
    assert "is played" in text_of_reply(stored)


def test_after_a_day_without_dns_its_player_is_asked_to_confirm(game, dns):
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    inbound.read_new(now=FLAG)
    inbound.read_new(now=FLAG + days(1))
    stored.refresh_from_db()
    assert (stored.state, stored.outcome) == ("held", "unasked")
    letter = Letter.objects.get(key=f"r{stored.pk}.held")
    assert "The game waits that long" in letter.details["said"][0]
    assert "/letters/held/" in letters.compose(letter, now=FLAG + days(1)).body


HELD_AT = FLAG + days(1)


@pytest.fixture
def held(game, dns) -> InboundMail:
    """It came in time, and nobody could be asked for a day."""
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    inbound.read_new(now=HELD_AT)
    return stored


def test_the_game_waits_a_day_for_its_player_to_confirm(game, held):
    last = HELD_AT + inbound.CONFIRMED_WITHIN
    assert sweeps.end_games_on_time(now=last) == 0
    assert not play.end_on_time(game_id=game.pk, now=last - MINUTE)
    assert sweeps.end_games_on_time(now=last + MINUTE) == 1


def test_what_is_confirmed_meanwhile_is_played_in_time(game, held):
    made = inbound.confirm(held.pk, now=HELD_AT + 23 * HOUR)
    assert (made.outcome, status(game)) == ("played", "running")
    line = Move.objects.get(game=game, ply=game.ply)
    assert line.used == days(3) - timedelta.resolution
    assert line.played_at == HELD_AT + 23 * HOUR


def test_what_is_confirmed_before_the_time_is_over_is_played_then(game, dns):
    held = store(game, "c3-e5", at=NOW + HOUR)
    inbound.read_new(now=NOW + days(1) + HOUR)
    inbound.confirm(held.pk, now=NOW + days(1) + 2 * HOUR)
    game.refresh_from_db()
    assert Move.objects.get(game=game, ply=game.ply).played_at == NOW + days(1) + 2 * HOUR


def test_what_is_confirmed_later_is_too_late(game, held):
    made = inbound.confirm(held.pk, now=HELD_AT + inbound.CONFIRMED_WITHIN)
    assert (made.outcome, status(game)) == ("time-ran-out", "finished")


def test_a_late_mail_gains_nothing_by_being_held(game, dns):
    held = store(game, "c3-e5", at=FLAG + timedelta(seconds=5))
    inbound.read_new(now=HELD_AT + MINUTE)
    made = inbound.confirm(held.pk, now=HELD_AT + HOUR)
    assert (made.outcome, status(game)) == ("time-ran-out", "finished")


@pytest.mark.parametrize("headers", [{}, {"by_its_letter": True}])
def test_a_mail_whose_sender_is_not_proved_keeps_no_flag_from_falling(
    game, dns, monkeypatch, headers
):
    """Neither one that failed the proof, nor one without a secret that could not be proved."""
    if headers:
        token = token_of(game, game.seat_to_move)
        Letter.objects.create(
            key=f"g{game.pk}.p{game.ply}.s{token.seat}.turn", kind="turn", game=game,
            seat=token.seat, ply=game.ply, player=token.player,
        )  # fmt: skip
        key = f"<g{game.pk}.p{game.ply}.s{token.seat}.turn@localhost>"
        stored = store(game, "c3-e5", at=FLAG - MINUTE, to="play@localhost", In_Reply_To=key)
    else:
        monkeypatch.setattr(sender, "proof_of", lambda *_what: Proof.FAIL)
        stored = store(game, "c3-e5", at=FLAG - MINUTE)
    inbound.read_new(now=HELD_AT)
    stored.refresh_from_db()
    assert (stored.state, stored.outcome) == ("held", "held")
    assert stored.token is not None
    assert sweeps.end_games_on_time(now=HELD_AT + MINUTE) == 1


@pytest.mark.django_db(transaction=True)
def test_dns_is_asked_while_no_transaction_is_open(game, monkeypatch):
    asked = []

    def proof_of(message, raw):
        asked.append(connection.in_atomic_block)
        return Proof.PASS

    monkeypatch.setattr(sender, "proof_of", proof_of)
    stored = store(game, "c3-e5", at=NOW + HOUR)
    inbound.read_new(now=NOW + HOUR)
    stored.refresh_from_db()
    assert (stored.outcome, asked) == ("played", [False])


# Waiting for a worker that lives

KILLED = """
import os, signal
from datetime import datetime
import django
django.setup()
from notifications import inbound
inbound._made_of = lambda *_what: os.kill(os.getpid(), signal.SIGKILL)
inbound.read_new(now=datetime.fromisoformat(os.environ["NOW"]))
"""


@pytest.mark.django_db(transaction=True)
def test_a_mail_whose_worker_was_killed_is_read_by_the_next_a_minute_later(game):
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": urlunsplit(url),
            "NOW": FLAG.isoformat(),
        },
        cwd=settings.BASE_DIR,
        timeout=120,
    )
    assert killed.returncode == -signal.SIGKILL
    assert sweeps.end_games_on_time(now=FLAG + MINUTE) == 0
    inbound.read_new(now=FLAG + MINUTE)
    stored.refresh_from_db()
    assert (stored.outcome, status(game)) == ("played", "running")


def claimed_in_vain(stored: InboundMail, times: int) -> timedelta:
    """Each time its worker dies; how long all that takes."""
    began = InboundMail.objects.get(pk=stored.pk).due_at
    for _ in range(times):
        stored.refresh_from_db()
        assert inbound._claim(stored.due_at) == stored.pk
    stored.refresh_from_db()
    return stored.due_at - began


def test_workers_that_die_are_no_errors_of_the_mail(game):
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    claimed_in_vain(stored, inbound.MOST_CLAIMS - 1)
    inbound.read_new(now=stored.due_at)
    stored.refresh_from_db()
    assert stored.outcome == "played"


def test_a_mail_that_kills_every_worker_is_set_aside_and_answered(game):
    """At most four in ten minutes, so that the process is started again each time."""
    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    took = claimed_in_vain(stored, 4)
    assert took >= timedelta(minutes=10)
    took += claimed_in_vain(stored, inbound.MOST_CLAIMS - 4)
    assert took < timedelta(hours=4)
    inbound.read_new(now=stored.due_at)
    stored.refresh_from_db()
    assert (stored.state, stored.outcome) == ("refused", "failed")
    assert "Something went wrong" in text_of_reply(stored)


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_went_away_is_no_error_of_the_mail(game, monkeypatch, caplog, error):
    def fail(*_args, **_more):
        raise error("the server does not reply")

    stored = store(game, "c3-e5", at=FLAG - MINUTE)
    with monkeypatch.context() as away:
        away.setattr("notifications.mail_acts.act", fail)
        for _ in range(inbound.MOST_ATTEMPTS + 1):
            inbound.read_new(now=stored.due_at)
            stored.refresh_from_db()
    assert "Traceback" not in caplog.text
    inbound.read_new(now=stored.due_at)
    stored.refresh_from_db()
    assert (stored.outcome, status(game)) == ("played", "running")


# Nobody is left without an answer


def test_a_mail_that_always_fails_is_answered(game, monkeypatch):
    def fail(*_args, **_more):
        raise ValueError("broken")

    monkeypatch.setattr("notifications.mail_acts.act", fail)
    stored = store(game, "c3-e5", at=NOW + HOUR)
    for day in range(1, 9):
        inbound.read_new(now=NOW + HOUR + days(day))
    stored.refresh_from_db()
    assert (stored.state, stored.outcome) == ("refused", "failed")
    assert "Something went wrong" in text_of_reply(stored)


def test_after_the_last_error_it_is_answered_at_once(game, monkeypatch):
    def fail(*_args, **_more):
        raise ValueError("broken")

    monkeypatch.setattr("notifications.mail_acts.act", fail)
    stored = store(game, "c3-e5", at=NOW + HOUR)
    for _ in range(inbound.MOST_ATTEMPTS):
        assert stored.state == "new"
        inbound.read_new(now=stored.due_at)
        stored.refresh_from_db()
    assert (stored.state, stored.outcome, stored.reason) == (
        "refused", "failed", "ValueError: broken",
    )  # fmt: skip
    assert stored.handled_at < NOW + 3 * HOUR


@pytest.mark.parametrize("trouble", ["it fails", "it cannot be read", "it is not legible"])
def test_the_answer_to_a_challenge_is_never_left_without_one(alice, bob, monkeypatch, trouble):
    def fail(*_args, **_more):
        raise ValueError("broken") if trouble == "it fails" else Unreadable("broken")

    terms = lobby.Terms(ruleset="tritoc", clock=PerMove(3), salt="of Alice")
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=terms, now=NOW)
    to = challenge_mail.address_of(offer)
    raw = mail("accept", sender=bob, to=to)
    what = "opened" if trouble == "it cannot be read" else "senders"
    if trouble == "it is not legible":
        monkeypatch.setattr("notifications.mail_reading.words_of", fail)
    else:
        monkeypatch.setattr(f"notifications.mail_body.{what}", fail)
    mail_in.store(raw, recipients=[to], mail_from=bob.email, peer="127.0.0.1")
    stored = InboundMail.objects.get()
    stored.received_at = stored.due_at = NOW + HOUR
    stored.save()
    for day in range(8):
        inbound.read_new(now=NOW + HOUR + days(day))
    stored.refresh_from_db()
    assert stored.state == "refused"
    letter = Letter.objects.get(key=f"r{stored.pk}.reply")
    assert letter.player == bob
    assert "nothing was done" in letter.details["said"][0]


def test_a_mail_that_cannot_be_read_is_answered(game):
    stored = store(game, "c3-e5", at=NOW + HOUR, X_Long="word " * 60_000)
    inbound.read_new(now=NOW + HOUR)
    stored.refresh_from_db()
    assert stored.outcome == "unreadable"
    assert "could not read your mail" in text_of_reply(stored)
