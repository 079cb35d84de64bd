"""The rules, to read and to try: a page for each game, in each language."""

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from games.boards.registry import BOARDS
from games.diagrams import DIAGRAMS, TRIALS, Diagram, moves_of
from games.picker import choices_after, drawn_after
from games.rules.position import MoveError, Position, Refusal, Roll
from games.rules.registry import RULESETS
from games.trial import Trial, TrialRefused

Context = dict[str, object]

LANGUAGES_WRITTEN = ("en", "de")
RECONSTRUCTED = ("tritoc", "tri-trac", "triotrio")
"""Games whose sheets had figures that are lost."""

SUMMARIES = {
    "tritt-reloaded": _(
        "Enter your own pieces, slide your opponent’s,"
        " and make the only line of three in your colour."
    ),
    "tritt-classic": _(
        "The first edition: enter or slide, one thing a turn, and the second player may swap sides."
    ),
    "tritoc": _(
        "Nine fields of nine holes, and two dice that say which: win three fields in a row."
    ),
    "tri-trac": _("Lay triangles, turn them, and complete the track from one arrow to another."),
    "triotrio": _(
        "Rock, paper and scissors on a board,"
        " where like pieces repel and a golden cow brings one back."
    ),
}
TRIAL_INVITATIONS = {
    "tritt-reloaded": _("It is Orange’s turn, and one slide wins. Can you find it?"),
    "tritt-classic": _("It is Blue’s turn, and several moves win. Can you find one?"),
    "tritoc": _("Yellow has thrown a 9, and one of the holes wins the game. Which?"),
    "tri-trac": _("Orange can complete a track with one move. Which?"),
    "triotrio": _("Yellow has rolled a 6. Capture Blue’s paper, and see what it costs."),
}


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    games = [
        {
            "key": key,
            "name": ruleset.name,
            "summary": SUMMARIES[key],
            "picture": _picture(key, get_language()),
            "has_dice": key in _games_with_dice(),
        }
        for key, ruleset in RULESETS.items()
    ]
    return render(request, "rules/index.html", {"games": games})


@require_safe
def rules_of(request: HttpRequest, key: str) -> HttpResponse:
    _demand(key)
    return _page(request, key, trial_context(Trial.begun(key, TRIALS[key])))


@require_http_methods(["GET", "HEAD", "POST"])
def try_move(request: HttpRequest, key: str) -> HttpResponse:
    """One more move on the trial board: a fragment for htmx, or else the whole page."""
    _demand(key)
    if request.method != "POST":
        return redirect("rules_of", key)
    context = _tried(request, key)
    if request.headers.get("HX-Request"):
        return render(request, "rules/trial.html", context)
    return _page(request, key, context)


@require_safe
def trial_choices(request: HttpRequest, key: str) -> JsonResponse:
    """What can follow the beginning of a move on the trial board."""
    _demand(key)
    prefix = request.GET.get("prefix", "")
    try:
        trial = Trial.read(request.GET.get("state", ""), key)
    except TrialRefused as refusal:
        return JsonResponse({"error": refusal.sentence(gettext)}, status=400)
    return JsonResponse(
        {
            "choices": choices_after(trial.position, prefix),
            "board": _trial_board(trial, prefix),
        }
    )


def _demand(key: str) -> None:
    if key not in RULESETS:
        raise Http404


def _tried(request: HttpRequest, key: str) -> Context:
    """The trial after what the visitor asked for, or as it was, with the reason why not."""
    text = request.POST.get("move", "")
    try:
        trial = Trial.read(request.POST.get("state", ""), key)
    except TrialRefused as refusal:
        return trial_context(Trial.begun(key, TRIALS[key]), refusal)
    if "back" in request.POST:
        return trial_context(trial.taken_back())
    try:
        return trial_context(trial.moved(text))
    except (MoveError, TrialRefused) as refusal:
        return trial_context(trial, refusal, text)


def trial_context(trial: Trial, refusal: Refusal | None = None, text: str = "") -> Context:
    board = BOARDS[trial.key]
    return {
        "key": trial.key,
        "trial": trial,
        "invitation": TRIAL_INVITATIONS[trial.key],
        "board": mark_safe(_trial_board(trial)),  # noqa: S308 (drawn by us, escaped there)
        "standing": board.describe(trial.position, translate=gettext),
        "written": board.text(trial.position, translate=gettext),
        "choices": choices_after(trial.position, ""),
        "refusal": refusal.sentence(gettext) if refusal else "",
        "refused_text": text,
    }


def _trial_board(trial: Trial, prefix: str = "") -> str:
    return drawn_after(
        trial.key, trial.position, prefix, seat=0, last=trial.last_move, translate=gettext
    )


def _page(request: HttpRequest, key: str, trial: Context) -> HttpResponse:
    written_in = get_language() if get_language() in LANGUAGES_WRITTEN else "en"
    context = {
        **trial,
        "name": RULESETS[key].name,
        "games": RULESETS.values(),
        "has_reconstructions": key in RECONSTRUCTED,
        **_illustrations(key, written_in),
    }
    return render(request, f"rules/{written_in}/{key}.html", context)


@cache
def _illustrations(key: str, language: str) -> Context:
    """Figures, moves and marks in the active language, by the names that the text uses."""
    return {
        "figure": {name: _figure(name, diagram) for name, diagram in DIAGRAMS[key].items()},
        "move": {
            name: format_html("<code>{}</code>", move) for name, move in moves_of(key).items()
        },
        "refused": {
            name: _refused(diagram.position, text)
            for diagram in DIAGRAMS[key].values()
            for name, text in diagram.refused.items()
        },
        "ruling": _mark("ruling", gettext("house ruling")),
        "reconstruction": _mark("reconstruction", gettext("reconstruction")),
    }


@cache
def _picture(key: str, language: str | None) -> SafeString:
    return _drawn(DIAGRAMS[key]["won"], ids=f"{key}-", coordinates=False)


def _figure(name: str, diagram: Diagram) -> SafeString:
    return format_html(
        '<figure class="diagram">{}<figcaption>{}</figcaption></figure>',
        _drawn(diagram, ids=f"{name}-"),
        diagram.caption,
    )


def _drawn(diagram: Diagram, *, ids: str, coordinates: bool = True) -> SafeString:
    drawing = BOARDS[diagram.key].draw(
        diagram.position,
        last=diagram.last_move,
        ids=ids,
        coordinates=coordinates,
        translate=gettext,
    )
    return mark_safe(drawing)  # noqa: S308 (drawn by us, escaped there)


def _mark(kind: str, words: str) -> SafeString:
    return format_html('<a class="mark mark--{}" href="#marks">{}</a>', kind, words)


def _refused(position: Position, text: str) -> SafeString:
    """The text and what the service says to it."""
    try:
        position.parse(text)
    except MoveError as refusal:
        return format_html("<code>{}</code> (<q>{}</q>)", text, refusal.sentence(gettext))
    raise ValueError(f"{text} is not refused.")


@cache
def _games_with_dice() -> frozenset[str]:
    starts = {key: ruleset.start({}) for key, ruleset in RULESETS.items()}
    return frozenset(key for key, start in starts.items() if isinstance(start.awaiting, Roll))
