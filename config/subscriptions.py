"""Who hears what: every fact that goes up, and the functions that it is carried to."""

from games import events
from games.events import Fact
from tournaments import facts

SUBSCRIBERS = {
    "bots": "games.bot_moves.hear",
    "deadlines.vacation": "games.sweeps.recount_after_vacation",
    "event_letters.appointment": "notifications.event_writing.tell_of_appointment",
    "event_letters.calling_off": "notifications.event_writing.tell_of_calling_off",
    "event_letters.declining": "notifications.event_writing.tell_of_declining",
    "event_letters.end": "notifications.event_writing.tell_of_end",
    "event_letters.handing_over": "notifications.event_writing.tell_of_handing_over",
    "event_letters.invitation": "notifications.event_writing.tell_of_invitation",
    "event_letters.leave": "notifications.event_writing.tell_of_leave",
    "event_letters.opening": "notifications.event_writing.tell_of_opening",
    "event_letters.pairing": "notifications.event_writing.tell_of_pairing",
    "event_letters.standing": "notifications.event_writing.tell_of_standing",
    "event_letters.start": "notifications.event_writing.tell_of_start",
    "event_results.end": "tournaments.results.hear_of_the_end",
    "event_results.leave": "tournaments.results.hear_of_a_leave",
    "event_results.ruling": "tournaments.results.hear_of_a_ruling",
    "ladders.end": "tournaments.ladders.hear_of_the_end",
    "letters.answer": "notifications.writing.tell_of_answer",
    "letters.challenge": "notifications.writing.tell_of_challenge",
    "letters.chat": "notifications.writing.tell_of_chat",
    "letters.declined_draw": "notifications.writing.tell_of_declined_draw",
    "letters.declined_takeback": "notifications.writing.tell_of_declined_takeback",
    "letters.draw_offer": "notifications.writing.tell_of_draw_offer",
    "letters.end": "notifications.writing.tell_of_end",
    "letters.move": "notifications.writing.tell_of_move",
    "letters.ruling": "notifications.writing.tell_of_ruling",
    "letters.settled_request": "notifications.writing.tell_of_settled_request",
    "letters.start": "notifications.writing.tell_of_start",
    "letters.stopped_plan": "notifications.writing.tell_of_stopped_plan",
    "letters.takeback": "notifications.writing.tell_of_takeback",
    "letters.takeback_wish": "notifications.writing.tell_of_takeback_wish",
    "letters.vacation": "notifications.writing.tell_of_vacation",
    "reminders.ruling": "notifications.reminders.arm_after_ruling",
    "reminders.vacation": "notifications.reminders.arm_after_vacation",
}
"""The function behind each name. The outbox stores names, so that functions can move."""

SUBSCRIPTIONS: dict[type[Fact], tuple[str, ...]] = {
    events.GameStarted: (
        "bots",
        "letters.start",
    ),
    events.MovePlayed: (
        "bots",
        "letters.move",
    ),
    events.MovesTakenBack: (
        "bots",
        "letters.takeback",
    ),
    events.GameFinished: (
        "letters.end",
        "event_results.end",
    ),
    events.PlanStopped: ("letters.stopped_plan",),
    events.DrawOffered: (
        "bots",
        "letters.draw_offer",
    ),
    events.DrawDeclined: ("letters.declined_draw",),
    events.TakebackAsked: (
        "bots",
        "letters.takeback_wish",
    ),
    events.TakebackDeclined: ("letters.declined_takeback",),
    events.ChatWritten: ("letters.chat",),
    events.ChallengeMade: ("letters.challenge",),
    events.ChallengeAnswered: ("letters.answer",),
    events.VacationChanged: (
        "deadlines.vacation",
        "reminders.vacation",
        "letters.vacation",
    ),
    events.RulingChanged: (
        "bots",
        "letters.ruling",
        "reminders.ruling",
        "event_results.ruling",
    ),
    events.RulingRequestSettled: ("letters.settled_request",),
    facts.EventOpened: ("event_letters.opening",),
    facts.EventCalledOff: ("event_letters.calling_off",),
    facts.EntrantInvited: ("event_letters.invitation",),
    facts.InvitationDeclined: ("event_letters.declining",),
    facts.DirectorAppointed: ("event_letters.appointment",),
    facts.EventHandedOver: ("event_letters.handing_over",),
    facts.EventStarted: ("event_letters.start",),
    facts.RoundPaired: ("event_letters.pairing",),
    facts.RoundEnded: ("event_letters.standing",),
    facts.EntrantLeft: (
        "event_letters.leave",
        "event_results.leave",
    ),
    facts.EventFinished: ("event_letters.end",),
}

HEARD_AT_ONCE: dict[type[Fact], tuple[str, ...]] = {
    events.GameFinished: ("ladders.end",),
}
"""Told in the transaction of what happened: only what must be true at the same moment."""
