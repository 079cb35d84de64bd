"""A league renews itself: up, down, in and out."""

from collections.abc import Callable
from datetime import timedelta

from accounts.models import Player
from games.models import Rating, RatingPool
from tests.conftest import make_player
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import leaving, seasons
from tournaments.models import Event, State

Crowd = Callable[[int], list[Player]]
LEAGUE = {"size": 3, "up": 1, "down": 1}


def league(stage: Stage, *players: Player, **fields: object) -> Event:
    return stage.started(*players, format="league", settings=LEAGUE, renews=True, **fields)


def divisions(event: Event) -> list[list[str]]:
    tables: dict[int, list[str]] = {}
    for one in event.entries.select_related("player").order_by("section", "pk"):
        tables.setdefault(one.section, []).append(one.player.name)
    return [sorted(names) for _, names in sorted(tables.items())]


def test_the_best_go_up_and_the_last_go_down(stage: Stage, crowd: Crowd) -> None:
    event = league(stage, *crowd(6))
    assert divisions(event) == [["player01", "player02", "player03"],
                                ["player04", "player05", "player06"]]  # fmt: skip
    stage.play_out(event)
    after = Event.objects.get(series=event)
    assert (after.season, after.state, after.name) == (2, State.OPEN, event.name)
    assert divisions(after) == [["player01", "player02", "player04"],
                                ["player03", "player05", "player06"]]  # fmt: skip
    assert after.starts_at == fresh(event).finished_at + seasons.PAUSE


def test_a_season_is_followed_by_one_and_no_more(stage: Stage, crowd: Crowd) -> None:
    event = league(stage, *crowd(4))
    ended = stage.play_out(event)
    assert seasons.renew(ended, now=stage.now) is None
    assert Event.objects.filter(series=event).count() == 1


def test_whoever_opts_out_is_not_entered_again(stage: Stage, crowd: Crowd) -> None:
    players = crowd(6)
    event = league(stage, *players)
    seasons.stay(event=event, player=players[1], stays=False)
    leaving.leave(event_id=event.pk, player=players[5], now=stage.now)
    stage.work()
    stage.play_out(event)
    after = Event.objects.get(series=event)
    names = {name for part in divisions(after) for name in part}
    assert names == {"player01", "player03", "player04", "player05"}


def test_newcomers_begin_last_however_strong_they_are(stage: Stage, crowd: Crowd) -> None:
    event = league(stage, *crowd(6))
    stage.play_out(event)
    after = Event.objects.get(series=event)
    newcomer = make_player("newcomer")
    pool = RatingPool.objects.get(key="tritt-classic")
    Rating.objects.create(player=newcomer, pool=pool, rating=250_000, games=90, peak=250_000)
    stage.enter(after, newcomer)
    stage.later(days=8)
    running = fresh(after)
    assert running.state == State.RUNNING
    assert "newcomer" in divisions(running)[-1]
    assert "player04" in divisions(running)[0]
    assert all(one.section for one in running.entries.all())


def test_a_season_that_reaches_its_last_day_is_renewed_too(stage: Stage, crowd: Crowd) -> None:
    event = league(
        stage, *crowd(4), ends_at=stage.now + timedelta(days=2), round_end=Event.RoundEnd.DRAW
    )
    stage.later(days=2)
    assert fresh(event).state == State.FINISHED
    after = Event.objects.get(series=event)
    assert after.ends_at is not None
    assert after.ends_at > after.starts_at
    assert logged(event)[-2:] == ["finished", "renewed"]


def test_three_seasons_follow_one_another(stage: Stage, crowd: Crowd) -> None:
    players = crowd(4)
    event = league(stage, *players)
    for season in (2, 3):
        stage.play_out(event)
        event = Event.objects.get(season=season)
        stage.later(days=8)
    assert event.series is not None
    assert event.series.season == 1
    assert Event.objects.count() == 3
    assert entry(event, players[0]).section == 1
