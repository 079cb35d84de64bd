"""Two players find each other: seeks, challenges, links, letters and rematches."""

from dataclasses import replace
from datetime import timedelta

import pytest

from games import lobby, play, starting, sweeps
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge, Game, Participant, Rating, RatingPool, Seat
from games.refusals import BadRequest, NoSuchGame, NotAllowed, NotFound, TooLate, TooMany
from games.rules.position import InvalidOption
from tests.conftest import NOW, days, make_player
from tests.games.acts import as_stored, move, resigned_by
from tests.games.hearing import facts, names_of_facts

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(2))


def accept(offer, player, now=NOW, link=""):
    return lobby.accept(challenge_id=offer.pk, player=player, now=now, link=link)


def players_of(game):
    return [seat.player for seat in game.seats.order_by("number")]


def rate(player, points, pool="tritt-classic"):
    row, _created = RatingPool.objects.get_or_create(key=pool, ruleset=pool)
    Rating.objects.create(pool=row, player=player, rating=points * 100, games=20, peak=points * 100)


# Seeks


def test_a_seek_is_in_the_lobby_until_somebody_accepts(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert list(lobby.open_seeks(now=NOW)) == [offer]
    accept(offer, bob)
    assert list(lobby.open_seeks(now=NOW)) == []


def test_the_game_is_played_on_the_terms_of_the_offer(alice, bob):
    terms = replace(
        TERMS, options={"swap": False}, weekends=True, rated=False, private=True, side=1
    )
    game = accept(lobby.seek(challenger=alice, terms=terms, now=NOW), bob)
    stored = as_stored(game)
    assert stored.options == {"swap": False, "slide": "one"}
    assert stored.clock == {"kind": "per-move", "days": 2}
    assert (stored.weekends, stored.rated) == (True, False)
    assert stored.private_link
    assert players_of(game) == [bob, alice]


def test_an_offer_and_its_answer_are_told(alice, bob, everything_is_heard):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    accept(offer, bob)
    assert facts()[0] == ("challenge_made", {"challenge_id": offer.pk})
    assert names_of_facts()[1:] == ["game_started", "challenge_answered"]
    assert facts()[-1][1] == {"challenge_id": offer.pk, "state": "accepted"}


def test_whoever_comes_second_is_told_so(alice, bob, charlie):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    accept(offer, bob)
    with pytest.raises(TooLate) as refused:
        accept(offer, charlie)
    assert str(refused.value) == ("Somebody else was quicker: this challenge is accepted already.")
    assert Game.objects.count() == 1


def test_accepting_twice_leads_to_the_same_game(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert accept(offer, bob) == accept(offer, bob)
    assert Game.objects.count() == 1


def test_nobody_accepts_his_own_offer(alice):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        accept(offer, alice)
    assert str(refused.value) == "This is your own challenge; somebody else must answer it."


def test_an_offer_to_everyone_cannot_be_declined(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        lobby.decline(challenge_id=offer.pk, player=bob, now=NOW)
    assert str(refused.value) == "An offer to everyone is not declined; leave it to others."


@pytest.mark.parametrize(
    ("rating", "welcome"), [(1399, False), (1400, True), (1600, True), (1601, False)]
)
def test_a_seek_can_ask_for_a_range_of_ratings(alice, bob, rating, welcome):
    rate(bob, rating)
    terms = replace(TERMS, rating_least=1400, rating_most=1600)
    offer = lobby.seek(challenger=alice, terms=terms, now=NOW)
    if welcome:
        assert accept(offer, bob).is_running
        return
    with pytest.raises(NotAllowed) as refused:
        accept(offer, bob)
    assert str(refused.value) == (
        f"This challenge is for ratings from 1400 to 1600; yours is {rating}."
    )


def test_whoever_has_no_rating_counts_as_a_beginner_with_1500(alice, bob):
    terms = replace(TERMS, rating_least=1501)
    offer = lobby.seek(challenger=alice, terms=terms, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        accept(offer, bob)
    assert str(refused.value) == "This challenge is for ratings from 1501 to ∞; yours is 1500."


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"ruleset": "chess"}, "There is no game chess; there are: "),
        ({"lasts": timedelta(minutes=59)}, "A challenge stays open for an hour at least and"),
        ({"lasts": days(31)}, "A challenge stays open for an hour at least and 30 days at most."),
        ({"side": 2}, "The side is 0, 1 or none."),
        ({"rating_least": 5, "rating_most": 4}, "The lowest rating is above the highest."),
        ({"message": "x" * 301}, "A message has at most 300 characters."),
        ({"message": "\0"}, "A message has at most 300 characters."),
    ],
)
def test_terms_that_make_no_sense_are_refused(alice, terms, sentence):
    with pytest.raises(BadRequest) as refused:
        lobby.seek(challenger=alice, terms=replace(TERMS, **terms), now=NOW)
    assert str(refused.value).startswith(sentence)
    assert not Challenge.objects.exists()


def test_an_option_that_the_game_does_not_have_is_refused(alice):
    with pytest.raises(InvalidOption):
        lobby.seek(challenger=alice, terms=replace(TERMS, options={"dice": 3}), now=NOW)


# Challenges


def test_a_challenge_is_for_one_player_alone(alice, bob, charlie):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    assert list(lobby.open_seeks(now=NOW)) == []
    with pytest.raises(NotAllowed) as refused:
        accept(offer, charlie)
    assert str(refused.value) == "This challenge is meant for somebody else."
    assert set(players_of(accept(offer, bob))) == {alice, bob}


def test_nobody_challenges_himself(alice):
    with pytest.raises(BadRequest) as refused:
        lobby.challenge(challenger=alice, opponent=alice, terms=TERMS, now=NOW)
    assert str(refused.value) == "You cannot challenge yourself."


def test_whoever_has_left_is_not_challenged(alice, bob):
    bob.is_active = False
    with pytest.raises(BadRequest) as refused:
        lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    assert str(refused.value) == "bob does not play here any more."


def test_the_offer_of_somebody_who_has_left_cannot_be_accepted(alice, bob):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    type(alice).objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(BadRequest) as refused:
        accept(offer, bob)
    assert str(refused.value) == "alice does not play here any more."
    assert not Game.objects.exists()


def test_a_declined_challenge_is_closed_and_told(alice, bob, everything_is_heard):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    lobby.decline(challenge_id=offer.pk, player=bob, now=NOW)
    assert facts()[-1] == ("challenge_answered", {"challenge_id": offer.pk, "state": "declined"})
    with pytest.raises(TooLate) as refused:
        accept(offer, bob)
    assert str(refused.value) == "This challenge was declined."


def test_only_whoever_made_an_offer_withdraws_it(alice, bob, everything_is_heard):
    offer = lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        lobby.withdraw(challenge_id=offer.pk, player=bob, now=NOW)
    assert str(refused.value) == "Only whoever made a challenge can withdraw it."
    lobby.withdraw(challenge_id=offer.pk, player=alice, now=NOW)
    assert facts()[-1] == ("challenge_answered", {"challenge_id": offer.pk, "state": "withdrawn"})
    with pytest.raises(TooLate) as late:
        accept(offer, bob)
    assert str(late.value) == "This challenge was withdrawn."


def test_an_offer_that_does_not_exist_is_not_found(alice):
    for answer in (lobby.accept, lobby.decline, lobby.withdraw):
        with pytest.raises(NotFound):
            answer(challenge_id=10**9, player=alice, now=NOW)


# Expiry


def test_an_expired_offer_cannot_be_accepted_even_before_the_sweep(alice, bob):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert list(lobby.open_seeks(now=NOW + days(7))) == []
    with pytest.raises(TooLate) as refused:
        accept(offer, bob, now=NOW + days(7))
    assert str(refused.value) == "This challenge has expired."


def test_expiry_is_told_once(alice, bob, everything_is_heard):
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert sweeps.expire_challenges(now=NOW + days(7) - timedelta(seconds=1)) == 0
    assert sweeps.expire_challenges(now=NOW + days(7)) == 1
    assert sweeps.expire_challenges(now=NOW + days(7)) == 0
    assert facts()[1:] == [("challenge_answered", {"challenge_id": offer.pk, "state": "expired"})]
    offer.refresh_from_db()
    assert offer.state == "expired"


# Links and letters


def test_whoever_knows_the_link_may_accept(alice, bob):
    offer = lobby.invite_by_link(challenger=alice, terms=TERMS, now=NOW)
    assert list(lobby.open_seeks(now=NOW)) == []
    for wrong in ("", "guess"):
        with pytest.raises(NotAllowed):
            accept(offer, bob, link=wrong)
    assert accept(offer, bob, link=offer.link).is_running


def test_an_invitation_by_letter_has_a_link_of_its_own(alice):
    first = lobby.invite_by_email(challenger=alice, email="dora@example.org", terms=TERMS, now=NOW)
    second = lobby.invite_by_email(challenger=alice, email="emil@example.org", terms=TERMS, now=NOW)
    assert first.link != second.link
    assert len(first.link) >= 20


def test_an_address_is_written_to_once_a_day(alice, bob):
    def invite(challenger, now):
        address = "Dora@example.org" if challenger == bob else "dora@example.org"
        return lobby.invite_by_email(challenger=challenger, email=address, terms=TERMS, now=now)

    invite(alice, NOW)
    with pytest.raises(TooMany) as refused:
        invite(bob, NOW + timedelta(hours=11))
    assert str(refused.value) == "We already e-mailed this address today. Try again in 1 h."
    assert (refused.value.code, refused.value.status) == ("too_many", 429)
    invite(bob, NOW + days(1))


@pytest.mark.parametrize(
    ("email", "sentence"),
    [
        ("nonsense", "nonsense is no e-mail address."),
        ("ALICE@example.org", "You cannot challenge yourself."),
        ("alice+me@example.org", "You cannot challenge yourself."),
    ],
)
def test_an_address_that_cannot_be_invited_is_refused(alice, email, sentence):
    with pytest.raises(BadRequest) as refused:
        lobby.invite_by_email(challenger=alice, email=email, terms=TERMS, now=NOW)
    assert str(refused.value) == sentence


def test_a_stranger_declines_by_the_link_alone(alice):
    offer = lobby.invite_by_email(challenger=alice, email="dora@example.org", terms=TERMS, now=NOW)
    lobby.decline_by_link(link=offer.link, now=NOW)
    offer.refresh_from_db()
    assert offer.state == "declined"
    with pytest.raises(TooLate):
        lobby.decline_by_link(link=offer.link, now=NOW)
    with pytest.raises(NotFound):
        lobby.decline_by_link(link="guess", now=NOW)


# Caps


def test_open_offers_are_limited(alice, monkeypatch):
    monkeypatch.setattr(lobby, "MOST_OPEN_CHALLENGES", 2)
    offers = [lobby.seek(challenger=alice, terms=TERMS, now=NOW) for _ in range(2)]
    with pytest.raises(TooMany) as refused:
        lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert str(refused.value) == (
        "You have 2 open challenges, the most one can; withdraw one first."
    )
    lobby.withdraw(challenge_id=offers[0].pk, player=alice, now=NOW)
    lobby.seek(challenger=alice, terms=TERMS, now=NOW)


@pytest.mark.parametrize("busy", ["alice", "bob"])
def test_running_games_are_limited_for_both(alice, bob, charlie, start, monkeypatch, busy):
    monkeypatch.setattr(starting, "MOST_RUNNING_GAMES", 1)
    offer = lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    game = start("tritt-classic", charlie, alice if busy == "alice" else bob)
    with pytest.raises(TooMany) as refused:
        accept(offer, bob)
    assert str(refused.value) == (
        f"{busy} plays 1 games already, the most one can; finish one first."
    )
    assert Challenge.objects.get().state == "open"
    play.abort(game_id=game.pk, player_id=charlie.pk, now=NOW)
    assert accept(offer, bob).is_running


# Sides


def test_the_challenger_may_choose_his_side(alice, bob):
    for side in (0, 1):
        offer = lobby.challenge(
            challenger=alice, opponent=bob, terms=replace(TERMS, side=side), now=NOW
        )
        assert players_of(accept(offer, bob))[side] == alice


def test_sides_are_balanced_over_the_games_of_a_pair(alice, bob, charlie):
    def begun_by_alice_among(pair):
        return Seat.objects.filter(
            player=alice, number=0, game__seats__player=next(p for p in pair if p != alice)
        ).count()

    for number in range(1, 9):
        challenger, opponent = (alice, bob) if number % 3 else (bob, alice)
        offer = lobby.challenge(challenger=challenger, opponent=opponent, terms=TERMS, now=NOW)
        accept(offer, opponent)
        assert abs(2 * begun_by_alice_among((alice, bob)) - number) <= 1


def test_games_against_others_do_not_count_for_the_balance(alice, bob, charlie, start):
    for _ in range(3):
        start("tritt-classic", alice, charlie)
    start("tritt-classic", bob, alice)
    offer = lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=NOW)
    assert players_of(accept(offer, alice)) == [alice, bob]


# Rematches


@pytest.fixture
def over(start, alice):
    return resigned_by(alice, start(weekends=True, rated=False, options={"swap": False}))


def rematch(game, player, now=NOW):
    return lobby.offer_rematch(player=player, game_id=game.pk, now=now)


def test_a_rematch_is_the_same_game_with_seats_exchanged(over, alice, bob):
    offer = rematch(over, alice)
    game = accept(offer, bob)
    assert players_of(game) == [bob, alice]
    same = ("ruleset", "options", "clock", "weekends", "rated")
    assert [getattr(game, name) for name in same] == [getattr(over, name) for name in same]


def test_two_who_both_ask_are_in_one_game(over, alice, bob):
    offer = rematch(over, alice)
    answer = rematch(over, bob)
    assert answer == offer
    assert answer.state == "accepted"
    assert rematch(over, alice).game == answer.game
    assert Game.objects.count() == 2


def test_asking_twice_is_asking_once(over, alice):
    assert rematch(over, alice) == rematch(over, alice)


def test_a_declined_rematch_may_be_offered_again(over, alice, bob):
    first = rematch(over, alice)
    lobby.decline(challenge_id=first.pk, player=bob, now=NOW)
    assert rematch(over, bob) != first


def test_a_running_game_has_no_rematch(start, alice):
    game = start()
    move(game)
    with pytest.raises(TooLate) as refused:
        rematch(game, alice)
    assert str(refused.value) == "This game is still being played."


def test_a_stranger_gets_no_rematch(over, charlie):
    with pytest.raises(NoSuchGame):
        rematch(over, charlie)


def test_whoever_has_left_gets_no_rematch(over, alice, bob):
    type(bob).objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(BadRequest):
        rematch(over, alice)


def test_a_new_player_gets_his_place_with_his_first_game(alice):
    dora = make_player("dora")
    accept(lobby.seek(challenger=alice, terms=TERMS, now=NOW), dora)
    assert Participant.objects.get(player=dora).running_games == 1
