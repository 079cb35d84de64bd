"""How things work here: a page for each question that people ask, and a page about the house."""

from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from games import clock, elo, one_file_verifier
from games.pages.bots import strengths
from games.rules.registry import RULESETS
from games.rules_pages import SUMMARIES


@dataclass(frozen=True)
class Topic:
    key: str
    title: Promise
    about: Promise


TOPICS = {
    topic.key: topic
    for topic in (
        Topic(
            "mail",
            _("Playing by e-mail"),
            _("What you can write, where it must stand, and what comes back."),
        ),
        Topic(
            "clocks",
            _("Clocks"),
            _("How much time you have, when it stands still, and what happens at the end of it."),
        ),
        Topic("ratings", _("Ratings"), _("How a result becomes points, and who is ranked.")),
        Topic(
            "dice",
            _("Dice"),
            _("Why nobody can choose a throw, and how you check every one of them yourself."),
        ),
        Topic(
            "events",
            _("Events"),
            _("What each format means, and what happens when somebody leaves."),
        ),
        Topic("bots", _("Bots"), _("Who they are, how strong, and how you play one at once.")),
        Topic("api", _("API"), _("How a program acts for you, and how your own bot plays.")),
    )
}


@require_safe
def all_topics(request: HttpRequest) -> HttpResponse:
    return render(request, "games/help.html", {"topics": TOPICS.values()})


@require_safe
def topic(request: HttpRequest, key: str) -> HttpResponse:
    if key not in TOPICS:
        raise Http404
    context = {
        "topics": TOPICS.values(),
        "topic": TOPICS[key],
        "most_vacation": clock.VACATION_MOST.days,
        "provisional_games": elo.PROVISIONAL_GAMES,
        "newcomer_games": elo.NEWCOMER_GAMES,
        "start_rating": elo.displayed(elo.START),
        "most_difference": elo.MOST_DIFFERENCE,
        "site": settings.SITE_URL,
        "strengths": strengths() if key == "bots" else [],
    }
    return render(request, f"games/help_{key}.html", context)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    games = [
        {"key": key, "name": ruleset.name, "summary": SUMMARIES[key]}
        for key, ruleset in RULESETS.items()
    ]
    return render(request, "games/about.html", {"games": games})


@require_safe
def verifier(request: HttpRequest) -> HttpResponse:
    """Everything that checks a game file, as one program."""
    response = HttpResponse(one_file_verifier.program(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{one_file_verifier.NAME}"'
    return response
