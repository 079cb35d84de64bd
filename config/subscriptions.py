"""Who hears what: every fact that goes up, and the functions that it is carried to."""

from games import events
from games.events import Fact
from tournaments import facts

SUBSCRIPTIONS: dict[type[Fact], tuple[str, ...]] = {
    events.GameStarted: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_start",
    ),
    events.MovePlayed: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_move",
    ),
    events.MovesTakenBack: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_takeback",
    ),
    events.GameFinished: (
        "notifications.writing.tell_of_end",
        "tournaments.results.hear_of_the_end",
    ),
    events.PlanStopped: ("notifications.writing.tell_of_stopped_plan",),
    events.DrawOffered: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_draw_offer",
    ),
    events.DrawDeclined: ("notifications.writing.tell_of_declined_draw",),
    events.TakebackAsked: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_takeback_wish",
    ),
    events.TakebackDeclined: ("notifications.writing.tell_of_declined_takeback",),
    events.ChatWritten: ("notifications.writing.tell_of_chat",),
    events.ChallengeMade: ("notifications.writing.tell_of_challenge",),
    events.ChallengeAnswered: ("notifications.writing.tell_of_answer",),
    events.VacationChanged: (
        "games.sweeps.recount_after_vacation",
        "notifications.reminders.arm_after_vacation",
        "notifications.writing.tell_of_vacation",
    ),
    events.RulingChanged: (
        "games.bot_moves.hear",
        "notifications.writing.tell_of_ruling",
        "notifications.reminders.arm_after_ruling",
        "tournaments.results.hear_of_a_ruling",
    ),
    events.RulingRequestSettled: ("notifications.writing.tell_of_settled_request",),
    facts.EventOpened: ("notifications.event_writing.tell_of_opening",),
    facts.EventCalledOff: ("notifications.event_writing.tell_of_calling_off",),
    facts.EntrantInvited: ("notifications.event_writing.tell_of_invitation",),
    facts.InvitationDeclined: ("notifications.event_writing.tell_of_declining",),
    facts.DirectorAppointed: ("notifications.event_writing.tell_of_appointment",),
    facts.EventHandedOver: ("notifications.event_writing.tell_of_handing_over",),
    facts.EventStarted: ("notifications.event_writing.tell_of_start",),
    facts.RoundPaired: ("notifications.event_writing.tell_of_pairing",),
    facts.RoundEnded: ("notifications.event_writing.tell_of_standing",),
    facts.EntrantLeft: (
        "notifications.event_writing.tell_of_leave",
        "tournaments.results.hear_of_a_leave",
    ),
    facts.EventFinished: ("notifications.event_writing.tell_of_end",),
}

HEARD_AT_ONCE: dict[type[Fact], tuple[str, ...]] = {
    events.GameFinished: ("tournaments.ladders.hear_of_the_end",),
}
"""Told in the transaction of what happened: only what must be true at the same moment."""
