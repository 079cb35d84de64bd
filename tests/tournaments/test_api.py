"""Events by programs: every answer as described, every act behind its scope."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games import ruling_requests
from tests.conftest import make_player
from tests.described import DescribedClient
from tests.tournaments.life import Stage, entry, fresh
from tournaments import directing
from tournaments.models import Entry, EntryState, Event, State

READ = ("", "/entrants", "/standings", "/games", "/rounds", "/log", "/event.csv", "/event.json")
ORGANISED = (
    "open", "start", "postpone", "call-off", "finish", "invite", "directors", "expel", "bye",
    "list", "bots",
)  # fmt: skip
PLAYED = ("enter", "leave", "stay", "challenge")
SETTINGS = {
    "round-robin": {},
    "league": {"size": 4, "up": 1, "down": 1},
    "swiss": {"rounds": 3},
    "knockout": {"double": True},
    "ladder": {},
    "stages": {"section_size": 3, "qualify": 1, "final": "knockout"},
}


@pytest.fixture
def stage(stage) -> Stage:
    """Requests come when they come, so these events go by the real clock."""
    stage.now = timezone.now()
    return stage


@pytest.fixture
def organise(alice, api_of) -> DescribedClient:
    return api_of(alice, "read", "organise")


def at(event: Event, path: str = "") -> str:
    return f"/api/v1/events/{event.pk}{path}"


def post(client, event: Event, act: str, **fields):
    return client.post(at(event, f"/{act}"), fields, format="json")


def planned(**fields):
    return {"name": "Program Cup", "format": "swiss", "ruleset": "tritt-classic"} | fields


def code(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


# Reading


@pytest.mark.parametrize("format", SETTINGS)
def test_all_that_can_be_read_of_an_event_is_as_described(stage, crowd, format):
    event = stage.started(*crowd(6), format=format, settings=SETTINGS[format])
    if format != "ladder":
        stage.stronger_wins_all(event)
    client = DescribedClient()
    for path in READ:
        assert client.get(at(event, path)).status_code == 200, path
    bracket = client.get(at(event, "/bracket"))
    assert bracket.status_code == (200 if format == "knockout" else 404)
    report = client.get(at(event, "/event.trf"))
    assert report.status_code == (200 if format in ("swiss", "round-robin") else 404)
    assert len(client.get(at(event, "/standings")).json()["lines"]) >= 6


def test_a_draft_is_read_by_those_alone_who_prepare_it(stage, bob, api_of, organise):
    event = stage.draft()
    for path in READ:
        assert api_of(bob).get(at(event, path)).status_code == 404
    assert organise.get(at(event)).json()["you_direct"]
    assert organise.get("/api/v1/events").json()["results"][0]["id"] == event.pk
    assert api_of(bob).get("/api/v1/events").json()["results"] == []


def test_a_list_is_narrowed(stage, bob, api_of):
    cup = stage.open(name="Spring Cup")
    swiss = stage.open(name="Autumn Cup", format="swiss", settings={"rounds": 3})
    stage.enter(swiss, bob)
    client = api_of(bob)

    def found(**query):
        answer = client.get("/api/v1/events", query)
        assert answer.status_code == 200, answer.content
        return [row["id"] for row in answer.json()["results"]]

    assert found() == [swiss.pk, cup.pk]
    assert found(format="swiss") == [swiss.pk]
    assert found(name="spring") == [cup.pk]
    assert found(mine="true") == [swiss.pk]
    assert found(state="running") == []
    assert client.get("/api/v1/events", {"state": "asleep"}).status_code == 400


def test_lists_cost_the_same_whether_few_or_many(
    stage, crowd, bob, api_of, django_assert_max_num_queries
):
    client = api_of(bob)
    small = stage.started(*crowd(4), format="swiss", settings={"rounds": 3})
    large = stage.open(format="swiss", settings={"rounds": 3})
    stage.enter(large, *(make_player(f"large{number:02}") for number in range(12)))
    stage.start(large)
    client.get("/api/v1/events")  # notes that the token is in use
    for path in READ:
        counts = []
        for event in (small, large):
            with django_assert_max_num_queries(16) as captured:
                client.get(at(event, path))
            counts.append(len(captured))
        assert counts[0] == counts[1], path


def test_standings_are_asked_for_in_parts(stage, crowd):
    event = stage.started(*crowd(6), format="league", settings={"size": 3, "up": 1, "down": 1})
    client = DescribedClient()
    part = client.get(at(event, "/standings"), {"offset": 2, "limit": 2}).json()
    assert part["count"] == 6
    assert [line["section"] for line in part["lines"]] == [1, 2]
    second = client.get(at(event, "/standings"), {"section": 2}).json()
    assert {line["section"] for line in second["lines"]} == {2}
    assert client.get(at(event, "/standings"), {"limit": "all"}).status_code == 400


def test_a_player_reads_his_own_part(stage, bob, charlie, api_of):
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=2))
    stage.enter(event, bob, make_player("dora"), charlie)
    assert api_of(bob).get(at(event)).json()["you"]["state"] == "entered"
    seen = api_of(charlie).get(at(event)).json()
    assert (seen["you"]["state"], seen["entered"], seen["waiting"]) == ("waiting", 2, 1)


# Playing


def test_a_program_enters_and_leaves_once_however_often_it_says_so(stage, bob, api_of):
    event = stage.open()
    client = api_of(bob, "read", "play")
    for _ in range(2):
        assert post(client, event, "enter").json()["you"]["state"] == "entered"
    assert event.entries.count() == 1
    assert post(client, event, "leave").json()["you"]["state"] == "withdrawn"
    assert code(post(client, event, "leave")) == (409, "not_entered")


def test_whoever_does_not_fit_reads_the_same_words_as_on_the_page(stage, bob, api_of):
    event = stage.open(rating_from=1800)
    refused = post(api_of(bob), event, "enter")
    assert code(refused) == (409, "cannot_enter")
    assert refused.json()["detail"] == (
        "This event is for ratings from 1800 to 9999; yours is 1500."
    )


def test_a_challenge_on_a_ladder_begins_a_game(stage, crowd, api_of):
    event = stage.started(*crowd(6), format="ladder")
    low, high = (Entry.objects.select_related("player").get(event=event, place=at) for at in (5, 1))
    near = Entry.objects.select_related("player").get(event=event, place=4)
    client = api_of(low.player)
    assert code(post(client, event, "challenge", player=high.player.name)) == (422, "out_of_reach")
    begun = post(client, event, "challenge", player=near.player.name)
    assert begun.status_code == 201
    assert event.meetings.get().game_id == begun.json()["game"]


def test_a_member_opts_out_of_the_next_season(stage, crowd, bob, api_of):
    event = stage.started(bob, *crowd(3), format="league", renews=True)
    assert not post(api_of(bob), event, "stay", stays=False).json()["you"]["stays"]
    assert not entry(event, bob).stays


# Organising


def test_an_event_goes_from_a_plan_to_its_end(stage, organise, bob, charlie):
    made = organise.post(
        "/api/v1/events", planned(most_entrants=4, settings={"rounds": 3}), format="json"
    )
    assert made.status_code == 201
    event = Event.objects.get(pk=made.json()["id"])
    changed = organise.put(
        at(event), planned(format="round-robin", least_entrants=2), format="json"
    )
    assert changed.json()["format"] == "round-robin"
    assert post(organise, event, "open").json()["state"] == "open"
    assert code(post(organise, event, "open")) == (409, "wrong_moment")
    assert code(post(organise, event, "start")) == (422, "too_few")
    stage.enter(event, bob, charlie)
    assert post(organise, event, "start").json()["state"] == "running"
    assert post(organise, event, "finish").json()["state"] == "finished"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"settings": {"rounds": 99}}, (422, "invalid_setting")),
        ({"tie_breaks": ["XYZ"]}, (422, "unknown_tie_break")),
        ({"renews": True}, (422, "invalid")),
        ({"format": "bingo"}, (400, "invalid")),
        ({"name": "x"}, (400, "invalid")),
    ],
)  # fmt: skip
def test_a_plan_that_makes_no_event_is_refused_with_a_reason(organise, fields, expected):
    refused = organise.post("/api/v1/events", planned(**fields), format="json")
    assert code(refused) == expected
    assert not Event.objects.exists()


def test_each_act_needs_its_scope(stage, alice, api_of):
    event = stage.open()
    player, organiser = api_of(alice, "read", "play"), api_of(alice, "read", "organise")
    for act in ORGANISED:
        assert code(post(player, event, act)) == (403, "missing_scope"), act
    for act in PLAYED:
        assert code(post(organiser, event, act)) == (403, "missing_scope"), act
    assert code(player.post("/api/v1/events", planned(), format="json")) == (403, "missing_scope")


def test_no_act_of_a_director_is_for_anybody_else(stage, bob, api_of):
    event = stage.open()
    for act in ORGANISED:
        assert code(post(api_of(bob), event, act)) == (403, "not_allowed"), act
    assert code(api_of(bob).get(at(event, "/attention"))) == (403, "not_allowed")
    assert fresh(event).state == State.OPEN


def test_a_director_invites_postpones_and_calls_off(stage, bob, organise, api_of):
    event = stage.open(invitation_only=True)
    assert code(post(api_of(bob), event, "enter")) == (409, "cannot_enter")
    post(organise, event, "invite", player="bob")
    assert post(api_of(bob), event, "enter").status_code == 200
    later = (stage.now + timedelta(days=5)).isoformat()
    assert post(organise, event, "postpone", starts_at=later).json()["starts_at"]
    assert code(post(organise, event, "invite", player="nobody"))[0] == 422
    assert post(organise, event, "call-off", reason="Ill.").json()["state"] == "called-off"


def test_directors_are_appointed_and_dismissed_by_the_organiser_alone(
    stage, bob, charlie, organise, api_of
):
    event = stage.open()
    assert post(organise, event, "directors", player="bob").json()["directors"] == ["bob"]
    assert code(post(api_of(bob), event, "directors", player="charlie")) == (403, "not_allowed")
    assert organise.delete(at(event, "/directors/bob")).status_code == 204
    assert not event.directors.exists()
    post(organise, event, "directors", player="bob")
    assert post(api_of(bob), event, "step-down").status_code == 204
    assert code(post(api_of(bob), event, "step-down")) == (403, "not_allowed")
    assert not event.directors.exists()


def test_a_director_sees_what_would_happen_and_expels(stage, crowd, organise, api_of):
    event = stage.started(*crowd(4))
    one = Entry.objects.select_related("player").get(event=event, number=1)
    name = one.player.name
    seen = organise.get(at(event, "/preview"), {"player": name}).json()
    assert seen["struck"]
    assert [row["player"] for row in seen["lines"] if row["rank_then"] is None] == [name]
    assert api_of(one.player).get(at(event, "/preview"), {"player": name}).status_code == 200
    post(organise, event, "expel", player=name, reason="Insults.")
    one.refresh_from_db()
    assert one.state == EntryState.EXPELLED
    assert organise.get(at(event, "/preview"), {"player": name}).status_code == 404
    assert organise.get(at(event, "/preview"), {"player": "nobody"}).status_code == 404
    assert api_of(one.player).get(at(event, "/preview"), {"player": "bob"}).status_code == 403


def test_a_director_rules_and_gives_byes(stage, crowd, organise):
    event = stage.started(*crowd(5), format="swiss", settings={"rounds": 3})
    row = event.meetings.order_by("id")[0]
    ruled = post(organise, event, f"games/{row.pk}/rule", scores=[0, 1], reason="Late.")
    assert ruled.json()["scores"] == [0, 1]
    assert ruled.json()["ruled"]
    wrong = post(organise, event, f"games/{row.pk}/rule", scores=[1, 1], reason="Late.")
    assert code(wrong) == (422, "invalid")
    wrong = post(organise, event, f"games/{row.pk}/rule", scores=[2, 0], reason="Late.")
    assert code(wrong) == (400, "invalid")
    assert wrong.json()["detail"] == "scores.0: “2” is no score: each is 0, 0.5 or 1."
    assert code(post(organise, event, "games/0/rule", scores=[1, 0], reason="x"))[0] == 404
    player = event.entries.get(number=2).player.name
    assert post(organise, event, "bye", player=player, kind="H").status_code == 200
    assert event.rests.filter(entry__number=2, round=2, kind="H").exists()


def test_a_list_of_entrants_is_tried_and_then_entered(stage, bob, charlie, organise):
    event = stage.open()
    tried = post(organise, event, "list", names="bob\nnobody").json()
    assert [bool(line["problem"]) for line in tried["lines"]] == [False, True]
    refused = post(organise, event, "list", names="bob\nnobody", dry_run=False)
    assert code(refused) == (422, "invalid")
    assert not event.entries.exists()
    assert post(organise, event, "list", names="bob\ncharlie", dry_run=False).json()["invited"] == 2


def test_what_needs_attention_is_told(stage, crowd, organise):
    event = stage.started(*crowd(4), format="swiss", settings={"rounds": 3}, round_days=3)
    directing.appoint(
        event_id=event.pk, player=make_player("dora"), by=stage.organiser, now=stage.now
    )
    quiet = organise.get(at(event, "/attention")).json()
    assert not any(quiet.values())
    game = event.meetings.order_by("id")[0].game
    asker = game.seats.first().player
    ruling_requests.ask(game_id=game.pk, player=asker, text="He is gone.", now=stage.now)
    event.rounds.update(deadline_at=stage.now - timedelta(days=1))
    event.entries.filter(number=1).update(timeouts=1)
    told = organise.get(at(event, "/attention")).json()
    assert [one["text"] for one in told["rulings_asked"]] == ["He is gone."]
    assert len(told["late"]) == 2
    assert told["timed_out"] == [event.entries.get(number=1).player.name]
