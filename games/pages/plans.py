"""Conditional moves on the board itself: what is shown is what is stored and will be played."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts import locks
from accounts.current import player_of
from games import conditional, foresight, picker, plans
from games.boards.registry import BOARDS
from games.conditional import RESIGN, Branch, Tree
from games.foresight import Foreseen, Said, Stage
from games.models import ConditionalMoves, Game, Seat
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.wording import game_name
from games.refusals import BadRequest, GameIsOver, StalePly
from games.rules.position import JSON, Outcome, Position, Refusal, Turn
from games.rules.registry import ruleset
from games.table import lock

MOST_SHOWN_DEEP = 30
PATH = re.compile(r"(?:\d{1,4}(?:/\d{1,4}){0,99})?")

ASKED_FOR: dict[Stage, str | Promise] = {
    Stage.THEIR_THROW: _("Suppose a throw of your opponent, to see the moves it allows."),
    Stage.THEIR_MOVE: _("Pick a move of your opponent on the board."),
    Stage.MY_THROW: _("Now dice are thrown for you. Which totals is your reply for?"),
    Stage.MY_MOVE: _("Pick your reply on the board."),
    Stage.GOES_ON: _("Your opponent moves on from here. Add this, then plan for what follows."),
    Stage.OVER: _("The game would be over here; there is nothing to reply."),
    Stage.UNKNOWN: _("How the board stands then cannot be foreseen, so write your reply."),
}


# Looking at it


@login_required
@require_safe
def plan(request: HttpRequest, **at: Any) -> HttpResponseBase:
    return _page(request, *_mine(request, at))


def _mine(request: HttpRequest, at: dict[str, Any]) -> tuple[Game, Seat]:
    game, mine = visible_game(request, **at)
    if mine is None:
        raise Http404
    return game, mine


def _page(
    request: HttpRequest, game: Game, mine: Seat, refusal: Refusal | None = None
) -> HttpResponse:
    given = request.POST if request.method == "POST" else request.GET
    moves = plans.of_seat(mine.pk)
    tree = conditional.tree(moves.tree)
    path = _path(given.get("at", ""), tree)
    shown = ShownGame(game, mine, now=timezone.now(), ply=None)
    here = _position(game, mine, tree, path)
    foreseen = foresight.looked_at(here, mine.number, Said())
    drawn = foreseen.position or shown.position
    can_plan = game.is_running and _may_begin(drawn, mine, path, foreseen)
    is_picked = can_plan and foreseen.position is not None
    context = {
        "game": game,
        "mine": mine,
        "shown": shown,
        "name": game_name(game.ruleset),
        "opponent": shown.opponent,
        "tree": _rows(tree, path, ()),
        "count": _count(tree),
        "at": _written(path),
        "way": _way(tree, path),
        "seen": _seen(game, moves),
        "board": mark_safe(_drawing(game, mine, drawn, "", is_picked)),  # noqa: S308 (drawn by us)
        "can_plan": can_plan,
        "is_my_turn": shown.is_my_turn,
        "asked_for": ASKED_FOR[foreseen.stage],
        "typed": {name: given.get(name, "") for name in ("move", "dice", "then")},
        "log": list(reversed(moves.log)),
        "refusal": refusal.sentence(gettext) if refusal else "",
    }
    status = HTTPStatus.OK if refusal is None else int(getattr(refusal, "status", 422))
    return render(request, "games/plan.html", context, status=status)


def _may_begin(position: Position, mine: Seat, path: tuple[int, ...], foreseen: Foreseen) -> bool:
    """Before one's own move there is nothing to wait for yet, nor after the end."""
    if not path and position.awaiting == Turn(mine.number):
        return False
    return foreseen.stage != Stage.OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A branch as the page lists it; `path` is where it stands, `is_here` whether one plans on."""

    branch: Branch
    path: str
    is_here: bool
    rows: "list[Row]"

    @property
    def dice(self) -> str:
        return ", ".join(map(str, self.branch.dice or ()))

    @property
    def resigns(self) -> bool:
        return self.branch.then == RESIGN

    @property
    def can_go_on(self) -> bool:
        return not self.resigns and not self.is_here


def _rows(tree: Tree, here: tuple[int, ...], above: tuple[int, ...]) -> list[Row]:
    if len(above) >= MOST_SHOWN_DEEP and here[: len(above)] != above:
        return []
    return [
        Row(
            branch=branch,
            path=_written((*above, number)),
            is_here=here == (*above, number),
            rows=_rows(branch.next, here, (*above, number)),
        )
        for number, branch in enumerate(tree)
    ]


def _count(tree: Tree) -> int:
    return sum(1 + _count(branch.next) for branch in tree)


def _way(tree: Tree, path: tuple[int, ...]) -> list[Branch]:
    """The branches that lead to where one plans."""
    way = []
    for number in path:
        way.append(tree[number])
        tree = tree[number].next
    return way


# What the script asks


@login_required
@require_safe
def board(request: HttpRequest, **at: Any) -> JsonResponse:
    """The board as far as a branch is said, and what can be said next; touches nothing."""
    game, mine = _mine(request, at)
    moves = plans.of_seat(mine.pk)
    tree = conditional.tree(moves.tree)
    prefix = request.GET.get("prefix", "")
    try:
        if request.GET.get("seen", "") != _seen(game, moves):
            raise _gone_on()
        here = _position(game, mine, tree, _path(request.GET.get("at", ""), tree))
        foreseen = _foreseen(here, mine, request)
    except Refusal as refusal:
        status = int(getattr(refusal, "status", 422))
        return JsonResponse({"error": refusal.sentence(gettext)}, status=status)
    return JsonResponse(_told(game, mine, foreseen, prefix))


def _foreseen(here: Position | None, mine: Seat, request: HttpRequest) -> Foreseen:
    if "any" in request.GET and here is not None and here.awaiting != Turn(mine.number):
        return foresight.UNKNOWN
    supposed = request.GET.get("supposed", "")
    said = Said(
        move=request.GET.get("move", "").strip() or None,
        dice=tuple(_totals(request.GET.get("dice", ""))),
        supposed=int(supposed) if supposed.isdecimal() and len(supposed) < 4 else None,
    )
    return foresight.looked_at(here, mine.number, said)


def _told(game: Game, mine: Seat, foreseen: Foreseen, prefix: str) -> JSON:
    position = foreseen.position
    is_picked = position is not None and foreseen.stage in (Stage.THEIR_MOVE, Stage.MY_MOVE)
    return {
        "stage": foreseen.stage,
        "says": str(ASKED_FOR[foreseen.stage]),
        "totals": list(foreseen.totals),
        "choices": picker.choices_after(position, prefix) if position and is_picked else [],
        "board": _drawing(game, mine, position, prefix, is_picked) if position else "",
    }


def _drawing(game: Game, mine: Seat, position: Position, prefix: str, is_picked: bool) -> str:
    if is_picked and isinstance(position.awaiting, Turn):
        return picker.drawn_after(
            game.ruleset, position, prefix, seat=mine.number, last="", translate=gettext
        )
    return BOARDS[game.ruleset].draw(position, seat=mine.number, translate=gettext)


# Changing it


@login_required
@require_POST
def add(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """One more branch, at the place where one plans."""
    return _changed(request, at, _with_branch)


@login_required
@require_POST
def remove(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """Takes a branch away with all that hangs on it, or the whole plan."""
    return _changed(request, at, _without_branch)


Change = Callable[[HttpRequest, Game, Seat, Tree], tuple[list[JSON], str, str]]
"""To the tree as it will be stored; with where one plans then, and what is said of it."""


def _changed(request: HttpRequest, at: dict[str, Any], change: Change) -> HttpResponseBase:
    game, _seat = _mine(request, at)
    try:
        where, done = _change(request, at, change, game.pk)
    except Refusal as refusal:
        return _page(request, *_mine(request, at), refusal=refusal)
    messages.success(request, done)
    return redirect(f"{game.get_absolute_url()}plan/" + (f"?at={where}" if where else ""))


@locks.action
def _change(
    request: HttpRequest, at: dict[str, Any], change: Change, game_id: int
) -> tuple[str, str]:
    """Where one plans then, and what is said of it."""
    lock(game_id)
    game, mine = _mine(request, at)
    if not game.is_running:
        raise GameIsOver("This game is over; nothing more can be played in it.")
    moves = plans.of_seat(mine.pk)
    if request.POST.get("seen", "") != _seen(game, moves):
        raise _gone_on()
    changed, where, done = change(request, game, mine, conditional.tree(moves.tree))
    plans.write(game_id=game.pk, player_id=player_of(request).pk, tree=changed)
    return where, done


def _with_branch(
    request: HttpRequest, game: Game, mine: Seat, tree: Tree
) -> tuple[list[JSON], str, str]:
    path = _path(request.POST.get("at", ""), tree)
    here = _position(game, mine, tree, path)
    branch = _read(request, here, mine)
    stored = [each.to_json() for each in tree]
    level = _level(stored, path)
    if any((each["move"], each["dice"]) == (branch["move"], branch["dice"]) for each in level):
        raise BadRequest("You have a reply to that already; remove it first.")
    level.append(branch)
    # What says more is tried first.
    level.sort(key=lambda each: (each["move"] is None, each["dice"] is None))
    goes_on = branch["then"] is None and bool(request.POST.get("goes_on"))
    where = (*path, level.index(branch)) if goes_on else path
    return stored, _written(where), gettext("Added, and kept: it will be played like this.")


def _without_branch(
    request: HttpRequest, _game: Game, _mine: Seat, tree: Tree
) -> tuple[list[JSON], str, str]:
    if "all" in request.POST:
        return [], "", gettext("The whole plan is deleted; nothing is played without you now.")
    path = _path(request.POST.get("branch", ""), tree)
    if not path:
        raise Http404
    stored = [each.to_json() for each in tree]
    del _level(stored, path[:-1])[path[-1]]
    return stored, _written(path[:-1]), gettext("Removed; the rest of your plan stands.")


def _read(request: HttpRequest, here: Position | None, mine: Seat) -> JSON:
    """The branch that the form names, its moves as the rules write them; raises a refusal."""
    move, then = (request.POST.get(name, "").strip() or None for name in ("move", "then"))
    if "resign" in request.POST:
        then = RESIGN
    elif "ask" in request.POST:
        then = None
    dice = _totals(request.POST.get("dice", "")) or None
    if move is None and dice is None and then is None:
        raise BadRequest("Say what your opponent plays, or what you play; both are empty.")
    if move is None and here is not None and here.awaiting == Turn(1 - mine.number):
        here = None
    for total in dice or (None,):
        said = Said(move=move, dice=() if total is None else (total,))
        foreseen = foresight.looked_at(here, mine.number, said)
        if foreseen.stage == Stage.OVER:
            raise BadRequest("The game would be over after that, so there is nothing to reply.")
        can_be_checked = foreseen.stage == Stage.MY_MOVE and then not in (None, RESIGN)
        if can_be_checked and foreseen.position is not None and then is not None:
            then = str(foreseen.position.parse(then))
    return {"move": move, "dice": dice, "then": then, "next": []}


# Small parts


def _position(game: Game, mine: Seat, tree: Tree, path: tuple[int, ...]) -> Position | None:
    now = ruleset(game.ruleset, game.version).load(game.position)
    if isinstance(now.awaiting, Outcome):
        return now
    return foresight.along(now, mine.number, tree, path)


def _path(text: str, tree: Tree) -> tuple[int, ...]:
    """`0/2` is the third branch of the first; an address that leads nowhere begins at the top."""
    if not PATH.fullmatch(text):
        return ()
    path = tuple(int(number) for number in text.split("/") if number)
    for number in path:
        if number >= len(tree):
            return ()
        tree = tree[number].next
    return path


def _written(path: tuple[int, ...]) -> str:
    return "/".join(map(str, path))


def _level(stored: list[JSON], path: tuple[int, ...]) -> list[JSON]:
    for number in path:
        stored = stored[number]["next"]
    return stored


def _totals(text: str) -> list[int]:
    """`7, 12` or `7 12`; raises a refusal for anything else."""
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() and len(word) < 4 for word in words):
        raise BadRequest("Write the totals of the dice as numbers, such as: 7, 12.")
    return sorted({int(word) for word in words})


def _seen(game: Game, moves: ConditionalMoves) -> str:
    """Changes with the game and with the plan: whoever saw another one is told first."""
    return f"{game.ply}-{zlib.crc32(repr(moves.tree).encode())}"


def _gone_on() -> StalePly:
    return StalePly("The game or your plan has changed meanwhile; this is how they stand now.")
