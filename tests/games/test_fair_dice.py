"""Nobody can choose a throw: the seed is bound before the salts come, and both are in every one."""

from collections import Counter
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import pytest
from django.utils import timezone

from games import (
    commitments,
    dice,
    files,
    house_bots,
    lobby,
    practice,
    proof,
    record,
    record_origin,
    rulings,
    signing_keys,
)  # fmt: skip
from games.bots.levels import LEVELS
from games.clock import PerMove
from games.models import Challenge, DiceKey, Game, GameDice
from games.refusals import BadRequest, NotAllowed
from tests.conftest import NOW, days
from tests.games.acts import as_stored, move, play_to_the_end, resigned_by

TERMS = lobby.Terms(ruleset="tritoc", clock=PerMove(3), rated=False, salt="of Alice")
SECRET = bytes(range(32))
LEVEL = next(iter(LEVELS))
OLD_FILES = Path(__file__).parent / "old_files"


@pytest.fixture
def offer(alice, bob):
    return lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)


@pytest.fixture
def open_offer(alice, bob):
    """One that the pages, which have a clock of their own, still show."""
    return lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=timezone.now())


def accept(offer, player, salt="of Bob"):
    return lobby.accept(challenge_id=offer.pk, player=player, now=NOW, salt=salt)


# The order: commitment, then the salt of whoever accepts


def test_the_commitment_is_published_with_the_offer(open_offer, bob, as_player, api_of):
    published = open_offer.commitment
    told = api_of(bob).get("/api/v1/challenges").json()["results"]
    assert [(each["commitment"], each["challenger_salt"]) for each in told] == [
        (published, "of Alice")
    ]
    page = as_player(bob).get("/lobby/").text
    assert published in page
    assert "of Alice" in page


def test_the_commitment_is_on_the_page_of_an_invitation(alice, client):
    offer = lobby.invite_by_link(challenger=alice, terms=TERMS, now=NOW)
    assert offer.commitment in client.get(f"/invite/{offer.link}/").text


def test_the_game_keeps_to_the_commitment_of_the_offer(offer, bob):
    published = offer.commitment
    game = accept(offer, bob)
    assert game.commitment == published
    over = play_to_the_end(game)
    told = proof.of_game(over)
    assert dice.commitment(bytes.fromhex(told["segments"][0]["seed"])) == published
    assert dice.verify(told) == []


def test_the_secret_is_not_told_before_the_game_is_over(offer, bob, as_player, api_of):
    seed = dice.seed_of(bytes(offer.dice_secret)).hex()
    secret = bytes(offer.dice_secret).hex()
    pages = [api_of(bob).get("/api/v1/challenges"), as_player(bob).get("/lobby/")]
    game = accept(offer, bob)
    pages += [api_of(bob).get(f"/api/v1/games/{game.pk}{part}") for part in ("", "/dice", "/file")]
    pages += [as_player(bob).get(f"/games/{game.pk}/dice/")]
    for page in pages:
        assert page.status_code == 200
        assert seed not in page.content.decode()
        assert secret not in page.content.decode()


def test_every_offer_has_a_seed_of_its_own(alice):
    offers = [lobby.seek(challenger=alice, terms=TERMS, now=NOW) for _ in range(5)]
    assert len({offer.commitment for offer in offers}) == 5


def test_both_salts_are_in_every_throw_the_first_included(offer, bob):
    game = accept(offer, bob)
    told = proof.of_game(play_to_the_end(game))
    assert sorted(told["salts"]) == ["of Alice", "of Bob"]
    assert {tuple(throw["salts"]) for throw in told["throws"]} == {tuple(told["salts"])}
    derived = {"scheme": 2, "seed": dice.seed_of(bytes(offer.dice_secret)), "game_id": ""}
    first = dice.throw(number=1, salts=["of Bob", "of Alice"], dice=2, sides=6, **derived)
    assert told["throws"][0]["faces"] == list(first)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("number", [1, 2, 9])
def test_either_salt_alone_changes_a_throw(seat, number):
    thrown = set()
    for each in range(50):
        salts = ["same", "same"]
        salts[seat] = str(each)
        thrown.add(
            dice.throw(
                scheme=2, seed=SECRET, game_id="", number=number, salts=salts, dice=20, sides=6
            )
        )
    assert len(thrown) == 50


def test_a_salt_that_was_sent_is_not_changed_by_accepting_again(offer, bob):
    game = accept(offer, bob)
    assert accept(offer, bob, salt="better").pk == game.pk
    assert sorted(game.seats.values_list("salt", flat=True)) == ["of Alice", "of Bob"]


@pytest.mark.parametrize("address", ["/games/{}/salt/", "/api/v1/games/{}/salt"])
def test_no_salt_is_taken_once_the_game_has_begun(start, alice, as_player, api_of, address):
    game = start("tritoc")
    for program in (as_player(alice), api_of(alice)):
        assert program.post(address.format(game.pk), {"salt": "late"}).status_code == 404


@pytest.mark.parametrize("salt", ["x" * 65, "two\nlines", "nul\0"])
def test_a_salt_is_a_short_printable_text(offer, bob, salt):
    with pytest.raises(BadRequest) as refused:
        accept(offer, bob, salt=salt)
    assert str(refused.value) == "A salt is a text of at most 64 printable characters."
    assert Challenge.objects.get(pk=offer.pk).state == "open"


# How it comes


def test_the_server_adds_no_salt_of_its_own(offer, bob):
    """It would know the seed and the other salt by then."""
    told = proof.of_game(play_to_the_end(accept(offer, bob, salt="")))
    assert sorted(told["salts"]) == ["", "of Alice"]
    assert dice.verify(told) == []


def test_the_api_takes_a_salt(alice, bob, api_of):
    wanted = {"ruleset": "tritoc", "opponent": "bob", "salt": "a"}
    made = api_of(alice).post("/api/v1/challenges", wanted, format="json").json()
    accepted = api_of(bob).post(
        f"/api/v1/challenges/{made['id']}/accept", {"salt": "b"}, format="json"
    )
    game = Game.objects.get(pk=accepted.json()["game"])
    assert sorted(game.seats.values_list("salt", flat=True)) == ["a", "b"]
    assert game.commitment == made["commitment"]
    too_long = api_of(bob).post("/api/v1/challenges", wanted | {"salt": "x" * 65}, format="json")
    assert too_long.status_code == 400


def test_the_pages_take_a_salt(open_offer, bob, as_player):
    answer = {"answer": "accept", "salt": "f00d"}
    as_player(bob).post(f"/lobby/{open_offer.pk}/", answer)
    game = Challenge.objects.get(pk=open_offer.pk).game
    assert game.seats.get(player=bob).salt == "f00d"


def test_every_form_that_leads_to_a_game_adds_a_salt(open_offer, alice, bob, as_player, start):
    link = lobby.invite_by_link(challenger=alice, terms=TERMS, now=timezone.now()).link
    over = resigned_by(alice, start())
    for address in (
        "/lobby/",
        "/challenge/",
        "/practice/",
        f"/invite/{link}/",
        f"/games/{over.pk}/",
    ):
        assert "data-salt" in as_player(bob).get(address).text, address


# The lot for the first move


def test_the_first_move_is_drawn_with_both_salts(alice, bob):
    begun = Counter()
    for each in range(12):
        game = accept(lobby.seek(challenger=alice, terms=TERMS, now=NOW), bob, salt=str(each))
        kept = GameDice.objects.get(game=game)
        is_drawn = kept.challenger is not None
        begun[is_drawn] += 1
        if is_drawn:
            seed = bytes(game.seed)
            begins = dice.challenger_begins(seed=seed, salts=["of Alice", str(each)])
            assert kept.challenger == (0 if begins else 1)
            assert game.seats.get(number=kept.challenger).player == alice
    assert begun[True] == 6


def test_a_lot_that_fell_otherwise_shows(alice, bob):
    game = accept(lobby.seek(challenger=alice, terms=TERMS, now=NOW), bob)
    told = proof.of_game(as_stored(game), with_seed=True)
    assert dice.verify(told) == []
    told["challenger"] = 1 - told["challenger"]
    assert dice.verify(told) == ["The lot for the first move fell to the other player."]


# The derivation


def test_the_chain_of_seeds_ends_in_the_commitment():
    seeds = [dice.seed_of(SECRET, reopened=each) for each in range(dice.CHAIN)]
    assert seeds[-1] == SECRET
    for earlier, later in pairwise(seeds):
        assert dice.commitment(later) == earlier.hex()
    with pytest.raises(ValueError, match="chain"):
        dice.seed_of(SECRET, reopened=dice.CHAIN)


def test_a_throw_of_the_second_scheme_is_the_golden_one():
    derived = {"scheme": 2, "seed": SECRET, "game_id": "any", "dice": 5, "sides": 6}
    assert dice.throw(number=1, salts=["böb", "Alice"], **derived) == GOLDEN[0]
    assert dice.throw(number=1, salts=["Alice", "böb"], **derived) == GOLDEN[0]
    assert dice.throw(number=2, salts=["Alice", "böb"], **derived) == GOLDEN[1]


GOLDEN = [(5, 4, 4, 6, 6), (2, 6, 4, 6, 6)]


def test_every_face_comes_as_often():
    """χ² of 5 degrees of freedom: beyond 30 once in 80 000 times, and always the same numbers."""
    faces = Counter()
    for number in range(1, 3001):
        faces.update(
            dice.throw(
                scheme=2, seed=SECRET, game_id="", number=number, salts="ab", dice=2, sides=6
            )
        )
    assert sum((count - 1000) ** 2 / 1000 for count in faces.values()) < 30


# Games with the built-in bots


@pytest.fixture
def bot(db):
    return house_bots.everyone()[0]


def practise(player, **more):
    wanted = {"ruleset": "tritoc", "level": LEVEL, "now": NOW} | more
    return practice.begin(player=player, **wanted)


def test_the_key_for_the_bots_is_published_before_anybody_plays_one(db, client):
    published = client.get("/.well-known/tripost-keys.json").json()["dice_with_bots"]
    assert DiceKey.objects.get().public_key == published
    assert client.get("/.well-known/tripost-keys.json").json()["dice_with_bots"] == published


def test_the_server_has_no_choice_of_seed_against_a_bot(alice, bot, client):
    published = client.get("/.well-known/tripost-keys.json").json()["dice_with_bots"]
    game = practise(alice, salt="mine")
    told = proof.of_game(as_stored(game), with_seed=True)
    assert told["drawn"]["key"] == published
    assert sorted(told["drawn"]["players"]) == sorted([alice.pk, bot.pk])
    assert sorted(told["salts"]) == ["", "mine"]
    assert dice.verify(told) == []
    told["drawn"]["game"] += 1
    assert dice.verify(told) == ["The seed is not the one that the key has for this game."]


def test_every_game_with_a_bot_has_a_seed_of_its_own(alice, bot):
    games = [practise(alice, salt="same") for _ in range(3)]
    offer = lobby.challenge(challenger=alice, opponent=bot, terms=TERMS, now=NOW)
    games.append(offer.game)
    assert [GameDice.objects.get(game=game).drawn["game"] for game in games] == [1, 2, 3, 4]
    assert len({game.commitment for game in games}) == 4
    assert offer.commitment == offer.game.commitment


def test_who_begins_against_a_bot_is_drawn_with_the_salt(alice, bot):
    for each in range(6):
        game = practise(alice, salt=str(each))
        told = proof.of_game(as_stored(game), with_seed=True)
        assert game.seats.get(player=alice).number == told["challenger"]
        assert dice.verify(told) == []
    assert proof.of_game(as_stored(practise(alice, side=0)))["challenger"] is None


def test_the_page_takes_a_salt_for_a_game_with_a_bot(alice, bot, as_player):
    page = as_player(alice)
    assert "data-salt" in page.get("/practice/").text
    page.post("/practice/", {"ruleset": "tritoc", "level": LEVEL, "side": "", "salt": "f00d"})
    assert Game.objects.get().seats.get(player=alice).salt == "f00d"


# Reopening


@pytest.mark.parametrize("ruleset", ["tritoc", "triotrio"])
def test_a_ruling_on_a_game_with_dice_is_undone_and_its_file_verifies(start, charlie, ruleset):
    game = start(ruleset)
    for _ in range(4):
        move(game)
    first = as_stored(game)
    ruling = rulings.make_void(game_id=game.pk, by=charlie, reason="By mistake", now=NOW)
    published = proof.of_game(as_stored(game))["segments"][0]["seed"]
    rulings.undo(ruling_id=ruling.pk, by=charlie, now=NOW)
    reopened = as_stored(game)
    assert reopened.is_running
    assert reopened.commitment == published != first.commitment
    assert bytes(reopened.seed).hex() != published
    running = proof.of_game(reopened)["segments"]
    assert [segment["seed"] for segment in running] == [published, None]
    assert record.verify(files.file_of(game.pk).as_json()) == []
    over = play_to_the_end(game)
    told = proof.of_game(over)
    assert [segment["last_throw"] for segment in told["segments"]] == [first.throws_made, None]
    assert len(told["throws"]) > first.throws_made
    assert dice.verify(told) == []
    assert record.verify(files.file_of(game.pk).as_json()) == []


def test_a_seed_that_the_chain_does_not_bind_shows(start, charlie):
    game = start("tritoc")
    rule = {"game_id": game.pk, "by": charlie, "reason": "By mistake", "now": NOW}
    rulings.undo(ruling_id=rulings.make_void(**rule).pk, by=charlie, now=NOW)
    other = dice.new_secret()
    Game.objects.filter(pk=game.pk).update(seed=other, commitment=dice.commitment(other))
    told = proof.of_game(play_to_the_end(game))
    assert dice.verify(told) == [
        "A seed is not the one that the commitment of the whole game binds."
    ]


def test_a_game_is_reopened_as_often_as_its_chain_is_long(start, alice, charlie):
    game = resigned_by(alice, start("tritoc"))
    rule = {"game_id": game.pk, "by": charlie, "reason": "Again", "now": NOW}
    for day in range(dice.CHAIN - 1):
        rule["now"] = NOW + days(day)
        rulings.reopen(hours=1, **rule)
        rulings.make_void(**rule)
    with pytest.raises(NotAllowed) as refused:
        rulings.reopen(hours=1, **rule)
    assert str(refused.value) == (
        "This game has been reopened 15 times, which is the limit. Set its result instead."
    )
    assert dice.verify(proof.of_game(as_stored(game))) == []


def with_segments(number):
    """A game of the first scheme that was reopened after its only throw, so often."""
    first = bytes(32)
    seeds = [
        first,
        *(dice.seed_of(SECRET, reopened=each % dice.CHAIN) for each in range(number - 1)),
    ]
    faces = dice.throw(scheme=1, seed=first, game_id="7", number=1, salts=["", ""], dice=2, sides=6)
    return {
        "game": "7",
        "commitment": dice.commitment(first),
        "salts": ["", ""],
        "segments": [
            {
                "scheme": 2 if at else 1,
                "commitment": dice.commitment(seed),
                "seed": seed.hex(),
                "last_throw": 1 if at < number - 1 else None,
                "proof": None,
            }
            for at, seed in enumerate(seeds)
        ],
        "drawn": None,
        "challenger": None,
        "throws": [{"number": 1, "dice": 2, "sides": 6, "faces": list(faces)}],
    }


def test_no_more_seeds_are_looked_at_than_a_game_can_have():
    assert dice.verify(with_segments(dice.MOST_SEGMENTS)) == []
    for number in (0, dice.MOST_SEGMENTS + 1):
        told = with_segments(max(number, 1))
        told["segments"] = told["segments"][:number]
        with pytest.raises(dice.MalformedRecord, match="should hold 1 to 17 seeds"):
            dice.verify(told)


# What an operator who signs anything still cannot do


NO_KEY = "The dice of events and of the built-in bots need a seed of a published key."
OTHER_KEY = "The seed was drawn with another key than the file names."
NOT_IN_ORDER = "The segments do not follow each other."
NOT_BOUND = "A seed is not the one that the commitment of the whole game binds."


def forged(whole, change):
    """The file as the server itself would sign it after such a change."""
    told = deepcopy(whole)
    change(told)
    signer = signing_keys.signer()
    signed = record_origin.signed(record.sealed(told), key=signer.key, sign=signer.sign)
    return record.spelled(signed)


def problems(whole, change):
    return record.verify(forged(whole, change), signing_keys.own_keys())


@pytest.mark.parametrize("scheme", [1, 2])
def test_no_seed_is_put_in_the_place_of_the_one_committed_to(offer, bob, monkeypatch, scheme):
    """The published seed as one that was used up to throw 0, and then one drawn for the salts."""
    published, first = offer.commitment, dice.seed_of(bytes(offer.dice_secret))
    chosen = commitments.of_secret(dice.new_secret())
    monkeypatch.setattr(commitments, "of_secret", lambda _secret: chosen)
    game = accept(offer, bob)
    unused = {"commitment": published, "seed": first.hex(), "last_throw": 0, "proof": None}
    GameDice.objects.filter(game=game).update(past=[{"scheme": scheme} | unused])
    over = play_to_the_end(as_stored(game))
    told = proof.of_game(over)
    assert told["commitment"] == published
    assert NOT_IN_ORDER in dice.verify(told)
    assert NOT_IN_ORDER in record.verify(files.file_of(game.pk).as_json())


def test_only_the_first_seed_is_of_the_first_scheme(old_game, alice, charlie):
    game = resigned_by(alice, old_game)
    rulings.reopen(game_id=game.pk, by=charlie, reason="Again", now=NOW, hours=1)
    rulings.make_void(game_id=game.pk, by=charlie, reason="Over", now=NOW)
    told = proof.of_game(as_stored(game))
    assert dice.verify(told) == []
    told["segments"][1]["scheme"] = 1
    assert NOT_BOUND in dice.verify(told)


def test_a_segment_ends_with_a_throw_of_the_game(start, charlie):
    game = start("tritoc")
    ruling = rulings.make_void(game_id=game.pk, by=charlie, reason="By mistake", now=NOW)
    rulings.undo(ruling_id=ruling.pk, by=charlie, now=NOW)
    told = proof.of_game(play_to_the_end(game))
    told["segments"][0]["last_throw"] = len(told["throws"]) + 1
    assert dice.verify(told) == [NOT_IN_ORDER]


def test_no_seed_of_the_chain_is_chosen_without_a_ruling(start):
    whole = files.file_of(resigned_late(start("tritoc")).pk).record
    first = whole["dice"]["segments"][0]
    throws = len(whole["dice"]["throws"])
    secret = bytes(GameDice.objects.get(game=int(whole["game"])).secret)
    following = {"commitment": first["seed"], "seed": dice.seed_of(secret, reopened=1).hex()}

    def skip(told):
        told["dice"]["segments"] = [first | {"last_throw": throws}, first | following]

    assert problems(whole, skip) == ["There are more seeds than rulings that reopened the game."]


def resigned_late(game):
    for _ in range(3):
        move(game)
    return resigned_by(game.seats.first().player, game)


def test_the_head_says_under_which_scheme_the_game_began(start, old_game):
    for game, scheme in ((resigned_late(start("tritoc")), 2), (resigned_late(old_game), 1)):
        whole = files.file_of(game.pk).record
        assert whole["dice_bound"] == {
            "scheme": scheme, "by": "challenge", "key": None, "players": None,
        }  # fmt: skip
        assert problems(whole, lambda told: None) == []
        assert problems(whole, lambda told: told["dice_bound"].update(scheme=3)) == [
            "The dice do not begin under the scheme that the file names."
        ]


@pytest.fixture
def with_a_bot(alice, bot):
    return files.file_of(resigned_by(alice, practise(alice, salt="mine", side=1)).pk).record


def test_a_fresh_key_for_a_game_with_a_bot_shows(alice, bot, monkeypatch, client):
    """The whole game is played with its dice."""
    keys = record_origin.keys_from(client.get("/.well-known/tripost-keys.json").content)
    with monkeypatch.context() as then:
        fresh = commitments.new_key(now=NOW)
        then.setattr(commitments, "key_for_bots", lambda now: fresh)
        game = resigned_by(alice, practise(alice, salt="mine"))
    whole = files.file_of(game.pk).record
    assert whole["dice_bound"]["by"] == "challenge"
    assert record.verify(record.spelled(whole), keys) == [NO_KEY]
    as_bots = forged(whole, lambda told: told["dice_bound"].update(by="bots"))
    assert record.verify(as_bots) == []
    assert record.verify(as_bots, keys) == [
        "The key to the dice is not the one that the server publishes for its bots."
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda told: told["dice"].update(drawn=None), NO_KEY),
        (lambda told: told["dice_bound"].update(key="00" * 32), OTHER_KEY),
        (
            lambda told: told["dice_bound"].update(players=[1, 2]),
            "The seed was drawn for other players than the file names.",
        ),
        (
            lambda told: told["dice"]["drawn"].update(season=2),
            "Games with the built-in bots have no seasons.",
        ),
        (
            lambda told: told["dice_bound"].update(by="event"),
            "The dice of an event’s game are bound by the event, and no others.",
        ),
    ],
)
def test_the_dice_of_a_game_with_a_bot_are_those_of_its_key(with_a_bot, change, problem):
    assert problems(with_a_bot, lambda told: None) == []
    assert problem in problems(with_a_bot, change)


def test_a_game_with_a_bot_is_not_passed_off_as_a_challenge(with_a_bot):
    def pass_off(told):
        told["dice"]["drawn"] = None
        told["dice_bound"] |= {"by": "challenge", "key": None, "players": None}

    assert problems(with_a_bot, pass_off) == [NO_KEY]


# What the verifier leaves to you


def said_of(folder, capsys, whole, *arguments):
    file = folder / "game.json"
    file.write_bytes(record.spelled(whole))
    assert record.main(["verify", str(file), *arguments]) == 0
    return capsys.readouterr().out.splitlines()[2:]


def test_the_verifier_says_what_to_compare(with_a_bot, start, tmp_path, capsys, client):
    keys = tmp_path / "keys.json"
    keys.write_bytes(client.get("/.well-known/tripost-keys.json").content)
    drawn = with_a_bot["dice"]["drawn"]
    one, other = drawn["players"]
    key_and_game = [
        f"dice: scheme 2, key {drawn['key']}: compare this key with the one that the event"
        " published, or the server for its built-in bots",
        f"dice: drawn for season 1, players {one} and {other}, their game no. 1:"
        " compare this with the games that they played",
    ]
    for_bots = "dice: the file says that this is the key for the built-in bots"
    assert said_of(tmp_path, capsys, with_a_bot) == [
        *key_and_game, f"{for_bots}, not checked, for no keys were given",
    ]  # fmt: skip
    assert said_of(tmp_path, capsys, with_a_bot, "--keys", str(keys)) == [
        *key_and_game, f"{for_bots}, and that is the one in the keys",
    ]  # fmt: skip
    game = start("tritoc")
    assert said_of(tmp_path, capsys, files.file_of(game.pk).record) == [
        "dice: not checked, for the seed is secret until the game is over"
    ]
    over = files.file_of(resigned_late(game).pk).record
    assert said_of(tmp_path, capsys, over) == [
        f"dice: scheme 2, commitment {game.commitment}: compare it with the one that was published"
        " with the challenge; a game of an event or with a built-in bot has a key"
    ]


def test_the_verifier_says_what_the_first_scheme_leaves_open(
    old_game, alice, charlie, tmp_path, capsys
):
    game = resigned_by(alice, old_game)
    rulings.reopen(game_id=game.pk, by=charlie, reason="Again", now=NOW, hours=1)
    over = play_to_the_end(game)
    first, second = said_of(tmp_path, capsys, files.file_of(over.pk).record)
    assert first.startswith(f"dice: scheme 1, commitment {old_game.commitment}: only a game that")
    assert second == "dice: reopened with a seed that the server drew when it knew the salts"


def test_the_page_of_the_dice_says_what_to_compare(with_a_bot, old_game, alice, charlie, client):
    compare = "Compare this key"
    page = client.get(f"/games/{with_a_bot['game']}/dice/").text
    assert compare in page
    game = resigned_by(alice, old_game)
    rulings.reopen(game_id=game.pk, by=charlie, reason="Again", now=NOW, hours=1)
    page = client.get(f"/games/{game.pk}/dice/").text
    assert "This game began under the first scheme" in page
    assert compare not in page


# Games that began under the first scheme


@pytest.fixture
def old_game(start, monkeypatch):
    """As they began then: with a random seed, and with no salt in the first throw."""
    with monkeypatch.context() as then:
        then.setattr(dice, "SCHEME", 1)
        game = start("tritoc")
    GameDice.objects.filter(game=game).delete()
    begun = game.throws_made
    game.seats.filter(number=1).update(salt="later", salted_after_throw=begun)
    return game


def test_a_game_of_the_first_scheme_is_played_to_its_end_by_it(old_game):
    over = play_to_the_end(old_game)
    told = proof.of_game(over)
    assert [segment["scheme"] for segment in told["segments"]] == [1]
    assert told["throws"][0]["salts"] == ["", ""]
    assert told["throws"][-1]["salts"] == ["", "later"]
    assert dice.verify(told) == []
    before = {name: told[name] for name in ("game", "commitment", "salts", "throws")}
    assert dice.verify(before | {"seed": bytes(over.seed).hex()}) == []
    assert record.verify(files.file_of(over.pk).as_json()) == []


def test_a_game_of_the_first_scheme_goes_on_by_the_second(old_game, alice, charlie):
    game = resigned_by(alice, old_game)
    rule = {"game_id": game.pk, "by": charlie, "reason": "Again", "now": NOW}
    rulings.reopen(hours=1, **rule)
    told = proof.of_game(play_to_the_end(game))
    assert [segment["scheme"] for segment in told["segments"]] == [1, 2]
    assert dice.verify(told) == []
    assert record.verify(files.file_of(game.pk).as_json()) == []


@pytest.mark.parametrize("name", ["tritoc", "weekends"])
def test_a_file_of_the_first_format_verifies(name):
    data = (OLD_FILES / f"{name}.json").read_bytes()
    assert record.verify(data) == []
    assert record.verify(data.replace(b'"alice"', b'"alicf"')) == [
        "The hashes do not fit: something was changed after the file was made."
    ]
