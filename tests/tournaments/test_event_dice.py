"""The dice of an event are bound when it opens, before the entries bring the players' salts."""

import pytest
from django.urls import reverse

from games import dice, files, proof, record, rulings, signing_keys
from games.models import Game
from games.refusals import BadRequest
from tests.games.acts import play_to_the_end
from tournaments import entering
from tournaments.models import Event


def enter(event, stage, *players):
    for player in players:
        salt = f"of {player.name}"
        entering.enter(event_id=event.pk, player=player, now=stage.now, salt=salt)


def test_the_key_is_published_before_anybody_enters(stage, alice, client, api_of):
    draft = stage.draft(ruleset="tritoc")
    assert draft.dice_key is None
    event = stage.open(ruleset="tritoc")
    published = event.dice_key.public_key
    assert not event.entries.exists()
    assert published in client.get(reverse("event", args=[event.pk])).text
    told = api_of(alice).get(f"/api/v1/events/{event.pk}").json()
    assert told["dice_key"] == published
    assert bytes(event.dice_key.secret).hex() not in str(told)


def test_a_game_without_dice_has_no_key(stage):
    assert stage.open().dice_key is None


def test_every_seed_is_what_the_published_key_has_for_the_game(stage, crowd):
    event = stage.open(ruleset="tritoc")
    published = event.dice_key.public_key
    enter(event, stage, *crowd(3))
    stage.start(event)
    games = list(Game.objects.filter(event_id=event.pk).order_by("pk"))
    assert len({game.commitment for game in games}) == len(games) == 3
    for game in games:
        seats = game.seats.all()
        assert game.dice.drawn == {
            "key": published,
            "season": 1,
            "players": [seat.player_id for seat in seats],
            "game": 1,
        }
        told = proof.of_game(play_to_the_end(game, now=stage.now))
        assert told["salts"] == [f"of {seat.player.name}" for seat in seats]
        assert dice.verify(told) == []
        file = files.file_of(game.pk).as_json()
        assert record.verify(file, signing_keys.own_keys()) == []


def test_a_file_of_an_event_says_its_key_and_needs_a_seed_of_it(stage, crowd, capsys, tmp_path):
    event = stage.open(ruleset="tritoc")
    enter(event, stage, *crowd(3))
    stage.start(event)
    game = play_to_the_end(Game.objects.filter(event_id=event.pk).first(), now=stage.now)
    whole = files.file_of(game.pk).record
    key = event.dice_key.public_key
    players = [seat.player_id for seat in game.seats.order_by("number")]
    assert whole["dice_bound"] == {"scheme": 2, "by": "event", "key": key, "players": players}
    file = tmp_path / "game.json"
    file.write_bytes(record.spelled(whole))
    assert record.main(["verify", str(file)]) == 0
    said = capsys.readouterr().out
    assert f"key {key}: compare this key with the one that the event published" in said
    assert f"dice: the file says that this is the key of event {event.pk}\n" in said
    whole["dice"]["drawn"] = None
    assert record.verify(record.spelled(record.sealed(whole))) == [
        "The dice of events and of the built-in bots need a seed of a published key."
    ]


def test_the_games_of_a_pair_have_seeds_of_their_own(stage, crowd):
    event = stage.open(ruleset="tritoc", settings={"double": True})
    enter(event, stage, *crowd(3))
    stage.start(event)
    games = Game.objects.filter(event_id=event.pk)
    assert len({game.commitment for game in games}) == len(games) == 6
    assert sorted(game.dice.drawn["game"] for game in games) == [1, 1, 1, 2, 2, 2]
    assert all(dice.verify(proof.of_game(game, with_seed=True)) == [] for game in games)


NOT_DRAWN = "The seed is not the one that the key has for this game."


@pytest.fixture
def told(stage, crowd):
    event = stage.open(ruleset="tritoc")
    enter(event, stage, *crowd(3))
    stage.start(event)
    return proof.of_game(Game.objects.filter(event_id=event.pk).first(), with_seed=True)


@pytest.mark.parametrize(
    "other", [{"season": 2}, {"game": 2}, {"players": [1000, 1001]}, {"key": "0" * 64}]
)
def test_the_operator_has_no_other_seed_to_choose(told, other):
    """Neither the number of the game nor any place in a list is the server's to choose."""
    assert dice.verify(told) == []
    told["drawn"] |= other
    assert dice.verify(told) == [NOT_DRAWN]


def test_another_seed_of_a_reopened_event_game_shows(told):
    told["segments"][0]["proof"] = None
    assert dice.verify(told) == [NOT_DRAWN]


def test_the_order_of_seats_does_not_matter_to_the_seed(told):
    told["drawn"]["players"].reverse()
    assert dice.verify(told) == []


def test_no_proof_is_told_while_the_game_runs(stage, crowd, client):
    event = stage.open(ruleset="tritoc")
    enter(event, stage, *crowd(3))
    stage.start(event)
    game = Game.objects.filter(event_id=event.pk).first()
    assert len(game.dice.proof) == 160
    for part in ("/dice", "/file", ""):
        answer = client.get(f"/api/v1/games/{game.pk}{part}")
        assert answer.status_code == 200
        assert game.dice.proof not in answer.content.decode()


def test_a_reopened_game_goes_on_with_the_next_seed_of_the_key(stage, crowd, charlie):
    charlie.is_staff = True
    event = stage.open(ruleset="tritoc")
    enter(event, stage, *crowd(3))
    stage.start(event)
    game = Game.objects.filter(event_id=event.pk).first()
    rule = {"game_id": game.pk, "by": charlie, "now": stage.now}
    ruling = rulings.make_void(reason="By mistake", **rule)
    rulings.undo(ruling_id=ruling.pk, by=charlie, now=stage.now)
    told = proof.of_game(play_to_the_end(game, now=stage.now))
    first, second = told["segments"]
    assert first["seed"] != second["seed"]
    assert second["commitment"] != first["seed"]
    assert dice.verify(told) == []
    assert record.verify(files.file_of(game.pk).as_json(), signing_keys.own_keys()) == []
    second["proof"] = first["proof"]
    assert dice.verify(told) == [NOT_DRAWN]


def test_an_event_that_opened_before_there_were_keys_publishes_one(stage, crowd):
    event = stage.open(ruleset="tritoc")
    enter(event, stage, *crowd(3))
    Event.objects.filter(pk=event.pk).update(dice_key=None)
    stage.start(event)
    games = Game.objects.filter(event_id=event.pk)
    assert {game.dice.key for game in games} == {Event.objects.get(pk=event.pk).dice_key}
    assert all(dice.verify(proof.of_game(game, with_seed=True)) == [] for game in games)


def test_a_salt_is_brought_once_and_by_page_and_program(stage, bob, charlie, as_player, api_of):
    event = stage.open(ruleset="tritoc")
    page = as_player(bob)
    assert "data-salt" in page.get(reverse("event", args=[event.pk])).text
    page.post(reverse("enter_event", args=[event.pk]), {"salt": "f00d"})
    api_of(charlie).post(f"/api/v1/events/{event.pk}/enter", {"salt": "beef"}, format="json")
    salts = dict(event.entries.values_list("player__name", "salt"))
    assert salts == {"bob": "f00d", "charlie": "beef"}
    entering.enter(event_id=event.pk, player=bob, now=stage.now, salt="better")
    page.post(reverse("leave_event", args=[event.pk]))
    entering.enter(event_id=event.pk, player=bob, now=stage.now, salt="better")
    assert event.entries.get(player=bob).salt == "f00d"
    with pytest.raises(BadRequest):
        entering.enter(event_id=event.pk, player=bob, now=stage.now, salt="x" * 65)


def test_the_next_season_keeps_the_key_and_the_salts(stage, crowd):
    """Otherwise the server would know every salt when it drew a new key."""
    event = stage.open(
        ruleset="tritoc", format="league", settings={"size": 3, "up": 1, "down": 1}, renews=True
    )
    enter(event, stage, *crowd(3))
    stage.start(event)
    stage.play_out(event)
    following = Event.objects.get(series=event)
    assert following.dice_key == event.dice_key
    assert set(following.entries.values_list("salt", flat=True)) == {
        f"of {entry.player.name}" for entry in event.entries.all()
    }
    stage.start(following)
    games = Game.objects.filter(event_id__in=[event.pk, following.pk])
    assert len({game.commitment for game in games}) == len(games) == 6
    assert {game.dice.drawn["season"] for game in games} == {1, 2}
    assert all(dice.verify(proof.of_game(game, with_seed=True)) == [] for game in games)
