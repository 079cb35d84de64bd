"""Reminders: armed with the turn, moved with the deadline, never late and never doubled."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import outbox, rulings, vacations
from games.clock import PerMove
from games.events import RulingChanged, VacationChanged
from games.models import Outage
from notifications import reminders, wishes
from notifications.models import Habits, Kind, Letter, Preference
from tests.conftest import NOW, days, make_player
from tests.games.acts import as_stored, move
from tests.notifications.posting import outcome, send

HOUR = timedelta(hours=1)


def armed(state: str = "waiting") -> dict[str, float]:
    """The moments of what waits, in hours from now."""
    found = Letter.objects.filter(kind=Kind.REMINDER, state=state).order_by("due_at")
    return {letter.key.split(".reminder-")[1]: (letter.due_at - NOW) / HOUR for letter in found}


@pytest.fixture
def game(start, alice):
    alice.joined_at = NOW - days(400)
    alice.save()
    game = start()
    reminders.arm([game.pk], now=NOW)
    return game


@pytest.fixture
def it_is(monkeypatch):
    """What is heard from the games is heard at this time."""
    return lambda at: monkeypatch.setattr(timezone, "now", lambda: at)


def of_moment(name: str) -> Letter:
    return Letter.objects.get(key__endswith=f"reminder-{name}")


def test_a_turn_is_armed_with_the_usual_reminders(game):
    assert armed() == {"half": 36, "24h": 48, "3h": 69}
    assert {one.key for one in Letter.objects.all()} == {
        f"g{game.pk}.p0.s0.reminder-{name}" for name in ("half", "24h", "3h")
    }


def test_arming_twice_arms_once(game):
    reminders.arm([game.pk], now=NOW + HOUR)
    assert Letter.objects.count() == 3


def test_each_reminder_is_sent_at_its_moment(game, mailoutbox):
    for hours, sent in ((35.9, 0), (36, 1), (47.9, 1), (48, 2), (69, 3), (71, 3)):
        send(NOW + hours * HOUR)
        assert len(mailoutbox) == sent
    assert {message.to[0] for message in mailoutbox} == {"alice@example.org"}


def test_who_has_moved_is_not_reminded(game, mailoutbox):
    move(game)
    send(NOW + 36 * HOUR)
    assert (mailoutbox, outcome(of_moment("half"))) == ([], ("cancelled", "played"))


def test_the_next_turn_puts_the_reminders_of_the_last_away(game):
    move(game, now=NOW + HOUR)
    reminders.arm([game.pk], now=NOW + HOUR)
    assert armed() == {"half": 37, "24h": 49, "3h": 70}
    assert Letter.objects.filter(state="waiting", seat=0).count() == 0
    assert outcome(Letter.objects.filter(seat=0).first()) == ("cancelled", "played")


def test_the_moments_are_the_players_choice(start, alice):
    Habits.objects.create(player=alice, reminders=["6h"])
    reminders.arm([start().pk], now=NOW)
    assert armed() == {"6h": 66}


def test_who_wants_no_reminders_is_not_armed_any(start, alice):
    Preference.objects.create(player=alice, kind=Kind.REMINDER, timing="off")
    reminders.arm([start().pk], now=NOW)
    assert not Letter.objects.exists()


def test_a_new_choice_holds_for_the_turn_under_way(game, alice):
    wishes.live_by(player=alice, reminders=["12h", "3h"], now=NOW)
    assert armed() == {"12h": 60, "3h": 69}
    assert outcome(of_moment("half")) == ("cancelled", "not-chosen")
    wishes.choose(player=alice, kind="reminder", timing="off", channels=["mail"], now=NOW)
    assert armed() == {}


def test_what_was_dropped_can_be_chosen_again(game, alice):
    wishes.live_by(player=alice, reminders=["3h"], now=NOW)
    wishes.live_by(player=alice, reminders=["24h", "3h"], now=NOW)
    assert armed() == {"24h-2": 48, "3h": 69}


def test_by_night_a_reminder_comes_before_the_night_if_the_morning_is_too_late(start, alice):
    Habits.objects.create(player=alice, quiet_from=6, quiet_until=14, reminders=["3h"])
    reminders.arm([start().pk], now=NOW)
    # In Berlin the flag falls at one in the afternoon, in quiet hours that begin at six.
    assert armed() == {"3h": 65 - 5 / 60}


# When the deadline moves


def test_a_vacation_moves_what_is_armed(game, alice, it_is):
    it_is(NOW + days(1))
    vacations.begin(player_id=alice.pk, until=NOW + days(11), now=NOW + days(1))
    reminders.arm_after_vacation(VacationChanged(player_id=alice.pk, began=True, automatic=False))
    assert armed()["24h"] == 48 + 240
    assert armed()["3h"] == 69 + 240


def test_a_vacation_that_ends_early_moves_it_back(game, alice, it_is):
    fact = VacationChanged(player_id=alice.pk, began=True, automatic=False)
    it_is(NOW + days(1))
    vacations.begin(player_id=alice.pk, until=NOW + days(11), now=NOW + days(1))
    reminders.arm_after_vacation(fact)
    it_is(NOW + days(2))
    vacations.end(player_id=alice.pk, now=NOW + days(2))
    reminders.arm_after_vacation(fact)
    assert armed() == {"24h": 72, "3h": 93}


def test_a_reminder_whose_deadline_has_moved_unheard_is_put_off_and_not_sent(
    game, alice, mailoutbox
):
    """The post itself looks at the real deadline, whoever has moved it."""
    Outage.objects.create(began_at=NOW + HOUR, ended_at=NOW + 11 * HOUR)
    send(NOW + 36 * HOUR)
    assert (mailoutbox, armed()) == ([], {"half": 41, "24h": 48, "3h": 69})
    send(NOW + 48 * HOUR)
    assert len(mailoutbox) == 1
    assert (armed(), armed("sent").keys()) == ({"24h": 58, "3h": 69}, {"half"})
    send(NOW + 58 * HOUR)
    assert len(mailoutbox) == 2


def test_a_reminder_that_was_sent_for_another_deadline_is_followed_by_a_new_one(
    game, alice, mailoutbox
):
    for hours in (36, 48):
        send(NOW + hours * HOUR)
    vacations.begin(player_id=alice.pk, until=NOW + days(12), now=NOW + days(2))
    reminders.arm([game.pk], now=NOW + days(2))
    assert armed() == {"half-2": 156, "24h-2": 48 + 240, "3h": 69 + 240}
    for hours in (156, 48 + 240):
        send(NOW + hours * HOUR)
    assert armed("sent").keys() == {"half", "24h", "half-2", "24h-2"}
    assert len(mailoutbox) == 4


def test_a_deadline_that_has_hardly_moved_is_not_told_again(game, mailoutbox):
    send(NOW + 48 * HOUR)
    Outage.objects.create(began_at=NOW + days(2), ended_at=NOW + days(2) + timedelta(minutes=5))
    reminders.arm([game.pk], now=NOW + days(2) + timedelta(minutes=5))
    assert list(armed()) == ["3h"]


def test_after_we_were_away_only_the_last_reminder_is_sent(game, mailoutbox):
    send(NOW + 70 * HOUR)
    assert len(mailoutbox) == 1
    assert outcome(of_moment("3h")) == ("sent", "")
    assert outcome(of_moment("half")) == outcome(of_moment("24h")) == ("cancelled", "next-one-due")


def test_nobody_is_reminded_after_the_flag(game, mailoutbox):
    send(NOW + 72 * HOUR)
    assert mailoutbox == []
    assert outcome(of_moment("3h")) == ("cancelled", "too-late")


def test_a_ruling_that_gives_time_moves_what_is_armed(game, it_is):
    judge = make_player("judge", is_staff=True, is_superuser=True)
    it_is(NOW + HOUR)
    ruling = rulings.give_time(
        game_id=game.pk, by=judge, seat=0, hours=48, reason="a storm", now=NOW + HOUR
    )
    reminders.arm_after_ruling(RulingChanged(ruling_id=ruling.pk, undone=False))
    assert as_stored(game).deadline_at == NOW + days(5)
    assert armed()["24h"] == 96


# Heard from the games


def test_the_games_themselves_arm_and_disarm(start, alice, bob, it_is):
    it_is(NOW)
    game = start()
    outbox.relay(now=NOW)
    assert Letter.objects.filter(kind=Kind.REMINDER, player=alice, state="waiting").count() == 3
    move(game)
    outbox.relay(now=NOW)
    assert Letter.objects.filter(kind=Kind.REMINDER, player=alice, state="waiting").count() == 0
    assert Letter.objects.filter(kind=Kind.REMINDER, player=bob, state="waiting").count() == 3


# Cost


def test_arming_costs_what_the_game_is_and_not_what_else_is_armed(start, game):
    def statements():
        with CaptureQueriesContext(connection) as queries:
            reminders.arm([game.pk], now=NOW)
        return len(queries)

    alone = statements()
    for _ in range(10):
        reminders.arm([start(clock=PerMove(14)).pk], now=NOW)
    assert statements() == alone
