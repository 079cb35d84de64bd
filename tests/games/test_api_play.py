"""Programs play whole games through HTTP, cheaply, and are told what is wrong in a sentence."""

import json
import random
import urllib.request

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import tokens
from games.models import Game, Move
from games.rules.position import Outcome
from games.rules.registry import RULESETS
from tests.games.acts import both_move, play_to_the_end, replayed

GAMES = [
    ("tritt-reloaded", {}),
    ("tritt-classic", {}),
    ("tritoc", {}),
    ("tri-trac", {"move_limit": 12}),
    ("triotrio", {"turn_limit": 4}),
]


@pytest.fixture
def begin(start):
    """Requests come when they come, so these games begin by the real clock."""
    return lambda *args, **terms: start(*args, now=timezone.now(), **terms)


def offer_and_accept(alice, bob, ruleset, options):
    """Alice's program offers, Bob's accepts; the game's address."""
    asked = {"ruleset": ruleset, "options": options, "opponent": "bob", "side": 0}
    offer = alice.post("/api/v1/challenges", asked, format="json")
    assert offer.status_code == 201, offer.json()
    accepted = bob.post(f"/api/v1/challenges/{offer.json()['id']}/accept", {}, format="json")
    return f"/api/v1/games/{accepted.json()['game']}"


@pytest.mark.parametrize(("ruleset", "options"), GAMES)
def test_a_whole_game_is_played_by_two_tokens(alice, bob, api_of, ruleset, options):
    programs = [api_of(alice), api_of(bob)]
    address = offer_and_accept(*programs, ruleset, options)
    chance = random.Random(5)
    seen = programs[0].get(address).json()
    while seen["status"] == "running":
        position = RULESETS[ruleset].load(seen["position"])
        asked = {"ply": seen["ply"], "move": str(chance.choice(position.legal_moves()))}
        answer = programs[seen["seat_to_move"]].post(f"{address}/moves", asked, format="json")
        assert answer.status_code == 201, answer.json()
        assert answer.json()["ply"] == seen["ply"] + 1
        seen = programs[0].get(address).json()
    game = Game.objects.get()
    outcome = replayed(game).awaiting
    assert (seen["status"], seen["reason"]) == ("finished", outcome.reason)
    assert seen["scores"] == list(outcome.scores)
    assert len(programs[1].get(f"{address}/moves").json()["moves"]) == seen["ply"] + 1
    assert seen["dice"]["seed"] == bytes(game.seed).hex()


@pytest.mark.django_db(transaction=True)
def test_a_game_is_played_over_the_wire(alice, bob, live_server):
    def program(player):
        _token, secret = tokens.mint(player=player, name="wire", scopes=["read", "play"])

        def ask(path, body=None):
            request = urllib.request.Request(
                f"{live_server.url}/api/v1/{path}",
                data=None if body is None else json.dumps(body).encode(),
                headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)

        return ask

    programs = [program(alice), program(bob)]
    asked = {"ruleset": "triotrio", "options": {"turn_limit": 2}, "opponent": "bob", "side": 0}
    offer = programs[0]("challenges", asked)
    game = programs[1](f"challenges/{offer['id']}/accept", {})["game"]
    seen = programs[0](f"games/{game}")
    while seen["status"] == "running":
        choices = programs[0](f"games/{game}/choices")["choices"]
        text = ""
        while not any(choice["whole"] for choice in choices):
            text += choices[0]["token"]
            choices = programs[0](f"games/{game}/choices?prefix={urllib.request.quote(text)}")[
                "choices"
            ]
        text += next(choice["token"] for choice in choices if choice["whole"])
        answer = programs[seen["seat_to_move"]](
            f"games/{game}/moves", {"ply": seen["ply"], "move": text}
        )
        assert answer["ply"] == seen["ply"] + 1
        seen = programs[0](f"games/{game}")
    assert seen["reason"] == "turn-limit"


def move_that_ends_nothing(game):
    position = RULESETS[game.ruleset].load(game.position)
    return next(
        str(move)
        for move in position.legal_moves()
        if not isinstance(position.play(move).awaiting, Outcome)
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_move_costs_at_most_five_statements(alice, bob, api_of, begin, ruleset):
    game = begin(ruleset)
    programs = {0: api_of(alice), 1: api_of(bob)}
    for program in programs.values():
        program.get("/api/v1/me")
    for _ in range(4):
        game.refresh_from_db()
        asked = {"ply": game.ply, "move": move_that_ends_nothing(game)}
        with CaptureQueriesContext(connection) as queries:
            answer = programs[game.seat_to_move].post(
                f"/api/v1/games/{game.pk}/moves", asked, format="json"
            )
        assert answer.status_code == 201
        statements = [
            query["sql"]
            for query in queries
            if not query["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))
        ]
        assert len(statements) <= 5, statements


# What is wrong


def refused(answer, status, code):
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    return problem["detail"]


def test_refusals_are_problems_with_the_sentence_of_the_door(alice, bob, charlie, api_of, begin):
    game = begin()
    both_move(game, now=timezone.now())
    address = f"/api/v1/games/{game.pk}/moves"

    def post(player, ply, text):
        return api_of(player).post(address, {"ply": ply, "move": text}, format="json")

    assert refused(post(bob, 2, "d3-f5"), 409, "not_your_turn") == (
        "It is not your turn; your opponent is to move."
    )
    assert refused(post(alice, 1, "d3-f5"), 409, "stale_ply") == (
        "This move answers ply 1, but the game has gone on to ply 2; nothing was played."
    )
    assert refused(post(charlie, 2, "d3-f5"), 403, "not_a_player") == (
        "Du spielst in dieser Partie nicht mit, deshalb kannst du nur zusehen."
    )
    detail = refused(post(alice, 2, "hello"), 422, "invalid_move")
    assert detail.startswith("“hello” is no move here.")
    assert Move.objects.filter(game=game).count() == 3


def test_a_game_that_does_not_exist_is_a_problem_too(alice, api_of):
    asked = {"ply": 0, "move": "a1-a3"}
    answer = api_of(alice).post("/api/v1/games/999999/moves", asked, format="json")
    assert refused(answer, 404, "not_found") == "There is no such game."


def test_a_game_that_is_over_is_a_problem_too(alice, api_of, start):
    game = play_to_the_end(start())
    answer = api_of(alice).post(f"/api/v1/games/{game.pk}/resign")
    assert refused(answer, 409, "game_over") == (
        "This game is over; nothing more can be played in it."
    )


def test_a_request_without_a_ply_is_refused(alice, api_of, start):
    answer = api_of(alice).post(
        f"/api/v1/games/{start().pk}/moves", {"move": "a1-a3"}, format="json"
    )
    assert refused(answer, 400, "invalid") == "ply: This field is required."


def test_whoever_says_not_who_he_is_only_watches(client, start):
    game = start()
    assert client.get(f"/api/v1/games/{game.pk}").status_code == 200
    answer = client.post(f"/api/v1/games/{game.pk}/moves", {"ply": 0, "move": "a1-a3"})
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"


def test_a_token_that_only_reads_does_not_play(alice, api_of, start):
    asked = {"ply": 0, "move": "d3-f5"}
    answer = api_of(alice, "read").post(f"/api/v1/games/{start().pk}/moves", asked, format="json")
    assert refused(answer, 403, "missing_scope")


# The other acts


def test_every_act_has_its_address(alice, bob, api_of, begin):
    game = begin()
    mine, his = api_of(alice), api_of(bob)
    address = f"/api/v1/games/{game.pk}"

    def post(program, path, body=None):
        answer = program.post(f"{address}/{path}", body or {}, format="json")
        assert answer.status_code in (200, 201), answer.json()
        return answer.json()

    post(mine, "moves", {"ply": 0, "move": "d3-f5"})
    assert post(mine, "takeback", {"action": "ask"})["takeback_asked_by"] == 0
    assert post(his, "takeback", {"action": "decline"})["takeback_asked_by"] is None
    post(mine, "takeback", {"action": "ask"})
    assert post(his, "takeback", {"action": "accept"})["ply"] == 2
    both_move(game, now=timezone.now())
    assert post(his, "draw", {"action": "offer"})["draw_offered_by"] == 1
    assert post(his, "draw", {"action": "withdraw"})["draw_offered_by"] is None
    assert post(mine, "draw", {"action": "offer"})["draw_offered_by"] == 0
    assert post(his, "draw", {"action": "decline"})["draw_offered_by"] is None
    assert post(mine, "resign")["scores"] == [0.0, 1.0]
    offer = post(his, "rematch", {"salt": "his"})
    again = post(mine, "rematch", {"salt": "mine"})["game"]
    assert his.get(f"/api/v1/games/{again}").json()["dice"]["salts"] == ["his", "mine"]
    assert offer["state"] == "open"
    assert post(mine, "chat", {"text": "well played"})["text"] == "well played"


# Private games


def test_a_private_game_is_seen_by_its_players_and_by_its_link(
    alice, charlie, api_of, client, start
):
    game = start(private=True)
    link = Game.objects.get(pk=game.pk).private_link
    assert api_of(alice).get(f"/api/v1/games/{game.pk}").status_code == 200
    for page in ("", "/moves", "/choices", "/dice"):
        address = f"/api/v1/games/{game.pk}{page}"
        for stranger in (api_of(charlie), client):
            assert stranger.get(address).status_code == 404
            assert stranger.get(address, {"link": "guess"}).status_code == 404
            assert stranger.get(address, {"link": link}).status_code == 200


def test_a_private_game_is_in_no_list(alice, api_of, client, start):
    public, private = start(), start(private=True)
    listed = client.get("/api/v1/games").json()["results"]
    assert [game["id"] for game in listed] == [public.pk]
    turns = api_of(alice).get("/api/v1/me/turns").json()["games"]
    assert {game["id"] for game in turns} == {public.pk, private.pk}


def test_a_game_that_has_not_changed_costs_an_empty_answer(client, start):
    game = start()
    first = client.get(f"/api/v1/games/{game.pk}")
    again = client.get(f"/api/v1/games/{game.pk}", headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    both_move(game)
    changed = client.get(f"/api/v1/games/{game.pk}", headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
