"""Practice needs no account, costs the house little, and is kept by signing up."""

import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from games import bot_moves, guests, house_bots, lobby, outbox, play, practice, sweeps, talk
from games.bots.levels import LEVELS
from games.clock import PRESETS
from games.lobby import Terms
from games.models import Challenge, Game, Participant, Ruling, Visit
from games.refusals import BadRequest, NotAllowed, TooMany
from games.rules.registry import RULESETS
from tests.conftest import NOW, PASSWORD
from tests.games.acts import as_stored, to_move

WANTED = {"ruleset": "tritt-classic", "level": "dew", "side": "0"}


@pytest.fixture(autouse=True)
def no_bells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)


def welcome(address: str = "192.0.2.1", now=NOW) -> Player:
    return guests.welcome(address=address, zone="UTC", language="en", now=now)


def begin(player: Player, **wishes: object) -> Game:
    wanted = {"ruleset": "tritt-classic", "level": "dew", "side": 0, "now": NOW}
    return practice.begin(player=player, **{**wanted, **wishes})


# Playing


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_visitor_sits_at_a_private_unrated_game_after_one_form(client, db, ruleset):
    answer = client.post("/practice/", {**WANTED, "ruleset": ruleset, "rated": "on"})
    game = Game.objects.get()
    assert answer.url == game.get_absolute_url()
    assert (game.ruleset, game.rated, bool(game.private_link)) == (ruleset, False, True)
    page = client.get(answer.url).content.decode()
    assert "You play as a guest" in page
    assert ('id="move"' in page) == (to_move(game).is_guest)
    assert ">bot</span>" in page


def test_a_member_may_have_it_rated_and_in_public(as_player, alice):
    as_player(alice).post("/practice/", {**WANTED, "rated": "on"})
    game = Game.objects.get()
    assert (game.rated, game.private_link) == (True, None)
    assert [seat.player.name for seat in game.seats.all()] == ["alice", "Dew"]


def test_a_game_that_there_is_not_is_refused_with_a_sentence(client, db):
    answer = client.post("/practice/", {**WANTED, "level": "rain"})
    assert "rain" in answer.content.decode()
    assert not Game.objects.exists()
    assert not Player.objects.filter(is_guest=True).exists()


def test_a_link_chooses_the_game(client, db):
    page = client.get("/practice/?ruleset=tritoc&level=ocean").content.decode()
    assert page.count("checked") == 3
    assert "No account" in client.get("/lobby/").content.decode()
    assert "/practice/?ruleset=tritoc" in client.get("/rules/tritoc/").content.decode()


def test_the_lobby_offers_a_bot_for_every_game(client, db):
    page = client.get("/lobby/").content.decode()
    for key, rules in RULESETS.items():
        assert f'href="/practice/?ruleset={key}" aria-label="Play a bot: {rules.name}"' in page


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_is_played_from_its_own_page_by_whoever_reads_it(client, as_player, alice, level):
    name = house_bots.of_level(level).name
    begin_at = f'href="/practice/?level={level}"'
    visitors = client.get(f"/players/{name}/").content.decode()
    assert begin_at in visitors
    assert "/challenge/?to=" not in visitors
    members = as_player(alice).get(f"/players/{name}/").content.decode()
    assert begin_at in members
    assert f"/challenge/?to={name}" in members
    assert "/practice/?level=" not in client.get("/players/alice/").content.decode()


def test_a_guest_begins_another_game_from_the_front_page(as_player, db):
    page = as_player(welcome()).get("/").content.decode()
    assert 'href="/practice/"' in page
    assert "/challenge/" not in page


def test_a_guest_plays_three_games_at_a_time(client, db):
    for _ in range(3):
        client.post("/practice/", WANTED)
    answer = client.post("/practice/", WANTED)
    assert "plays 3 games already" in answer.content.decode()
    assert Game.objects.count() == 3
    assert Player.objects.filter(is_guest=True).count() == 1


def test_a_guest_plays_again_with_the_bot(db):
    guest = welcome()
    game = begin(guest)
    play.abort(game_id=game.pk, player_id=guest.pk, now=NOW)
    again = lobby.offer_rematch(player=guest, game_id=game.pk, now=NOW).game
    assert again.is_running
    assert again.private_link
    assert not again.rated


# What guests may not


def test_a_guest_neither_seeks_nor_challenges_nor_accepts(alice):
    guest = welcome()
    dew = house_bots.of_level("dew")
    terms = Terms(ruleset="tritt-classic", clock=PRESETS["3d"])
    offer = lobby.seek(challenger=alice, terms=terms, now=NOW)
    with pytest.raises(NotAllowed, match="sign up"):
        lobby.seek(challenger=guest, terms=terms, now=NOW)
    with pytest.raises(NotAllowed, match="sign up"):
        lobby.challenge(challenger=guest, opponent=alice, terms=terms, now=NOW)
    with pytest.raises(NotAllowed, match="sign up"):
        lobby.challenge(challenger=guest, opponent=dew, terms=terms, now=NOW)
    with pytest.raises(NotAllowed, match="sign up"):
        lobby.accept(challenge_id=offer.pk, player=guest, now=NOW)
    with pytest.raises(BadRequest, match="is a guest"):
        lobby.challenge(challenger=alice, opponent=guest, terms=terms, now=NOW)


def test_a_guest_does_not_chat(db):
    guest = welcome()
    game = begin(guest)
    with pytest.raises(NotAllowed, match="does not chat"):
        talk.say(game_id=game.pk, player_id=guest.pk, text="Hello", now=NOW)


@pytest.mark.parametrize("path", ["/settings/", "/settings/tokens/", "/challenge/"])
def test_settings_and_challenges_lead_a_guest_to_the_sign_up(as_player, db, path):
    assert as_player(welcome()).get(path).url == reverse("account_signup")


def test_a_guest_does_not_act_by_the_api(as_player, db):
    guest = welcome()
    game = begin(guest)
    client = as_player(guest)
    answer = client.post(f"/api/v1/games/{game.pk}/resign", content_type="application/json")
    assert answer.status_code == 403
    assert "sign up" in answer.json()["detail"]
    assert client.get("/api/v1/me").status_code == 200


def test_a_guest_has_no_page(client, db):
    guest = welcome()
    assert client.get(f"/players/{guest.name}/").status_code == 404
    assert client.get(f"/api/v1/players/{guest.name}").status_code == 404


def test_ten_guests_a_day_come_from_an_address(db, monkeypatch):
    for _ in range(guests.MOST_A_DAY):
        welcome()
    with pytest.raises(TooMany, match="sign up to play on"):
        welcome()
    assert welcome("192.0.2.2")
    assert welcome(now=NOW + timedelta(days=1))


@pytest.mark.django_db(transaction=True)
def test_two_guests_who_come_at_once_are_both_counted(monkeypatch):
    monkeypatch.setattr(guests, "MOST_A_DAY", 1)
    both, refused = threading.Barrier(2), []

    def come():
        both.wait(15)
        try:
            welcome()
        except TooMany as refusal:
            refused.append(refusal)
        connection.close()

    threads = [threading.Thread(target=come) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(refused) == 1
    assert Player.objects.filter(is_guest=True).count() == 1


# Staying


def test_signing_up_keeps_the_games(client, db):
    client.post("/practice/", WANTED)
    guest = Player.objects.get(is_guest=True)
    page = client.get("/accounts/signup/")
    assert page.status_code == 200
    answer = client.post(
        "/accounts/signup/",
        {"username": "dora", "email": "dora@example.org", "password1": PASSWORD,
         "password2": PASSWORD},
    )  # fmt: skip
    assert answer.status_code == 302
    dora = Player.objects.get(name="dora")
    assert (dora.pk, dora.is_guest) == (guest.pk, False)
    assert dora.check_password(PASSWORD)
    assert EmailAddress.objects.filter(user=dora, email="dora@example.org").exists()
    assert Game.objects.get().seats.filter(player=dora).exists()


def test_a_name_that_is_taken_leaves_the_guest_a_guest(client, alice):
    client.post("/practice/", WANTED)
    answer = client.post(
        "/accounts/signup/",
        {"username": "alice", "email": "dora@example.org", "password1": PASSWORD,
         "password2": PASSWORD},
    )  # fmt: skip
    assert answer.status_code == 200
    assert Player.objects.get(is_guest=True).name.startswith("Guest ")
    assert "Keep my games" in client.get("/lobby/").content.decode()


def test_a_guest_may_sign_in_to_an_account_that_there_is(client, alice):
    client.post("/practice/", WANTED)
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(alice.pk)


# Going


def test_a_guest_who_stays_away_is_forgotten_with_the_games(db):
    guest = welcome()
    dew = house_bots.of_level("dew")
    over = begin(guest)
    play.abort(game_id=over.pk, player_id=guest.pk, now=NOW)
    lobby.offer_rematch(player=guest, game_id=over.pk, now=NOW)
    assert guests.send_off(now=NOW + timedelta(days=29)) == 0
    assert guests.send_off(now=NOW + timedelta(days=30)) == 0
    assert sweeps.end_games_on_time(now=NOW + timedelta(days=30)) == 1
    assert guests.send_off(now=NOW + timedelta(days=30)) == 0
    assert guests.send_off(now=NOW + timedelta(days=31)) == 1
    assert not Player.objects.filter(pk=guest.pk).exists()
    assert not Game.objects.exists()
    assert not Challenge.objects.exists()
    assert Participant.objects.get(player=dew).running_games == 0


def test_a_guest_who_was_here_lately_stays(db):
    guest = welcome()
    Player.objects.filter(pk=guest.pk).update(seen_at=NOW + timedelta(days=20))
    assert guests.send_off(now=NOW + timedelta(days=30)) == 0
    assert Visit.objects.get().look_again_at == NOW + timedelta(days=50)


def test_whoever_has_signed_up_is_left_alone(db):
    guest = welcome()
    game = begin(guest)
    Player.objects.filter(pk=guest.pk).update(is_guest=False)
    assert guests.send_off(now=NOW + timedelta(days=30)) == 0
    assert as_stored(game).is_running
    assert not Visit.objects.exists()


def test_a_game_that_was_ruled_upon_holds_its_guest(db):
    guest = welcome()
    game = begin(guest)
    play.abort(game_id=game.pk, player_id=guest.pk, now=NOW)
    Ruling.objects.create(game=game, kind="time", reason="…", made_by=guest, made_at=NOW)
    assert guests.send_off(now=NOW + timedelta(days=30)) == 0
    assert Player.objects.filter(pk=guest.pk).exists()
    assert Visit.objects.get().look_again_at == NOW + timedelta(days=60)


def test_looking_for_guests_costs_one_query_however_many_there_are(db, django_assert_num_queries):
    for number in range(5):
        welcome(f"192.0.2.{number}", now=timezone.now())
    with django_assert_num_queries(1):
        assert guests.send_off(now=timezone.now()) == 0
