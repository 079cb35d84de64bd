"""What a player does at a table by the page's forms: each ends in one of the doors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.current import player_of
from games import lobby, play, talk
from games.models import Game, Via
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.table import page
from games.pages.wording import game_name
from games.refusals import PlayRefusal
from games.rules.position import MoveError, Refusal


@dataclass(frozen=True)
class Act:
    """An act by one button; `question` is asked first, and `label` is what says yes to it."""

    door: Callable[..., None]
    done: str | Promise
    question: str | Promise = ""
    label: str | Promise = ""


ACTS = {
    "resign": Act(
        play.resign,
        _("You have resigned. The game is over; you can offer another below."),
        _("Do you really want to resign? The game is over then, and you have lost it."),
        _("Resign"),
    ),
    "abort": Act(
        play.abort,
        _("The game is called off; it counts for nothing."),
        _("Do you really want to call this game off? It ends without a result."),
        _("Call it off"),
    ),
    "offer-draw": Act(
        play.offer_draw,
        _("You have offered a draw. Until your opponent answers or moves, you can withdraw it."),
        _("Do you want to offer a draw? The offer stands until your opponent answers or moves."),
        _("Offer a draw"),
    ),
    "accept-draw": Act(
        play.accept_draw,
        _("The game is drawn."),
        _("Do you want to accept the draw? The game is over then."),
        _("Accept the draw"),
    ),
    "decline-draw": Act(play.decline_draw, _("You have declined the draw; the game goes on.")),
    "withdraw-draw": Act(play.withdraw_draw, _("Your offer is withdrawn; the game goes on.")),
    "ask-takeback": Act(
        play.ask_takeback,
        _("You have asked to take your move back. It stands until your opponent allows it."),
    ),
    "accept-takeback": Act(
        partial(play.accept_takeback, via=Via.WEB),
        _("The move is taken back; your opponent moves again."),
    ),
    "decline-takeback": Act(
        play.decline_takeback, _("You have said no to taking back; the move stands.")
    ),
}


@login_required
@require_POST
def move(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """Plays the typed or picked move, or only shows where it leads."""
    now = timezone.now()
    game, mine = visible_game(request, **at)
    text, ply = request.POST.get("move", ""), request.POST.get("ply", "")
    try:
        if "preview" in request.POST:
            _look_at(game, text)
            return page(request, game, mine, typed=text)
        play.submit_move(
            game_id=game.pk,
            player_id=player_of(request).pk,
            text=text,
            ply=int(ply) if ply.isdecimal() and len(ply) < 7 else game.ply,
            now=now,
            via=Via.WEB,
        )
    except Refusal as refusal:
        game, mine = visible_game(request, **at)
        status = int(getattr(refusal, "status", 422))
        return page(request, game, mine, typed=text, refusal=refusal, status=status)
    if request.headers.get("HX-Request"):
        return page(request, *visible_game(request, **at))
    return redirect(game)


def _look_at(game: Game, text: str) -> None:
    shown = ShownGame(game, None, now=timezone.now(), ply=None)
    shown.position.parse(text)


@login_required
@require_POST
def act(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """One button, one act; those that cannot be undone are asked about first."""
    game, _mine = visible_game(request, **at)
    name = request.POST.get("act", "")
    if name not in ACTS:
        raise Http404
    wanted = ACTS[name]
    if wanted.question and "sure" not in request.POST:
        context = {"game": game, "name": game_name(game.ruleset), "act": name, "wanted": wanted}
        return render(request, "games/question.html", context)
    return _through(
        request,
        game,
        lambda: wanted.door(game_id=game.pk, player_id=player_of(request).pk, now=timezone.now()),
        str(wanted.done),
    )


@login_required
@require_POST
def say(request: HttpRequest, **at: Any) -> HttpResponseBase:
    game, _mine = visible_game(request, **at)
    text = request.POST.get("text", "")
    try:
        talk.say(game_id=game.pk, player_id=player_of(request).pk, text=text, now=timezone.now())
    except PlayRefusal as refusal:
        messages.error(request, refusal.sentence(gettext))
    return redirect(f"{game.get_absolute_url()}#chat")


@login_required
@require_POST
def chat_setting(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """Hides the opponent's lines or shows them again, or asks the staff to look at one."""
    game, _mine = visible_game(request, **at)
    player_id = player_of(request).pk
    line = request.POST.get("report", "")
    if line.isdecimal() and len(line) < 19:
        return _through(
            request,
            game,
            lambda: talk.report(
                game_id=game.pk, line_id=int(line), player_id=player_id, now=timezone.now()
            ),
            gettext("Thank you; somebody will look at it."),
        )
    hidden = request.POST.get("hide") == "yes"
    return _through(
        request,
        game,
        lambda: talk.hide_chat(game_id=game.pk, player_id=player_id, hidden=hidden),
        gettext("The chat is hidden.") if hidden else gettext("The chat is shown again."),
    )


@login_required
@require_POST
def note(request: HttpRequest, **at: Any) -> HttpResponseBase:
    game, _mine = visible_game(request, **at)
    text = request.POST.get("note", "")
    return _through(
        request,
        game,
        lambda: talk.write_note(game_id=game.pk, player_id=player_of(request).pk, note=text),
        gettext("Your note is kept."),
    )


@login_required
@require_POST
def rematch(request: HttpRequest, **at: Any) -> HttpResponseBase:
    game, _mine = visible_game(request, **at)
    try:
        offer = lobby.offer_rematch(
            player=player_of(request),
            game_id=game.pk,
            now=timezone.now(),
            salt=request.POST.get("salt", ""),
        )
    except PlayRefusal as refusal:
        messages.error(request, refusal.sentence(gettext))
        return redirect(game)
    if offer.game:
        return redirect(offer.game)
    messages.success(
        request, gettext("You have offered another game. It begins as soon as it is accepted.")
    )
    return redirect(game)


def _through(
    request: HttpRequest, game: Game, door: Callable[[], object], done: str
) -> HttpResponse:
    """Back to the table, with what was done or why it was refused."""
    try:
        door()
    except (PlayRefusal, MoveError) as refusal:
        messages.error(request, refusal.sentence(gettext))
    else:
        messages.success(request, done)
    return redirect(game)
