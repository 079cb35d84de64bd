"""Facts and subscribers on their way are stored by stable names instead of Python's."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FACTS = {
    "GameStarted": "game_started",
    "MovePlayed": "move_played",
    "GameFinished": "game_finished",
    "DrawOffered": "draw_offered",
    "DrawDeclined": "draw_declined",
    "TakebackAsked": "takeback_asked",
    "TakebackDeclined": "takeback_declined",
    "MovesTakenBack": "moves_taken_back",
    "ChatWritten": "chat_written",
    "ChallengeMade": "challenge_made",
    "ChallengeAnswered": "challenge_answered",
    "VacationChanged": "vacation_changed",
    "PlanStopped": "plan_stopped",
    "RulingChanged": "ruling_changed",
    "RulingRequestSettled": "ruling_request_settled",
    "EventOpened": "event_opened",
    "EventCalledOff": "event_called_off",
    "EntrantInvited": "entrant_invited",
    "DirectorAppointed": "director_appointed",
    "EventHandedOver": "event_handed_over",
    "InvitationDeclined": "invitation_declined",
    "EventStarted": "event_started",
    "RoundPaired": "round_paired",
    "RoundEnded": "round_ended",
    "EntrantLeft": "entrant_left",
    "EventFinished": "event_finished",
}
SUBSCRIBERS = {
    "games.bot_moves.hear": "bots",
    "games.sweeps.recount_after_vacation": "deadlines.vacation",
    "notifications.event_writing.tell_of_appointment": "event_letters.appointment",
    "notifications.event_writing.tell_of_calling_off": "event_letters.calling_off",
    "notifications.event_writing.tell_of_declining": "event_letters.declining",
    "notifications.event_writing.tell_of_end": "event_letters.end",
    "notifications.event_writing.tell_of_handing_over": "event_letters.handing_over",
    "notifications.event_writing.tell_of_invitation": "event_letters.invitation",
    "notifications.event_writing.tell_of_leave": "event_letters.leave",
    "notifications.event_writing.tell_of_opening": "event_letters.opening",
    "notifications.event_writing.tell_of_pairing": "event_letters.pairing",
    "notifications.event_writing.tell_of_standing": "event_letters.standing",
    "notifications.event_writing.tell_of_start": "event_letters.start",
    "notifications.reminders.arm_after_ruling": "reminders.ruling",
    "notifications.reminders.arm_after_vacation": "reminders.vacation",
    "notifications.writing.tell_of_answer": "letters.answer",
    "notifications.writing.tell_of_challenge": "letters.challenge",
    "notifications.writing.tell_of_chat": "letters.chat",
    "notifications.writing.tell_of_declined_draw": "letters.declined_draw",
    "notifications.writing.tell_of_declined_takeback": "letters.declined_takeback",
    "notifications.writing.tell_of_draw_offer": "letters.draw_offer",
    "notifications.writing.tell_of_end": "letters.end",
    "notifications.writing.tell_of_move": "letters.move",
    "notifications.writing.tell_of_ruling": "letters.ruling",
    "notifications.writing.tell_of_settled_request": "letters.settled_request",
    "notifications.writing.tell_of_start": "letters.start",
    "notifications.writing.tell_of_stopped_plan": "letters.stopped_plan",
    "notifications.writing.tell_of_takeback": "letters.takeback",
    "notifications.writing.tell_of_takeback_wish": "letters.takeback_wish",
    "notifications.writing.tell_of_vacation": "letters.vacation",
    "tournaments.ladders.hear_of_the_end": "ladders.end",
    "tournaments.results.hear_of_a_leave": "event_results.leave",
    "tournaments.results.hear_of_a_ruling": "event_results.ruling",
    "tournaments.results.hear_of_the_end": "event_results.end",
}


def rename(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    _replace(apps, FACTS, SUBSCRIBERS)


def rename_back(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    _replace(
        apps,
        {new: old for old, new in FACTS.items()},
        {new: old for old, new in SUBSCRIBERS.items()},
    )


def _replace(apps: Apps, facts: dict[str, str], subscribers: dict[str, str]) -> None:
    message = apps.get_model("games", "OutboxMessage")
    for old, new in facts.items():
        message.objects.filter(fact=old).update(fact=new)
    for old, new in subscribers.items():
        message.objects.filter(subscriber=old).update(subscriber=new)


class Migration(migrations.Migration):
    dependencies = [("games", "0013_outbox_queues")]

    operations = [migrations.RunPython(rename, rename_back)]
