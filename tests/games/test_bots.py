"""House bots are players: they accept, they answer, they never do the same work twice."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Player
from games import bot_moves, house_bots, lobby, outbox, play, reviews, tasks
from games.bots.levels import LEVELS
from games.clock import PRESETS, PerMove
from games.events import FACTS
from games.lobby import Terms
from games.models import BotErrand, Challenge, Game, Move, Participant, RatingEntry, Via
from games.rules.registry import RULESETS
from tests.conftest import NOW
from tests.games.acts import as_stored, move, position_of, to_move

MANY = 30
HEARD = ("game_started", "move_played", "moves_taken_back", "draw_offered", "takeback_asked")


@pytest.fixture(autouse=True)
def only_bots_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    """No letters, and no worker to ring: the tests do its work."""
    heard = {FACTS[name]: ("bots",) for name in HEARD}
    monkeypatch.setattr(outbox, "subscriptions", lambda: heard)
    monkeypatch.setattr(outbox, "heard_at_once", dict)
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)


@pytest.fixture
def dew(db: None) -> Player:
    return house_bots.of_level("dew")


def terms(**changes: object) -> Terms:
    return Terms(**{"ruleset": "tritt-classic", "clock": PRESETS["3d"], **changes})


def work(*, now=NOW) -> int:
    """What the workers do until nothing is left; how many errands that were."""
    done = 0
    while outbox.relay(now=now) or bot_moves.do_next(now=now):
        done += 1
    return done


def test_there_is_one_bot_a_level_however_often_they_settle(db):
    first = house_bots.settle()
    assert house_bots.settle() == first
    assert [bot.name for bot in first] == [level.name for level in LEVELS.values()]
    assert all(bot.is_bot and not bot.has_usable_password() for bot in first)


def test_a_bot_whose_name_is_taken_has_another(db):
    person = Player.objects.create_user("dew")
    assert house_bots.of_level("dew").name == "Dew-bot"
    assert house_bots.of_level("dew") != person


def test_a_level_that_there_is_not_is_named_with_those_that_are(db):
    with pytest.raises(Exception, match="There is no bot rain; there are: dew, brook"):
        house_bots.of_level("rain")


def test_a_bot_accepts_a_challenge_at_once_and_moves(alice, dew):
    offer = lobby.challenge(challenger=alice, opponent=dew, terms=terms(side=1), now=NOW)
    assert offer.state == Challenge.State.ACCEPTED
    work()
    line = Move.objects.get(game=offer.game, ply=1)
    assert (line.seat, line.via) == (0, Via.BOT)
    assert to_move(offer.game) == alice
    assert not BotErrand.objects.exists()


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("rated", [True, False])
def test_a_program_challenges_a_bot_by_name_and_has_the_game_at_once(
    alice, dew, api_of, ruleset, rated
):
    asked = {"ruleset": ruleset, "opponent": "dew", "rated": rated, "side": 0}
    made = api_of(alice, "read", "play").post("/api/v1/challenges", asked, format="json")
    assert (made.status_code, made.json()["state"]) == (201, "accepted")
    game = Game.objects.get(pk=made.json()["game"])
    assert (game.ruleset, game.rated, game.is_running) == (ruleset, rated, True)
    assert [seat.player for seat in game.seats.order_by("number")] == [alice, dew]


def test_a_program_may_play_a_bot_only_with_the_scope_for_it(alice, dew, api_of):
    asked = {"ruleset": "tritt-classic", "opponent": "Dew"}
    refused = api_of(alice, "read").post("/api/v1/challenges", asked, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_scope")
    assert not Game.objects.exists()


def test_an_open_seek_is_left_to_people(alice, dew):
    offer = lobby.seek(challenger=alice, terms=terms(), now=NOW)
    for waited in range(7):
        work(now=NOW + timedelta(days=waited))
    offer.refresh_from_db()
    assert offer.state == Challenge.State.OPEN


def test_a_rematch_with_a_bot_begins_at_once(alice, dew, start):
    game = start("tritt-classic", alice, dew)
    move(game)
    work()
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    offer = lobby.offer_rematch(player=alice, game_id=game.pk, now=NOW)
    assert offer.game.is_running


@pytest.mark.parametrize("ruleset", RULESETS)
def test_bots_play_whole_games_of_every_ruleset(dew, start, ruleset):
    options = {"turn_limit": 3} if ruleset == "triotrio" else {}
    game = start(ruleset, dew, house_bots.of_level("brook"), options=options)
    work()
    assert as_stored(game).status == "finished"
    assert RatingEntry.objects.filter(game=game).exists()
    played = Move.objects.filter(game=game, ply__gt=0)
    assert set(played.values_list("via", flat=True)) == {Via.BOT}


def test_a_bot_has_room_for_any_number_of_games(alice, dew, start, monkeypatch):
    monkeypatch.setattr("games.starting.MOST_RUNNING_GAMES", 1)
    Participant.objects.create(player=dew, running_games=500)
    assert start("tritt-classic", dew, alice).is_running
    with pytest.raises(Exception, match="alice plays 1 games already"):
        start("tritt-classic", dew, alice)


def test_a_bot_answers_in_all_its_games_and_once_in_each(alice, start):
    dew = house_bots.of_level("dew")
    games = [start("tritt-classic", dew, alice, now=timezone.now()) for _ in range(MANY)]
    for ply in (1, 3):
        outbox.relay(now=timezone.now())
        tasks.serve_bots()
        assert plies(games) == [ply] * MANY
        assert not BotErrand.objects.exists()
        for game in games:
            move(game, now=timezone.now())
    assert Move.objects.filter(game__in=games, via=Via.BOT).count() == 2 * MANY


def plies(games: list[Game]) -> list[int]:
    stored = Game.objects.filter(pk__in=[game.pk for game in games])
    return list(stored.order_by("pk").values_list("ply", flat=True))


def test_after_some_seconds_a_worker_lets_itself_be_asked_anew(alice, start):
    dew = house_bots.of_level("dew")
    games = [start("tritt-classic", dew, alice, now=timezone.now()) for _ in range(3)]
    outbox.relay(now=timezone.now())
    assert bot_moves.serve(seconds=0, in_between=reviews.go_on)
    assert plies(games) == [0, 0, 0]
    assert not bot_moves.serve(seconds=600, in_between=reviews.go_on)
    assert plies(games) == [1, 1, 1]


def test_the_nearest_deadline_comes_first(alice, dew, start):
    later = start("tritt-classic", dew, alice, clock=PerMove(7))
    sooner = start("tritt-classic", dew, alice, clock=PerMove(1))
    outbox.relay(now=NOW)
    bot_moves.do_next(now=NOW)
    assert (as_stored(sooner).ply, as_stored(later).ply) == (1, 0)


def test_an_errand_that_is_taken_is_left_alone_until_its_time_is_up(alice, dew, start):
    game = start("tritt-classic", dew, alice)
    outbox.relay(now=NOW)
    bot_moves._taken(NOW)
    assert not bot_moves.do_next(now=NOW + timedelta(seconds=59))
    assert bot_moves.do_next(now=NOW + timedelta(seconds=60))
    assert as_stored(game).ply == 1


def test_a_bot_that_stumbles_keeps_nobody_waiting(alice, dew, start, monkeypatch):
    broken = start("tritt-classic", dew, alice, clock=PerMove(1))
    sound = start("tritt-classic", dew, alice, clock=PerMove(7))
    choose = bot_moves.choose
    monkeypatch.setattr(bot_moves, "choose", stumbling_in(broken, choose))
    work()
    assert (as_stored(broken).ply, as_stored(sound).ply) == (0, 1)
    monkeypatch.setattr(bot_moves, "choose", choose)
    work(now=NOW + timedelta(minutes=1))
    assert as_stored(broken).ply == 1


def stumbling_in(game, choose):
    calls = []

    def stumble(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise RuntimeError("a bot stumbles")
        return choose(*arguments)

    return stumble


def test_a_call_that_comes_while_the_bot_thinks_is_not_lost(alice, dew, start, monkeypatch):
    game = start("tritt-classic", dew, alice)
    outbox.relay(now=NOW)
    choose = bot_moves.choose

    def called_again(*arguments):
        bot_moves.call(game.pk)
        return choose(*arguments)

    monkeypatch.setattr(bot_moves, "choose", called_again)
    bot_moves.do_next(now=NOW)
    assert BotErrand.objects.get().taken_until is None
    work()
    assert not BotErrand.objects.exists()


def test_an_errand_in_a_game_that_is_over_goes_away(alice, dew, start):
    game = start("tritt-classic", dew, alice)
    outbox.relay(now=NOW)
    play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    work()
    assert not BotErrand.objects.exists()
    assert as_stored(game).ply == 0


@pytest.mark.parametrize(("rated", "plies_after"), [(False, 3), (True, 2)])
def test_a_bot_lets_a_move_be_taken_back_if_nothing_is_at_stake(
    alice, dew, start, rated, plies_after
):
    game = start("tritt-classic", alice, dew, rated=rated)
    move(game)
    work()
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=NOW)
    work()
    stored = as_stored(game)
    assert stored.ply == plies_after
    assert stored.takeback_asked_by is None
    assert to_move(game) == alice


def test_a_bot_declines_a_draw_and_plays_on(alice, dew, start):
    game = start("tritt-classic", alice, dew)
    move(game)
    work()
    play.offer_draw(game_id=game.pk, player_id=alice.pk, now=NOW)
    work()
    assert as_stored(game).draw_offered_by is None
    assert as_stored(game).is_running


def test_people_among_themselves_call_no_bot(start):
    move(start())
    work()
    assert not BotErrand.objects.exists()


def test_looking_for_work_costs_one_query_however_many_games_run(
    alice, bob, start, django_assert_num_queries
):
    for _ in range(3):
        start("tritt-classic", alice, bob)
    outbox.relay(now=NOW)
    with django_assert_num_queries(3):  # savepoints around one query
        assert not bot_moves.do_next(now=NOW)


@pytest.mark.django_db(transaction=True)
def test_two_workers_do_not_think_about_the_same_game(alice, start, monkeypatch):
    dew = house_bots.of_level("dew")
    game = start("tritt-classic", dew, alice)
    outbox.relay(now=NOW)
    choose, thought, both = bot_moves.choose, [], threading.Barrier(2)

    def think(position, level, seed):
        thought.append(position)
        return choose(position, level, seed)

    def worker():
        both.wait(15)
        bot_moves.do_next(now=NOW)
        connection.close()

    monkeypatch.setattr(bot_moves, "choose", think)
    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(thought) == 1
    assert as_stored(game).ply == 1
    assert position_of(game).awaiting.seat == 1
