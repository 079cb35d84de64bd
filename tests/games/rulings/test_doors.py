"""Rulings through the doors: who may rule, who may read, how a player asks and is answered."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from games import ruling_requests, rulings
from games.models import RatingEntry, Ruling, RulingRequest, Status
from games.refusals import BadRequest, NotAtThisTable, TooLate
from tests.conftest import NOW
from tests.games.acts import as_stored, both_move
from tests.games.hearing import facts
from tests.games.threads import at_once

REASON = "The server lied."


@pytest.fixture
def running(start):
    game = start(now=timezone.now())
    both_move(game, now=timezone.now())
    return game


def rule(client, game, kind, **terms):
    asked = {"kind": kind, "reason": REASON, **terms}
    return client.post(f"/api/v1/games/{game.pk}/rulings", asked, format="json")


# Rulings by API


def test_a_ruling_is_made_read_and_undone(api_of, in_person, dora, alice, lost_by_alice):
    made = rule(in_person(dora), lost_by_alice, "void")
    assert made.status_code == 201
    told = made.json()
    assert (told["kind"], told["reason"], told["by"]) == ("void", REASON, "dora")
    assert told["ratings"] == [
        {"seat": 0, "before": 1490, "after": None},
        {"seat": 1, "before": 1510, "after": None},
    ]
    address = f"/api/v1/games/{lost_by_alice.pk}/rulings"
    assert api_of(alice).get(address).json()["rulings"] == [told]
    undone = in_person(dora).post(f"/api/v1/rulings/{told['id']}/undo").json()
    assert undone["undone_by"] == "dora"
    assert api_of(alice).get(address).json()["rulings"] == [undone]
    assert as_stored(lost_by_alice).status == Status.FINISHED


def test_every_kind_has_its_terms(in_person, dora, running):
    staff = in_person(dora)
    steps = [
        ("time", {"seat": 1, "hours": 5}),
        ("clock", {"seat": 0, "hours": 50}),
        ("result", {"score": 1}),
        ("void", {}),
        ("reopen", {}),
        ("void", {}),
        ("reopen", {"hours": 3}),
    ]
    for kind, terms in steps:
        answer = rule(staff, running, kind, **terms)
        assert answer.status_code == 201, answer.json()
        assert terms.items() <= answer.json().items()
    assert as_stored(running).is_running


@pytest.mark.parametrize(
    ("kind", "terms", "field"),
    [
        ("result", {}, "score"),
        ("result", {"score": 3}, "score"),
        ("time", {"hours": 4}, "seat"),
        ("clock", {"seat": 0}, "hours"),
        ("clock", {"seat": 2, "hours": 4}, "seat"),
        ("divine", {}, "kind"),
        ("void", {"reason": ""}, "reason"),
    ],
)
def test_what_is_missing_or_wrong_is_named(in_person, dora, running, kind, terms, field):
    answer = rule(in_person(dora), running, kind, **terms)
    assert answer.status_code in (400, 422)
    assert field in answer.json()["fields"]
    assert not Ruling.objects.exists()


def test_a_refusal_is_a_sentence(in_person, dora, running):
    answer = rule(in_person(dora), running, "reopen")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_late")
    assert answer.json()["detail"] == "This game is still being played."


def test_who_is_not_staff_rules_on_nothing(api_of, in_person, dora, alice, charlie, running):
    for player in (alice, charlie):
        assert rule(api_of(player), running, "void").status_code == 403
    assert rule(api_of(dora, "read", "play"), running, "void").json()["code"] == "missing_scope"
    made = rule(in_person(dora), running, "void").json()["id"]
    assert api_of(alice).post(f"/api/v1/rulings/{made}/undo").status_code == 403
    assert Ruling.objects.get().undone_at is None


def test_who_sees_a_game_sees_its_rulings(api_of, in_person, client, dora, bob, charlie, start):
    private = start(private=True)
    rulings.make_void(game_id=private.pk, by=dora, reason=REASON, now=NOW)
    address = f"/api/v1/games/{private.pk}/rulings"
    assert client.get(address).status_code == 404
    assert api_of(charlie).get(address).status_code == 404
    for reader in (api_of(bob), in_person(dora)):
        assert reader.get(address).json()["rulings"][0]["reason"] == REASON
    assert client.get(address, {"link": private.private_link}).status_code == 200


def test_what_there_is_not_is_not_found(in_person, dora):
    staff = in_person(dora)
    for address, asked in {
        "games/1/rulings": {"kind": "void", "reason": REASON},
        "rulings/1/undo": {},
        "ruling-requests/1/settle": {"answer": "no"},
    }.items():
        answer = staff.post(f"/api/v1/{address}", asked, format="json")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


# Asking for one


def test_a_player_asks_and_is_answered(
    api_of, in_person, dora, alice, lost_by_alice, everything_is_heard
):
    address = f"/api/v1/games/{lost_by_alice.pk}/ruling-requests"
    asked = api_of(alice).post(address, {"text": "My cat resigned."}, format="json")
    assert asked.status_code == 201
    queue = in_person(dora).get("/api/v1/ruling-requests", {"open": "true"}).json()["results"]
    assert queue == [asked.json()]
    settled = in_person(dora).post(
        f"/api/v1/ruling-requests/{queue[0]['id']}/settle", {"answer": "Poor cat."}, format="json"
    )
    assert (settled.json()["answer"], settled.json()["settled_by"]) == ("Poor cat.", "dora")
    assert facts()[-1] == ("ruling_request_settled", {"request_id": queue[0]["id"]})
    assert api_of(alice).get(address).json()["requests"] == [settled.json()]
    assert in_person(dora).get("/api/v1/ruling-requests", {"open": "1"}).json()["results"] == []
    assert len(in_person(dora).get("/api/v1/ruling-requests").json()["results"]) == 1


def test_a_player_has_one_open_request_in_a_game(alice, bob, dora, lost_by_alice):
    def ask(player):
        return ruling_requests.ask(game_id=lost_by_alice.pk, player=player, text="Look!", now=NOW)

    first = ask(alice)
    ask(bob)
    with pytest.raises(TooLate, match="wait for the answer"):
        ask(alice)
    ruling_requests.settle(request_id=first.pk, by=dora, answer="No.", now=NOW)
    ask(alice)
    assert RulingRequest.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_asking_twice_at_once_is_one_request(alice, lost_by_alice):
    at_once(
        *[
            lambda: ruling_requests.ask(
                game_id=lost_by_alice.pk, player=alice, text="Look!", now=NOW
            )
        ]
        * 3
    )
    assert RulingRequest.objects.count() == 1


def test_only_who_plays_asks(charlie, lost_by_alice):
    with pytest.raises(NotAtThisTable):
        ruling_requests.ask(game_id=lost_by_alice.pk, player=charlie, text="Look!", now=NOW)


@pytest.mark.parametrize("text", ["", " ", "x" * 1001, "a\0b"])
def test_a_request_has_words(alice, lost_by_alice, text):
    with pytest.raises(BadRequest):
        ruling_requests.ask(game_id=lost_by_alice.pk, player=alice, text=text, now=NOW)


def test_a_settled_request_stays_settled(alice, dora, lost_by_alice):
    asked = ruling_requests.ask(game_id=lost_by_alice.pk, player=alice, text="Look!", now=NOW)
    ruling_requests.settle(request_id=asked.pk, by=dora, answer="No.", now=NOW)
    with pytest.raises(TooLate, match="settled already"):
        ruling_requests.settle(request_id=asked.pk, by=dora, answer="Yes.", now=NOW)
    assert RulingRequest.objects.get().answer == "No."


def test_the_queue_is_for_staff(api_of, alice, lost_by_alice):
    asked = ruling_requests.ask(game_id=lost_by_alice.pk, player=alice, text="Look!", now=NOW)
    assert api_of(alice).get("/api/v1/ruling-requests").status_code == 403
    answer = api_of(alice).post(
        f"/api/v1/ruling-requests/{asked.pk}/settle", {"answer": "I win."}, format="json"
    )
    assert answer.status_code == 403


def test_others_do_not_read_what_was_asked(api_of, alice, bob, lost_by_alice):
    ruling_requests.ask(game_id=lost_by_alice.pk, player=alice, text="Bob cheats.", now=NOW)
    answer = api_of(bob).get(f"/api/v1/games/{lost_by_alice.pk}/ruling-requests")
    assert answer.json()["requests"] == []


@pytest.mark.parametrize("address", ["ruling-requests", "games/{game}/rulings"])
def test_a_list_costs_the_same_for_many_rows(in_person, dora, alice, start, address):
    staff = in_person(dora)
    game = start()

    def statements(rows):
        for _ in range(rows):
            asked = ruling_requests.ask(game_id=game.pk, player=alice, text="Look!", now=NOW)
            ruling_requests.settle(request_id=asked.pk, by=dora, answer="No.", now=NOW)
            rulings.give_time(game_id=game.pk, seat=0, hours=1, by=dora, reason=REASON, now=NOW)
        with CaptureQueriesContext(connection) as queries:
            answer = staff.get("/api/v1/" + address.format(game=game.pk)).json()
        assert len(answer.get("results", answer.get("rulings"))) == RulingRequest.objects.count()
        return len(queries)

    statements(1)
    assert statements(2) == statements(20)


# The desk of the staff


@pytest.fixture
def desk(as_player, dora):
    """Staff without any other right."""
    return as_player(dora)


def test_the_queue_leads_to_the_answer_and_to_the_ruling(desk, alice, lost_by_alice):
    asked = ruling_requests.ask(
        game_id=lost_by_alice.pk, player=alice, text="My cat resigned.", now=NOW
    )
    queue = desk.get(reverse("admin:games_rulingrequest_changelist")).text
    settle = reverse("admin:games_rulingrequest_settle", args=[asked.pk])
    rule_on = reverse("admin:games_ruling_rule", args=[lost_by_alice.pk])
    assert "My cat resigned." in queue
    assert settle in queue
    assert rule_on in queue
    assert "My cat resigned." in desk.get(settle).text
    desk.post(settle, {"answer": "Poor cat."})
    assert RulingRequest.objects.get().answer == "Poor cat."
    again = desk.post(settle, {"answer": "Dear cat."})
    assert "This request has been settled already." in again.text
    assert settle not in desk.get(reverse("admin:games_rulingrequest_changelist")).text


@pytest.mark.parametrize(
    ("kind", "status"), [("void", "void"), ("result", "finished"), ("reopen", "running")]
)
def test_a_game_is_ruled_on_at_the_desk(desk, dora, lost_by_alice, kind, status):
    address = reverse("admin:games_ruling_rule", args=[lost_by_alice.pk])
    form = {"kind": kind, "score": 1, "seat": 0, "hours": 24, "reason": REASON}
    assert desk.get(address).status_code == 200
    assert desk.post(address, form).status_code == 302
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.reason, ruling.made_by) == (kind, REASON, dora)
    assert as_stored(lost_by_alice).status == status
    assert REASON in desk.get(address).text
    desk.post(
        reverse("admin:games_ruling_changelist"),
        {"action": "undo", "_selected_action": [ruling.pk]},
    )
    assert as_stored(lost_by_alice).score == 0


@pytest.mark.parametrize("kind", ["time", "clock"])
def test_a_clock_is_set_at_the_desk(desk, running, kind):
    address = reverse("admin:games_ruling_rule", args=[running.pk])
    before = as_stored(running).deadline_at
    desk.post(address, {"kind": kind, "score": 1, "seat": 0, "hours": 100, "reason": REASON})
    assert as_stored(running).deadline_at > before


def test_a_refusal_is_shown_at_the_desk(desk, lost_by_alice):
    address = reverse("admin:games_ruling_rule", args=[lost_by_alice.pk])
    form = {"kind": "time", "score": 1, "seat": 0, "hours": 24, "reason": REASON}
    page = desk.post(address, form)
    assert "This game is over, so its clocks stand still." in page.text
    assert not Ruling.objects.exists()


def test_the_page_of_a_game_leads_to_the_desk(staff, lost_by_alice):
    page = staff.get(reverse("admin:games_game_change", args=[lost_by_alice.pk])).text
    assert reverse("admin:games_ruling_rule", args=[lost_by_alice.pk]) in page


def test_the_desk_is_for_staff(as_player, alice, lost_by_alice):
    address = reverse("admin:games_ruling_rule", args=[lost_by_alice.pk])
    form = {"kind": "void", "score": 1, "seat": 0, "hours": 24, "reason": REASON}
    assert as_player(alice).post(address, form).status_code == 302
    assert not Ruling.objects.exists()
    assert RatingEntry.objects.get().is_void is False
