"""The pages of events: found, read, entered and run by people."""

from datetime import timedelta

import pytest
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.closing import close_account, settle_closings
from games import ruling_requests
from games.models import Game, Rating, RatingPool
from tests.conftest import make_player
from tests.tournaments.life import Stage, entry, fresh
from tournaments import directing, entering, ladders, leaving
from tournaments.models import Entry, EntryState, Event, State

FORMATS = ["round-robin", "league", "swiss", "knockout", "ladder", "stages"]
SETTINGS = {
    "swiss": {"rounds": 3},
    "stages": {"section_size": 3, "qualify": 1},
    "league": {"size": 4, "up": 1, "down": 1},
}
MOST_QUERIES = 32


@pytest.fixture
def stage(stage) -> Stage:
    """Requests come when they come, so these events go by the real clock."""
    stage.now = timezone.now()
    return stage


@pytest.fixture
def run(stage, crowd):
    """A running event of this format with so many players."""

    def running(format: str, players: int = 6, **more) -> Event:
        settings = SETTINGS.get(format, {}) | more.pop("settings", {})
        return stage.started(*crowd(players), format=format, settings=settings, **more)

    return running


def page(browser, name: str, event: Event, **query) -> str:
    response = browser.get(reverse(name, args=[event.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def act(browser, event: Event, name: str, **fields):
    return browser.post(reverse("event_act", args=[event.pk, name]), fields, follow=True)


def said(response) -> list[str]:
    return [str(message) for message in response.context["messages"]]


# Lists


def test_the_list_shows_what_is_open_and_hides_drafts(stage, client):
    stage.open(name="Open Cup")
    draft = stage.draft(name="Secret Cup")
    html = client.get(reverse("events")).content.decode()
    assert "Open Cup" in html
    assert "Secret Cup" not in html
    assert client.get(draft.get_absolute_url()).status_code == 404


def test_an_organiser_finds_his_draft_among_his_own(stage, alice, bob, as_player):
    draft = stage.draft(name="Secret Cup")
    mine = reverse("events") + "?state=mine"
    assert "Secret Cup" in as_player(alice).get(mine).content.decode()
    assert "Secret Cup" not in as_player(bob).get(mine).content.decode()
    assert as_player(bob).get(draft.get_absolute_url()).status_code == 404


def test_a_list_is_narrowed_by_format_game_and_name(stage, client):
    stage.open(name="Swiss Cup", format="swiss", settings={"rounds": 3})
    stage.open(name="Spring Cup")
    html = client.get(reverse("events"), {"format": "swiss"}).content.decode()
    assert "Swiss Cup" in html
    assert "Spring Cup" not in html
    assert "Spring Cup" in client.get(reverse("events"), {"name": "spring"}).content.decode()
    assert "Cup" not in client.get(reverse("events"), {"ruleset": "tritoc"}).content.decode()


def test_a_list_costs_the_same_whether_few_or_many(stage, client, django_assert_num_queries):
    for number in range(2):
        stage.open(name=f"Cup {number}")
    with django_assert_num_queries(2):
        client.get(reverse("events"))
    for number in range(7):
        event = stage.open(name=f"Cup {number}")
        stage.enter(event, make_player(f"somebody{number}"))
    with django_assert_num_queries(2):
        client.get(reverse("events"))


def test_the_calendar_shows_what_happens_in_a_month(stage, client):
    stage.open(name="March Cup", starts_at=stage.now + timedelta(days=400))
    month = f"{stage.now + timedelta(days=400):%Y-%m}"
    html = client.get(reverse("event_calendar"), {"month": month}).content.decode()
    assert "March Cup" in html
    assert "starts" in html
    assert "March Cup" not in client.get(reverse("event_calendar")).content.decode()


@pytest.mark.parametrize("month", ["0001-01", "9999-12", "soon", "2026-13", ""])
def test_a_month_that_is_none_shows_this_one(client, db, month):
    response = client.get(reverse("event_calendar"), {"month": month})
    assert response.context["first"] == timezone.localdate().replace(day=1)


def test_the_front_page_names_events(stage, client):
    stage.open(name="Open Cup")
    assert "Open Cup" in client.get("/").content.decode()


# One event


def test_an_event_says_its_conditions_and_its_rules(stage, client):
    event = stage.open(rating_from=1400, round_days=14, round_end="draw", format="swiss",
                       settings={"rounds": 3})  # fmt: skip
    html = page(client, "event", event)
    assert "1400 to ∞" in html
    assert "A round lasts at most 14 days. Games that still run then: they are drawn." in html
    assert "Equal points are told apart by: Buchholz, cut 1" in html


def test_a_player_enters_and_leaves_by_a_button(stage, bob, as_player):
    event = stage.open()
    browser = as_player(bob)
    assert "the conditions below fit you" in page(browser, "event", event)
    response = browser.post(reverse("enter_event", args=[event.pk]), follow=True)
    assert said(response) == ["You have entered."]
    assert entry(event, bob).state == EntryState.ENTERED
    browser.post(reverse("leave_event", args=[event.pk]))
    assert entry(event, bob).state == EntryState.WITHDRAWN


def test_whoever_does_not_fit_reads_why_and_has_no_button(stage, bob, as_player):
    event = stage.open(rating_from=1800)
    html = page(as_player(bob), "event", event)
    assert "This event is for ratings from 1800 to 9999; yours is 1500." in html
    assert reverse("enter_event", args=[event.pk]) not in html
    response = as_player(bob).post(reverse("enter_event", args=[event.pk]), follow=True)
    assert said(response) == ["This event is for ratings from 1800 to 9999; yours is 1500."]


def test_whoever_comes_too_late_is_told_that_he_waits(stage, bob, charlie, as_player):
    event = stage.open(most_entrants=2, starts_at=stage.now + timedelta(days=3))
    stage.enter(event, bob, make_player("dora"))
    response = as_player(charlie).post(reverse("enter_event", args=[event.pk]), follow=True)
    assert len(said(response)) == 2
    assert entry(event, charlie).state == EntryState.WAITING


@pytest.mark.parametrize("format", FORMATS)
def test_every_page_of_every_format_costs_the_same_for_few_and_many(
    run, stage, alice, as_player, format, django_assert_max_num_queries
):
    small = run(format, 6)
    stage.now += timedelta(seconds=1)
    Event.objects.filter(pk=small.pk).update(state=State.FINISHED)
    large = stage.open(format=format, settings=SETTINGS.get(format, {}), name="Large")
    stage.enter(large, *(make_player(f"large{number:02}") for number in range(14)))
    Event.objects.filter(pk=small.pk).update(state=State.RUNNING)
    stage.start(large)
    browser = as_player(alice)
    for name in ("event", "event_table", "event_rounds", "event_log", "event_console"):
        counts = []
        for event in (small, large):
            with django_assert_max_num_queries(MOST_QUERIES) as captured:
                page(browser, name, event)
            counts.append(len(captured))
        assert counts[0] == counts[1], name


def test_a_cross_table_shows_both_sides_of_a_result(run, stage, client):
    event = run("round-robin", 3)
    first = event.meetings.select_related("first__player", "second__player").order_by("id")[0]
    stage.win(first.game, first.first.player)
    stage.work()
    response = client.get(reverse("event_table", args=[event.pk]))
    rows = {row["entry"].pk: row for row in response.context["tables"][0]["rows"]}
    assert rows[first.first_id]["points"] == "1"
    results = [
        cell["result"] for pk in (first.first_id, first.second_id)
        for cells in rows[pk]["cells"] if cells for cell in cells if cell["game"] == first.game
    ]  # fmt: skip
    assert results == ["1", "0"]


def test_a_player_reads_where_he_finished(run, stage, as_player):
    event = run("round-robin", 3)
    stage.stronger_wins_all(event)
    last = Entry.objects.get(event=event, number=3)
    html = page(as_player(last.player), "event_table", event)
    assert "You finished on place 3." in html


def test_who_is_out_of_a_knockout_reads_what_place_is_left_to_him(run, stage, as_player):
    event = run("knockout", 8)
    stage.stronger_wins_all(event)
    out = Entry.objects.get(event=event, number=8)
    html = page(as_player(out.player), "event_table", event)
    assert "You can still finish on places 5 to 8." in html
    assert "You are on place" not in html


def test_what_one_can_still_reach_is_said_while_it_runs(run, as_player):
    event = run("round-robin", 4)
    one = Entry.objects.get(event=event, number=1)
    html = page(as_player(one.player), "event", event)
    assert "You are on place 1 of 4." in html
    assert "You can still finish on places 1 to 4." in html


def test_a_swiss_round_shows_its_pairings_and_the_standing_after_it(run, stage, client):
    event = run("swiss", 6)
    stage.stronger_wins_all(event)
    response = client.get(reverse("event_rounds", args=[event.pk]), {"round": 1})
    assert len(response.context["rows"]) == 3
    points = [row["points"] for row in response.context["standing"]["rows"]]
    assert points == ["1", "1", "1", "0", "0", "0"]
    second = client.get(reverse("event_rounds", args=[event.pk]))
    assert second.context["number"] == 2
    assert "running" in second.content.decode()


def test_divisions_show_who_goes_up_and_who_goes_down(run, client):
    event = run("league", 8)
    tables = client.get(reverse("event_table", args=[event.pk])).context["tables"]
    assert [table["title"] for table in tables] == ["Division 1", "Division 2"]
    assert [[row["zone"] for row in table["rows"]] for table in tables] == [
        ["", "", "", "down"],
        ["up", "", "", ""],
    ]


def test_a_bracket_is_drawn_and_told_as_a_table(run, stage, client):
    event = run("knockout", 5)
    stage.stronger_wins_all(event)
    response = client.get(reverse("event_table", args=[event.pk]))
    assert '<svg class="bracket"' in response.context["svg"]
    names = [match["name"] for match in response.context["matches"]]
    assert names == ["Round 1", "Semi-final", "Semi-final", "Final"]


def test_a_final_of_a_staged_event_is_drawn_once_it_is_known(run, stage, client):
    event = run("stages", 6, settings={"final": "knockout"})
    address = reverse("event_table", args=[event.pk])
    assert client.get(address).context["final"] is None
    stage.stronger_wins_all(event)
    final = client.get(address).context["final"]
    assert [match["name"] for match in final["matches"]] == ["Final"]
    assert len(final["matches"][0]["games"]) == 1


def test_on_a_ladder_one_challenges_by_a_button_those_within_reach(run, as_player):
    event = run("ladder", 6)
    fifth = Entry.objects.select_related("player").get(event=event, place=5)
    browser = as_player(fifth.player)
    html = page(browser, "event_table", event)
    assert html.count(reverse("challenge_in_event", args=[event.pk])) == 3
    upper = Entry.objects.select_related("player").get(event=event, place=2)
    address = reverse("challenge_in_event", args=[event.pk])
    response = browser.post(address, {"player": upper.player.name}, follow=True)
    assert said(response) == [f"Your game with {upper.player.name} has begun."]
    again = browser.post(address, {"player": upper.player.name}, follow=True)
    assert said(again) == ["You two have a game on this ladder already."]


def test_a_member_of_a_league_opts_out_of_the_next_season(run, as_player):
    event = run("league", 4, renews=True)
    one = Entry.objects.select_related("player").get(event=event, number=1)
    browser = as_player(one.player)
    assert "Not the next season" in page(browser, "event", event)
    browser.post(reverse("stay_in_event", args=[event.pk]), {"stays": "no"})
    one.refresh_from_db()
    assert not one.stays


def test_whoever_leaves_a_running_event_is_asked_with_what_it_means(run, as_player):
    event = run("round-robin", 4)
    one = Entry.objects.select_related("player").get(event=event, number=1)
    browser = as_player(one.player)
    asked = browser.post(reverse("leave_event", args=[event.pk]))
    assert "less than half" in asked.content.decode()
    one.refresh_from_db()
    assert one.state == EntryState.ENTERED
    browser.post(reverse("leave_event", args=[event.pk]), {"sure": "yes"})
    one.refresh_from_db()
    assert one.state == EntryState.WITHDRAWN
    assert one.struck


def test_a_long_table_is_shown_in_parts(stage, client, monkeypatch):
    monkeypatch.setattr("tournaments.pages.standing.LINES_ON_A_PAGE", 4)
    players = [make_player(f"many{number}") for number in range(6)]
    event = stage.started(*players, format="swiss", settings={"rounds": 3})
    response = client.get(reverse("event_table", args=[event.pk]), {"lines": 2})
    assert [row["rank"] for row in response.context["tables"][0]["rows"]] == [5, 6]


# Preparing


def filled(**fields):
    usual = {
        "name": "Club Cup", "format": "swiss", "swiss.rounds": "3", "ruleset": "tritt-classic",
        "clock": "3d", "rated": "on", "least_entrants": "4", "most_entrants": "8",
        "round_end": "wait", "drop_out": "strike", "rules_edition": "2026",
    }  # fmt: skip
    return usual | fields


def test_one_form_prepares_an_event_and_one_button_opens_it(stage, alice, as_player):
    browser = as_player(alice)
    assert "Prepare the event" in browser.get(reverse("new_event")).content.decode()
    response = browser.post(reverse("new_event"), filled(), follow=True)
    event = Event.objects.get()
    assert event.state == State.DRAFT
    assert event.settings["rounds"] == 3
    assert event.tie_breaks == ["BH-C1", "BH", "SB", "DE", "WON", "LOT"]
    assert "3 rounds; nobody meets the same opponent twice." in response.content.decode()
    response = act(browser, event, "open")
    assert fresh(event).state == State.OPEN
    assert said(response) == ["The event is open for entries."]


def test_what_is_wrong_is_said_in_the_form_and_nothing_is_made(stage, alice, as_player):
    browser = as_player(alice)
    for fields, words in (
        ({"swiss.rounds": "11"}, "8 entrants can play at most 7 rounds"),
        ({"name": "x"}, "at least 3 characters"),
        ({"tie_breaks": "DE, nonsense"}, "nonsense"),
        ({"renews": "on"}, "Only a league is followed by a new season."),
        ({"round_end": "draw"}, "A rule for the deadline needs one"),
        ({"starts_at": "2031-01-02T10:00", "ends_at": "2030-01-02T10:00"}, "before the end"),
    ):
        html = browser.post(reverse("new_event"), filled(**fields)).content.decode()
        assert words.casefold() in html.casefold(), fields
    assert not Event.objects.exists()


def test_a_draft_is_changed_with_the_form_as_it_was_filled_in(stage, alice, as_player):
    event = stage.draft(format="knockout", settings={"double": True}, tie_breaks=[], weekends=True)
    browser = as_player(alice)
    form = browser.get(reverse("edit_event", args=[event.pk])).context["form"]
    assert form["knockout.double"].value() is True
    assert form["weekends"].value() is True
    response = browser.post(reverse("edit_event", args=[event.pk]), filled(name="New Name"))
    assert response.status_code == 302
    assert fresh(event).name == "New Name"
    assert fresh(event).format == "swiss"


def test_times_are_those_of_the_organisers_zone(stage, alice, as_player):
    browser = as_player(alice)
    browser.post(reverse("new_event"), filled(starts_at="2031-01-02T10:00"))
    assert f"{Event.objects.get().starts_at:%H:%M}" == "09:00"


def test_an_open_event_is_not_changed_any_more(stage, alice, bob, as_player):
    event = stage.open()
    response = as_player(alice).get(reverse("edit_event", args=[event.pk]), follow=True)
    assert said(response) == ["Only a draft can be changed: people enter what was declared."]
    assert as_player(bob).get(reverse("edit_event", args=[event.pk])).status_code == 403


# The console


def test_the_console_is_for_directors_alone(stage, bob, as_player, client):
    event = stage.open()
    address = reverse("event_console", args=[event.pk])
    assert client.get(address).status_code == 302
    assert as_player(bob).get(address).status_code == 403
    assert act(as_player(bob), event, "start").status_code == 403
    directing.appoint(event_id=event.pk, player=bob, by=stage.organiser, now=stage.now)
    assert as_player(bob).get(address).status_code == 200


def test_the_console_puts_first_what_needs_attention(run, stage, alice, as_player):
    event = run("swiss", 4, round_days=5)
    browser = as_player(alice)
    assert "Nothing: the event runs itself." in page(browser, "event_console", event)
    game = event.meetings.order_by("id")[0].game
    asker = game.seats.first().player
    ruling_requests.ask(game_id=game.pk, player=asker, text="He is gone.", now=stage.now)
    event.rounds.update(deadline_at=stage.now - timedelta(days=1))
    type(game).objects.filter(pk=game.pk).update(started_at=stage.now - timedelta(days=9))
    event.entries.filter(number=1).update(timeouts=1)
    html = page(browser, "event_console", event)
    for words in ("He is gone.", "Late: the round", "Not both have moved", "Lost on time once"):
        assert words in html


def test_an_event_is_started_called_off_postponed_and_finished_from_the_console(
    stage, alice, bob, charlie, as_player
):
    browser = as_player(alice)
    event = stage.open()
    assert said(act(browser, event, "start")) == ["This event needs at least 2 entrants; it has 0."]
    later = f"{stage.now + timedelta(days=9):%Y-%m-%dT%H:%M}"
    act(browser, event, "postpone", starts_at=later)
    assert fresh(event).starts_at is not None
    stage.enter(event, bob, charlie)
    assert said(act(browser, event, "start")) == ["The event has started."]
    assert act(browser, event, "finish").status_code == 422
    assert said(act(browser, event, "finish", sure="on")) == ["The event is finished."]
    other = stage.open(name="Other Cup")
    without = act(browser, other, "call-off", reason="")
    assert without.status_code == 422
    assert fresh(other).state == State.OPEN
    act(browser, other, "call-off", reason="Too hot.")
    assert fresh(other).state == State.CALLED_OFF


def test_directors_are_appointed_and_dismissed_and_guests_invited(stage, alice, bob, as_player):
    event = stage.open(invitation_only=True)
    browser = as_player(alice)
    act(browser, event, "appoint", player="BOB")
    assert event.directors.filter(player=bob).exists()
    act(browser, event, "dismiss", player="bob")
    assert not event.directors.exists()
    act(browser, event, "invite", player="bob")
    assert event.guests.filter(player=bob).exists()
    html = act(browser, event, "invite", player="nobody").content.decode()
    assert "There is no player of that name." in html


def test_a_director_steps_down_by_a_button_beside_their_name(stage, alice, bob, as_player):
    draft = stage.draft()
    directing.appoint(event_id=draft.pk, player=bob, by=alice, now=stage.now)
    console = reverse("event_console", args=[draft.pk])
    step_down = reverse("event_act", args=[draft.pk, "step-down"])
    assert step_down not in as_player(alice).get(console).text
    browser = as_player(bob)
    assert step_down in browser.get(console).text
    answer = act(browser, draft, "step-down")
    assert said(answer) == ["You have stepped down."]
    assert not draft.directors.exists()
    assert browser.get(console).status_code == 404


def test_whoever_took_an_event_over_steps_down_by_a_button(stage, alice, bob, as_player):
    event = stage.open()
    directing.appoint(event_id=event.pk, player=bob, by=alice, now=stage.now)
    close_account(player=alice, now=stage.now)
    settle_closings(now=stage.now)
    browser = as_player(bob)
    step_down = reverse("event_act", args=[event.pk, "step-down"])
    assert step_down in browser.get(reverse("event_console", args=[event.pk])).text
    assert said(act(browser, event, "step-down")) == ["You have stepped down."]
    page = browser.get(reverse("event", args=[event.pk])).text
    assert "The organiser stepped down: the event was called off." in page


def test_whoever_was_expelled_reads_so_instead_of_a_button_to_enter(stage, alice, bob, as_player):
    event = stage.open()
    stage.enter(event, bob)
    leaving.expel(event_id=event.pk, player=bob, by=alice, reason="Abuse.", now=stage.now)
    page = as_player(bob).get(reverse("event", args=[event.pk])).text
    assert reverse("enter_event", args=[event.pk]) not in page
    assert "You were expelled from this event." in page


def test_an_organiser_sees_what_becomes_of_the_table_before_he_expels(run, alice, as_player):
    event = run("round-robin", 4)
    one = Entry.objects.select_related("player").get(event=event, number=1)
    browser = as_player(alice)
    address = reverse("expel_from_event", args=[event.pk, one.player.name])
    response = browser.get(address)
    gone = [row for row in response.context["changes"] if row["after"] is None]
    assert [row["name"] for row in gone] == [one.player.name]
    browser.post(address, {"reason": "Insults."})
    one.refresh_from_db()
    assert one.state == EntryState.EXPELLED


def test_a_director_rules_on_a_game_from_its_round(run, alice, as_player):
    event = run("round-robin", 3)
    row = event.meetings.order_by("id")[0]
    browser = as_player(alice)
    address = reverse("rule_in_event", args=[event.pk, row.pk])
    assert address in page(browser, "event_rounds", event, round=row.round)
    assert browser.post(address, {"result": "2-0", "reason": ""}).status_code == 200
    browser.post(address, {"result": "2-0", "reason": "He never came."})
    row.refresh_from_db()
    assert (row.score, row.other_score, row.ruled) == (2, 0, True)


def test_entrants_are_looked_through_first_and_entered_all_or_nobody(
    stage, alice, bob, charlie, as_player
):
    event = stage.open()
    browser = as_player(alice)
    address = reverse("event_entrants", args=[event.pk])
    looked = browser.post(address, {"names": "name\nbob\nnobody\n"})
    assert (looked.context["right"], looked.context["wrong"]) == (1, 1)
    assert "nobody" in looked.content.decode()
    browser.post(address, {"names": "bob\nnobody", "enter": "yes"})
    assert not event.entries.exists()
    looked = browser.post(address, {"names": "bob\ncharlie"})
    assert looked.context["wrong"] == 0
    assert not event.entries.exists()
    browser.post(address, {"names": "bob\ncharlie", "enter": "yes"})
    assert event.entries.count() == 2


# Files


def test_an_event_is_taken_away_as_trf_csv_and_json(run, client):
    event = run("swiss", 4)
    trf = client.get(reverse("event_trf", args=[event.pk]))
    assert trf.content.decode().startswith("012 Spring Cup")
    table = client.get(reverse("event_csv", args=[event.pk])).content.decode()
    assert table.count("\r\n") == 5
    data = client.get(reverse("event_json", args=[event.pk])).json()
    assert len(data["games"]) == 2


def test_a_knockout_has_no_report_file_and_says_so(run, client):
    event = run("knockout", 4)
    response = client.get(reverse("event_trf", args=[event.pk]), follow=True)
    assert said(response) == ["Only Swiss events and round robins have a tournament report file."]


def test_a_rating_decides_with_the_pool_of_the_event(stage, bob, as_player):
    pool, _made = RatingPool.objects.get_or_create(key="tritt-classic", ruleset="tritt-classic")
    Rating.objects.create(pool=pool, player=bob, rating=190000, games=30, peak=190000)
    event = stage.open(rating_from=1800)
    assert entering.rating_of(bob, event) == 1900
    assert reverse("enter_event", args=[event.pk]) in page(as_player(bob), "event", event)


def test_a_ladder_names_its_running_games(run, as_player, client):
    event = run("ladder", 3)
    lower, upper = event.entries.get(place=3), event.entries.get(place=2)
    ladders.challenge(
        event_id=event.pk, challenger=lower.player, challenged=upper.player, now=timezone.now()
    )
    response = client.get(reverse("event_rounds", args=[event.pk]))
    assert len(response.context["rows"]) == 1


def test_a_ruling_on_ones_own_game_is_not_offered(stage, alice, bob, charlie, as_player):
    event = stage.started(alice, bob, charlie)
    browser = as_player(alice)
    long_ago = stage.now - timedelta(days=9)
    Game.objects.filter(event_id=event.pk).update(started_at=long_ago)
    offered = {
        meeting.pk: reverse("rule_in_event", args=[event.pk, meeting.pk])
        for meeting in event.meetings.all()
    }
    own = event.meetings.filter(Q(first__player=alice) | Q(second__player=alice))
    assert own.count() == 2
    for name, query in (("event_console", {}), ("event_rounds", {"mine": 1})):
        html = page(browser, name, event, **query)
        assert html.count("Your own game: another director or the staff decides it.") == 2, name
        assert not any(offered[meeting.pk] in html for meeting in own), name
    other = event.meetings.exclude(pk__in=own).get()
    assert offered[other.pk] in page(browser, "event_console", event)
    asked = browser.get(offered[own[0].pk], follow=True)
    assert "in this event yourself; another director or the staff decides that." in said(asked)[0]


def test_an_act_on_the_event_says_which_games_are_ones_own(stage, alice, crowd, as_player):
    event = stage.started(alice, *crowd(5))
    finished = act(as_player(alice), event, "finish", sure="on")
    [told] = said(finished)
    own = event.meetings.filter(Q(first__player=alice) | Q(second__player=alice)).order_by("id")
    named = [f"{one.first.player.name} – {one.second.player.name}" for one in own]
    assert len(named) == 5
    assert told == (
        f"You play {', '.join(named[:3])}, … in this event yourself; "
        "another director or the staff decides that."
    )
