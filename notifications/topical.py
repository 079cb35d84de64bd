"""Whether a letter is still worth sending: a code for why not, or nothing."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import Q

from accounts.models import Player
from accounts.presence import AT_LEAST_EVERY
from games.models import Challenge, ChatLine, Game, Status
from games.table import look
from notifications import bounces, preferences, reaching, reminders
from notifications.models import Channel, Kind, Letter, State
from tournaments.models import Director, Entry, EntryState, Event
from tournaments.models import State as EventState


def why_not(letter: Letter, *, now: datetime) -> str | None:
    """Asked just before it is sent: the world has gone on since it was written."""
    if letter.player is not None:
        if not letter.player.is_active:
            return "closed"
        if preferences.is_off(letter.player, letter.kind):
            return "off"
    check = CHECKS.get(Kind(letter.kind))
    why = check(letter, now) if check else None
    return why or ("blocked" if reaching.is_kept_away(letter) else None)


def _game(letter: Letter) -> Game:
    assert letter.game is not None
    return letter.game


# One for each kind that can be overtaken


def _turn(letter: Letter, now: datetime) -> str | None:
    game = _game(letter)
    if game.status != Status.RUNNING:
        return "game-over"
    if game.ply != letter.ply or game.seat_to_move != letter.seat:
        return "played"
    if _flag_has_fallen(game, now):
        return "too-late"
    if letter.kind == Kind.TURN and _is_one_too_many(letter):
        return "one-until-back"
    return None


def _flag_has_fallen(game: Game, now: datetime) -> bool:
    """The stored deadline may be older than the latest pause, so it alone is not believed."""
    if game.deadline_at is None or game.deadline_at > now:
        return False
    return all(table.flag_falls_at() <= now for table in look([game.pk]) if table.is_running)


def _is_one_too_many(letter: Letter) -> bool:
    """Whether a turn letter has reached a player who wants one and has not been here since.

    When he was here is noted only every few minutes; in doubt he was.
    """
    player = letter.player
    if player is None or letter.digest or letter.channel != Channel.MAIL:
        return False
    if not preferences.habits(player).one_until_back:
        return False
    sent = Letter.objects.filter(
        player=player, kind=Kind.TURN, channel=Channel.MAIL, state=State.SENT
    )
    last = sent.order_by("-id").values_list("settled_at", flat=True).first()
    last_here = player.seen_at or player.joined_at
    return last is not None and last > last_here + AT_LEAST_EVERY


def _reminder(letter: Letter, now: datetime) -> str | None:
    """Of several that are due at once, because we were away or it was night, only the last."""
    why = _turn(letter, now)
    if why:
        return why
    later = Letter.objects.filter(
        Q(due_at__gt=letter.due_at) | Q(due_at=letter.due_at, pk__gt=letter.pk),
        game=_game(letter),
        ply=letter.ply,
        kind=Kind.REMINDER,
        channel=letter.channel,
        state__in=[State.WAITING, State.SENDING],
        due_at__lte=now,
    )
    is_due = any(reminders.moved_to(one, now=now) is None for one in later)
    return "next-one-due" if is_due else None


def _started(letter: Letter, now: datetime) -> str | None:
    return None if _game(letter).status == Status.RUNNING else "game-over"


def _offer(letter: Letter, now: datetime) -> str | None:
    """An offer that was withdrawn, answered or played over; an answer is always news."""
    game = _game(letter)
    if game.status != Status.RUNNING:
        return "game-over"
    asked = {"draw-offered": game.draw_offered_by, "takeback-asked": game.takeback_asked_by}
    what = letter.details.get("what", "")
    return "offer-gone" if what in asked and asked[what] is None else None


def _over(letter: Letter, now: datetime) -> str | None:
    return "runs-again" if _game(letter).status == Status.RUNNING else None


def _chat(letter: Letter, now: datetime) -> str | None:
    shown = ChatLine.objects.filter(pk=letter.about or 0, hidden_at=None)
    return None if shown.exists() else "hidden"


def _challenge(letter: Letter, now: datetime) -> str | None:
    still_open = Challenge.objects.filter(
        pk=letter.about or 0, state=Challenge.State.OPEN, expires_at__gt=now
    )
    return None if still_open.exists() else "challenge-gone"


def _event(letter: Letter, now: datetime) -> str | None:
    """An invitation that was answered or taken back, an office that has ended; all else is news."""
    event, player = letter.about or 0, letter.player_id
    what = letter.details.get("what")
    if what == "invited":
        living = Q(event__state__in=[EventState.OPEN, EventState.RUNNING])
        invited = Entry.objects.filter(living, event=event, player=player, state=EntryState.INVITED)
        return None if invited.exists() else "invitation-gone"
    if what == "appointed" and not Director.objects.filter(event=event, player=player).exists():
        return "no-director"
    if what == "handed-over" and not Event.objects.filter(pk=event, organiser=player).exists():
        return "no-director"
    return None


def _unreachable(letter: Letter, now: datetime) -> str | None:
    player = Player.objects.filter(pk=letter.about or 0).first()
    return None if player and bounces.trouble_of(player) else "reachable-again"


CHECKS: dict[Kind, Callable[[Letter, datetime], str | None]] = {
    Kind.TURN: _turn,
    Kind.REMINDER: _reminder,
    Kind.STARTED: _started,
    Kind.OFFER: _offer,
    Kind.GAME_OVER: _over,
    Kind.TIMEOUT: _over,
    Kind.CHAT: _chat,
    Kind.CHALLENGE: _challenge,
    Kind.INVITATION: _challenge,
    Kind.EVENT: _event,
    Kind.UNREACHABLE: _unreachable,
}
