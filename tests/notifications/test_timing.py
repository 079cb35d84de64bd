"""When letters leave: quiet hours, digests and reminders, through every change of the clocks."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.timing import (
    APART,
    BEFORE_QUIET,
    LEAST_NOTICE,
    Rhythm,
    digest_day,
    leaves_at,
    next_digest,
    quiet_around,
    reminder_moments,
)

HOUR = timedelta(hours=1)
BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Rhythm(zone=BERLIN, quiet_from=22, quiet_until=7)
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
    "Africa/Casablanca", "Asia/Kathmandu", "Pacific/Chatham", "America/Havana", "Pacific/Apia",
]  # fmt: skip

instants = st.datetimes(
    min_value=datetime(2024, 1, 1),  # noqa: DTZ001
    max_value=datetime(2028, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
zones = st.sampled_from(ZONES).map(ZoneInfo)
hours = st.integers(0, 23)
rhythms = st.builds(Rhythm, zone=zones, digest_hour=hours, quiet_from=hours, quiet_until=hours)


def berlin(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN).astimezone(UTC)


# Quiet hours


def test_by_day_a_letter_leaves_at_once():
    assert leaves_at(berlin(3, 12), NIGHT, now=berlin(3, 12)) == berlin(3, 12)


@pytest.mark.parametrize("at", [berlin(3, 22), berlin(3, 23, 59), berlin(4, 6, 59)])
def test_by_night_a_letter_waits_for_the_morning(at):
    assert leaves_at(at, NIGHT, now=at) == berlin(4, 7)


def test_the_end_of_the_quiet_hours_is_not_quiet():
    assert leaves_at(berlin(4, 7), NIGHT, now=berlin(4, 7)) == berlin(4, 7)


def test_a_deadline_in_the_night_makes_a_letter_leave_before_the_night():
    due = leaves_at(berlin(4, 3), NIGHT, now=berlin(3, 12), deadline=berlin(4, 6))
    assert due == berlin(3, 22) - BEFORE_QUIET


def test_a_morning_that_leaves_no_hour_is_too_late():
    due = leaves_at(berlin(4, 3), NIGHT, now=berlin(3, 12), deadline=berlin(4, 7, 59))
    assert due == berlin(3, 22) - BEFORE_QUIET


def test_a_deadline_after_the_morning_lets_the_night_be_quiet():
    due = leaves_at(berlin(4, 3), NIGHT, now=berlin(4, 3), deadline=berlin(4, 8))
    assert due == berlin(4, 7)


def test_a_letter_that_cannot_wait_for_the_morning_is_sent_in_the_night():
    due = leaves_at(berlin(4, 3), NIGHT, now=berlin(4, 3), deadline=berlin(4, 6))
    assert due == berlin(4, 3)


def test_the_night_in_which_clocks_are_set_forward_ends_at_seven_by_the_clock():
    assert leaves_at(berlin(29, 1), NIGHT, now=berlin(29, 1)) == datetime(
        2026, 3, 29, 5, tzinfo=UTC
    )


def test_quiet_hours_that_the_change_leaves_nothing_between_are_one():
    almost_always = Rhythm(zone=BERLIN, quiet_from=3, quiet_until=2)
    began, over = quiet_around(berlin(29, 1), almost_always)
    assert (began, over) == (berlin(28, 3), berlin(30, 2))


@given(rhythms, instants, st.timedeltas(timedelta(0), timedelta(days=3)))
def test_without_a_deadline_nothing_leaves_in_quiet_hours(rhythm, now, later):
    wanted = now + later
    due = leaves_at(wanted, rhythm, now=now)
    assert due >= wanted
    assert quiet_around(due, rhythm) is None
    assert due - wanted <= timedelta(hours=49)


@given(rhythms, instants, *[st.timedeltas(timedelta(0), timedelta(days=3))] * 2)
def test_no_letter_is_held_past_its_deadline(rhythm, now, later, until):
    wanted, deadline = now + later, now + until
    due = leaves_at(wanted, rhythm, now=now, deadline=deadline)
    assert now <= due <= deadline
    if due > wanted:
        assert deadline - due >= LEAST_NOTICE
        assert quiet_around(due, rhythm) is None


@given(rhythms, instants)
def test_quiet_is_what_the_wall_clock_shows(rhythm, at):
    """Away from a change of the clocks, where an hour may be missing or there twice."""
    shown = at.astimezone(rhythm.zone)
    around = {(at + d * HOUR).astimezone(rhythm.zone).utcoffset() for d in range(-26, 27)}
    if len(around) > 1:
        return
    start, end = rhythm.quiet_from, rhythm.quiet_until
    quiet = start <= shown.hour < end if start <= end else not end <= shown.hour < start
    assert (quiet_around(at, rhythm) is not None) == quiet


# The digest


def test_a_digest_comes_at_its_hour_by_the_wall_clock_on_either_side_of_a_change():
    rhythm = Rhythm(zone=BERLIN, digest_hour=7)
    assert next_digest(berlin(28, 8), rhythm) == datetime(2026, 3, 29, 5, tzinfo=UTC)
    assert next_digest(berlin(27, 8), rhythm) == datetime(2026, 3, 28, 6, tzinfo=UTC)


def test_an_hour_that_is_left_out_is_the_moment_of_the_change():
    rhythm = Rhythm(zone=BERLIN, digest_hour=2)
    assert next_digest(berlin(28, 12), rhythm) == datetime(2026, 3, 29, 1, tzinfo=UTC)


def test_of_an_hour_that_comes_twice_the_first_is_meant():
    rhythm = Rhythm(zone=BERLIN, digest_hour=2)
    first = next_digest(berlin(24, 12, month=10), rhythm)
    assert first == datetime(2026, 10, 25, 0, tzinfo=UTC)
    assert next_digest(first, rhythm) == datetime(2026, 10, 26, 1, tzinfo=UTC)


@given(rhythms, instants)
def test_there_is_one_digest_on_every_day(rhythm, at):
    moments = [at]
    for _ in range(5):
        moments.append(next_digest(moments[-1], rhythm))
    days = [digest_day(moment, rhythm) for moment in moments[1:]]
    assert [later - earlier for earlier, later in pairwise(days)] == [timedelta(days=1)] * 4
    assert timedelta(0) < moments[1] - at <= timedelta(hours=26)


# Reminders


BEGAN = datetime(2026, 3, 2, 12, tzinfo=UTC)


def moments(length: timedelta, now: datetime = BEGAN, names=("half", "24h", "3h")):
    found = reminder_moments(names, began=BEGAN, deadline=BEGAN + length, now=now)
    return {name: (at - BEGAN) / HOUR for name, at in found.items()}


def test_reminders_come_at_half_time_and_before_the_flag():
    assert moments(timedelta(days=3)) == {"half": 36, "24h": 48, "3h": 69}


def test_of_two_reminders_at_one_moment_there_is_one():
    assert moments(timedelta(days=2)) == {"half": 24, "3h": 45}


def test_a_short_turn_is_not_followed_by_a_reminder_of_its_beginning():
    assert moments(timedelta(hours=24)) == {"half": 12, "3h": 21}
    assert moments(timedelta(hours=3)) == {"half": 1.5}


def test_what_is_past_is_not_armed():
    assert moments(timedelta(days=3), now=BEGAN + timedelta(hours=50)) == {"3h": 69}


@given(
    st.timedeltas(timedelta(minutes=1), timedelta(days=100)),
    st.timedeltas(timedelta(0), timedelta(days=100)),
    st.sets(st.sampled_from(["half", "72h", "48h", "24h", "12h", "6h", "3h", "1h"])),
)
def test_reminders_lie_ahead_before_the_flag_and_apart(length, gone, names):
    now = BEGAN + gone
    found = sorted(reminder_moments(names, began=BEGAN, deadline=BEGAN + length, now=now).values())
    assert all(now < at < BEGAN + length for at in found)
    gaps = [later - earlier for earlier, later in pairwise(found)]
    assert all(gap >= APART for gap in gaps)
