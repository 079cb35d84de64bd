"""Does what a player's mail says, through the doors that the web and the API use, or nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus

from django.utils.translation import gettext as _

from accounts import locks
from games import plans, play, replay, talk
from games.models import Game, Status, Via
from games.pages.acts import ACTS
from games.refusals import (
    GameIsOver,
    NotYetKnown,
    NotYourTurn,
    PlayRefusal,
    StalePly,
    TimeRanOut,
)
from games.rules.position import (
    AmbiguousMove,
    IllegalMove,
    InvalidMove,
    MoveError,
    Position,
    Refusal,
    Turn,
)
from games.rules.registry import ruleset
from games.table import lock
from notifications import conditions
from notifications.commands import CHANGING, Command, conflict
from notifications.mail_reading import Words
from notifications.models import ReplyToken

OUTCOMES: dict[type[Refusal], str] = {
    InvalidMove: "not-a-move",
    AmbiguousMove: "ambiguous",
    IllegalMove: "illegal",
    StalePly: "late",
    NotYourTurn: "not-your-turn",
    GameIsOver: "over",
    TimeRanOut: "time-ran-out",
}


class Conflicting(PlayRefusal):
    code = "conflicting"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class NumberMissing(PlayRefusal):
    code = "confirm-resign"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class Unclear(PlayRefusal):
    code = "ambiguous"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


@dataclass
class Done:
    """What came of a mail: a code, sentences for its writer, and what he wants to see."""

    outcome: str
    said: list[str] = field(default_factory=list)
    wants: list[str] = field(default_factory=list)


# The grammar of a game


def position_of(token: ReplyToken) -> Position:
    """Where the game stood when the letter was written, or stands now."""
    game = token.game
    if game.is_running and game.ply == token.ply:
        return ruleset(game.ruleset, game.version).load(game.position)
    lines = [line for line in replay.standing_lines(game.pk) if line.ply <= token.ply]
    found = replay.positions(game, lines)
    # Where a game is over nothing is a move; what was one just before is still read as one.
    awaited = (position for position in reversed(found) if isinstance(position.awaiting, Turn))
    return next(awaited, found[-1])


def is_move_in(position: Position) -> Callable[[str], bool]:
    """Whether a line is a move of this game, legal or not."""

    def is_move(text: str) -> bool:
        try:
            position.parse(text)
        except InvalidMove:
            return False
        except MoveError:
            return isinstance(position.awaiting, Turn)
        return True

    return is_move


def _canonical(position: Position) -> Callable[[str], str]:
    def canonical(text: str) -> str:
        try:
            return str(position.parse(text))
        except MoveError:
            return text

    return canonical


# Acting


def act(
    token: ReplyToken, words: Words, position: Position, *, now: datetime, arrived_at: datetime
) -> Done:
    """All commands or none; the message below them goes with them.

    1. What cannot all be meant is not done.
    2. A letter's power ends with its ply: a late one only gets the answer of the first time.
    3. Each command goes through its own door, in one transaction.

    Raises NotYetKnown: a mail can wait until it is known.
    """
    wants = [command.name for command in words.commands if command.name not in CHANGING]
    try:
        with locks.savepoint():
            done = _act(token, words.commands, position, now, arrived_at)
    except NotYetKnown:
        raise
    except Refusal as refusal:
        done = Done(_outcome_of(refusal), [refusal.sentence(_)])
        if words.chat:
            done.said.append(_("Your message was not passed on either."))
        return Done(done.outcome, done.said, wants)
    if words.chat and done.outcome != "duplicate":
        done.said.append(_pass_on(token, words.chat, arrived_at))
    return Done(done.outcome, done.said, wants)


def _act(
    token: ReplyToken,
    commands: Sequence[Command],
    position: Position,
    now: datetime,
    arrived_at: datetime,
) -> Done:
    if conflict(commands, _canonical(position)):
        raise Conflicting(
            "Your mail says several things that cannot all be meant, so nothing was done."
            " Write one move, or one other decision."
        )
    changing = [one for one in commands if one.name in CHANGING and one.name != "stop"]
    if not changing:
        return Done("shown")
    table = lock(token.game_id)
    moves = [command for command in changing if command.name == "move"]
    if table.ply != token.ply or not table.is_running:
        return _late(token, moves, table.is_running, now, arrived_at)
    said = [_do(token, one, position, now, arrived_at) for one in _in_order(changing)]
    said += _plan(token, [one.argument for one in changing if one.name == "if"], position)
    return Done("played" if moves else "done", said)


def _in_order(commands: Sequence[Command]) -> list[Command]:
    """An offer is answered before the move and made after it; of the same twice, once."""
    order = ["decline", "decline draw", "accept", "resign", "move", "draw"]
    once = {(one.name, one.argument): one for one in commands if one.name in order}
    moves = [one for one in once.values() if one.name == "move"][:1]
    others = [one for one in once.values() if one.name != "move"]
    return sorted([*others, *moves], key=lambda one: order.index(one.name))


def _late(
    token: ReplyToken,
    moves: Sequence[Command],
    is_running: bool,
    now: datetime,
    arrived_at: datetime,
) -> Done:
    """A move that is in the log already, sent again, is told like the first time."""
    try:
        if moves:
            return Done("duplicate", [_moved(token, moves[0].argument, now, arrived_at)])
    except StalePly:
        if is_running:
            raise
    if not is_running:
        raise GameIsOver("This game is over; nothing more can be played in it.")
    raise StalePly(
        "The letter that you answered is about ply {ply}, but the game has gone on; nothing was"
        " done. Answer the latest letter about this game.",
        ply=token.ply,
    )


def _do(
    token: ReplyToken, command: Command, position: Position, now: datetime, arrived_at: datetime
) -> str:
    if command.name == "move":
        return _moved(token, command.argument, now, arrived_at)
    if command.name == "resign":
        _require_number(token, command.argument)
    if command.name == "decline" and _is_legal(position, "decline"):
        if token.game.draw_offered_by == 1 - token.seat:
            raise Unclear(
                "A draw is offered, and to decline is also a move here. Write “decline draw”,"
                " or “move decline”."
            )
        return _moved(token, "decline", now, arrived_at)
    names = {"draw": "offer-draw", "accept": "accept-draw", "resign": "resign"}
    wanted = ACTS[names.get(command.name, "decline-draw")]
    wanted.door(game_id=token.game_id, player_id=token.player_id, now=arrived_at)
    return _what_came_of(token, str(wanted.done))


def _moved(token: ReplyToken, text: str, now: datetime, arrived_at: datetime) -> str:
    played = play.play_move(
        game_id=token.game_id,
        player_id=token.player_id,
        text=text,
        ply=token.ply,
        now=now,
        via=Via.MAIL,
        arrived_at=arrived_at,
    )
    return _("Your move {move} is played.").format(move=played.text)


def _is_legal(position: Position, text: str) -> bool:
    try:
        position.parse(text)
    except MoveError:
        return False
    return True


def _require_number(token: ReplyToken, number: str) -> None:
    if number != str(token.game_id):
        raise NumberMissing(
            "Nothing was done yet. If you really want to resign this game, write its number too:"
            " resign #{game}",
            game=token.game_id,
        )


def _what_came_of(token: ReplyToken, sentence: str) -> str:
    """Before both have moved, whoever resigns or agrees to a draw calls the game off."""
    if Game.objects.filter(pk=token.game_id, status=Status.VOID).exists():
        return str(ACTS["abort"].done)
    if Game.objects.filter(pk=token.game_id, reason="agreement").exists():
        return str(ACTS["accept-draw"].done)
    return sentence


def _plan(token: ReplyToken, lines: Sequence[str], position: Position) -> list[str]:
    if not lines:
        return []
    tree = conditions.tree(lines, is_move_in(position))
    plans.write(game_id=token.game_id, player_id=token.player_id, tree=tree)
    return [_("Your conditional moves are noted.")]


def _pass_on(token: ReplyToken, text: str, now: datetime) -> str:
    try:
        with locks.savepoint():
            talk.say(game_id=token.game_id, player_id=token.player_id, text=text, now=now)
    except PlayRefusal as refusal:
        return " ".join([_("Your message was not passed on."), refusal.sentence(_)])
    return _("Your message was passed on to your opponent.")


def _outcome_of(refusal: Refusal) -> str:
    code = OUTCOMES.get(type(refusal), getattr(refusal, "code", "refused"))
    return str(code).replace("_", "-")
