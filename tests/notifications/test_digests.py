"""Several letters to one player become one."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from notifications import digests, topical
from notifications.models import Habits, Kind, Letter, Preference
from notifications.unsubscribe import kind_of
from tests.conftest import NOW, days
from tests.games.acts import move
from tests.games.threads import Meanwhile, at_once
from tests.notifications.mail_peer import DROP, listening
from tests.notifications.posting import DUE, PAUSE, again, outcome, send, write_news, write_turn

SEVEN = datetime(2026, 3, 3, 6, tzinfo=UTC)
"""In Berlin."""
HOUR = timedelta(hours=1)


@pytest.fixture
def reader(alice):
    """Wants turns and news once a day."""
    for kind in (Kind.EVENT, Kind.TURN):
        Preference.objects.create(player=alice, kind=kind, timing="digest")
    return alice


@pytest.fixture
def peer(settings):
    with listening() as peer:
        peer.take_mail_of(settings)
        yield peer


def the_digest() -> Letter:
    return Letter.objects.get(kind=Kind.DIGEST)


# The digest


def test_what_waits_for_the_digest_comes_in_one_letter_at_its_hour(reader, start, mailoutbox):
    letters = [write_news(reader, "v1.news"), write_turn(start())]
    send(SEVEN - timedelta(seconds=1))
    assert mailoutbox == []
    send(SEVEN)
    (message,) = mailoutbox
    assert message.extra_headers["Message-ID"].startswith(f"<d{reader.pk}-2026-03-03.digest@")
    assert [outcome(one) for one in letters] == [("sent", "")] * 2
    assert {again(one).carried_by for one in letters} == {the_digest()}
    assert the_digest().details["letters"] == [one.pk for one in letters]


def test_the_next_day_has_a_digest_of_its_own(reader, mailoutbox):
    write_news(reader, "v1.news")
    send(SEVEN)
    write_news(reader, "v2.news", now=SEVEN + HOUR)
    send(SEVEN + days(1))
    assert len(mailoutbox) == 2


def test_there_is_no_digest_without_anything_in_it(reader, mailoutbox):
    send(SEVEN)
    assert mailoutbox == []


def test_what_is_played_meanwhile_is_not_in_the_digest(reader, start, mailoutbox):
    game = start()
    letter, news = write_turn(game), write_news(reader)
    move(game)
    send(SEVEN)
    assert (outcome(letter), outcome(news)) == (("cancelled", "played"), ("sent", ""))
    assert the_digest().details["letters"] == [news.pk]


def test_a_digest_of_which_nothing_is_left_is_not_sent(reader, start, mailoutbox):
    game = start()
    letter = write_turn(game)
    move(game)
    send(SEVEN)
    assert (mailoutbox, Letter.objects.count()) == ([], 1)
    assert outcome(letter) == ("cancelled", "played")


def test_a_digest_that_is_overtaken_on_its_way_is_cancelled(reader, start, mailoutbox):
    game = start()
    letter = write_turn(game)
    digests.gather(now=SEVEN)
    move(game)
    send(SEVEN)
    assert mailoutbox == []
    assert (outcome(letter), outcome(the_digest())) == (
        ("cancelled", "played"),
        ("cancelled", "nothing-left"),
    )


def test_whoever_moves_the_hour_gets_no_second_digest_that_day(reader, mailoutbox):
    write_news(reader, "v1.news")
    send(SEVEN)
    late = write_news(reader, "v2.news", now=SEVEN + HOUR)
    Habits.objects.create(player=reader, digest_hour=20)
    evening = SEVEN + 13 * HOUR
    Letter.objects.filter(pk=late.pk).update(due_at=evening)
    send(evening)
    assert (len(mailoutbox), again(late).due_at) == (1, evening + days(1))
    send(evening + days(1))
    assert (len(mailoutbox), outcome(late)) == (2, ("sent", ""))


def test_the_day_of_a_digest_is_the_players_own(reader, mailoutbox):
    reader.zone = "Pacific/Auckland"
    reader.save()
    write_news(reader)
    send(NOW + days(1))
    assert the_digest().key == f"d{reader.pk}-2026-03-04.digest"


def test_two_workers_make_one_digest(transactional_db, reader):
    letters = [write_news(reader, f"v{number}.news") for number in range(4)]
    made = at_once(*[lambda: digests.gather(now=SEVEN)] * 3)
    assert sorted(made) == [0, 0, 1]
    assert the_digest().details["letters"] == [one.pk for one in letters]


def test_a_second_worker_waits_for_the_first_and_finds_nothing_left(transactional_db, reader):
    write_news(reader)
    with transaction.atomic():
        assert digests.make_digest(reader, SEVEN)
        second = Meanwhile(lambda: digests.make_digest(reader, SEVEN)).begin()
        second.wait_until_it_waits()
    assert second.end() is None


def test_a_digest_that_does_not_get_through_is_tried_again_with_the_same_letters(
    reader, peer, mailoutbox
):
    letter = write_news(reader)
    peer.answers = ["451 4.3.0 busy", DROP]
    for hour in range(4):
        send(SEVEN + hour * HOUR)
    assert len(set(peer.message_ids)) == 1
    assert outcome(letter) == outcome(the_digest()) == ("sent", "")


def test_what_becomes_of_a_digest_becomes_of_all_in_it(reader, peer):
    letter = write_news(reader)
    peer.answers = ["550 5.7.1 go away"]
    send(SEVEN)
    assert outcome(letter) == outcome(the_digest()) == ("refused", "refused")


# Turns close together


def test_turns_close_together_come_in_one_letter(start, mailoutbox):
    letters = [write_turn(start()), write_turn(start(), now=NOW + PAUSE / 2)]
    send()
    assert len(mailoutbox) == 1
    assert [outcome(one) for one in letters] == [("sent", "")] * 2
    send(DUE + PAUSE)
    assert len(mailoutbox) == 1


def test_a_single_turn_is_a_letter_of_its_own(start, mailoutbox):
    letter = write_turn(start())
    send()
    assert (len(mailoutbox), outcome(letter)) == (1, ("sent", ""))
    assert not Letter.objects.filter(kind=Kind.DIGEST).exists()


def test_turns_far_apart_are_letters_of_their_own(start, mailoutbox):
    write_turn(start())
    write_turn(start(), now=NOW + PAUSE + HOUR)
    send()
    send(DUE + 2 * HOUR)
    assert len(mailoutbox) == 2
    assert not Letter.objects.filter(kind=Kind.DIGEST).exists()


def test_turns_of_different_players_are_not_joined(start, alice, bob, mailoutbox):
    write_turn(start("tritt-classic", alice, bob))
    write_turn(start("tritt-classic", bob, alice))
    send()
    assert sorted(message.to for message in mailoutbox) == [
        ["alice@example.org"],
        ["bob@example.org"],
    ]


def test_of_two_turns_of_which_one_is_played_the_other_comes_alone(start, mailoutbox):
    game = start()
    played, open_one = write_turn(game), write_turn(start())
    move(game)
    send()
    assert (outcome(played), outcome(open_one)) == (("cancelled", "played"), ("sent", ""))
    assert not Letter.objects.filter(kind=Kind.DIGEST).exists()


def test_two_workers_join_turns_once(transactional_db, start):
    for _ in range(3):
        write_turn(start())
    made = at_once(*[lambda: digests.gather(now=DUE)] * 3)
    assert sorted(made) == [0, 0, 1]
    assert len(the_digest().details["letters"]) == 3


def test_one_until_back_lets_a_joint_letter_pass_and_holds_the_next(start, alice, mailoutbox):
    Habits.objects.create(player=alice, one_until_back=True)
    alice.seen_at = NOW - days(1)
    alice.save()
    letters = [write_turn(start()), write_turn(start())]
    send()
    assert [outcome(one) for one in letters] == [("sent", "")] * 2
    later = write_turn(start(), now=NOW + HOUR)
    send(NOW + 2 * HOUR)
    assert outcome(later) == ("cancelled", "one-until-back")


def test_a_letter_that_cannot_be_judged_keeps_nobody_else_from_his_digest(
    reader, bob, mailoutbox, monkeypatch
):
    Preference.objects.create(player=bob, kind=Kind.EVENT, timing="digest")
    write_news(reader, "v1.news")
    write_news(bob, "v2.news")
    why_not = topical.why_not

    def broken(letter, *, now):
        if letter.player == reader:
            raise ValueError("no idea")
        return why_not(letter, now=now)

    monkeypatch.setattr(topical, "why_not", broken)
    send(SEVEN + days(1))
    assert [message.to for message in mailoutbox] == [["bob@example.org"]]


# Cost


def test_gathering_costs_what_is_due_and_not_what_waits(reader, bob, start, mailoutbox):
    def statements():
        with CaptureQueriesContext(connection) as queries:
            digests.gather(now=SEVEN)
        return len(queries)

    write_news(reader)
    digests.gather(now=SEVEN)
    nothing_due = statements()
    Preference.objects.create(player=bob, kind=Kind.EVENT, timing="digest")
    for number in range(20):
        write_news(bob, f"w{number}.news", now=SEVEN + days(2))
    assert statements() == nothing_due == 2


def test_a_joint_letter_is_stopped_as_turns_and_a_digest_as_a_digest(start, reader, mailoutbox):
    write_news(reader)
    send(SEVEN)
    assert kind_of(the_digest()) == Kind.DIGEST
    Letter.objects.all().delete()
    Preference.objects.all().delete()
    write_turn(start())
    write_turn(start())
    digests.gather(now=DUE)
    assert kind_of(the_digest()) == Kind.TURN
