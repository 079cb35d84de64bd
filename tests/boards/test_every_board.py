import random
import re
from itertools import islice
from xml.etree import ElementTree

import pytest

from games import pictures
from games.boards.registry import BOARDS
from games.boards.theme import stylesheet
from games.rules.registry import RULESETS
from tests.boards.random_games import SEEDS, choices_met, gone_through

SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 40_000

each_board = pytest.mark.parametrize("key", BOARDS)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def marked(words: str) -> str:
    return f"«{words}»"


def test_there_is_one_for_every_ruleset() -> None:
    assert list(BOARDS) == list(RULESETS)


@each_board
@each_seed
def test_a_spot_is_drawn_for_all_that_can_be_chosen(key: str, seed: int) -> None:
    chance = random.Random(seed)
    for position, _last in islice(gone_through(key, seed), 0, None, 7):
        for choices in choices_met(position, chance):
            drawing = BOARDS[key].draw(position, choices=choices, ids="x-")
            spots = {at.get("data-spot"): at for at in ElementTree.fromstring(drawing).iter()}
            for name in {name for choice in choices for name in choice.spots}:
                assert spots[name].get("id") == f"x-spot-{name}"
                assert "choice" in (spots[name].get("class") or "").split()
                assert spots[name].get("tabindex") == "0"
                assert spots[name].get("role") == "button"
                assert name.split(".")[0] in (spots[name].get("aria-label") or "")


@each_board
def test_nothing_can_be_tabbed_to_where_nothing_can_be_chosen(key: str) -> None:
    for position, last in gone_through(key, 1):
        assert "tabindex" not in BOARDS[key].draw(position, last=last)


@each_board
@each_seed
@pytest.mark.parametrize("seat", [0, 1])
def test_a_drawing_is_small_and_sound(key: str, seed: int, seat: int) -> None:
    for position, last in islice(gone_through(key, seed), 0, None, 5):
        choices = position.choices()
        drawing = BOARDS[key].draw(position, seat=seat, last=last, choices=choices)
        root = ElementTree.fromstring(drawing)
        ids = [at.get("id") for at in root.iter() if at.get("id")]
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', drawing)) <= set(ids)
        assert len(drawing) <= LARGEST


@each_board
def test_a_drawing_has_no_style_of_its_own(key: str) -> None:
    for position, last in gone_through(key, 2):
        root = ElementTree.fromstring(BOARDS[key].draw(position, last=last))
        assert not any(at.get("style") for at in root.iter())
        assert root.find(f".//{SVG}style") is None


@each_board
def test_a_drawing_tells_what_it_shows(key: str) -> None:
    for position, _last in gone_through(key, 3):
        root = ElementTree.fromstring(BOARDS[key].draw(position))
        assert root.findtext(f"{SVG}title") == RULESETS[key].name
        assert root.findtext(f"{SVG}desc") == BOARDS[key].describe(position)
        assert root.get("role") == "img"


@each_board
def test_the_same_position_is_drawn_the_same(key: str) -> None:
    for position, last in gone_through(key, 4, plies=20):
        again = RULESETS[key].load(position.to_json())
        first = BOARDS[key].draw(position, last=last, choices=position.choices())
        assert first == BOARDS[key].draw(again, last=last, choices=again.choices())


@each_board
def test_all_ids_begin_as_asked(key: str) -> None:
    for position, last in gone_through(key, 5, plies=20):
        root = ElementTree.fromstring(BOARDS[key].draw(position, last=last, ids="left-"))
        assert all(at.get("id", "left-").startswith("left-") for at in root.iter())


@each_board
@each_seed
def test_text_is_narrow_enough_for_a_letter(key: str, seed: int) -> None:
    for position, _last in gone_through(key, seed):
        lines = BOARDS[key].text(position).splitlines()
        assert max(map(len, lines)) <= 78
        assert all(line == line.rstrip() for line in lines)


@each_board
@each_seed
def test_a_description_is_made_of_sentences(key: str, seed: int) -> None:
    for position, _last in gone_through(key, seed):
        told = BOARDS[key].describe(position)
        assert told.endswith(".")
        assert "{" not in told
        assert "\n" not in told


@each_board
@each_seed
def test_all_words_are_translated(key: str, seed: int) -> None:
    board = BOARDS[key]
    for position, _last in gone_through(key, seed):
        told = board.describe(position, translate=marked)
        labels = ElementTree.fromstring(board.draw(position, translate=marked)).iter(f"{SVG}text")
        for words in (told, board.text(position, translate=marked), *(at.text for at in labels)):
            outside = untranslated(words or "").replace(RULESETS[key].name, "")
            assert not re.findall(r"[A-Za-z]{4,}", outside), words


def untranslated(words: str) -> str:
    """What is left when everything between marks, and marks within marks, is taken away."""
    while (fewer := re.sub(r"«[^«»]*»", "", words)) != words:
        words = fewer
    return words


@each_board
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_board_becomes_a_picture(key: str, theme: str) -> None:
    *_, (position, last) = gone_through(key, 1)
    picture = pictures.png(BOARDS[key].draw(position, last=last), width=200, theme=theme)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") == 200


@each_board
def test_what_is_repeated_needs_nothing_around_it_for_its_colours(key: str) -> None:
    """A browser that shows a <use> looks at the repeated element alone, not at the drawing."""
    alone = set(re.findall(r"(?:^|[},]) *\.([\w-]+)(?= *[,{])", stylesheet("light")))
    for position, last in gone_through(key, 2):
        root = ElementTree.fromstring(BOARDS[key].draw(position, last=last))
        names = {at.get("href", "#")[1:] for at in root.iter(f"{SVG}use")}
        repeated = [at for at in root.iter() if at.get("id") in names]
        classes = {at.get("class") for whole in repeated for at in whole.iter()} - {None}
        assert classes <= alone
