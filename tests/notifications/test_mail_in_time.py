"""Mail that came in time counts, however long it has to wait for a worker or for DNS."""

from datetime import timedelta

import pytest
from django.db import connection

from games import outages, play, sweeps
from games.models import EntryPoint, Game, Move, WayIn
from games.refusals import TimeRanOut
from notifications import inbound, mail_in, reply_address, sender
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
    InboundMail.objects.filter(pk=stored.pk).update(received_at=at, due_at=at)
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
    assert Move.objects.get(game=game, ply=game.ply).played_at == FLAG - MINUTE


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
    assert Move.objects.get(game=game, ply=game.ply).played_at == FLAG + 19 * SECOND


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
    assert (stored.state, stored.outcome) == ("held", "held")
    assert Letter.objects.filter(key=f"r{stored.pk}.held").exists()
    assert sweeps.end_games_on_time(now=FLAG + days(1)) == 1


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


def test_a_mail_that_cannot_be_read_is_answered(game):
    stored = store(game, "c3-e5", at=NOW + HOUR, X_Long="word " * 60_000)
    inbound.read_new(now=NOW + HOUR)
    stored.refresh_from_db()
    assert stored.outcome == "unreadable"
    assert "could not read your mail" in text_of_reply(stored)
