"""On a ladder one challenges those above, and places change at the moment a game ends."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError

from accounts.models import Player
from games import blocking, play
from games.budgets import BUDGETS, Act, OverBudget
from games.models import Game, OutboxMessage
from tests.conftest import make_player
from tests.games.acts import both_move
from tests.games.threads import at_once
from tests.tournaments.life import Stage, entry, logged
from tournaments import ladders, leaving
from tournaments.formats.ladder import OutOfReach, TooManyChallenges, TooSoon
from tournaments.models import EntryState, Event, Meeting
from tournaments.refusals import BadEvent, NotEntered

Crowd = Callable[[int], list[Player]]


def ladder(stage: Stage, *players: Player, **settings: object) -> Event:
    return stage.started(*players, format="ladder", settings={"rest_days": 0, **settings})


def order(event: Event) -> list[str]:
    there = event.entries.exclude(place=None).order_by("place")
    return [each.player.name for each in there.select_related("player")]


def challenge(stage: Stage, event: Event, lower: Player, upper: Player) -> Meeting:
    return ladders.challenge(event_id=event.pk, challenger=lower, challenged=upper, now=stage.now)


def test_whoever_wins_takes_the_place_and_those_between_go_down(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = ladder(stage, *players)
    meeting = challenge(stage, event, players[3], players[1])
    stage.win(meeting.game, players[3])
    assert order(event) == ["player01", "player04", "player02", "player03"]
    assert logged(event)[-1] == "places"


def test_whoever_is_challenged_and_wins_keeps_his_place(stage: Stage, crowd: Crowd) -> None:
    players = crowd(3)
    event = ladder(stage, *players)
    meeting = challenge(stage, event, players[2], players[0])
    stage.win(meeting.game, players[0])
    assert order(event) == ["player01", "player02", "player03"]
    drawn = challenge(stage, event, players[1], players[0])
    stage.draw(drawn.game)
    assert order(event) == ["player01", "player02", "player03"]


def test_a_ladder_goes_on_between_two_of_whom_one_blocked_the_other(
    stage: Stage, alice: Player, bob: Player
) -> None:
    event = ladder(stage, alice, bob)
    blocking.block(blocker=alice, blocked=bob, now=stage.now)
    assert challenge(stage, event, bob, alice).game


def test_a_lost_flag_costs_places_besides(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = ladder(stage, *players, fall=1)
    meeting = challenge(stage, event, players[2], players[1])
    assert meeting.game is not None
    both_move(meeting.game, now=stage.now)
    stage.later(days=4)
    loser = Game.objects.get(pk=meeting.game_id).score == 0
    assert loser, "the one above begins, so it is his flag that falls first"
    assert order(event) == ["player01", "player03", "player04", "player02"]
    assert entry(event, players[1]).timeouts == 1


def test_places_change_with_the_game_or_not_at_all(
    stage: Stage, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = crowd(2)
    event = ladder(stage, *players)
    meeting = challenge(stage, event, players[1], players[0])
    game = meeting.game
    assert game is not None
    both_move(game, now=stage.now)

    def fail(*_: object) -> None:
        raise IntegrityError("a broken wire")

    recorded = OutboxMessage.objects.count()
    monkeypatch.setattr(ladders, "_write_places", fail)
    with pytest.raises(IntegrityError):
        play.resign(game_id=game.pk, player_id=players[0].pk, now=stage.now)
    assert Game.objects.get(pk=game.pk).is_running
    assert OutboxMessage.objects.count() == recorded
    monkeypatch.undo()
    play.resign(game_id=game.pk, player_id=players[0].pk, now=stage.now)
    assert order(event) == ["player02", "player01"]


def test_a_challenge_has_its_limits(stage: Stage, crowd: Crowd, charlie: Player) -> None:
    players = crowd(5)
    event = ladder(stage, *players, reach=2, outgoing=1, incoming=1, rest_days=7)
    one, two, three, four, five = players
    with pytest.raises(OutOfReach, match="places 3 to 4, not place 1"):
        challenge(stage, event, five, one)
    with pytest.raises(OutOfReach):
        challenge(stage, event, one, two)
    with pytest.raises(NotEntered, match="charlie is not in this event"):
        challenge(stage, event, five, charlie)
    meeting = challenge(stage, event, five, three)
    with pytest.raises(TooSoon, match="already"):
        challenge(stage, event, five, three)
    with pytest.raises(TooManyChallenges, match="You have 1 challenges"):
        challenge(stage, event, five, four)
    with pytest.raises(TooManyChallenges, match="has been challenged"):
        challenge(stage, event, four, three)
    stage.win(meeting.game, three)
    with pytest.raises(TooSoon, match="played lately"):
        challenge(stage, event, five, three)
    stage.now += timedelta(days=7)
    assert challenge(stage, event, five, three).leg == 2
    assert [one.player for one in ladders.within_reach(event=event, player=four)] == [two, three]


def test_challenges_have_a_daily_budget(
    stage: Stage, alice: Player, bob: Player, charlie: Player
) -> None:
    event = ladder(stage, alice, bob, charlie, outgoing=20, incoming=20)
    for _ in range(BUDGETS[Act.CHALLENGE].to_one):
        meeting = challenge(stage, event, bob, alice)
        stage.win(meeting.game, alice)
    with pytest.raises(OverBudget, match="You can challenge alice 6 times a day"):
        challenge(stage, event, bob, alice)
    assert event.meetings.count() == logged(event).count("challenged") == 6
    assert challenge(stage, event, charlie, alice).game


def test_only_a_ladder_has_challenges(stage: Stage, alice: Player, bob: Player) -> None:
    event = stage.started(alice, bob)
    with pytest.raises(BadEvent, match="Only on a ladder"):
        challenge(stage, event, bob, alice)


def test_whoever_leaves_gives_up_his_place_and_his_games(stage: Stage, crowd: Crowd) -> None:
    players = crowd(3)
    event = ladder(stage, *players)
    meeting = challenge(stage, event, players[2], players[0])
    assert meeting.game is not None
    both_move(meeting.game, now=stage.now)
    leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
    stage.work()
    assert order(event) == ["player02", "player03"]
    meeting.refresh_from_db()
    assert (meeting.score, meeting.other_score) == (0, 2)


def test_two_lost_flags_and_he_is_off_the_ladder(stage: Stage, crowd: Crowd) -> None:
    players = crowd(3)
    event = ladder(stage, *players, fall=0)
    for lower in players[1:]:
        meeting = challenge(stage, event, lower, players[0])
        assert meeting.game is not None
        both_move(meeting.game, now=stage.now)
    stage.later(days=4)
    assert entry(event, players[0]).state == EntryState.VANISHED
    assert order(event) == ["player03", "player02"] or order(event) == ["player02", "player03"]


def test_a_late_entrant_begins_at_the_bottom(stage: Stage, crowd: Crowd) -> None:
    *players, late = crowd(3)
    event = stage.started(*players, format="ladder", late_entry=True)
    stage.enter(event, late)
    assert order(event) == ["player01", "player02", "player03"]


@pytest.mark.django_db(transaction=True)
def test_games_that_end_together_leave_every_place_taken_once(stage: Stage) -> None:
    players = [make_player(f"player{at:02}") for at in range(1, 7)]
    event = ladder(stage, *players)
    games = []
    for lower, upper in ((1, 0), (3, 2), (5, 4), (4, 2)):
        meeting = challenge(stage, event, players[lower], players[upper])
        assert meeting.game is not None
        both_move(meeting.game, now=stage.now)
        games.append((meeting.game, players[upper]))
    gone = players[3]
    answers = at_once(
        *(
            lambda game=game, loser=loser: play.resign(
                game_id=game.pk, player_id=loser.pk, now=stage.now
            )
            for game, loser in games
        ),
        lambda: leaving.leave(event_id=event.pk, player=gone, now=stage.now),
    )
    stage.work()
    refused = [answer for answer in answers if isinstance(answer, Exception)]
    assert all("over" in str(each) for each in refused), refused
    places = sorted(each.place for each in event.entries.exclude(place=None))
    assert places == [1, 2, 3, 4, 5]
    assert not Meeting.objects.filter(event=event, settled_at=None).exists()
