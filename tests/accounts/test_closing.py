"""An account is closed: shut at once, settled by a worker, and nobody else loses anything."""

import json
from datetime import timedelta

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import closing
from accounts.closing import SECOND_LOOK_AFTER, close_account, settle_closings
from accounts.models import Block, Closing, Player, checked_name, closed_name
from games import lobby, play, talk
from games.lobby import Terms
from games.models import Challenge, Game, RatingEntry, RulingRequest, Status
from games.refusals import TooMany
from games.ruling_requests import ask
from notifications.models import Kind, Letter
from tests.conftest import NOW, PASSWORD, THREE_DAYS, log_in, make_player
from tests.games.acts import both_move
from tests.games.threads import Meanwhile
from tests.tournaments.life import Stage, entry, fresh, logged
from tournaments import directing, opening
from tournaments.models import Director, EntryState, Event, Guest, State

TERMS = Terms(ruleset="tritt-classic", clock=THREE_DAYS)


@pytest.fixture(autouse=True)
def _no_other_worker(monkeypatch):
    monkeypatch.setattr(closing, "_wake_worker", lambda: None)
    monkeypatch.setattr("games.outbox.ring", lambda: None)


def close(player: Player) -> None:
    """What the worker does at once; the second look has tests of its own."""
    close_account(player=player, now=NOW)
    assert settle_closings(now=NOW) == 0
    assert Closing.objects.get().due_at == NOW + SECOND_LOOK_AFTER


def test_a_name_like_a_placeholder_stops_no_closing(alice):
    make_player(f"closed-{alice.pk}")
    close(alice)
    alice.refresh_from_db()
    assert alice.name == closed_name(alice.pk)


def test_nobody_can_choose_the_name_of_a_closed_account(alice):
    bob = Player(name=closed_name(alice.pk), email="bob@example.org")
    with pytest.raises(Exception, match="letter"):
        bob.full_clean()


def test_log_in_and_every_session_end_at_once(alice):
    elsewhere, here = Client(), Client()
    for browser in (elsewhere, here):
        log_in(browser, alice)
    here.post("/settings/close/")
    assert elsewhere.get("/settings/").status_code == 302
    assert not Client().login(name="alice", password=PASSWORD)
    settle_closings(now=timezone.now())
    users = {session.get_decoded().get("_auth_user_id") for session in Session.objects.all()}
    assert str(alice.pk) not in users


def test_running_games_are_resigned_and_rated_where_both_have_moved(alice, start):
    played, fresh_game = start(), start()
    both_move(played)
    close(alice)
    played.refresh_from_db()
    fresh_game.refresh_from_db()
    assert (played.status, played.score, played.reason) == (Status.FINISHED, 0, "resignation")
    assert RatingEntry.objects.filter(game=played).count() == 1
    assert (fresh_game.status, fresh_game.reason) == (Status.VOID, "aborted")
    assert not RatingEntry.objects.filter(game=fresh_game).exists()


def test_a_game_whose_time_ran_out_before_ends_on_time(alice, start):
    game = start(now=NOW - timedelta(days=30))
    close(alice)
    game.refresh_from_db()
    assert (game.status, game.reason) == (Status.VOID, "time")


def test_offers_made_and_received_are_closed(alice, bob):
    made = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    received = lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)
    close(alice)
    states = {pk: Challenge.objects.get(pk=pk).state for pk in (made.pk, received.pk)}
    assert states == {made.pk: "withdrawn", received.pk: "declined"}


def test_chat_says_removed_and_an_open_request_is_gone(alice, bob, start, as_player):
    game = start()
    both_move(game)
    talk.say(game_id=game.pk, player_id=alice.pk, text="My secret", now=NOW)
    ask(game_id=game.pk, player=alice, text="Help", now=NOW)
    close(alice)
    page = as_player(bob).get(f"/games/{game.pk}/").content.decode()
    assert "My secret" not in page
    assert "<i>removed</i>" in page
    assert not RulingRequest.objects.exists()


# A worker that is killed


def test_a_worker_killed_between_two_games_loses_nothing(alice, start, monkeypatch):
    games = [start() for _ in range(3)]
    close_account(player=alice, now=NOW)
    give_up = play.give_up
    monkeypatch.setattr("games.closing.SLICE", 1)

    class Killed(BaseException):
        """As a signal does, nothing is caught on the way."""

    def killed_after_one(**act):
        give_up(**act)
        raise Killed

    monkeypatch.setattr("games.play.give_up", killed_after_one)
    with pytest.raises(Killed):
        settle_closings(now=NOW)
    assert Game.objects.filter(status=Status.RUNNING).count() == 2
    monkeypatch.setattr("games.play.give_up", give_up)
    settle_closings(now=NOW + timedelta(seconds=1))
    assert Game.objects.filter(status=Status.RUNNING).count() == 2, "it is still claimed"
    settle_closings(now=NOW + closing.CLAIMED_FOR)
    assert not Game.objects.filter(status=Status.RUNNING).exists()
    assert {Game.objects.get(pk=game.pk).reason for game in games} == {"aborted"}


def test_a_closing_that_fails_is_tried_again_and_holds_up_no_other(alice, bob, monkeypatch):
    lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    withdraw_all = lobby.withdraw_all

    def fails_for_alice(*, player_id, **more):
        if player_id == alice.pk:
            raise RuntimeError("not now")
        return withdraw_all(player_id=player_id, **more)

    monkeypatch.setattr("games.lobby.withdraw_all", fails_for_alice)
    for player in (alice, bob):
        close_account(player=player, now=NOW)
    later = NOW + SECOND_LOOK_AFTER
    assert settle_closings(now=later) == 1
    assert Closing.objects.get().player == alice
    monkeypatch.setattr("games.lobby.withdraw_all", withdraw_all)
    assert settle_closings(now=later + closing.PAUSE_AFTER_FAILURE) == 1


def test_many_games_are_ended_in_short_transactions(alice, bob, start, monkeypatch):
    games = [start() for _ in range(5)]
    open_blocks = []
    give_up = play.give_up

    def watched(**act):
        open_blocks.append(len(connection.savepoint_ids))
        give_up(**act)

    monkeypatch.setattr("games.play.give_up", watched)
    close(alice)
    assert len(open_blocks) == len(games)
    assert set(open_blocks) == {0}, "no transaction holds one game while the next is ended"


class OneSlice:
    """Time for one slice: it is over when it is asked after that."""

    def __init__(self, seconds: float) -> None:
        self.asked = 0

    @property
    def is_over(self) -> bool:
        self.asked += 1
        return self.asked > 1


def test_a_table_is_looked_through_in_slices_and_no_row_twice(alice, bob, monkeypatch):
    """Each run has time for one slice, and the next goes on where it ended."""
    monkeypatch.setattr(closing, "ROWS", 2)
    for player in (bob, alice, bob, alice, bob):
        log_in(Client(), player)
    keys = sorted(Session.objects.values_list("pk", flat=True))
    decoded, of_each_run = [], []
    get_decoded = Session.get_decoded
    monkeypatch.setattr(
        Session, "get_decoded", lambda one: (decoded.append(one.pk), get_decoded(one))[1]
    )
    monkeypatch.setattr(closing, "TimeBox", OneSlice)
    close_account(player=alice, now=NOW)
    for _ in range(100):
        if not Closing.objects.filter(due_at__lte=NOW).exists():
            break
        before = len(decoded)
        settle_closings(now=NOW)
        of_each_run.append(len(decoded) - before)
    assert max(of_each_run) == 2
    assert sorted(decoded) == keys
    assert Session.objects.count() == 3
    assert Closing.objects.get().due_at == NOW + SECOND_LOOK_AFTER


# What was under way


@pytest.mark.django_db(transaction=True)
def test_a_game_that_was_being_accepted_is_found_by_the_second_look(alice, bob):
    offer = lobby.seek(challenger=bob, terms=TERMS, now=NOW)
    with transaction.atomic():
        lobby.accept(challenge_id=offer.pk, player=alice, now=NOW)
        leaving = Meanwhile(lambda: close(alice)).begin()
        assert leaving.end() is None
    assert Game.objects.get().is_running
    assert settle_closings(now=NOW + SECOND_LOOK_AFTER) == 1
    assert not Closing.objects.exists()
    assert (Game.objects.get().status, Game.objects.get().reason) == (Status.VOID, "aborted")


def test_a_name_is_not_given_away_while_it_is_being_erased(alice):
    close(alice)
    with pytest.raises(ValidationError, match="taken"):
        checked_name("Alice")
    settle_closings(now=NOW + SECOND_LOOK_AFTER)
    assert checked_name("Alice") == "Alice"


def test_closing_twice_is_the_same_as_once(alice):
    close(alice)
    close_account(player=alice, now=NOW + timedelta(minutes=1))
    assert Closing.objects.get().asked_at == NOW
    assert settle_closings(now=NOW + SECOND_LOOK_AFTER) == 1
    close_account(player=alice, now=NOW + timedelta(days=1))
    assert not Closing.objects.exists()


# Events


@pytest.fixture
def stage(alice):
    return Stage(alice)


def test_entries_are_withdrawn_by_the_rule_of_the_event(stage, bob, charlie):
    dora = make_player("dora")
    running = stage.started(bob, charlie, dora)
    waiting = stage.open()
    stage.enter(waiting, bob)
    close_account(player=bob, now=stage.now)
    settle_closings(now=stage.now)
    assert entry(running, bob).state == EntryState.WITHDRAWN
    assert entry(waiting, bob).state == EntryState.WITHDRAWN
    assert not Game.objects.filter(seats__player=bob, status=Status.RUNNING).exists()
    assert Game.objects.filter(status=Status.RUNNING).exists(), "the others play on"


def test_events_go_to_the_first_director(stage, alice, bob, charlie):
    event = stage.open()
    for player in (charlie, bob):
        directing.appoint(event_id=event.pk, player=player, by=alice, now=stage.now)
    close_account(player=alice, now=stage.now)
    settle_closings(now=stage.now)
    event = fresh(event)
    assert event.organiser == charlie
    assert [each.player for each in event.directors.all()] == [bob]
    assert "handed-over" in logged(event)


def test_an_event_is_not_left_to_whoever_blocked_its_organiser(stage, alice, bob, charlie):
    event = stage.open()
    for player in (charlie, bob):
        directing.appoint(event_id=event.pk, player=player, by=alice, now=stage.now)
    Block.objects.create(blocker=charlie, blocked=alice, created_at=stage.now)
    close_account(player=alice, now=stage.now)
    settle_closings(now=stage.now)
    assert fresh(event).organiser == bob
    assert not Block.objects.exists()


def test_an_inherited_event_leaves_room_for_an_own_one(stage, alice, bob):
    directing.appoint(event_id=stage.open().pk, player=bob, by=alice, now=stage.now)
    close_account(player=alice, now=stage.now)
    settle_closings(now=stage.now)
    assert opening.prepare(plan=stage.plan(), organiser=bob, now=stage.now)
    with pytest.raises(TooMany):
        opening.prepare(plan=stage.plan(), organiser=bob, now=stage.now)


def test_without_a_director_it_is_called_off_or_goes_on_under_the_staff(
    stage, alice, bob, charlie, client
):
    running = stage.started(bob, charlie, renews=False)
    waiting, draft = stage.open(), stage.draft()
    close_account(player=alice, now=stage.now)
    settle_closings(now=stage.now)
    assert fresh(running).state == State.RUNNING
    assert logged(running).count("staff-runs") == 1
    assert "run by our staff" in client.get(f"/events/{running.pk}/").content.decode()
    assert fresh(waiting).state == State.CALLED_OFF
    assert not Event.objects.filter(pk=draft.pk).exists()


def test_whoever_left_directs_and_is_invited_nowhere(stage, alice, bob):
    event = stage.open()
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    Guest.objects.create(event=event, player=bob)
    close_account(player=bob, now=stage.now)
    settle_closings(now=stage.now)
    assert not Director.objects.filter(player=bob).exists()
    assert not Guest.objects.filter(player=bob).exists()


# The page that asks


def test_the_page_says_what_closing_will_do_with_numbers(stage, alice, bob, as_player, start):
    for _ in range(2):
        both_move(start())
    start()
    lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    event = stage.open()
    stage.enter(event, alice)
    page = as_player(alice).get("/settings/close/").content.decode()
    for sentence in (
        "You resign 2 running games; rated ones count.",
        "1 game is cancelled, as not both of you have moved in it.",
        "1 open challenge is withdrawn or declined.",
        "You withdraw from 1 tournament.",
        "You organise 1 event:",
        "Game files that others have downloaded or imported keep your old name.",
        f"“{closed_name(alice.pk)}”",
    ):
        assert sentence in page


# A name that is also a word


def test_a_name_that_is_a_key_of_the_staff_log_breaks_no_page(alice, staff):
    mallory = make_player("fields")
    told = [
        {"changed": {"fields": ["Active"]}},
        {"changed": {"name": "API token", "object": "key of fields", "fields": ["Name"]}},
    ]
    LogEntry.objects.create(
        user=Player.objects.get(name="dora"), object_id=str(alice.pk), object_repr="alice",
        content_type=ContentType.objects.get_for_model(Player), action_flag=CHANGE,
        change_message=json.dumps(told),
    )  # fmt: skip
    close(mallory)
    assert staff.get(f"/staff/accounts/player/{alice.pk}/history/").status_code == 200
    told[1]["changed"]["object"] = f"key of {closed_name(mallory.pk)}"
    assert json.loads(LogEntry.objects.get().change_message) == told


def test_a_name_that_is_a_word_rewrites_no_letter_about_others(bob, start):
    said = ["You won by resignation. Write to resignation@example.org."]
    mallory = make_player("resignation")
    letter = Letter.objects.create(
        kind=Kind.REPLY, key="y", player=bob, game=start(),
        details={"said": said, "outcome": "resignation", "reason": "resignation"},
    )  # fmt: skip
    rows = [[1, "resignation", "2"], [2, "bob", "1"]]
    standings = Letter.objects.create(
        kind=Kind.STANDINGS, key="z", player=bob, about=0,
        details={"event": "Open resignation", "rows": rows},
    )  # fmt: skip
    close(mallory)
    letter.refresh_from_db()
    standings.refresh_from_db()
    name = closed_name(mallory.pk)
    assert letter.details == {
        "said": [f"You won by resignation. Write to {name}."],
        "outcome": "resignation",
        "reason": "resignation",
    }
    assert standings.details == {
        "event": "Open resignation",
        "rows": [[1, name, "2"], [2, "bob", "1"]],
    }
