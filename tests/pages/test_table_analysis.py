"""Lines tried on the side, and the game as a picture that moves."""

import re
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from games.animation import MOST_FRAMES, animated, thinned
from games.boards.registry import BOARDS
from games.models import Game
from games.pages.analysis import MOST_ACTS
from tests.boards.random_games import gone_through
from tests.pages.test_table import play_both

ALL = list(BOARDS)
MOST_QUERIES = 15


@pytest.fixture
def game(start) -> Game:
    game = start(now=timezone.now())
    play_both(game, "a1-a3", "k1-k3")
    return game


def address(game: Game, tail: str = "") -> str:
    return f"{game.get_absolute_url()}analysis/{tail}"


# Analysis


def test_a_move_is_tried_from_any_ply_and_the_address_holds_it(
    game, client, django_assert_max_num_queries
):
    asked = {"ply": 1, "line": "b1-b3", "move": "K1 - k3"}
    response = client.get(address(game), asked)
    assert response.url == f"{address(game)}?ply=1&line=b1-b3%2Ck1-k3"
    with django_assert_max_num_queries(MOST_QUERIES):
        html = client.get(response.url).content.decode()
    assert "From move 1 of alice – bob." in html
    assert "Tried: k1-k3." in html
    game.refresh_from_db()
    assert game.ply == 2


def test_an_analysis_leads_one_move_back_until_the_beginning(game, client):
    latest = client.get(address(game)).content.decode()
    assert f'href="{address(game)}?ply=1" data-key="ArrowLeft"' in latest
    assert "One move back" not in client.get(address(game, "?ply=0")).content.decode()


def test_a_refused_move_says_why_and_keeps_the_line(game, client):
    response = client.get(address(game), {"line": "b1-b3", "move": "a1-k9"})
    html = response.content.decode()
    assert response.status_code == 422
    assert 'role="alert"' in html
    assert 'value="a1-k9"' in html
    assert 'name="line" value="b1-b3"' in html


@pytest.mark.parametrize(
    "line", ["nonsense", "3+4", "a1-a3", "b1-b3,b1-b3", "9" * 30, "99999999+1"]
)
def test_a_line_that_cannot_be_is_left_out_and_said_so(game, client, line):
    response = client.get(address(game), {"line": line})
    assert response.status_code == 422
    assert "This line cannot be played from here" in response.content.decode()


def test_a_line_has_an_end(start, client):
    game = start("triotrio", now=timezone.now())
    response = client.get(address(game), {"line": ",".join(["pass"] * 2 * MOST_ACTS)})
    assert response.status_code == 422


@pytest.mark.parametrize("dice", [["7", "1"], ["1"], ["0", "3"], ["x", "y"]])
def test_impossible_dice_are_refused(start, client, dice, loaded_dice):
    loaded_dice((2, 3))
    game = start("tritoc", now=timezone.now())
    response = client.get(address(game), {"line": "1.5", "die": dice})
    assert response.status_code == 422
    assert "Throw 2 dice, each from 1 to 6." in response.content.decode()


def test_the_picker_is_told_what_can_be_tried(game, client):
    told = client.get(address(game, "choices/"), {"ply": 0, "line": "b1-b3", "prefix": ""}).json()
    whole = [choice["token"] for choice in told["choices"] if choice["whole"]]
    assert "a1-a3" in whole
    assert "b1-b3" not in whole


def test_a_private_game_is_analysed_by_its_link_alone(start, client):
    game = start(private=True, now=timezone.now())
    assert client.get(address(game)).status_code == 200
    assert client.get(f"/games/{game.pk}/analysis/").status_code == 404


# The moving picture


@pytest.mark.parametrize("key", ALL)
def test_every_game_moves_with_each_position_in_its_turn(key):
    drawings = [BOARDS[key].draw(p, last=last) for p, last in gone_through(key, 1, 20)]
    picture = animated(drawings)
    root = ElementTree.fromstring(picture)
    frames = [part for part in root if part.attrib.get("class", "").startswith("ply ply-")]
    assert len(frames) == len(drawings)
    ids = re.findall(r'\sid="([^"]+)"', picture)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(|href=")#([^")]+)', picture)) <= set(ids)
    assert len(picture) < sum(map(len, drawings))


def test_whoever_wants_no_motion_sees_the_last_position():
    drawings = [BOARDS["tritoc"].draw(p) for p, _last in gone_through("tritoc", 1, 5)]
    style = animated(drawings).partition("<style>")[2].partition("</style>")[0]
    still = style.partition("@media(prefers-reduced-motion:reduce)")[2]
    assert ".ply{animation:none}.ply-4{visibility:visible}" in still


def test_a_very_long_game_is_thinned_and_keeps_its_end():
    frames = [str(number) for number in range(1000)]
    kept = thinned(frames)
    assert len(kept) <= MOST_FRAMES + 1
    assert (kept[0], kept[-1]) == ("0", "999")
    assert thinned(frames[:7]) == frames[:7]


def test_the_moving_picture_is_downloaded_as_far_as_wished(game, client):
    whole = client.get(f"{game.get_absolute_url()}game.svg")
    assert whole["Content-Type"] == "image/svg+xml"
    assert whole.content.count(b'class="ply ply-') == 3
    part = client.get(f"{game.get_absolute_url()}game.svg", {"ply": 1})
    assert part.content.count(b'class="ply ply-') == 2
