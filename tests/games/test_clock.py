from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import clock
from games.clock import Fischer, Interval, Pauses, PerMove, deadline, time_left, used

NOTHING = timedelta()
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday
EARLIEST = datetime(1985, 1, 1, tzinfo=UTC)

CHANGES = {
    "Africa/Cairo": ["2023-04-27T22:00Z", "2024-10-31T21:00Z"],
    "America/Sao_Paulo": ["2018-02-18T02:00Z", "2018-11-04T03:00Z"],
    "America/St_Johns": ["2009-11-01T02:31Z", "2010-03-14T03:31Z"],
    "Asia/Gaza": ["2016-10-28T22:00Z"],
    "Asia/Kathmandu": ["1985-12-31T18:30Z"],
    "Asia/Pyongyang": ["2018-05-04T15:00Z"],
    "Asia/Tehran": ["2010-03-21T20:30Z", "2013-09-21T19:30Z", "2014-03-21T20:30Z"],
    "Australia/Lord_Howe": ["2024-04-06T15:00Z", "2024-10-05T15:30Z"],
    "Europe/Berlin": ["2024-03-31T01:00Z", "2024-10-27T01:00Z"],
    "Pacific/Apia": ["2011-12-30T10:00Z"],
    "Pacific/Kwajalein": ["1993-08-21T12:00Z"],
    "UTC": ["2024-01-01T00:00Z"],
}
"""For each zone some instants at which its clocks, or its calendar, jump."""

zones = st.sampled_from(sorted(CHANGES)).map(ZoneInfo)


@st.composite
def instants(draw: st.DrawFn, near: ZoneInfo | None = None) -> datetime:
    """Any instant of fifty years, or one within ten days of a change of clocks."""
    if near is None or draw(st.booleans()):
        return EARLIEST + draw(st.timedeltas(NOTHING, 50 * 365 * DAY))
    change = datetime.fromisoformat(draw(st.sampled_from(CHANGES[near.key])))
    return change + draw(st.timedeltas(-10 * DAY, 10 * DAY))


@st.composite
def intervals(draw: st.DrawFn, around: datetime, most: timedelta) -> Interval:
    start = around + draw(st.timedeltas(-20 * DAY, 60 * DAY))
    return Interval(start, start + draw(st.timedeltas(NOTHING, most)))


@st.composite
def clocks_at_rest(draw: st.DrawFn) -> tuple[datetime, Pauses]:
    """The start of a turn, and pauses of every kind that lie about it."""
    zone = draw(zones)
    start = draw(instants(near=zone))
    vacations = st.lists(intervals(start, 30 * DAY), max_size=3).map(tuple)
    outages = st.lists(intervals(start, 2 * DAY), max_size=3).map(tuple)
    resting = draw(st.sampled_from([zone, None]))
    return start, Pauses(vacations=draw(vacations), weekends=resting, outages=draw(outages))


spans = st.timedeltas(NOTHING, 100 * DAY)


@st.composite
def fischers(draw: st.DrawFn) -> Fischer:
    cap = draw(st.integers(1, 2400))
    return Fischer(draw(st.integers(1, cap)), draw(st.integers(0, cap)), cap)


clocks = st.integers(1, 100).map(PerMove) | fischers()


# What a clock gives


def test_the_presets_are_those_that_a_seek_offers() -> None:
    assert list(clock.PRESETS) == ["1d", "2d", "3d", "5d", "7d", "14d", "10d+1d"]
    assert clock.PRESETS["14d"].initial() == 14 * DAY


def test_each_move_has_its_days_afresh() -> None:
    assert PerMove(3).after_move(HOUR) == 3 * DAY


def test_a_bank_grows_by_its_increment_up_to_the_cap() -> None:
    ten_days = clock.PRESETS["10d+1d"]
    assert ten_days.initial() == 10 * DAY
    assert ten_days.after_move(4 * DAY) == 5 * DAY
    assert ten_days.after_move(20 * DAY + HOUR) == 21 * DAY


def test_a_bank_above_the_cap_is_not_lowered() -> None:
    assert clock.PRESETS["10d+1d"].after_move(22 * DAY) == 22 * DAY


@given(clocks)
def test_json_keeps_a_clock(kept: clock.Clock) -> None:
    assert clock.from_json(clock.to_json(kept)) == kept


def test_json_is_plain() -> None:
    assert clock.to_json(PerMove(3)) == {"kind": "per-move", "days": 3}
    assert clock.to_json(clock.PRESETS["10d+1d"]) == {
        "kind": "fischer",
        "bank_hours": 240,
        "increment_hours": 24,
        "cap_hours": 504,
    }


KINDS = "there are: per-move, fischer."
REFUSED: list[tuple[Any, str]] = [
    (None, f"There is no clock of kind None; {KINDS}"),
    ({"kind": "sand"}, f"There is no clock of kind 'sand'; {KINDS}"),
    ({"kind": ["fischer"]}, f"There is no clock of kind ['fischer']; {KINDS}"),
    ({"kind": "per-move"}, "A clock of kind per-move is set by: days."),
    ({"kind": "per-move", "days": 3, "x": 1}, "A clock of kind per-move is set by: days."),
    (
        {"kind": "per-move", "days": 0},
        "days cannot be 0; it is a whole number from 1 to 100.",
    ),
    (
        {"kind": "per-move", "days": True},
        "days cannot be True; it is a whole number from 1 to 100.",
    ),
    (
        {"kind": "fischer", "bank_hours": 49, "increment_hours": 0, "cap_hours": 48},
        "bank_hours cannot be 49; it is a whole number from 1 to 48.",
    ),
    (
        {"kind": "fischer", "bank_hours": 48, "increment_hours": -1, "cap_hours": 48},
        "increment_hours cannot be -1; it is a whole number from 0 to 48.",
    ),
    (
        {"kind": "fischer", "bank_hours": 1, "increment_hours": 0, "cap_hours": 2401},
        "cap_hours cannot be 2401; it is a whole number from 1 to 2400.",
    ),
]


@pytest.mark.parametrize(("data", "sentence"), REFUSED)
def test_a_clock_that_there_is_not_is_refused(data: Any, sentence: str) -> None:
    with pytest.raises(clock.InvalidClock) as refused:
        clock.from_json(data)
    assert str(refused.value) == sentence


# Weekends

WEEKENDS = [
    ("Europe/Berlin", "2024-03-29T23:00Z", 47 * HOUR),
    ("Europe/Berlin", "2024-10-25T22:00Z", 49 * HOUR),
    ("America/Sao_Paulo", "2018-11-03T03:00Z", 47 * HOUR),
    ("America/Sao_Paulo", "2018-02-17T02:00Z", 49 * HOUR),
    ("America/St_Johns", "2009-10-31T02:30Z", 49 * HOUR),
    ("Asia/Gaza", "2016-10-28T21:00Z", 49 * HOUR),
    ("Asia/Pyongyang", "2018-05-04T15:00Z", 48 * HOUR),
    ("Asia/Tehran", "2014-03-21T20:30Z", 47 * HOUR),  # there was no midnight to Saturday
    ("Asia/Tehran", "2010-03-19T20:30Z", 48 * HOUR),  # nor one to Monday
    ("Asia/Tehran", "2013-09-20T19:30Z", 49 * HOUR),
    ("Africa/Cairo", "2023-04-28T21:00Z", 48 * HOUR),
    ("Australia/Lord_Howe", "2024-04-05T13:00Z", 48.5 * HOUR),
    ("Australia/Lord_Howe", "2024-10-04T13:30Z", 47.5 * HOUR),
    ("Pacific/Apia", "2011-12-30T10:00Z", 48 * HOUR),  # there was no Friday before
    ("Pacific/Kwajalein", "1993-08-21T12:00Z", 24 * HOUR),  # there was no Saturday
]


@pytest.mark.parametrize(("zone", "start", "length"), WEEKENDS)
def test_a_weekend_lasts_as_long_as_its_zone_says(zone: str, start: str, length: timedelta) -> None:
    friday = datetime.fromisoformat(start)
    weekend = Interval(friday, friday + length)
    resting = Pauses(weekends=ZoneInfo(zone))
    assert next(resting.since(friday - DAY / 2)) == weekend
    assert next(resting.since(friday + HOUR)) == Interval(friday + HOUR, weekend.end)


@given(st.data())
def test_a_clock_rests_exactly_while_its_zone_has_a_weekend(data: st.DataObject) -> None:
    zone = data.draw(zones)
    now = data.draw(instants(near=zone))
    weekend = now.astimezone(zone).weekday() >= 5
    assert used(now, now + TICK, Pauses(weekends=zone)) == (NOTHING if weekend else TICK)


def test_a_turn_of_three_days_from_thursday_ends_on_tuesday() -> None:
    thursday = NOW + DAY
    assert deadline(thursday, 3 * DAY, Pauses(weekends=ZoneInfo("UTC"))) == thursday + 5 * DAY


# Running time


def counted(start: datetime, halves: int, pauses: Pauses) -> timedelta:
    """The same as `used`, by looking at every half hour."""
    steps = [start + half * HOUR / 2 for half in range(halves)]
    named = pauses.vacations + pauses.outages
    running = [
        step
        for step in steps
        if not any(pause.start <= step < pause.end for pause in named)
        and not (pauses.weekends and step.astimezone(pauses.weekends).weekday() >= 5)
    ]
    return len(running) * HOUR / 2


def half_hours(most: int) -> st.SearchStrategy[timedelta]:
    return st.integers(0, most).map(lambda half: half * HOUR / 2)


@given(st.data())
def test_running_time_is_what_a_watcher_counts(data: st.DataObject) -> None:
    places = sorted(set(CHANGES) - {"Asia/Kathmandu", "America/St_Johns"})
    zone = data.draw(st.sampled_from(places).map(ZoneInfo))
    change = datetime.fromisoformat(data.draw(st.sampled_from(CHANGES[zone.key])))
    start = change - data.draw(half_hours(300))
    shifts = st.tuples(half_hours(400), half_hours(100))
    pairs = data.draw(st.lists(shifts, max_size=4))
    named = [Interval(start + at - 2 * DAY, start + at - 2 * DAY + long) for at, long in pairs]
    pauses = Pauses(tuple(named[:2]), data.draw(st.sampled_from([zone, None])), tuple(named[2:]))
    halves = data.draw(st.integers(0, 400))
    assert used(start, start + halves * HOUR / 2, pauses) == counted(start, halves, pauses)


@given(clocks_at_rest(), spans)
def test_a_deadline_is_when_the_time_left_has_been_used(
    turn: tuple[datetime, Pauses], left: timedelta
) -> None:
    start, pauses = turn
    falls = deadline(start, left, pauses)
    assert used(start, falls, pauses) == left
    assert time_left(start, left, falls, pauses) == NOTHING
    assert time_left(start, left, falls + DAY, pauses) == NOTHING
    assert used(start, falls + TICK, pauses) == left + TICK


@given(clocks_at_rest(), spans)
def test_a_move_at_any_instant_before_the_deadline_has_not_used_more(
    turn: tuple[datetime, Pauses], left: timedelta
) -> None:
    start, pauses = turn
    falls = deadline(start, left, pauses)
    assert used(start, falls - TICK, pauses) <= left


@given(clocks_at_rest(), spans, spans)
def test_what_is_used_adds_up(
    turn: tuple[datetime, Pauses], first: timedelta, second: timedelta
) -> None:
    start, pauses = turn
    middle, end = start + first, start + first + second
    whole = used(start, end, pauses)
    assert whole == used(start, middle, pauses) + used(middle, end, pauses)
    assert NOTHING <= whole <= end - start


@given(clocks_at_rest(), spans, spans)
def test_looking_again_during_a_turn_does_not_move_its_deadline(
    turn: tuple[datetime, Pauses], left: timedelta, later: timedelta
) -> None:
    start, pauses = turn
    falls = deadline(start, left, pauses)
    now = min(start + later, falls)
    assert deadline(now, time_left(start, left, now, pauses), pauses) == falls


@given(clocks_at_rest(), spans, spans)
def test_more_time_left_means_a_later_deadline(
    turn: tuple[datetime, Pauses], one: timedelta, other: timedelta
) -> None:
    start, pauses = turn
    less, more = sorted((one, other))
    distance = deadline(start, more, pauses) - deadline(start, less, pauses)
    assert distance >= more - less


@given(clocks_at_rest(), spans, st.data())
def test_another_pause_never_brings_a_deadline_forward(
    turn: tuple[datetime, Pauses], left: timedelta, data: st.DataObject
) -> None:
    start, pauses = turn
    extra = data.draw(intervals(start, 30 * DAY))
    longer = Pauses((*pauses.vacations, extra), pauses.weekends, pauses.outages)
    moved = deadline(start, left, longer) - deadline(start, left, pauses)
    assert moved >= NOTHING
    if not pauses.weekends and not pauses.vacations and not pauses.outages:
        assert moved <= extra.length


@given(clocks_at_rest(), spans)
def test_only_vacation_weekend_and_outage_are_credited(
    turn: tuple[datetime, Pauses], span: timedelta
) -> None:
    start, pauses = turn
    end = start + span
    credit = span - used(start, end, pauses)
    each = [
        span - used(start, end, alone)
        for alone in (
            Pauses(vacations=pauses.vacations),
            Pauses(weekends=pauses.weekends),
            Pauses(outages=pauses.outages),
        )
    ]
    assert max(each) <= credit <= sum(each, NOTHING)


@given(clocks_at_rest(), clocks, st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_time_left_never_grows_but_by_a_move(
    turn: tuple[datetime, Pauses], kind: clock.Clock, shares: list[float]
) -> None:
    start, pauses = turn
    bank = kind.initial()
    for share in shares:
        falls = deadline(start, bank, pauses)
        moments = [start, start + share * (falls - start) / 2, start + share * (falls - start)]
        shown = [time_left(start, bank, moment, pauses) for moment in moments]
        assert shown == sorted(shown, reverse=True)
        assert shown[0] == bank
        left, start = shown[-1], moments[-1]
        bank = kind.after_move(left)
        if isinstance(kind, PerMove):
            assert bank == timedelta(days=kind.days)
        else:
            assert left <= bank <= left + timedelta(hours=kind.increment_hours)
            assert bank <= timedelta(hours=kind.cap_hours)


@given(clocks_at_rest(), clocks, st.integers(1, 10))
def test_every_game_ends(turn: tuple[datetime, Pauses], kind: clock.Clock, moves: int) -> None:
    start, pauses = turn
    named = sum((pause.length for pause in pauses.vacations + pauses.outages), NOTHING)
    bank, now = kind.initial(), start
    given_time = bank
    for _ in range(moves):
        now = deadline(now, bank, pauses) - TICK
        left = TICK
        bank = kind.after_move(left)
        given_time += bank
    # A week rests for two days, of 25 hours at most, and may have lost a day to the calendar.
    weeks = given_time // (7 * DAY - 2 * DAY - 2 * HOUR - DAY) + 2
    weekends = weeks * (2 * DAY + 2 * HOUR) if pauses.weekends else NOTHING
    assert deadline(now, bank, pauses) <= start + given_time + named + weekends


def test_time_that_runs_out_as_a_pause_begins_lasts_until_it_is_over() -> None:
    vacation = Interval(NOW + DAY, NOW + 3 * DAY)
    outage = Interval(NOW + 3 * DAY, NOW + 3 * DAY + HOUR)
    pauses = Pauses(vacations=(vacation,), outages=(outage,))
    assert deadline(NOW, DAY, pauses) == outage.end
    assert deadline(NOW, DAY - TICK, pauses) == vacation.start - TICK


def test_an_outage_during_a_vacation_is_credited_once() -> None:
    pauses = Pauses(
        vacations=(Interval(NOW, NOW + 2 * DAY),),
        outages=(Interval(NOW + DAY, NOW + 3 * DAY), Interval(NOW + DAY, NOW + HOUR + DAY)),
    )
    assert deadline(NOW, DAY, pauses) == NOW + 4 * DAY


def test_a_move_that_arrived_before_the_turn_began_has_used_nothing() -> None:
    assert used(NOW, NOW - HOUR, Pauses(weekends=ZoneInfo("UTC"))) == NOTHING


def test_a_clock_is_not_started_with_less_than_nothing() -> None:
    with pytest.raises(ValueError, match="less than no time"):
        deadline(NOW, -TICK)


def test_instants_of_a_zone_are_reckoned_by_real_time() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    start, end = datetime(2024, 3, 30, 12, tzinfo=berlin), datetime(2024, 3, 31, 12, tzinfo=berlin)
    assert used(start, end) == 23 * HOUR
    assert deadline(start, DAY) == datetime(2024, 3, 31, 11, tzinfo=UTC)
    assert Interval(start, end).length == 23 * HOUR


NAIVE = datetime(2024, 5, 15, 12)  # noqa: DTZ001


@pytest.mark.parametrize(
    "call",
    [
        lambda: used(NAIVE, NOW),
        lambda: used(NOW, NAIVE),
        lambda: deadline(NAIVE, DAY),
        lambda: time_left(NOW, DAY, NAIVE),
        lambda: Interval(NAIVE, NOW),
        lambda: Interval(NOW, NAIVE),
        lambda: clock.vacation_balance(NAIVE, (), NOW),
        lambda: clock.vacation_balance(NOW, (), NAIVE),
        lambda: clock.vacation_end(NAIVE, DAY),
        lambda: clock.outages_from_heartbeats([NAIVE], DAY),
    ],
)
def test_a_naive_datetime_is_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="naive"):
        call()


def test_an_interval_cannot_run_backwards() -> None:
    with pytest.raises(ValueError, match="before it starts"):
        Interval(NOW, NOW - TICK)


# Vacation


def balance(after: timedelta, *taken: tuple[timedelta, timedelta]) -> timedelta:
    vacations = [Interval(NOW + start, NOW + end) for start, end in taken]
    return clock.vacation_balance(NOW, vacations, NOW + after)


def test_vacation_accrues_three_hours_a_day_from_nothing_to_thirty_days() -> None:
    assert balance(NOTHING) == NOTHING
    assert balance(DAY) == 3 * HOUR
    assert balance(240 * DAY - HOUR) == 30 * DAY - HOUR / 8
    assert balance(500 * DAY) == 30 * DAY


def test_a_vacation_costs_its_length_and_earns_nothing() -> None:
    assert balance(80 * DAY, (80 * DAY, 84 * DAY)) == 10 * DAY
    assert balance(82 * DAY, (80 * DAY, 84 * DAY)) == 8 * DAY
    assert balance(84 * DAY, (80 * DAY, 84 * DAY)) == 6 * DAY
    assert balance(92 * DAY, (80 * DAY, 84 * DAY)) == 7 * DAY


def test_a_full_balance_is_full_when_the_vacation_begins() -> None:
    assert balance(510 * DAY, (500 * DAY, 510 * DAY)) == 20 * DAY


def test_a_vacation_that_nobody_ends_uses_up_the_balance() -> None:
    start = 80 * DAY
    end = clock.vacation_end(NOW + start, balance(start))
    assert end == NOW + 90 * DAY
    assert balance(90 * DAY, (start, end - NOW)) == NOTHING
    assert balance(91 * DAY, (start, end - NOW)) == 3 * HOUR


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[Interval], datetime]:
    """Vacations that a player could afford, and some later instant."""
    at, taken = NOW, list[Interval]()
    for _ in range(draw(st.integers(0, 4))):
        at += draw(st.timedeltas(NOTHING, 300 * DAY))
        saved = clock.vacation_balance(NOW, taken, at)
        end = at + draw(st.timedeltas(NOTHING, saved))
        taken.append(Interval(at, end))
        at = end
    return taken, at + draw(st.timedeltas(NOTHING, 300 * DAY))


@given(lives())
def test_nobody_takes_more_vacation_than_he_earned(life: tuple[list[Interval], datetime]) -> None:
    taken, now = life
    spent = sum((vacation.length for vacation in taken), NOTHING)
    saved = clock.vacation_balance(NOW, taken, now)
    assert NOTHING <= saved <= 30 * DAY
    assert 8 * (saved + spent) <= now - NOW - spent


@given(lives(), st.timedeltas(NOTHING, 300 * DAY))
def test_a_vacation_of_no_length_changes_no_balance(
    life: tuple[list[Interval], datetime], at: timedelta
) -> None:
    taken, now = life
    empty = Interval(NOW + at, NOW + at)
    if any(vacation.start <= empty.start < vacation.end for vacation in taken):
        return
    assert clock.vacation_balance(NOW, [*taken, empty], now) == clock.vacation_balance(
        NOW, taken, now
    )


@given(lives(), clocks_at_rest(), spans)
def test_an_automatic_vacation_keeps_the_flag_up_for_the_whole_balance(
    life: tuple[list[Interval], datetime], turn: tuple[datetime, Pauses], left: timedelta
) -> None:
    start, pauses = turn
    falls = deadline(start, left, pauses)
    saved = clock.vacation_balance(NOW, *life)
    vacation = clock.automatic_vacation(falls, saved)
    if vacation is None:
        assert saved == NOTHING
        return
    longer = Pauses((*pauses.vacations, vacation), pauses.weekends, pauses.outages)
    assert vacation == Interval(falls, falls + saved)
    assert deadline(start, left, longer) >= vacation.end
    assert used(start, vacation.end, longer) == left


def test_there_is_no_automatic_vacation_without_a_balance() -> None:
    assert clock.automatic_vacation(NOW, NOTHING) is None


# Outages

MINUTE = timedelta(minutes=1)


def test_a_gap_between_heartbeats_is_an_outage_from_beat_to_beat() -> None:
    minutes = [0, 1, 2, 30, 4, 3, 31, 33, 36]
    beats = [NOW + minute * MINUTE for minute in minutes]
    assert clock.outages_from_heartbeats(beats, 2 * MINUTE) == [
        Interval(NOW + 4 * MINUTE, NOW + 30 * MINUTE),
        Interval(NOW + 33 * MINUTE, NOW + 36 * MINUTE),
    ]


def test_no_heartbeat_or_one_makes_no_outage() -> None:
    assert clock.outages_from_heartbeats([], MINUTE) == []
    assert clock.outages_from_heartbeats([NOW], MINUTE) == []


@given(st.lists(st.integers(0, 500), min_size=2), st.integers(0, 50))
def test_every_minute_far_from_a_heartbeat_is_credited(minutes: list[int], most: int) -> None:
    beats = [NOW + minute * MINUTE for minute in minutes]
    outages = tuple(clock.outages_from_heartbeats(beats, most * MINUTE))
    first, last = min(beats), max(beats)
    running = used(first, last, Pauses(outages=outages))
    gaps = [b - a for a, b in zip(sorted(beats), sorted(beats)[1:], strict=False)]
    assert running == sum((gap for gap in gaps if gap <= most * MINUTE), NOTHING)
