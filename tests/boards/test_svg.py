from games.boards.svg import Markup, element, joined, number, picture, points, spot, spots_of
from games.rules.position import Choice


def test_attributes_keep_their_order_and_their_names_become_svg() -> None:
    assert element("path", class_="a", stroke_width=2, d="M0 0") == (
        '<path class="a" stroke-width="2" d="M0 0"/>'
    )


def test_an_attribute_that_is_none_is_left_out() -> None:
    assert element("g", id=None, x=0) == '<g x="0"/>'


def test_text_is_escaped_and_elements_are_not() -> None:
    inner = element("b", "1 < 2")
    assert element("a", inner, "&", title='"') == '<a title="&quot;"><b>1 &lt; 2</b>&amp;</a>'


def test_joined_elements_are_an_element_to_others() -> None:
    both = joined((element("a"), "<"))
    assert isinstance(both, Markup)
    assert element("g", both) == "<g><a/>&lt;</g>"


def test_numbers_are_as_short_as_they_can_be() -> None:
    assert [number(value) for value in (2.0, 1.2345, -0.001, 123.456, -7.5)] == [
        "2",
        "1.23",
        "0",
        "123.46",
        "-7.5",
    ]


def test_points_are_pairs() -> None:
    assert points([(0, 1.5), (-2.0, 3)]) == "0,1.5 -2,3"


def test_the_spots_of_choices_are_each_there_once() -> None:
    choices = [Choice("a", ("a1", "a2"), whole=True), Choice("b", ("a2",), whole=False)]
    assert spots_of(choices) == {"a1", "a2"}


def test_only_a_live_spot_is_a_button() -> None:
    dead = spot("circle", "c3", ids="x-", live=False, label="c3, free", r=2)
    live = spot("circle", "c3", ids="x-", live=True, label="c3, free", class_="wide", r=2)
    assert dead == (
        '<circle id="x-spot-c3" class="spot" data-spot="c3" r="2"><title>c3, free</title></circle>'
    )
    assert 'class="spot wide choice" data-spot="c3" tabindex="0" role="button"' in live
    assert 'aria-label="c3, free"' in live


def test_a_picture_is_named_by_its_title_and_description() -> None:
    drawing = picture("chess", title="Chess", description="Mate.", ids="x-", live=True)
    assert '<title id="x-board-title">Chess</title><desc id="x-board-desc">Mate.</desc>' in drawing
    assert 'class="drawing chess" role="group"' in drawing
    assert 'aria-labelledby="x-board-title x-board-desc"' in drawing
