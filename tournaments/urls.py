"""The events' addresses."""

from django.urls import include, path

from tournaments.pages import acts, console, creating, deciding, event, files, lists, rounds, table

of_one = [
    path("", event.event, name="event"),
    path("table/", table.table, name="event_table"),
    path("rounds/", rounds.rounds, name="event_rounds"),
    path("log/", event.log, name="event_log"),
    path("enter/", acts.enter, name="enter_event"),
    path("leave/", acts.leave, name="leave_event"),
    path("stay/", acts.stay, name="stay_in_event"),
    path("challenge/", acts.challenge, name="challenge_in_event"),
    path("edit/", creating.edit, name="edit_event"),
    path("console/", console.console, name="event_console"),
    path("console/entrants/", deciding.entrants, name="event_entrants"),
    path("console/players/<str:name>/", deciding.expel, name="expel_from_event"),
    path("console/rulings/<int:meeting>/", deciding.rule, name="rule_in_event"),
    path("console/<slug:name>/", console.act, name="event_act"),
    path("event.trf", files.trf, name="event_trf"),
    path("event.csv", files.csv, name="event_csv"),
    path("event.json", files.data, name="event_json"),
]

urlpatterns = [
    path("events/", lists.events, name="events"),
    path("events/calendar/", lists.calendar, name="event_calendar"),
    path("events/new/", creating.new, name="new_event"),
    path("events/<int:pk>/", include(of_one)),
]
