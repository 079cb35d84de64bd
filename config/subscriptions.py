"""Who hears what: every fact that goes up, and the functions that it is carried to."""

from games.events import ChallengeMade, Fact, VacationChanged

SUBSCRIPTIONS: dict[type[Fact], tuple[str, ...]] = {
    ChallengeMade: ("notifications.letters.invite_by_email",),
    VacationChanged: ("games.sweeps.recount_after_vacation",),
}
