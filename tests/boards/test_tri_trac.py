import re
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest

from games.boards import tri_trac
from games.boards.tri_trac_shapes import EDGE, SHAPES, mean
from games.rules import tri_trac as rules
from games.rules.tri_trac_board import LAYS, SPACES, Lay
from tests.boards.random_games import SEEDS, gone_through

SVG = "{http://www.w3.org/2000/svg}"
GRID = slice(2, 21)
COLOURS = {"O": "orange", "Y": "yellow", "W": "white"}


def played(*moves: str, **options: object) -> rules.TriTrac:
    position = rules.start(options)
    for move in moves:
        position = position.play(position.parse(move))
    return position


def classed(drawing: str, class_: str) -> list[ElementTree.Element]:
    return [at for at in ElementTree.fromstring(drawing).iter() if at.get("class") == class_]


def corners_of(drawing: str, spot: str) -> list[tuple[float, float]]:
    at = next(at for at in ElementTree.fromstring(drawing).iter() if at.get("data-spot") == spot)
    pairs = (pair.split(",") for pair in at.get("points", "").split())
    return sorted((float(x), float(y)) for x, y in pairs)


def ends_of(track: str) -> list[tuple[float, float]]:
    first, last = re.findall(r"L([-\d.]+) ([-\d.]+)(?=A)|([-\d.]+) ([-\d.]+)(?=L[^L]*$)", track)
    return [(float(first[0]), float(first[1])), (float(last[2]), float(last[3]))]


def read_grid(text: str) -> dict[str, str]:
    """What stands in each space: above its name if it points down, below if it points up."""
    lines = text.splitlines()[GRID]
    found = {}
    for row, line in enumerate(lines):
        for name in re.finditer(r"[a-d][1-7]", line):
            points_up = line[name.start() - 1] == "/"
            beside = lines[row + 1 if points_up else row - 1].ljust(40)
            found[name[0]] = beside[name.start() - 1 : name.start() + 4].strip("/\\ ")
    return found


def read_list(text: str, colour: str) -> set[str]:
    unwrapped = text.replace("\n    ", " ")
    listed = re.search(rf"^{colour}[^:]*: (.+)$", unwrapped, re.MULTILINE)
    assert listed
    return {lay.replace(" ", "") for lay in listed[1].split(", ")} - {"-"}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_board_can_be_read_back_from_the_text(seed: int) -> None:
    position: Any
    for position, _last in gone_through("tri-trac", seed):
        text, stored = tri_trac.text(position), position.to_json()
        grid = read_grid(text)
        assert set(grid) == set(SPACES)
        for letter, colour in COLOURS.items():
            read = {space + lay[1:] for space, lay in grid.items() if lay.startswith(letter)}
            assert read == read_list(text, colour.title()) == set(stored[colour].split())
        for seat, colour in enumerate(("Orange", "Yellow")):
            assert f"{colour}, in hand {position.in_hand(seat)}:" in text


def test_the_lists_name_every_triangle() -> None:
    text = tri_trac.text(played("place c4 wn", "place b4 es", "place d2 en"))
    assert "Orange, in hand 6: d2 en\nYellow, in hand 6: b4 es\nWhite: c4 wn\n" in text
    assert "White: -\n" in tri_trac.text(played())


def test_the_arrows_stand_at_the_rim_of_the_text() -> None:
    lines = tri_trac.text(played()).splitlines()[GRID]
    assert lines[0].index("V") == lines[3].index("d2") + 1
    assert lines[-1].index("A") == lines[-4].index("a4") + 1
    assert re.match(r" +> \\b1 ", lines[11])
    assert lines[7].endswith("/c7 \\ <")


def test_each_seat_has_its_own_side_at_the_bottom() -> None:
    near, far = tri_trac.draw(played()), tri_trac.draw(played(), seat=1)
    for space in SPACES:
        turned = sorted((800 - x, 800 - y) for x, y in corners_of(near, space))
        assert corners_of(far, space) == [pytest.approx(corner, abs=0.011) for corner in turned]
    assert min(y for _, y in corners_of(near, "a1")) > max(y for _, y in corners_of(near, "d1"))


def test_a_triangle_lies_where_it_was_placed_and_all_others_in_hand() -> None:
    drawing = tri_trac.draw(played("place c4 wn", "place b4 es"))
    assert [at.text for at in classed(drawing, "triangle-name")] == ["b4", "c4"]
    assert len(classed(drawing, "bed")) == 2 + 7 + 6
    assert len(classed(drawing, "gone")) == 1


def test_the_white_triangle_lies_beside_the_hand_until_it_is_placed() -> None:
    assert len(classed(tri_trac.draw(played()), "edge white-edge")) == 1
    assert len(classed(tri_trac.draw(played()), "bed")) == 15


@pytest.mark.parametrize("lay", LAYS, ids=lambda lay: lay.space + lay.track)
def test_a_track_joins_the_middles_of_its_two_sides(lay: Lay) -> None:
    """Spots are drawn a little smaller than their spaces, hence the pixels to spare."""
    beginning = ("place c4 wn", "place c5 ws"), ("place b4 ws", "place b5 wn")
    position = played(*beginning[lay.space[0] in "cd"])
    placed = tri_trac.draw(position.play(position.parse(f"place {lay.space} {lay.track}")))
    xs, ys = zip(*corners_of(placed, lay.space), strict=True)
    point_up = ys[1] < ys[0]
    half = (ys[0] + ys[1]) / 2
    middles = {
        "w": ((xs[0] + xs[1]) / 2, half),
        "e": ((xs[1] + xs[2]) / 2, half),
        "s" if point_up else "n": (xs[1], ys[0]),
    }
    tracks = [ends_of(at.get("d", "")) for at in classed(placed, "bed")]
    wanted = [middles[side] for side in lay.track]
    assert any(
        sorted(ends) == [pytest.approx(at, abs=6) for at in sorted(wanted)] for ends in tracks
    )


def test_a_barred_white_triangle_has_a_lock() -> None:
    barred = played("place c4 wn")
    free = barred.play(barred.parse("place b4 es"))
    assert len(re.findall("M-9-1H9V11H-9z", tri_trac.draw(barred))) == 1
    assert "M-9-1H9V11H-9z" not in tri_trac.draw(free)
    assert tri_trac.describe(barred).endswith(
        "Yellow is to move and may not touch the white triangle now."
    )


def test_tracks_are_shown_where_one_is_to_be_chosen() -> None:
    position = played()
    assert not classed(tri_trac.draw(position, choices=position.choices()), "preview")
    drawing = tri_trac.draw(position, choices=position.choices("place c4"))
    assert len(classed(drawing, "preview")) == 3
    tracks = [at.get("data-spot") for at in classed(drawing, "spot track choice")]
    assert tracks == ["c4.we", "c4.wn", "c4.en"]


def test_a_track_is_pointed_at_in_the_corner_that_it_goes_around() -> None:
    position = played("place c4 wn", "place b4 es")
    for choice in (*position.choices("place c3"), *position.choices("place a4")):
        space, track = choice.spots[0].split(".")
        drawing = tri_trac.draw(position, choices=position.choices(f"place {space}"))
        target = mean(*corners_of(drawing, choice.spots[0]))
        shapes = SHAPES[0][space]
        assert min(shapes, key=lambda other: dist(shapes[other].corner, target)) == track
        assert dist(shapes[track].corner, target) < EDGE * 0.4


@pytest.mark.parametrize(
    ("last", "left", "touched"),
    [("", 0, 0), ("place b4 es", 0, 1), ("rotate c4 we", 0, 1), ("move b4 c6 wn", 1, 1)],
)
def test_the_last_move_is_shown(last: str, left: int, touched: int) -> None:
    drawing = tri_trac.draw(played("place c4 wn", "place b4 es"), last=last)
    assert len(classed(drawing, "left")) == left
    assert len(classed(drawing, "last")) == touched


def test_names_of_spaces_can_be_left_out() -> None:
    position = played("place c4 wn")
    assert len(classed(tri_trac.draw(position), "space-name")) == 24
    drawing = tri_trac.draw(position, coordinates=False)
    assert not classed(drawing, "space-name") + classed(drawing, "triangle-name")


def test_the_first_move_is_told() -> None:
    assert tri_trac.describe(played()) == (
        "Orange lies in no space; Yellow lies in no space; White lies in no space."
        " Triangles in hand: 7 orange, 7 yellow."
        " Orange is to move and places the white triangle in the centre."
    )


def test_a_complete_track_is_shown_and_told() -> None:
    position = next(
        position
        for seed in range(100)
        for position, _ in gone_through("tri-trac", seed, plies=120)
        if getattr(position.awaiting, "reason", "") == "track"
    )
    drawing = tri_trac.draw(position)
    assert len(classed(drawing, "won")) >= 3
    assert [at.text for at in classed(drawing, "state")] == ["has won"]
    assert tri_trac.describe(position).endswith("has won: the track joins two arrows.")


def test_draws_are_told() -> None:
    limited = played("place c4 wn", "place b4 es", move_limit=2)
    assert tri_trac.describe(limited).endswith("A draw: all 2 moves have been made.")
    to_and_fro = ("rotate b4 we", "rotate d2 en", "rotate b4 es", "rotate d2 wn")
    beginning = ("place c4 wn", "place b4 es", "place d2 wn")
    repeated = played(*beginning, *to_and_fro, *to_and_fro)
    assert tri_trac.describe(repeated).endswith(
        "A draw: this position has come about for the third time."
    )
    assert not classed(tri_trac.draw(repeated), "won")
