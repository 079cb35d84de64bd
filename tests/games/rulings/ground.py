"""What the tests of rulings look at."""

from datetime import timedelta

from games import invariants
from games.models import Participant, Rating
from tests.conftest import NOW, days
from tests.games.acts import as_stored

HOUR = timedelta(hours=1)
LATER = NOW + days(1)


def result_of(game):
    game = as_stored(game)
    return game.status, game.score, game.reason


def rating_of(player):
    return list(Rating.objects.filter(player=player).values_list("rating", flat=True))


def counts():
    return dict(Participant.objects.values_list("player__name", "running_games"))


def all_is_well(now=LATER):
    assert list(invariants.breaches(now=now)) == []
