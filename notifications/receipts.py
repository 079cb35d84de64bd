"""What became of every letter, in a sentence for whoever waited for it."""

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Player
from notifications.models import Letter, State

WHY: dict[str, Promise] = {
    "off": gettext_lazy("You chose not to be told of this."),
    "closed": gettext_lazy("The account is closed."),
    "played": gettext_lazy("The turn had been played before the letter left."),
    "superseded": gettext_lazy("The game had gone on before the letter left."),
    "game-over": gettext_lazy("The game was over before the letter left."),
    "runs-again": gettext_lazy("The game goes on after all."),
    "too-late": gettext_lazy("The time had run out before the letter could leave."),
    "one-until-back": gettext_lazy("You wish one letter until you come back, and had got it."),
    "next-one-due": gettext_lazy("A later reminder went out in its place."),
    "not-chosen": gettext_lazy("You changed the moments at which you are reminded."),
    "in-turn-letter": gettext_lazy("The letter about your turn tells of it."),
    "offer-gone": gettext_lazy("The offer had been withdrawn or answered."),
    "hidden": gettext_lazy("What was written has been hidden."),
    "invitation-gone": gettext_lazy("The invitation was no longer open."),
    "no-director": gettext_lazy("You no longer directed the event."),
    "challenge-gone": gettext_lazy("The challenge was no longer open."),
    "reachable-again": gettext_lazy("The address takes mail again."),
    "nothing-left": gettext_lazy("Nothing in it was news any more."),
    "no-address": gettext_lazy("You have no confirmed e-mail address."),
    "nobody-there": gettext_lazy("You have no browser or address for this any more."),
    "suppressed": gettext_lazy("Nothing is sent to an address that takes no mail."),
    "refused": gettext_lazy("The receiving mail server refused it for good."),
    "gave-up": gettext_lazy("It did not get through, however often we tried."),
    "unanswered": gettext_lazy(
        "It was handed over twice and the connection broke each time; it may have arrived."
    ),
    "in-doubt": gettext_lazy(
        "It may have arrived: it was handed over and the connection broke. It is sent once more."
    ),
    "maybe": gettext_lazy(
        "It may have arrived all the same: it was handed over once and the connection broke."
    ),
    "quiet": gettext_lazy("It waits until your quiet hours are over."),
    "digest": gettext_lazy("It waits for your daily digest."),
    "many-today": gettext_lazy("Other players caused many e-mails today; it is in your digest."),
    "blocked": gettext_lazy("You have blocked the player who wrote it."),
    "unwanted": gettext_lazy("This address does not want invitations."),
    "retrying": gettext_lazy("It did not get through; we try again."),
    "calls-spent": gettext_lazy(
        "Your addresses took too long to reply in that hour; it goes on in the next."
    ),
    "line-down": gettext_lazy("Our way out is blocked at the moment; we try again."),
}
VIEWS: dict[str, tuple[str, ...]] = {
    "all": tuple(State.values),
    "waiting": (State.WAITING, State.SENDING),
    "sent": (State.SENT,),
    "stopped": (State.CANCELLED, State.REFUSED),
}
"""What the page shows, by the name in its address."""


def letters_of(player: Player, view: str = "all") -> QuerySet[Letter]:
    """Newest first; all that a row shows comes with it."""
    states = VIEWS.get(view, VIEWS["all"])
    letters = Letter.objects.filter(player=player).select_related("game", "carried_by")
    return letters.filter(state__in=states).order_by("-id")


def sentence(letter: Letter) -> str:
    """Why it is in the state it is in; empty where the state says it all."""
    if letter.carried_by_id and letter.state in (State.SENT, State.WAITING):
        return _("Together with others, in one letter.")
    if letter.doubts and letter.state in VIEWS["waiting"]:
        return str(WHY["in-doubt"])
    why = str(WHY[letter.why]) if letter.why in WHY else ""
    is_in_doubt = letter.doubts and letter.state != State.SENT and letter.why != "unanswered"
    return f"{why} {WHY['maybe']}".strip() if is_in_doubt else why
