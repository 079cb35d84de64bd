import pytest

from games.rules.notation import LONGEST, normalised
from games.rules.position import InvalidMove


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("c3-e5", "c3-e5"),
        ("C3-E5", "c3-e5"),
        ("  c3-e5\n", "c3-e5"),
        ("c3-e5   d6-f8>e7-g9", "c3-e5 d6-f8>e7-g9"),
        ("c3-e5\t\r\nd6-f8>e7-g9", "c3-e5 d6-f8>e7-g9"),
        ("c3 - e5 d6 -f8 > e7- g9", "c3-e5 d6-f8>e7-g9"),
        ("place\u00a0c4\u2003WN", "place c4 wn"),
        ("swap", "swap"),
        ("SwAp", "swap"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_case_and_spaces_do_not_matter(typed: str, read: str) -> None:
    assert normalised(typed) == read


@pytest.mark.parametrize("dash", "-‐‑‒–—―−﹘﹣－")
def test_every_dash_is_a_hyphen(dash: str) -> None:
    assert normalised(f"c3 {dash} e5") == "c3-e5"


@pytest.mark.parametrize("arrow", [*"→⇒⇨⟶⟹➔➙➜➝➞➡＞›»", "->", "-->", "=>", "–>", "➡\ufe0f"])
def test_every_arrow_is_a_greater_than(arrow: str) -> None:
    assert normalised(f"c3-e5 {arrow} d4-f6") == "c3-e5>d4-f6"


@pytest.mark.parametrize("invisible", ["\u00ad", "\u200b", "\u2060", "\ufeff"])
def test_what_cannot_be_seen_is_not_there(invisible: str) -> None:
    assert normalised(f"c3{invisible}-e5") == "c3-e5"


@pytest.mark.parametrize("foreign", ["c²-e5", "c٣-e5", "ｃ3-e5", "\u212aeep", "c3\0-e5", "İ", "🎲"])
def test_letters_and_digits_of_other_scripts_stay_foreign(foreign: str) -> None:
    assert normalised(foreign) == foreign


def test_a_text_of_the_greatest_length_is_read_whole() -> None:
    assert normalised("x" * LONGEST) == "x" * LONGEST


@pytest.mark.parametrize("text", ["c3-e5" + " " * LONGEST + "or not", "x" * 10_000_000])
def test_a_text_too_long_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMove, match="A move has at most 200 characters"):
        normalised(text)
