"""My games, the lobby, the challenge form, people, leaders, vacation and status."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from games import lobby, play
from games.clock import Fischer, PerMove
from games.lobby import Terms
from games.models import Challenge, Game, Participant, Rating, RatingPool
from tests.conftest import make_player

MOST_QUERIES = 15
TERMS = Terms(ruleset="tritoc", clock=PerMove(3))


def html_of(response) -> str:
    return response.content.decode()


def finished(start, winner, loser) -> Game:
    """A rated game that the loser resigned."""
    now = timezone.now()
    game = start("tritt-classic", winner, loser, now=now)
    for ply, (player, text) in enumerate(((winner, "a1-a3"), (loser, "k1-k3"))):
        play.submit_move(
            game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=now, via="web"
        )
    play.resign(game_id=game.pk, player_id=loser.pk, now=now)
    return game


def counted(browser, address, django_assert_max_num_queries) -> int:
    with django_assert_max_num_queries(MOST_QUERIES) as captured:
        assert browser.get(address).status_code == 200
    return len(captured)


# My games


def test_what_waits_for_me_comes_first_by_deadline_and_is_counted(start, alice, as_player):
    now = timezone.now()
    late = start(clock=PerMove(7), now=now)
    soon = start(clock=PerMove(1), now=now)
    response = as_player(alice).get(reverse("my_games"))
    assert [row["game"] for row in response.context["my_move"]] == [soon, late]
    assert "<title>(2) My games" in html_of(response)


def test_my_games_cost_the_same_whether_few_or_many(
    start, alice, bob, as_player, django_assert_max_num_queries
):
    browser = as_player(alice)
    start(now=timezone.now())
    start("tritt-classic", bob, alice, now=timezone.now())
    finished(start, alice, bob)
    few = counted(browser, reverse("my_games"), django_assert_max_num_queries)
    for _ in range(30):
        start(now=timezone.now())
    for _ in range(21):
        finished(start, alice, bob)
    assert counted(browser, reverse("my_games"), django_assert_max_num_queries) == few
    response = browser.get(reverse("my_games"))
    assert len(response.context["my_move"]) == 31
    assert len(response.context["finished"]) == 20
    assert len(browser.get(reverse("my_games"), {"page": 2}).context["finished"]) == 2


def test_the_next_turn_is_the_most_urgent_and_then_the_one_behind_it(start, alice, as_player):
    now = timezone.now()
    first, second = start(clock=PerMove(1), now=now), start(clock=PerMove(2), now=now)
    browser, address = as_player(alice), reverse("next_turn")
    assert browser.get(address).url == first.get_absolute_url()
    assert browser.get(address, {"after": first.pk}).url == second.get_absolute_url()
    assert browser.get(address, {"after": second.pk}).url == first.get_absolute_url()


def test_without_a_turn_the_next_one_is_the_list(bob, as_player):
    assert as_player(bob).get(reverse("next_turn")).url == reverse("my_games")


# Lobby


def test_a_seek_is_accepted_by_its_button(alice, bob, as_player):
    offer = lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    browser = as_player(alice)
    assert "Accept and play" in html_of(browser.get(reverse("lobby")))
    begun = browser.post(reverse("answer_challenge", args=[offer.pk]), {"answer": "accept"})
    assert begun.url == Game.objects.get().get_absolute_url()


def test_a_guest_is_told_to_sign_up_for_a_seek(bob, as_player):
    lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    html = html_of(as_player(make_player("dora", is_guest=True)).get(reverse("lobby")))
    assert "Sign up to play" in html
    assert "Accept and play" not in html


def test_ones_own_seek_is_withdrawn(bob, as_player):
    offer = lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    as_player(bob).post(reverse("answer_challenge", args=[offer.pk]), {"answer": "withdraw"})
    offer.refresh_from_db()
    assert offer.state == Challenge.State.WITHDRAWN


def test_a_challenge_is_declined_and_whoever_comes_late_is_told(alice, bob, as_player):
    offer = lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=timezone.now())
    browser, address = as_player(alice), reverse("answer_challenge", args=[offer.pk])
    assert "You are challenged" in html_of(browser.get(reverse("lobby")))
    browser.post(address, {"answer": "decline"})
    offer.refresh_from_db()
    assert offer.state == Challenge.State.DECLINED
    browser.post(address, {"answer": "accept"})
    assert "This challenge was declined." in html_of(browser.get(reverse("lobby")))


def test_the_lobby_costs_the_same_whether_few_or_many(
    alice, bob, as_player, django_assert_max_num_queries
):
    lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=timezone.now())
    lobby.invite_by_link(challenger=alice, terms=TERMS, now=timezone.now())
    browser = as_player(alice)
    few = counted(browser, reverse("lobby"), django_assert_max_num_queries)
    for number in range(30):
        lobby.seek(challenger=make_player(f"p{number}"), terms=TERMS, now=timezone.now())
    assert counted(browser, reverse("lobby"), django_assert_max_num_queries) == few
    assert len(browser.get(reverse("lobby")).context["seeks"]) == 20


def test_only_its_maker_sees_the_link_of_an_invitation(alice, bob, as_player):
    offer = lobby.invite_by_link(challenger=alice, terms=TERMS, now=timezone.now())
    assert offer.link in html_of(as_player(alice).get(reverse("lobby")))
    assert offer.link not in html_of(as_player(bob).get(reverse("lobby")))


# The challenge form

FORM = {"ruleset": "tritt-classic", "to": "everyone", "clock": "3d", "lasts": "7", "rated": "on"}


def offered(browser, **changes) -> Challenge:
    response = browser.post(reverse("challenge"), FORM | changes)
    assert response.status_code == 302, response.context["form"].errors
    return Challenge.objects.get()


def refused(browser, **changes) -> str:
    response = browser.post(reverse("challenge"), FORM | changes)
    assert response.status_code == 200
    assert not Challenge.objects.exists()
    return html_of(response)


def test_a_seek_takes_over_what_the_form_says(alice, as_player):
    offer = offered(
        as_player(alice),
        **{"tritt-classic.slide": "any", "weekends": "on", "side": "1", "private": "on"},
        rating_least="1400",
        rating_most="1600",
        message="Shall we?",
    )
    assert (offer.opponent, offer.link) == (None, None)
    assert offer.options == {"swap": False, "slide": "any"}
    assert (offer.weekends, offer.rated, offer.private, offer.side) == (True, True, True, 1)
    assert (offer.rating_least, offer.rating_most, offer.message) == (1400, 1600, "Shall we?")
    assert offer.clock == {"kind": "per-move", "days": 3}
    assert offer.expires_at - offer.made_at == timedelta(days=7)


def test_a_challenge_goes_to_a_player(alice, bob, as_player):
    offer = offered(as_player(alice), to="player", opponent="BOB")
    assert offer.opponent == bob


def test_an_invitation_goes_out_by_link_or_by_mail(alice, as_player):
    assert offered(as_player(alice), to="link").link
    Challenge.objects.all().delete()
    offer = offered(as_player(alice), to="email", email="friend@example.org")
    assert offer.email == "friend@example.org"


def test_a_clock_can_be_of_ones_own_making(alice, as_player):
    fischer = {"clock": "fischer", "bank_hours": 50, "increment_hours": 5, "cap_hours": 60}
    offer = offered(as_player(alice), **fischer)
    assert offer.clock == {"kind": "fischer"} | {
        name: getattr(Fischer(50, 5, 60), name)
        for name in ("bank_hours", "increment_hours", "cap_hours")
    }
    Challenge.objects.all().delete()
    assert offered(as_player(alice), clock="per-move", days=4).clock["days"] == 4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"to": "player", "opponent": "nobody"}, "There is no player of that name."),
        ({"to": "player", "opponent": "alice"}, "You cannot challenge yourself."),
        ({"to": "email"}, "Whom shall the letter go to?"),
        ({"rating_least": 1700, "rating_most": 1500}, "The lowest rating is above the highest."),
        (
            {"clock": "fischer", "bank_hours": 90, "increment_hours": 1, "cap_hours": 60},
            "bank_hours cannot be 90",
        ),
        ({"ruleset": "chess"}, "chess"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused_in_words(changes, sentence, alice, as_player):
    assert sentence in refused(as_player(alice), **changes)


def test_the_form_knows_whom_one_came_for(alice, bob, as_player):
    html = html_of(as_player(alice).get(reverse("challenge"), {"to": "bob"}))
    assert 'value="bob"' in html


# People


def test_a_players_page_shows_ratings_record_and_games(start, alice, bob, client):
    finished(start, alice, bob)
    html = html_of(client.get(alice.get_absolute_url()))
    assert '<svg class="chart"' in html
    assert "+10" in html
    assert reverse("player", args=["bob"]) in html
    assert "resignation" in html


def test_a_players_page_costs_the_same_whether_few_or_many(
    start, alice, bob, client, django_assert_max_num_queries
):
    finished(start, alice, bob)
    few = counted(client, alice.get_absolute_url(), django_assert_max_num_queries)
    for number in range(5):
        finished(start, alice, make_player(f"p{number}"))
        pool = RatingPool.objects.create(key=f"tritoc:x={number}", ruleset="tritoc")
        Rating.objects.create(pool=pool, player=alice, rating=150000, games=1, peak=150000)
    cache.clear()
    assert counted(client, alice.get_absolute_url(), django_assert_max_num_queries) == few


def test_a_private_game_is_on_the_page_for_its_player_alone(start, alice, as_player, client):
    game = start(private=True, now=timezone.now())
    assert game.private_link in html_of(as_player(alice).get(alice.get_absolute_url()))
    assert game.private_link not in html_of(client.get(alice.get_absolute_url()))


def test_leaders_are_ranked_once_they_have_played_enough(
    alice, bob, client, django_assert_max_num_queries
):
    for number in range(3):
        pool = RatingPool.objects.create(key=f"tritoc:x={number}", ruleset="tritoc")
        Rating.objects.create(pool=pool, player=alice, rating=156700, games=12, peak=160000)
        Rating.objects.create(pool=pool, player=bob, rating=199900, games=11, peak=199900)
    counted(client, reverse("leaders"), django_assert_max_num_queries)
    for address in (reverse("leaders"), reverse("leaders_of", args=["tritoc:x=1"])):
        html = html_of(client.get(address))
        assert "1567" in html
        assert "1999" not in html
    assert client.get(reverse("leaders_of", args=["chess"])).status_code == 404


# Vacation


def test_a_vacation_is_begun_and_ended(alice, as_player):
    alice.joined_at = timezone.now() - timedelta(days=80)
    alice.save()
    browser, address = as_player(alice), reverse("vacation")
    until = (timezone.now() + timedelta(days=3)).date()
    browser.post(address, {"begin": "yes", "until": until.isoformat()})
    assert alice.vacations.get().ends_at > timezone.now() + timedelta(days=2)
    assert "I am back" in html_of(browser.get(address))
    browser.post(address, {"end": "yes"})
    assert alice.vacations.get().ends_at <= timezone.now()


def test_coming_back_without_having_left_is_refused_in_words(alice, as_player):
    browser = as_player(alice)
    browser.post(reverse("vacation"), {"end": "yes"})
    assert "You are not on vacation." in html_of(browser.get(reverse("vacation")))


def test_a_date_that_is_none_is_refused_beside_its_field(alice, as_player):
    response = as_player(alice).post(reverse("vacation"), {"begin": "yes", "until": "soon"})
    assert response.context["form"].errors
    assert not alice.vacations.exists()


def test_vacation_may_begin_by_itself(alice, as_player):
    browser = as_player(alice)
    browser.post(reverse("vacation"), {"save": "yes", "automatic": "yes"})
    assert Participant.objects.get(player=alice).takes_vacation_automatically
    browser.post(reverse("vacation"), {"save": "yes"})
    assert not Participant.objects.get(player=alice).takes_vacation_automatically


# The settings


def test_the_settings_keep_what_is_chosen(alice, as_player):
    browser = as_player(alice)
    chosen = {"zone": "Asia/Tokyo", "language": "de", "about": "Slow."}
    assert browser.post(reverse("settings"), chosen).status_code == 302
    alice.refresh_from_db()
    kept = (alice.zone, alice.language, alice.about, alice.confirms_moves)
    assert kept == ("Asia/Tokyo", "de", "Slow.", False)


def test_the_settings_lead_to_all_that_can_be_set(alice, as_player):
    html = html_of(as_player(alice).get(reverse("settings")))
    for name in (
        "vacation", "letter_preferences", "receipts", "channels", "account_email",
        "account_change_password", "mfa_index", "api_tokens", "download_data", "close_account",
    ):  # fmt: skip
        assert f'href="{reverse(name)}"' in html


def test_vacation_by_itself_is_set_among_the_settings_too(alice, as_player):
    browser = as_player(alice)
    wish = {"save": "yes", "automatic": "yes", "next": "settings"}
    assert browser.post(reverse("vacation"), wish).url == reverse("settings")
    assert 'value="yes" checked' in html_of(browser.get(reverse("settings")))


def test_a_new_challenge_begins_with_the_clock_of_the_last(alice, as_player):
    browser = as_player(alice)
    offered(browser, clock="per-move", days=4, weekends="on")
    form = browser.get(reverse("challenge")).context["form"]
    assert (form["clock"].value(), form["days"].value()) == ("per-move", 4)
    assert form["weekends"].value() is True
    Challenge.objects.all().delete()
    offered(browser, clock="7d")
    form = browser.get(reverse("challenge")).context["form"]
    assert (form["clock"].value(), form["weekends"].value()) == ("7d", False)
