"""Somebody drops out, and his games are treated by the rule declared."""

from collections.abc import Callable

import pytest

from accounts.models import Player
from games import play
from games.models import Game, RatingEntry, Status
from notifications import letters
from notifications.models import Kind, Letter
from tests.conftest import NOW
from tests.games.acts import both_move
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import entering, leaving, opening, previews
from tournaments.models import EntryState, Event, Meeting, State
from tournaments.refusals import BadEvent, CannotEnter, NotEntered, NotYourEvent, WrongMoment
from tournaments.tables import board_of

Crowd = Callable[[int], list[Player]]


def meeting_of(event: Event, one: Player, other: Player) -> Meeting:
    found = event.meetings.select_related("game", "first__player", "second__player")
    pair = [one.pk, other.pk]
    return found.get(first__player__in=pair, second__player__in=pair)


def game_of(event: Event, one: Player, other: Player) -> Game:
    game = meeting_of(event, one, other).game
    assert game is not None
    return game


def points(event: Event) -> dict[str, float]:
    lines = [line for section in board_of(event).sections for line in section.lines]
    return {line.entry.player.name: float(line.row.points) for line in lines}


def test_under_half_of_his_games_his_results_are_struck_but_stay_rated(
    stage: Stage, crowd: Crowd
) -> None:
    one, two, three, four = crowd(4)
    event = stage.started(one, two, three, four)
    stage.win(game_of(event, one, four), one)
    stage.work()
    leaving.leave(event_id=event.pk, player=four, now=stage.now)
    stage.work()
    assert entry(event, four).struck
    assert points(event) == {"player01": 0, "player02": 0, "player03": 0}
    assert RatingEntry.objects.filter(game=game_of(event, one, four), is_void=False).exists()
    assert logged(event)[-2:] == ["left", "struck"]


def test_from_half_of_his_games_on_the_rest_is_forfeited(stage: Stage, crowd: Crowd) -> None:
    one, two, three = crowd(3)
    event = stage.started(one, two, three)
    stage.win(game_of(event, one, three), three)
    stage.work()
    leaving.leave(event_id=event.pk, player=three, now=stage.now)
    stage.work()
    assert not entry(event, three).struck
    left = meeting_of(event, two, three)
    assert left.forfeit
    assert points(event) == {"player03": 1, "player02": 1, "player01": 0}
    assert game_of(event, two, three).status == Status.VOID


def test_a_game_in_which_both_have_moved_is_lost_and_rated(stage: Stage, crowd: Crowd) -> None:
    one, two = crowd(2)
    event = stage.started(one, two, drop_out="forfeit")
    both_move(game_of(event, one, two), now=stage.now)
    leaving.leave(event_id=event.pk, player=two, now=stage.now)
    stage.work()
    meeting = meeting_of(event, one, two)
    game = game_of(event, one, two)
    assert not meeting.forfeit
    assert (game.status, game.reason) == (Status.FINISHED, "ruling")
    assert RatingEntry.objects.filter(game=game, is_void=False).count() == 1
    assert fresh(event).state == State.FINISHED
    assert entry(event, one).rank == 1


def test_the_preview_is_what_comes_about(stage: Stage, crowd: Crowd) -> None:
    one, two, three, four = crowd(4)
    event = stage.started(one, two, three, four)
    stage.win(game_of(event, one, four), four)
    stage.win(game_of(event, two, three), two)
    stage.work()
    for leaver in (four, one):
        preview = previews.if_he_leaves(event=event, player=leaver)
        assert preview.struck == (leaver == four or preview.played * 2 < preview.planned)
        before = points(event)
        assert before == _points(preview.before)
        leaving.leave(event_id=event.pk, player=leaver, now=stage.now)
        assert points(event) == _points(preview.after)


def _points(board: object) -> dict[str, float]:
    lines = [line for part in board.sections for line in part.lines]  # type: ignore[attr-defined]
    return {line.entry.player.name: float(line.row.points) for line in lines}


def test_after_two_time_outs_a_player_is_taken_out(stage: Stage, crowd: Crowd) -> None:
    players = crowd(5)
    event = stage.started(*players)
    gone = players[4]
    for meeting in event.meetings.select_related("game", "first__player", "second__player"):
        assert meeting.game is not None
        pair = (meeting.first.player, meeting.second.player)
        if gone in pair and meeting.first.player != gone:
            both_move(meeting.game, now=stage.now)
        elif gone not in pair:
            stage.win(meeting.game, pair[0])
    stage.later(days=4)
    out = entry(event, gone)
    assert out.state == EntryState.VANISHED
    assert out.timeouts >= 2
    assert "vanished" in logged(event)
    assert fresh(event).state == State.FINISHED


def test_whoever_never_moved_loses_by_forfeit(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.started(alice, bob)
    stage.later(days=4)
    meeting = event.meetings.get()
    assert meeting.forfeit
    assert (meeting.score, meeting.other_score) == (0, 2)
    assert entry(event, meeting.first.player).timeouts == 1
    assert not RatingEntry.objects.exists()


def test_a_time_out_with_moves_is_a_game_like_another(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.started(alice, bob)
    both_move(game_of(event, alice, bob), now=stage.now)
    stage.later(days=4)
    meeting = event.meetings.get()
    assert not meeting.forfeit
    assert sorted([meeting.score, meeting.other_score]) == [0, 2]


def test_a_game_of_an_event_is_not_called_off_but_given_up(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = stage.started(alice, bob)
    game = game_of(event, alice, bob)
    with pytest.raises(Exception, match="cannot be called off; you can resign it"):
        play.abort(game_id=game.pk, player_id=alice.pk, now=stage.now)
    play.resign(game_id=game.pk, player_id=alice.pk, now=stage.now)
    stage.work()
    meeting = event.meetings.get()
    assert meeting.forfeit
    assert entry(event, bob).rank == 1
    assert not RatingEntry.objects.exists()


def test_an_expulsion_needs_a_director_and_a_reason(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.started(bob, charlie)
    out = {"event_id": event.pk, "player": bob, "now": stage.now}
    with pytest.raises(NotYourEvent):
        leaving.expel(by=charlie, reason="I want to win.", **out)
    with pytest.raises(BadEvent, match="Say in 1 to 500 characters why"):
        leaving.expel(by=alice, reason="", **out)
    leaving.expel(by=alice, reason="Played with an engine.", **out)
    stage.work()
    assert entry(event, bob).state == EntryState.EXPELLED
    with pytest.raises((NotEntered, WrongMoment)):
        leaving.expel(by=alice, reason="Again.", **out)


def test_whoever_was_expelled_enters_again_only_if_invited(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = stage.open()
    stage.enter(event, bob, charlie)
    leaving.expel(event_id=event.pk, player=bob, by=alice, reason="Abuse.", now=stage.now)
    with pytest.raises(CannotEnter, match="You were expelled from this event"):
        entering.enter(event_id=event.pk, player=bob, now=stage.now)
    assert entry(event, bob).state == EntryState.EXPELLED
    entering.invite(event_id=event.pk, player=bob, by=alice, now=stage.now)
    assert entry(event, bob).state == EntryState.INVITED
    entering.enter(event_id=event.pk, player=bob, now=stage.now)
    assert entry(event, bob).state == EntryState.ENTERED


def test_a_bot_that_was_expelled_is_entered_again_by_a_director(
    stage: Stage, alice: Player
) -> None:
    event = stage.open(rated=False, bots_allowed=True)
    added = {"event_id": event.pk, "level": "dew", "by": alice, "now": stage.now}
    bot = entering.enter_bot(**added).player
    leaving.expel(event_id=event.pk, player=bot, by=alice, reason="Too easy.", now=stage.now)
    assert entering.enter_bot(**added).state == EntryState.ENTERED


def test_a_swiss_event_goes_on_without_him(stage: Stage, crowd: Crowd) -> None:
    players = crowd(5)
    event = stage.started(*players, format="swiss", settings={"rounds": 3})
    leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
    stage.work()
    stage.play_out(event)
    after = event.meetings.filter(round__gt=1)
    assert not after.filter(first__player=players[0]).exists()
    assert not after.filter(second__player=players[0]).exists()


def test_whoever_plays_the_next_of_a_knockout_goes_on_when_his_opponent_leaves(
    stage: Stage, crowd: Crowd
) -> None:
    players = crowd(4)
    event = stage.started(*players, format="knockout")
    leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
    stage.work()
    stage.play_out(event)
    assert entry(event, players[1]).rank == 1
    assert event.meetings.filter(round=2, first__player__in=players[1:]).count() == 1


# What the letters say


def words_to(player: Player, what: str) -> str:
    letter = Letter.objects.get(player=player, kind=Kind.EVENT, details__what=what)
    return letters.compose(letter, now=NOW).body


def test_whoever_is_taken_out_reads_why(stage: Stage, crowd: Crowd) -> None:
    players = crowd(3)
    event = stage.started(*players)
    leaving.expel(
        event_id=event.pk, player=players[2], by=stage.organiser, reason="Two hats.", now=stage.now
    )
    stage.work()
    words = words_to(players[2], "withdrawn")
    assert f"You were taken out of {event.name}." in words
    assert f"{players[2].name} was expelled: Two hats." in words


def test_whoever_had_entered_reads_why_the_event_was_called_off(stage: Stage, bob: Player) -> None:
    event = stage.open()
    stage.enter(event, bob)
    opening.call_off(event_id=event.pk, by=stage.organiser, reason="It rains.", now=stage.now)
    stage.work()
    assert "The event was called off: It rains." in words_to(bob, "cancelled")
