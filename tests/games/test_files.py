"""Games leave the house as files and texts, alone or bundled, and come in again for study."""

import io
import json
import zipfile
from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import files, importing, play, record, rulings, signing_keys, takeout
from games.clock import Fischer
from games.models import Game, ImportedGame, Outage, Ruling, Vacation, Via, WayIn
from games.simulation import Simulation
from tests.conftest import NOW, make_player
from tests.games.acts import as_stored, both_move, move, play_to_the_end, resigned_by

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BERLIN_FRIDAY = NOW + 4 * DAY


def verified(game):
    file = files.file_of(game.pk)
    assert record.verify(file.as_json()) == []
    return file.record


# What a file says


def test_a_file_says_who_played_what_and_how_long(start):
    game = start("tri-trac", options={"move_limit": 4}, clock=Fischer(48, 12, 72), event_id=7)
    told = verified(play_to_the_end(game, now=NOW + HOUR))
    assert told["players"] == ["alice", "bob"]
    assert "Europe/Berlin" not in json.dumps(told)
    assert (told["ruleset"], told["version"], told["options"]) == ("tri-trac", 1, {"move_limit": 4})
    assert (told["event"], told["clock"]["bank_hours"]) == (7, 48)
    assert [line["used"] for line in told["moves"]][:3] == [None, 3_600_000_000, 0]
    assert told["result"]["status"] == "finished"
    assert told["result"]["ended_at"] == "2026-03-02T13:00:00+00:00"


def test_games_that_people_ended_verify(start, alice, bob):
    assert verified(resigned_by(bob, start("tritoc")))["result"]["scores"] == [1.0, 0.0]
    drawn = start("triotrio")
    both_move(drawn)
    play.offer_draw(game_id=drawn.pk, player_id=alice.pk, now=NOW)
    play.accept_draw(game_id=drawn.pk, player_id=bob.pk, now=NOW)
    assert verified(drawn)["result"]["reason"] == "agreement"
    aborted = start()
    play.abort(game_id=aborted.pk, player_id=bob.pk, now=NOW)
    assert verified(aborted)["result"]["status"] == "void"
    unplayed = start()
    play.forfeit_on_time(
        due_by=dict.fromkeys(WayIn.values, NOW + 9 * DAY), now=NOW + 9 * DAY, most=10
    )
    assert verified(unplayed)["result"]["reason"] == "time"


def test_pauses_that_touched_the_game_are_in_its_file(start, alice, bob):
    game = start(clock=Fischer(48, 0, 48))
    Vacation.objects.create(player=alice, began_at=NOW - 9 * DAY, ends_at=NOW - 8 * DAY)
    Vacation.objects.create(player=alice, began_at=NOW - HOUR, ends_at=NOW + 5 * HOUR)
    Vacation.objects.create(player=alice, began_at=NOW + 3 * DAY, ends_at=NOW + 90 * DAY)
    Outage.objects.create(began_at=NOW + 7 * HOUR, ended_at=NOW + 8 * HOUR)
    move(game, now=NOW + 10 * HOUR)
    told = verified(as_stored(game))
    assert told["pauses"] == {
        "vacations": [[["2026-03-02T12:00:00+00:00", "2026-03-02T17:00:00+00:00"]], []],
        "outages": {
            "web": [["2026-03-02T19:00:00+00:00", "2026-03-02T20:00:00+00:00"]],
            "mail": [],
        },
        "began_by_mail": [False, False],
    }
    assert told["moves"][1]["used"] == 4 * 3_600_000_000


def test_pauses_that_did_not_touch_the_game_are_not_in_its_file(start, alice):
    barred = start(vacation_allowed=False)
    Vacation.objects.create(player=alice, began_at=NOW, ends_at=NOW + 5 * HOUR)
    Outage.objects.create(began_at=NOW + HOUR, ended_at=NOW + 2 * HOUR)
    move(barred, now=NOW + HOUR)
    later = start(now=NOW + 9 * HOUR)
    told = [file.record["pauses"] for file in files.files_of(Game.objects.all())]
    nothing = {
        "vacations": [[], []],
        "outages": {"web": [], "mail": []},
        "began_by_mail": [False, False],
    }
    assert told == [nothing, nothing]
    assert verified(barred)["moves"][1]["used"] == 3_600_000_000
    assert verified(later)["moves"][0]["used"] is None


def test_weekends_are_reckoned_in_the_players_zone(start):
    game = start(weekends=True, now=BERLIN_FRIDAY)
    move(game, now=BERLIN_FRIDAY + 3 * DAY)
    assert verified(as_stored(game))["moves"][1]["used"] == 24 * 3_600_000_000


def test_an_outage_that_came_to_light_after_the_move_does_no_harm(start):
    game = start()
    move(game, now=NOW + 10 * HOUR)
    Outage.objects.create(began_at=NOW + 9 * HOUR, ended_at=NOW + 11 * HOUR)
    move(game, now=NOW + 12 * HOUR)
    told = verified(as_stored(game))
    assert told["moves"][1]["used"] == 10 * 3_600_000_000
    assert told["moves"][2]["used"] == 3_600_000_000


def test_a_game_with_moves_taken_back_verifies_with_its_banks(start, alice, bob):
    game = start(clock=Fischer(48, 0, 48))
    move(game, now=NOW + 10 * HOUR)
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=NOW + 11 * HOUR)
    play.accept_takeback(game_id=game.pk, player_id=bob.pk, now=NOW + 12 * HOUR, via=Via.WEB)
    move(game, now=NOW + 13 * HOUR)
    flag_at = NOW + (13 + 46) * HOUR
    assert as_stored(game).deadline_at == flag_at
    play.forfeit_on_time(due_by=dict.fromkeys(WayIn.values, flag_at), now=flag_at, most=10)
    told = verified(as_stored(game))
    assert (told["moves"][2]["back_to"], told["result"]["reason"]) == (0, "time")


def test_rulings_are_told_and_the_result_is_theirs(start, bob, charlie):
    game = resigned_by(bob, start())
    ruled = {"by": charlie, "game_id": game.pk}
    made = rulings.set_result(score=1, reason="Both were right", now=NOW + DAY, **ruled)
    told = verified(game)
    assert told["result"]["scores"] == [0.5, 0.5]
    assert told["rulings"] == [
        {
            "kind": "result", "detail": {"score": 1}, "reason": "Both were right", "by": "charlie",
            "made_at": "2026-03-03T12:00:00+00:00", "undone_at": None,
        }
    ]  # fmt: skip
    rulings.undo(ruling_id=made.pk, by=charlie, now=NOW + 2 * DAY)
    told = verified(game)
    assert told["result"]["reason"] == "resignation"
    assert told["rulings"][0]["undone_at"] == "2026-03-04T12:00:00+00:00"
    rulings.make_void(reason="A mistake", now=NOW + 3 * DAY, **ruled)
    assert verified(game)["result"]["status"] == "void"
    Game.objects.filter(pk=game.pk).update(status="finished", score=0)
    assert record.verify(files.file_of(game.pk).as_json()) == [
        "The result is not the one that was ruled."
    ]


def test_a_game_that_was_reopened_and_given_time_verifies(start, bob, charlie):
    game = resigned_by(bob, start(), now=NOW + DAY)
    ruled = {"by": charlie, "game_id": game.pk, "reason": "A mistake"}
    rulings.reopen(hours=5, now=NOW + 9 * DAY, **ruled)
    verified(game)
    move(game, now=NOW + 10 * DAY)
    rulings.give_time(seat=1, hours=50, now=NOW + 10 * DAY, **ruled)
    rulings.correct_clock(seat=1, hours=200, now=NOW + 11 * DAY, **ruled)
    move(game, now=NOW + 18 * DAY)
    assert verified(play_to_the_end(game, now=NOW + 18 * DAY))["result"]["status"] == "finished"
    assert len(files.file_of(game.pk).record["rulings"]) == 3


def test_a_game_that_moves_on_while_it_is_read_gives_an_older_file(start):
    game = start()
    move(game)
    seen = Game.objects.get(pk=game.pk)
    play_to_the_end(game)
    pauses = files._Pauses([seen])
    told = files._record(seen, pauses, signing_keys.signer())
    assert record.verify(record.spelled(told)) == []
    assert len(told["moves"]) == 2


# Text


@pytest.mark.parametrize("ruleset", ["tritt-reloaded", "tritt-classic", "tritoc", "tri-trac"])
def test_a_text_has_78_columns_and_the_board(start, ruleset):
    game = start(ruleset)
    for _ in range(3):
        move(game, now=NOW + 30 * HOUR)
    check_text(game)


def test_the_text_of_a_long_game_has_78_columns_too(start):
    first = make_player("Bartholomew-van-Houten.x")
    second = make_player("Wilhelmine_von_der_Heide")
    options = {"turn_limit": 9}
    longest = ("~" * 64, "é" * 64)
    clock = Fischer(99, 9, 999)
    game = start("triotrio", first, second, options=options, clock=clock, salts=longest)
    play_to_the_end(game)
    Ruling.objects.create(
        game=game, kind="time", detail={"seat": 0}, reason="x" * 90 + "\n\x1b[31m why",
        made_by=first, made_at=NOW, undone_at=NOW,
    )  # fmt: skip
    text = check_text(game)
    assert "Seed        " + bytes(game.seed).hex() in text
    assert "\x1b" not in text


def check_text(game):
    file = files.file_of(game.pk)
    text = file.as_text().decode()
    assert max(map(len, text.splitlines())) <= 78
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert f"Hash        {file.record['hash']}" in text
    for line in file.record["moves"][1:]:
        assert line["move"] in text
    return text


def test_a_text_reads_well(start, alice, bob, loaded_dice):
    loaded_dice((4, 3), (2,), (5,))
    game = start("triotrio", weekends=True)
    move(game, "change f1", now=NOW + 26 * HOUR)
    lines = files.file_of(game.pk).as_text().decode().splitlines()
    assert lines[0] == "TrioTrio: alice – bob"
    assert lines[2:4] == [f"Game        {game.pk}", "Rules       triotrio, version 1"]
    assert "Clock       3 days a move, weekends off" in lines
    table = lines.index(" Ply  Player        Move                      Time used  Played at (UTC)")
    assert lines[table + 1 : table + 4] == [
        "      dice 4 3",
        "   1  alice         change f1               1d 02:00:00  2026-03-03 14:00:00",
        "      dice 2",
    ]


# By the API


def test_a_file_is_fetched_by_anyone(start, client):
    game = play_to_the_end(start("tritoc"))
    answer = client.get(f"/api/v1/games/{game.pk}/file")
    assert record.verify(answer.content) == []
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == f'attachment; filename="tripost-{game.pk}-tritoc.json"'
    text = client.get(f"/api/v1/games/{game.pk}/file.txt", headers={"Accept": "text/plain"})
    assert text["Content-Type"] == "text/plain; charset=utf-8"
    assert "alice – bob" in text.content.decode()


def test_the_file_of_a_private_game_is_for_its_players_and_by_its_link(start, bob, client, api_of):
    game = start(private=True)
    for address in (f"/api/v1/games/{game.pk}/file", f"/api/v1/games/{game.pk}/file.txt"):
        refused = client.get(address)
        assert refused.status_code == 404
        assert refused["Content-Type"] == "application/problem+json"
        assert api_of(bob).get(address).status_code == 200
        linked = client.get(address, {"link": game.private_link})
        assert linked.status_code == 200
        assert game.private_link not in linked.content.decode()


def test_a_running_game_keeps_its_seed(start, client):
    game = start("tritoc")
    move(game)
    for address in ("file", "file.txt"):
        answer = client.get(f"/api/v1/games/{game.pk}/{address}").content.decode()
        assert bytes(game.seed).hex() not in answer


def test_a_file_costs_as_many_statements_for_a_long_game_as_for_a_short_one(start, client):
    signing_keys.signer()
    short, long = start("tritoc"), play_to_the_end(start("tritoc"))
    counts = []
    for game in (short, long):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/api/v1/games/{game.pk}/file")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 10


def test_a_bundle_has_all_games_of_a_player(start, alice, bob, charlie, api_of):
    mine = [start(), play_to_the_end(start("tritoc")), start(private=True)]
    start("tritt-classic", bob, charlie)
    answer = api_of(alice).get("/api/v1/me/games.zip", headers={"Accept": "application/zip"})
    assert answer.streaming
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.testzip() is None
    names = [f"tripost-{game.pk}-{game.ruleset}" for game in mine]
    assert sorted(archive.namelist()) == sorted(
        f"{name}.{suffix}" for name in names for suffix in ("json", "txt")
    )
    for name in names:
        assert record.verify(archive.read(f"{name}.json")) == []


def test_a_bundle_is_made_in_steps(start, alice, monkeypatch):
    monkeypatch.setattr(files, "BATCH", 2)
    signing_keys.signer()
    for _ in range(5):
        start("tritt-classic")
    with CaptureQueriesContext(connection) as queries:
        parts = list(files.bundle(alice))
    assert len(parts) == 5 + 1
    assert max(map(len, parts)) < sum(map(len, parts)) / 2
    assert len(queries) == 1 + 3 * 6 + 1, [query["sql"][:60] for query in queries]


def test_a_stranger_gets_no_bundle(client):
    assert client.get("/api/v1/me/games.zip").status_code == 401


def test_a_player_takes_everything_away(start, alice, as_player):
    game = start()
    game.seats.filter(player=alice).update(note="watch the corner")
    Vacation.objects.create(player=alice, began_at=NOW, ends_at=NOW + DAY)
    answer = as_player(alice).get("/settings/download/")
    assert answer.status_code == 200
    told = json.loads(answer.getvalue())
    assert told["games"][0]["file"] == files.file_of(game.pk).record
    assert told["games"][0]["note"] == "watch the corner"
    assert len(told["vacations"]) == 1
    assert list(takeout.imported_games(alice)) == told["imported_games"] == []


# Coming in


def send(program, data):
    return program.post("/api/v1/me/imports", data, content_type="application/json")


def test_a_file_comes_in_once(start, charlie, api_of):
    data = files.file_of(play_to_the_end(start("tritoc")).pk).as_json()
    program = api_of(charlie)
    answer = send(program, data)
    assert answer.status_code == 201, answer.json()
    assert (answer.json()["players"], answer.json()["reason"] != "") == (["alice", "bob"], True)
    again = send(program, data)
    assert (again.status_code, again.json()) == (200, answer.json())
    assert ImportedGame.objects.count() == 1


def test_a_file_goes_out_as_it_came_in(start, charlie, api_of):
    data = files.file_of(play_to_the_end(start("triotrio", options={"turn_limit": 2})).pk).as_json()
    program = api_of(charlie)
    address = f"/api/v1/me/imports/{send(program, data).json()['id']}"
    assert program.get(f"{address}/file").content == data
    assert program.get(address).json()["record"] == json.loads(data)
    assert "TrioTrio: alice – bob" in program.get(f"{address}/file.txt").content.decode()


def test_a_file_that_does_not_verify_is_refused_with_what_is_wrong(start, bob, api_of):
    data = files.file_of(play_to_the_end(start()).pk).as_json()
    answer = send(api_of(bob), data.replace(b"alice", b"alien"))
    assert (answer.status_code, answer.json()["code"]) == (422, "malformed_record")
    assert answer.json()["detail"] == (
        "This file does not verify."
        " The hashes do not fit: something was changed after the file was made."
    )
    answer = send(api_of(bob), b"hello")
    assert answer.json()["detail"] == "This is no game file: it is not JSON."
    assert send(api_of(bob), b"").status_code == 422
    assert not ImportedGame.objects.exists()


def test_a_file_that_is_too_large_is_refused(charlie, api_of):
    answer = send(api_of(charlie), b" " * (importing.LARGEST_FILE + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_nobody_keeps_more_than_there_is_room_for(start, charlie, api_of, monkeypatch):
    monkeypatch.setattr(importing, "MOST_KEPT", 1)
    first, second = (files.file_of(start().pk).as_json() for _ in range(2))
    program = api_of(charlie)
    assert [send(program, data).status_code for data in (first, second, first)] == [201, 429, 200]


def test_what_is_kept_has_room_for_so_many_bytes(start, charlie, api_of, monkeypatch):
    first, second = (files.file_of(start().pk).as_json() for _ in range(2))
    monkeypatch.setattr(importing, "MOST_BYTES_KEPT", len(first) + len(second) - 1)
    program = api_of(charlie)
    kept = send(program, first).json()
    refused = send(program, second)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
    assert program.delete(f"/api/v1/me/imports/{kept['id']}").status_code == 204
    assert send(program, second).status_code == 201


def test_files_are_verified_so_many_times_a_day(start, bob, api_of, monkeypatch):
    monkeypatch.setattr(importing, "MOST_A_DAY", 2)
    data = files.file_of(start().pk).as_json()
    program = api_of(bob)
    sent = [send(program, each) for each in (data, data, b"{}", b"{}", data)]
    assert [answer.status_code for answer in sent] == [201, 200, 422, 429, 200]
    assert sent[3].json()["detail"].startswith("You can import 2 game files a day. Try again in ")
    assert 0 < int(sent[3]["Retry-After"]) <= 24 * 60 * 60


@pytest.mark.parametrize("name", ["MOST_LINES", "MOST_RULINGS", "MOST_PAUSES"])
def test_a_game_with_too_much_in_it_is_not_verified(start, charlie, api_of, monkeypatch, name):
    game = start()
    Vacation.objects.create(player=charlie, began_at=NOW, ends_at=NOW + DAY)
    Outage.objects.create(began_at=NOW + HOUR, ended_at=NOW + 2 * HOUR)
    move(game, now=NOW + 3 * HOUR)
    rulings.make_void(game_id=game.pk, reason="A mistake", by=charlie, now=NOW + 4 * HOUR)
    data = files.file_of(game.pk).as_json()
    monkeypatch.setattr(importing, name, {"MOST_LINES": 1}.get(name, 0))
    with monkeypatch.context() as forbidden:
        forbidden.setattr(record, "problems_of", lambda *_: pytest.fail("verified"))
        answer = send(api_of(charlie), data)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    monkeypatch.undo()
    assert send(api_of(charlie), data).status_code == 201


def test_a_game_of_nearly_so_many_moves_is_taken_in(start, charlie, api_of):
    """Move and take-back in turn; the longest games of the five have a few hundred moves."""
    game = start()
    move(game)
    told = files.file_of(game.pk).record | {"site": "https://elsewhere.example"}
    first, line = told["moves"]
    back = first | {"seat": 0, "move": "takeback", "back_to": 0, "via": "web"}
    for pairs, status in ((importing.MOST_LINES // 2 - 1, 201), (importing.MOST_LINES // 2, 413)):
        lines = enumerate([first, *[line, back] * pairs])
        moves = [{**each, "ply": ply} for ply, each in lines]
        data = record.spelled(record.sealed(told | {"moves": moves}))
        answer = send(api_of(charlie), data)
        assert answer.status_code == status, answer.json()


def test_no_list_reads_whole_games(start, charlie, api_of):
    program = api_of(charlie)
    send(program, files.file_of(start().pk).as_json())
    with CaptureQueriesContext(connection) as queries:
        program.get("/api/v1/me/imports")
    read = [query["sql"] for query in queries if "games_importedgame" in query["sql"]]
    assert read
    assert not any('"record"' in sql for sql in read)


def test_games_that_were_imported_before_get_their_summary(start, charlie, api_of):
    program = api_of(charlie)
    data = files.file_of(play_to_the_end(start("tritoc")).pk).as_json()
    send(program, data)
    shown = program.get("/api/v1/me/imports").json()
    ImportedGame.objects.update(summary={}, size=0)
    with connection.cursor() as cursor:
        cursor.execute(import_module("games.migrations.0015_imported_summary").FILL)
    assert program.get("/api/v1/me/imports").json() == shown
    assert ImportedGame.objects.get().size == pytest.approx(len(data), rel=0.05)


def test_imports_are_listed_at_a_fixed_cost_and_deleted(start, charlie, api_of):
    program = api_of(charlie)
    for _ in range(3):
        send(program, files.file_of(start().pk).as_json())
    with CaptureQueriesContext(connection) as three:
        page = program.get("/api/v1/me/imports").json()
    assert len(page["results"]) == 3
    assert program.delete(f"/api/v1/me/imports/{page['results'][0]['id']}").status_code == 204
    with CaptureQueriesContext(connection) as two:
        assert len(program.get("/api/v1/me/imports").json()["results"]) == 2
    assert len(two) == len(three)


def test_what_others_brought_in_is_not_seen(start, bob, charlie, api_of):
    kept = send(api_of(charlie), files.file_of(start().pk).as_json()).json()
    program = api_of(bob)
    for address in ("", "/file", "/file.txt"):
        assert program.get(f"/api/v1/me/imports/{kept['id']}{address}").status_code == 404
    assert program.delete(f"/api/v1/me/imports/{kept['id']}").status_code == 404
    assert program.get("/api/v1/me/imports").json()["results"] == []


# All together


@pytest.mark.django_db(transaction=True, reset_sequences=True)
def test_every_file_of_a_season_verifies(fate):
    Simulation(players=4, games=14, days=14, seed=11).run()
    made = list(files.files_of(Game.objects.all()))
    assert len(made) == 14
    assert any(any(file.record["pauses"]["vacations"]) for file in made)
    assert any(file.record["pauses"]["outages"]["web"] for file in made)
    assert {file.game.pk: found for file in made if (found := record.verify(file.as_json()))} == {}


def test_a_game_of_an_event_that_was_given_up_at_once_has_a_loser(start, alice):
    game = start(event_id=7)
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    result = verified(game)["result"]
    assert (result["status"], result["scores"], result["rated"]) == ("finished", [0.0, 1.0], False)
