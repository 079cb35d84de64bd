"""The picture of a bracket: everything inside, nothing over anything else."""

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from tournaments.bracket import BOX, LINE, MOST_ROWS, Words, draw, layout
from tournaments.formats.history import Entrant, History, Meeting
from tournaments.formats.knockout import Knockout

WORDS = Words(title="The bracket", main="Winners", losers="Losers")
SVG = "{http://www.w3.org/2000/svg}"


def history(entrants: int, *games: Meeting) -> History:
    return History(
        entrants=[Entrant(number=number) for number in range(1, entrants + 1)], meetings=games
    )


def picture(format: Knockout, played: History, names=None, **more) -> ElementTree.Element:
    names = names or {each.number: f"player {each.number}" for each in played.entrants}
    drawn = draw(format.bracket(played), names, WORDS, **more)
    return ElementTree.fromstring(drawn.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1))


def boxes(svg: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(box.get("x", 0)), float(box.get("y", 0))) for box in svg.iter(f"{SVG}rect")]


def texts(svg: ElementTree.Element, kind: str) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text") if one.get("class") == kind]


FORMATS = [Knockout(), Knockout(double=True), Knockout(double=True, reset=True)]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("entrants", [2, 3, 5, 8, 13, 32, 64])
def test_no_box_lies_over_another_and_all_lie_inside(format, entrants):
    shape = format.shape(entrants)
    places, (width, height) = layout(shape)
    corners = sorted((place.x, place.y) for place in places.values())
    assert len(corners) == len(shape)
    for x, y in corners:
        assert 0 <= x <= width - BOX
        assert 0 <= y <= height - 2 * LINE
    for at, (x, y) in enumerate(corners):
        for other_x, other_y in corners[at + 1 :]:
            assert abs(x - other_x) >= BOX or abs(y - other_y) >= 2 * LINE


def test_a_bye_is_no_box():
    assert len(boxes(picture(Knockout(), history(5)))) == 4
    assert len(boxes(picture(Knockout(), history(8)))) == 7


def test_of_a_large_event_the_last_rounds_are_drawn():
    places, (_width, height) = layout(Knockout().shape(512))
    assert len(places) == 2 * MOST_ROWS - 1
    assert height < MOST_ROWS * 100


def test_who_won_and_with_how_much_is_seen():
    won = Meeting(round=1, first=1, second=2, scores=(Fraction(1, 2), Fraction(1, 2)))
    back = Meeting(round=1, first=2, second=1, leg=2, scores=(Fraction(0), Fraction(1)))
    svg = picture(Knockout(games=2), history(2, won, back))
    assert texts(svg, "bracket-won") == ["player 1", "1½"]
    assert texts(svg, "bracket-lost") == ["player 2", "½"]


def test_a_match_that_runs_has_no_score_and_no_loser():
    svg = picture(Knockout(), history(2, Meeting(round=1, first=1, second=2)))
    assert texts(svg, "bracket-open") == ["player 1", "", "player 2", ""]


def test_my_own_matches_are_marked():
    svg = picture(Knockout(), history(4), me=3)
    marked = [g for g in svg.iter(f"{SVG}g") if "bracket-match--mine" in (g.get("class") or "")]
    assert len(marked) == 1
    assert "player 3" in "".join(marked[0].itertext())


def test_a_name_stays_a_name_and_fits_in():
    names = {1: '<b>&"', 2: "somebody with a very long name"}
    svg = picture(Knockout(), history(2), names)
    assert texts(svg, "bracket-open")[0] == '<b>&"'
    assert texts(svg, "bracket-open")[2] == "somebody with a ver…"


def test_the_sides_of_double_elimination_have_headings():
    svg = picture(Knockout(double=True), history(4))
    assert texts(svg, "bracket-head") == ["Winners", "Losers"]
    assert texts(picture(Knockout(), history(4)), "bracket-head") == []


def test_lines_lead_from_a_match_to_the_one_it_feeds():
    svg = picture(Knockout(), history(4))
    assert len([p for p in svg.iter(f"{SVG}path") if p.get("class") == "bracket-line"]) == 2
