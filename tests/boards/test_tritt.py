import re
from typing import Any
from xml.etree import ElementTree

import pytest

from games.boards import tritt
from games.rules import tritt_classic, tritt_reloaded
from games.rules.tritt_board import DOTS
from tests.boards.random_games import SEEDS, gone_through

SVG = "{http://www.w3.org/2000/svg}"
EDITIONS = ("tritt-reloaded", "tritt-classic")
GRID = slice(2, 24)


def reloaded(*moves: str) -> tritt_reloaded.TrittReloaded:
    position = tritt_reloaded.start({})
    for move in moves:
        position = position.play(position.parse(move))
    return position


def classic(*moves: str, **options: object) -> tritt_classic.TrittClassic:
    position = tritt_classic.start(options)
    for move in moves:
        position = position.play(position.parse(move))
    return position


def classed(drawing: str, class_: str) -> list[ElementTree.Element]:
    return [at for at in ElementTree.fromstring(drawing).iter() if at.get("class") == class_]


def trittons(drawing: str) -> list[ElementTree.Element]:
    used = ElementTree.fromstring(drawing).iter(f"{SVG}use")
    return [at for at in used if "tritton" in at.get("href", "")]


def near_player(drawing: str) -> list[str | None]:
    return [at.text for at in classed(drawing, "player") if float(at.get("y", "")) > 400]


def middle_of(drawing: str, spot: str) -> tuple[float, float]:
    at = next(at for at in ElementTree.fromstring(drawing).iter() if at.get("data-spot") == spot)
    return float(at.get("cx", "")), float(at.get("cy", ""))


def listed(text: str, colour: str) -> list[str]:
    """The trittons that the text names for a colour, and how many it says are in hand."""
    found = re.search(rf"^{colour} \((.)-.-.\), in hand (\d+):((?:\s+[a-k\d-]+)*)$", text, re.M)
    assert found
    return [found[1], found[2], *sorted(found[3].split())]


def read_dots(text: str) -> dict[str, str]:
    """The letters of the grid, by dot."""
    rows = text.splitlines()[GRID][:21:2]
    dots = {}
    for row in rows:
        letter, *marks = re.findall(r"[a-kOB.]", row)
        dots |= {f"{letter}{count}": mark for count, mark in enumerate(marks, 1)}
    return dots


@pytest.mark.parametrize("key", EDITIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_board_can_be_read_back_from_the_text(key: str, seed: int) -> None:
    position: Any
    for position, _last in gone_through(key, seed):
        text, stored = tritt.text(position), position.to_json()
        orange, blue = position.dots
        assert read_dots(text) == {
            name: "O" if dot & orange else "B" if dot & blue else "." for name, dot in DOTS.items()
        }
        hand = 10 if key == "tritt-reloaded" else 8
        for colour in ("orange", "blue"):
            ends_are_orange = (key == "tritt-classic") == (colour == "orange")
            assert listed(text, colour.title()) == [
                "O" if ends_are_orange else "B",
                str(hand - len(stored[colour])),
                *(sorted(stored[colour]) or ["-"]),
            ]


def test_the_grid_joins_the_dots_of_a_tritton() -> None:
    assert tritt.text(reloaded("a1-a3", "c3-e5", "a6-c6")).splitlines()[GRID][12:] == [
        "     e   .   .   .   .   O   .   .   .   .   .",
        "                        /",
        "       d   .   .   .   B   .   .   .   .   .",
        "                      /",
        "         c   .   .   O   .   .   B   .   .",
        "                                  \\",
        "           b   .   .   .   .   .   O   .",
        "                                    \\",
        "             a   B---O---B   .   .   B",
        "                 1   2   3   4   5   6",
    ]


@pytest.mark.parametrize("key", EDITIONS)
def test_as_many_trittons_lie_in_the_drawing_as_there_are(key: str) -> None:
    position: Any
    for position, last in gone_through(key, 3):
        drawing = tritt.draw(position, last=last)
        lying, all_of_them = sum(map(len, position.trittons)), 20 if key == EDITIONS[0] else 16
        assert len([at for at in trittons(drawing) if at.get("x")]) == lying
        assert len([at for at in trittons(drawing) if at.get("transform")]) == all_of_them - lying
        assert len(classed(drawing, "entered")) == lying


@pytest.mark.parametrize("seat", [0, 1])
def test_a_tritton_lies_on_the_dot_of_its_middle(seat: int) -> None:
    drawing = tritt.draw(reloaded("c3-e5"), seat=seat)
    use = next(at for at in trittons(drawing) if at.get("x"))
    assert (float(use.get("x", "")), float(use.get("y", ""))) == middle_of(drawing, "d4")


def test_each_seat_has_its_own_side_at_the_bottom() -> None:
    position = reloaded("c3-e5")
    near, far = tritt.draw(position), tritt.draw(position, seat=1)
    for spot in ("a1", "f11", "k3"):
        (x, y), (far_x, far_y) = middle_of(near, spot), middle_of(far, spot)
        assert (x + far_x, y + far_y) == pytest.approx((800, 800))
    assert middle_of(near, "a1")[1] > middle_of(near, "k1")[1]
    assert near_player(near) == ["Orange"]
    assert near_player(far) == ["Blue"]


def test_a_swap_changes_sides() -> None:
    assert near_player(tritt.draw(classic("c3-e5", "swap"))) == ["Blue"]


def test_the_last_move_is_shown() -> None:
    position = reloaded("c3-e5", "a1-a3 c3-e5>d4-f6")
    assert not classed(tritt.draw(position), "halo")
    drawing = tritt.draw(position, last="a1-a3 c3-e5>d4-f6")
    beginnings = [at.get("d", "").partition("L")[0] for at in classed(drawing, "halo")]
    assert beginnings == ["M{:g} {:g}".format(*middle_of(drawing, name)) for name in ("a1", "d4")]
    (left,) = classed(drawing, "left")
    assert left.get("transform", "").startswith(
        "translate({:g} {:g})".format(*middle_of(drawing, "c3"))
    )
    assert not classed(tritt.draw(classic("c3-e5", "swap"), last="swap"), "halo")


def test_coordinates_can_be_left_out() -> None:
    position = reloaded()
    assert len(classed(tritt.draw(position), "coordinate")) == 11 + 6 + 6 + 9
    assert not classed(tritt.draw(position, coordinates=False), "coordinate")


def test_a_line_that_was_made_is_outlined_and_told() -> None:
    position = classic("c3-e5", "d5-d7", "i1-i3", "d1-d3")
    assert len(classed(tritt.draw(position), "line")) == 1
    assert [at.text for at in classed(tritt.draw(position), "state")] == ["has won"]
    assert tritt.describe(position).endswith("Blue has won by a line of its own colour: d3 d4 d5.")


def test_a_line_made_for_the_opponent_is_told() -> None:
    position = classic("c3-e5", "d5-d7", "c2-e4")
    assert tritt.describe(position).endswith(
        "Blue has won: Orange made a line of Blue's colour: d3 d4 d5."
    )


def test_a_player_without_a_move_is_told() -> None:
    *_, (position, _last) = gone_through("tritt-reloaded", 6)
    assert tritt.describe(position).endswith("Blue has won: Orange has no legal move left.")


def test_a_draw_is_told() -> None:
    to_and_fro = ("h1-h3>h2-h4", "c3-e5>d4-f6", "h2-h4>h1-h3", "d4-f6>c3-e5")
    position = classic("c3-e5", "h1-h3", *to_and_fro, *to_and_fro)
    assert tritt.describe(position).endswith(
        "A draw: this placement has come about for the third time."
    )
    assert not classed(tritt.draw(position), "state")


def test_a_dot_says_what_lies_on_it() -> None:
    position = reloaded("c3-e5")
    drawing = ElementTree.fromstring(tritt.draw(position, choices=position.choices("a1-a3")))
    labels = {at.get("data-spot"): at.get("aria-label") for at in drawing.iter()}
    assert [labels[name] for name in ("c3", "d4", "e5")] == ["c3, blue", "d4, orange", "e5, blue"]
    assert drawing.get("role") == "group"
    free = ElementTree.fromstring(tritt.draw(reloaded(), choices=reloaded().choices()))
    assert {at.get("aria-label") for at in free.iter()} >= {"c3, free"}
