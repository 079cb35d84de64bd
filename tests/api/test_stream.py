"""Events come as they happen, to those who may see them, and none is lost."""

import http.client
import json
import threading

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import tokens
from games import play
from games.api.feed import Reader
from games.models import Game, Move
from tests.games.acts import both_move, move, position_of, submit_within, to_move

PATIENCE = 20


class Listening:
    """One stream, read event by event."""

    def __init__(self, port, path="", **headers):
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.line.request("GET", f"/api/v1/stream{path}", headers=named)
        self.answer = self.line.getresponse()
        self.told = set()

    def block(self):
        """The fields up to the next empty line."""
        fields = {}
        while text := self.answer.readline().decode().rstrip("\n"):
            name, _, value = text.partition(": ") if not text.startswith(":") else ("", "", text)
            fields[name] = value
        return fields

    def event(self):
        """The next that was not told before: a line may come twice, and is known by its ply."""
        for _ in range(PATIENCE):
            if "data" in (fields := self.block()):
                data = json.loads(fields["data"])
                known_by = fields["event"], data["game"], data.get("ply")
                if known_by not in self.told:
                    self.told.add(known_by)
                    return fields["event"], data, fields["id"]
        raise AssertionError("only heartbeats")

    def close(self):
        self.answer.close()
        self.line.close()


@pytest.fixture
def listen(stream):
    opened = []

    def begin(player=None, path="", **headers):
        if player is not None:
            _token, secret = tokens.mint(player=player, name="stream", scopes=["read"])
            headers["Authorization"] = f"Bearer {secret}"
        opened.append(Listening(stream, path, **headers))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def refused(listening):
    assert listening.answer.headers["Content-Type"] == "application/problem+json"
    problem = json.load(listening.answer)
    assert problem["status"] == listening.answer.status
    return problem["status"], problem["code"]


def test_a_stream_begins_with_the_turns_that_wait(listen, alice, begin):
    game = begin()
    events = listen(alice)
    assert events.answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert events.answer.headers["Cache-Control"] == "private, no-store"
    kind, data, _id = events.event()
    assert kind == "turn"
    assert (data["game"], data["ply"]) == (game.pk, 0)
    assert data["deadline_at"].startswith(game.deadline_at.strftime("%Y-%m-%dT%H:%M:%S"))


def test_a_turn_is_told_when_it_comes(listen, alice, bob, begin):
    events = listen(bob)
    game = begin()
    move(game, now=timezone.now())
    kind, data, _id = events.event()
    assert (kind, data["game"], data["ply"]) == ("turn", game.pk, 1)


def test_the_turns_of_others_are_not_told(listen, alice, bob, begin):
    events = listen(bob)
    begin()
    second = begin()
    move(second, now=timezone.now())
    assert events.event()[1]["game"] == second.pk


def test_one_game_is_told_line_by_line_until_its_end(listen, charlie, alice, begin):
    game = begin()
    events = listen(charlie, f"?game={game.pk}")
    assert events.event()[1]["ply"] == 0
    both_move(game, now=timezone.now())
    lines = [events.event()[:2], events.event()[:2]]
    assert [(kind, line["game"], line["ply"]) for kind, line in lines] == [
        ("game", game.pk, 1),
        ("game", game.pk, 2),
    ]
    assert lines[0][1]["move"] == Move.objects.get(game=game, ply=1).text
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    kind, end, _id = events.event()
    assert kind == "end"
    assert (end["reason"], end["scores"]) == ("resignation", [0.0, 1.0])


def test_a_heartbeat_comes_when_nothing_happens(listen, alice):
    events = listen(alice)
    assert events.block() == {"retry": "2000"}
    beat = events.block()
    assert beat[""] == ": heartbeat"
    assert beat["id"].isdecimal()


def test_whoever_comes_again_is_told_what_he_missed(listen, charlie, begin):
    game = begin()
    events = listen(charlie, f"?game={game.pk}")
    _kind, _data, last_id = events.event()
    events.close()
    both_move(game, now=timezone.now())
    again = listen(charlie, f"?game={game.pk}", Last_Event_ID=last_id)
    plies = []
    while 2 not in plies:
        plies.append(again.event()[1]["ply"])
    assert plies[-2:] == [1, 2]


def test_an_idle_stream_comes_again_without_what_it_had(listen, charlie, begin):
    game = begin()
    both_move(game, now=timezone.now())
    events = listen(charlie, f"?game={game.pk}")
    newest = Move.objects.latest("pk").pk
    while int(events.block().get("id", 0)) < newest:
        pass
    events.close()
    move(game, now=timezone.now())
    again = listen(charlie, f"?game={game.pk}", Last_Event_ID=str(newest))
    assert again.event()[1]["ply"] == 3


def test_a_stream_is_for_those_who_say_who_they_are(listen, alice):
    assert refused(listen()) == (401, "not_authenticated")
    assert refused(listen(Authorization="Bearer tripost_guess")) == (401, "authentication_failed")
    _token, secret = tokens.mint(player=alice, name="plays", scopes=["play"])
    assert refused(listen(Authorization=f"Bearer {secret}")) == (403, "missing_scope")
    assert refused(listen(path=f"?access_token={secret}")) == (401, "not_authenticated")


def test_a_stream_ends_with_the_token_that_opened_it(listen, alice):
    events = listen(alice)
    assert events.block() == {"retry": "2000"}
    alice.tokens.all().delete()
    for _ in range(PATIENCE):
        if not events.block():
            return
    raise AssertionError("it goes on")


def test_a_session_will_do(listen, alice, begin):
    game = begin()
    browser = Client()
    browser.force_login(alice)
    events = listen(Cookie=f"sessionid={browser.cookies['sessionid'].value}")
    assert events.event()[1]["game"] == game.pk


def test_a_private_game_is_for_its_players(listen, alice, charlie, begin):
    game = begin(private=True)
    assert refused(listen(charlie, f"?game={game.pk}")) == (404, "not_found")
    assert listen(alice, f"?game={game.pk}").event()[1]["game"] == game.pk


@pytest.mark.parametrize("game", ["0", "x", "9" * 30, "%00", ""])
def test_a_game_that_is_none_is_not_found(listen, alice, game):
    assert refused(listen(alice, f"?game={game or '-'}")) == (404, "not_found")


def test_an_unknown_parameter_is_refused(listen, alice):
    listening = listen(alice, "?gmae=1")
    problem = json.load(listening.answer)
    assert (problem["status"], problem["code"]) == (400, "invalid")
    assert problem["detail"] == "gmae: This is not known here; did you mean “game”?"


def test_five_streams_are_the_most_for_one_player(listen, alice, bob):
    streams = [listen(alice) for _ in range(5)]
    for each in streams:
        each.block()
    sixth = listen(alice)
    assert sixth.answer.headers["Retry-After"] == "60"
    assert refused(sixth) == (429, "too_many")
    assert listen(bob).answer.status == 200


def test_who_has_left_makes_room(listen, alice):
    for each in [listen(alice) for _ in range(5)]:
        each.block()
        each.close()
    for _ in range(100):
        if listen(alice).answer.status == 200:
            return
    raise AssertionError("the places stay taken")


def test_only_pages_of_the_site_may_read_along(listen, alice, settings):
    own = listen(alice, Origin=settings.SITE_URL).answer.headers
    assert own["Access-Control-Allow-Origin"] == settings.SITE_URL
    assert own["Access-Control-Allow-Credentials"] == "true"
    other = listen(alice, Origin="https://elsewhere.example").answer.headers
    assert "Access-Control-Allow-Origin" not in other


def test_the_site_sends_to_the_stream(client, settings):
    answer = client.get("/api/v1/stream?game=7")
    assert answer.status_code == 307
    assert answer["Location"] == f"{settings.STREAM_URL}/api/v1/stream?game=7"
    assert settings.STREAM_URL in client.get("/api/v1/docs/")["Content-Security-Policy"]


def test_the_site_sends_nobody_in_circles(client, settings):
    settings.STREAM_URL = settings.SITE_URL
    assert client.get("/api/v1/stream").status_code == 404


# What is read


def read_plies(reader):
    return [(news.game_id, news.ply) for news in reader.read()]


@pytest.mark.django_db(transaction=True)
def test_a_line_that_is_committed_late_is_not_lost(begin):
    """A lower id shows up after a higher one."""
    slow, quick = begin(), begin()
    reader = Reader.from_now()
    written, go_on = threading.Event(), threading.Event()
    slow_mover, first_move = to_move(slow), str(position_of(slow).legal_moves()[0])

    def hold_back():
        with transaction.atomic():
            submit_within(slow, slow_mover, first_move, ply=0, now=timezone.now())
            written.set()
            go_on.wait(PATIENCE)
        connection.close()

    thread = threading.Thread(target=hold_back)
    thread.start()
    assert written.wait(PATIENCE)
    move(quick, now=timezone.now())
    assert Move.objects.get(game=quick, ply=1)
    for _ in range(3):
        reader.read()
    before = reader.horizon
    go_on.set()
    thread.join(PATIENCE)
    late = Move.objects.get(game=slow, ply=1).pk
    assert before < late < Move.objects.get(game=quick, ply=1).pk
    assert read_plies(reader) == [(slow.pk, 1)]
    for _ in range(3):
        assert read_plies(reader) == []
    assert reader.horizon == Move.objects.latest("pk").pk


@pytest.mark.django_db(transaction=True)
def test_every_line_is_read_once(begin):
    games = [begin() for _ in range(3)]
    reader = Reader.from_now()
    assert read_plies(reader) == []
    for game in games:
        move(game, now=timezone.now())
    assert read_plies(reader) == [(game.pk, 1) for game in games]
    assert read_plies(reader) == []


@pytest.mark.django_db(transaction=True)
def test_who_is_to_move_is_known_with_the_line(alice, bob, begin):
    game = begin()
    reader = Reader.from_now()
    move(game, now=timezone.now())
    (news,) = reader.read()
    assert news.player_id == bob.pk
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    assert Game.objects.get().status == "void"
