"""Events start, go on round by round, and end."""

from collections.abc import Callable

import pytest
from django.utils import translation

from accounts.models import Player
from games.models import Game, OutboxMessage, Participant
from tests.games.acts import both_move
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import advancing, event_log, leaving
from tournaments.formats.format import TooFew
from tournaments.models import Entry, Event, Meeting, Rest, State

Crowd = Callable[[int], list[Player]]
FORMATS: list[tuple[str, dict[str, object], int]] = [
    ("round-robin", {}, 4),
    ("round-robin", {"double": True, "at_once": 2}, 4),
    ("round-robin", {"section_size": 3}, 6),
    ("league", {"size": 3, "up": 1, "down": 1}, 6),
    ("swiss", {"rounds": 3}, 5),
    ("swiss", {"rounds": 3, "games": 2}, 5),
    ("knockout", {}, 5),
    ("knockout", {"double": True, "reset": True}, 5),
    ("knockout", {"games": 2, "drawn": "replay"}, 4),
    ("stages", {"section_size": 3, "qualify": 1}, 6),
    ("stages", {"section_size": 3, "qualify": 1, "final": "knockout"}, 6),
]


@pytest.mark.parametrize(("format", "settings", "entrants"), FORMATS)
def test_every_format_is_played_to_its_end_and_the_best_is_first(
    stage: Stage, crowd: Crowd, format: str, settings: dict[str, object], entrants: int
) -> None:
    players = crowd(entrants)
    event = stage.started(*players, format=format, settings=settings)
    ended = stage.play_out(event)
    assert ended.state == State.FINISHED
    assert ended.finished_at == stage.now or ended.finished_at < stage.now
    first = Entry.objects.filter(event=event, rank=1).order_by("section", "number").first()
    assert first is not None
    assert first.player == players[0]
    assert not Meeting.objects.filter(event=event, settled_at=None).exists()
    assert not OutboxMessage.objects.exists()


def test_all_games_of_a_round_robin_begin_at_once(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(5))
    assert event.meetings.count() == 10
    assert Game.objects.filter(event_id=event.pk).count() == 10
    assert logged(event)[-5:] == ["paired"] * 5


def test_in_waves_nobody_has_more_games_than_he_may(stage: Stage, crowd: Crowd) -> None:
    players = crowd(5)
    event = stage.started(*players, settings={"at_once": 1})
    begun = 0
    while fresh(event).state == State.RUNNING:
        running = [seat for g in Game.objects.filter(status="running") for seat in g.seats.all()]
        assert len({seat.player_id for seat in running}) == len(running)
        begun += stage.stronger_wins_all(event)
    assert begun == 10


def test_the_odd_one_of_a_swiss_round_has_a_bye(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(5), format="swiss", settings={"rounds": 3})
    assert [rest.kind for rest in Rest.objects.filter(event=event)] == ["U"]
    assert event.meetings.count() == 2


def test_a_round_is_not_paired_before_the_last_game_has_ended(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    one, other = event.meetings.select_related("game", "first__player")
    stage.win(one.game, one.first.player)
    stage.work()
    assert event.rounds.count() == 1
    stage.win(other.game, other.first.player)
    stage.work()
    assert event.rounds.count() == 2


def test_to_be_asked_again_changes_nothing(stage: Stage, crowd: Crowd) -> None:
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    for _ in range(3):
        advancing.advance(event_id=event.pk, now=stage.now)
    assert event.meetings.count() == 2
    assert logged(event).count("paired") == 1


def test_too_few_entrants_are_refused_and_in_the_end_the_event_is_called_off(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.open(least_entrants=3, starts_at=stage.now.replace(day=9))
    stage.enter(event, alice, bob)
    with pytest.raises(TooFew, match="needs at least 3 entrants; it has 2"):
        advancing.start(event_id=event.pk, by=alice, now=stage.now)
    stage.later(days=8)
    assert fresh(event).state == State.CALLED_OFF
    assert logged(event)[-1] == "too-few"


def test_a_round_that_cannot_be_paired_is_told_once_and_to_each_in_his_language(
    stage: Stage, crowd: Crowd
) -> None:
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    one, other = event.meetings.select_related("first__player", "second__player")
    for gone in (other.first, other.second):
        leaving.leave(event_id=event.pk, player=gone.player, now=stage.now)
    stage.win(one.game, one.first.player)
    stage.work()
    stage.later(hours=1)
    (line,) = event.log.filter(what="unpairable")
    assert event_log.sentence(line).startswith("Round 2 cannot be paired: too many of those")
    with translation.override("de"):
        assert event_log.sentence(line).startswith("Runde 2 lässt sich nicht auslosen: Zu viele")


def test_a_full_event_without_a_time_starts_by_itself(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.open(most_entrants=2)
    stage.enter(event, alice, bob)
    assert fresh(event).state == State.OPEN
    stage.work()
    assert fresh(event).state == State.RUNNING


def test_a_player_with_too_many_games_does_not_stop_a_pairing(
    stage: Stage, alice: Player, bob: Player
) -> None:
    Participant.objects.create(player=bob, running_games=200)
    event = stage.started(alice, bob)
    assert event.meetings.count() == 1
    assert Participant.objects.get(player=bob).running_games == 201


def test_start_numbers_go_by_rating_then_by_entry(stage: Stage, crowd: Crowd) -> None:
    players = crowd(3)
    event = stage.started(*reversed(players))
    assert [entry(event, player).number for player in players] == [3, 2, 1]


def test_a_drawn_knockout_match_goes_by_the_rule_declared(
    stage: Stage, alice: Player, bob: Player
) -> None:
    rule = {"drawn": "higher seed"}
    event = stage.started(alice, bob, format="knockout", settings=rule)
    stage.draw(event.meetings.get().game)
    stage.work()
    assert fresh(event).state == State.FINISHED
    assert entry(event, alice).rank == 1


def test_a_drawn_match_is_replayed_where_that_is_the_rule(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.started(alice, bob, format="knockout", settings={"drawn": "replay", "replays": 1})
    first = event.meetings.get()
    stage.draw(first.game)
    stage.work()
    again = event.meetings.get(leg=2)
    assert (again.first, again.second) == (first.second, first.first)
    stage.win(again.game, bob)
    stage.work()
    assert entry(event, bob).rank == 1


def test_an_event_on_its_last_day_is_decided_by_the_rule(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.started(
        alice, bob, ends_at=stage.now.replace(day=4), round_end=Event.RoundEnd.DRAW
    )
    both_seats_move(event, stage)
    stage.later(days=2)
    meeting = event.meetings.get()
    assert (meeting.score, meeting.other_score, meeting.forfeit) == (1, 1, False)
    assert fresh(event).state == State.FINISHED
    assert Game.objects.get(pk=meeting.game_id).score == 1


def both_seats_move(event: Event, stage: Stage) -> None:
    for meeting in event.meetings.select_related("game"):
        assert meeting.game is not None
        both_move(meeting.game, now=stage.now)
