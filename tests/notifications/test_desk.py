"""The desk: what is written, for whom, for which channels and when it is due."""

from datetime import UTC, datetime, timedelta

import pytest

from notifications import desk
from notifications.models import Habits, Kind, Letter, Preference
from tests.conftest import NOW, days, make_player
from tests.games.threads import at_once
from tests.notifications.posting import DUE, again, outcome, send, write_news, write_turn

HOUR = timedelta(hours=1)
EVENING = datetime(2026, 3, 2, 22, tzinfo=UTC)
"""Eleven o'clock in Berlin."""


def morning(day: int, hour: int) -> datetime:
    return datetime(2026, 3, day, hour - 1, tzinfo=UTC)


def keys() -> list[str]:
    return sorted(Letter.objects.values_list("key", flat=True))


def test_a_fact_that_is_told_twice_is_written_once(start):
    game = start()
    first = write_turn(game)
    write_turn(game, now=NOW + HOUR)
    (letter,) = Letter.objects.all()
    assert (letter.pk, letter.due_at) == (first.pk, DUE)


def test_two_who_write_at_once_write_one_letter(transactional_db, start):
    game = start()
    at_once(*[lambda: write_turn(game)] * 4)
    assert Letter.objects.count() == 1


def test_there_is_one_row_for_each_channel_that_was_chosen(alice):
    Preference.objects.create(player=alice, kind=Kind.EVENT, channels=["mail", "push", "webhook"])
    desk.write(kind=Kind.EVENT, player_id=alice.pk, key="v1.news", now=NOW)
    assert keys() == ["v1.news", "v1.news.push", "v1.news.webhook"]


def test_what_is_switched_off_is_noted_and_not_sent(alice, mailoutbox):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="off")
    letter = write_news(alice)
    send()
    assert (outcome(letter), mailoutbox) == (("cancelled", "off"), [])


def test_what_was_switched_off_after_it_was_written_is_not_sent(alice, mailoutbox):
    letter = write_news(alice)
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="off")
    send()
    assert (outcome(letter), mailoutbox) == (("cancelled", "off"), [])


@pytest.mark.parametrize("field", ["is_bot", "is_guest"])
def test_who_reads_no_mail_is_written_none(db, field):
    reader = make_player("reader", **{field: True})
    Preference.objects.create(player=reader, kind=Kind.EVENT, channels=["mail", "webhook"])
    desk.write(kind=Kind.EVENT, player_id=reader.pk, key="v1.news", now=NOW)
    assert keys() == ["v1.news.webhook"]


def test_a_closed_account_is_written_nothing(alice):
    alice.is_active = False
    alice.save()
    desk.write(kind=Kind.EVENT, player_id=alice.pk, key="v1.news", now=NOW)
    assert keys() == []


def test_a_stranger_is_written_to_at_his_address(db):
    desk.write(
        kind=Kind.INVITATION, player_id=None, key="c1.invitation", now=NOW, address="x@example.org"
    )
    letter = Letter.objects.get()
    assert (letter.address, letter.due_at, letter.player) == ("x@example.org", NOW, None)


# Hours


@pytest.fixture
def sleeper(alice):
    Habits.objects.create(player=alice, quiet_from=22, quiet_until=8)
    return alice


def test_by_night_mail_and_browser_wait_and_programs_do_not(sleeper):
    Preference.objects.create(player=sleeper, kind=Kind.EVENT, channels=["mail", "push", "webhook"])
    desk.write(kind=Kind.EVENT, player_id=sleeper.pk, key="v1.news", now=EVENING)
    found = {letter.channel: (letter.due_at, letter.why) for letter in Letter.objects.all()}
    assert found == {
        "mail": (morning(3, 8), "quiet"),
        "push": (morning(3, 8), "quiet"),
        "webhook": (EVENING, ""),
    }


def test_a_letter_whose_deadline_is_in_the_night_is_sent_in_the_night(sleeper):
    letter = write_news(sleeper, now=EVENING, deadline=EVENING + 3 * HOUR)
    assert letter.due_at == EVENING


def test_a_digest_waits_for_its_hour(alice):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    letter = write_news(alice)
    assert (letter.digest, letter.due_at, letter.why) == (True, morning(3, 7), "digest")


def test_what_cannot_wait_for_the_digest_goes_at_once(alice):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    letter = write_news(alice, deadline=morning(3, 7) + HOUR / 2)
    assert (letter.digest, letter.due_at) == (False, NOW)


def test_an_answer_to_a_mail_is_not_kept_for_the_digest(alice):
    for kind in Kind:
        Preference.objects.create(player=alice, kind=kind, timing="digest")
    desk.write(kind=Kind.REPLY, player_id=alice.pk, key="r1.reply", now=NOW)
    letter = Letter.objects.get()
    assert (letter.digest, letter.due_at) == (False, NOW)


# A change of mind


def test_a_new_hour_of_the_digest_holds_for_what_waits(alice):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    letter = write_news(alice)
    Habits.objects.create(player=alice, digest_hour=18)
    desk.reschedule(player=alice, now=NOW)
    assert again(letter).due_at == morning(2, 18)


def test_who_wants_no_digest_any_more_gets_at_once_what_waited_for_it(alice, mailoutbox):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    letter = write_news(alice)
    Preference.objects.update(timing="at-once")
    desk.reschedule(player=alice, now=NOW + HOUR)
    assert (again(letter).digest, again(letter).due_at) == (False, NOW + HOUR)


def test_a_change_of_mind_touches_nobody_else_and_nothing_that_is_done(alice, bob):
    Preference.objects.create(player=bob, kind=Kind.EVENT, timing="digest")
    others = write_news(bob, "v1.news")
    done = write_news(alice, "v2.news")
    Letter.objects.filter(pk=done.pk).update(state="sent")
    before = [(again(one).due_at, again(one).digest) for one in (others, done)]
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    desk.reschedule(player=alice, now=NOW + HOUR)
    assert [(again(one).due_at, again(one).digest) for one in (others, done)] == before


# Cancelling


def test_what_is_superseded_is_cancelled_with_its_reason(start, mailoutbox):
    game, other = start(), start()
    letters = [write_turn(game), write_turn(other)]
    number = desk.cancel(
        game_id=game.pk, kinds=[Kind.TURN], why="superseded", now=NOW, before_ply=1
    )
    assert (number, outcome(letters[0]), outcome(letters[1])) == (
        1,
        ("cancelled", "superseded"),
        ("waiting", ""),
    )


def test_only_what_is_named_is_cancelled(start):
    game = start()
    letter = write_turn(game)
    for what in ({"seat": 1}, {"before_ply": 0}, {"kinds": [Kind.CHAT]}):
        named = {"kinds": [Kind.TURN], **what}
        assert desk.cancel(game_id=game.pk, why="superseded", now=NOW, **named) == 0
    assert outcome(letter) == ("waiting", "")


# The bell


def test_a_letter_that_is_due_rings_once_and_one_that_waits_does_not(
    transactional_db, alice, monkeypatch
):
    rung = []
    monkeypatch.setattr("notifications.tasks.send_letters.delay", lambda: rung.append(1))
    write_news(alice, "v1.news", at=NOW + days(1))
    assert rung == []
    write_news(alice, "v2.news")
    write_news(alice, "v3.news")
    assert rung == [1]


def test_a_broken_bell_hinders_nobody(transactional_db, alice, monkeypatch):
    def broken():
        raise OSError("no broker")

    monkeypatch.setattr("notifications.tasks.send_letters.delay", broken)
    assert write_news(alice).state == "waiting"
