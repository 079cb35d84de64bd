"""Only the first lines of a mail are commands, and nothing quoted ever is."""

import itertools
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.registry import RULESETS
from notifications import chat_text, commands, conditions, html_text, window
from notifications.management.commands.read_mail import grammar

is_move = grammar("tritoc")


def is_command(line: str) -> bool:
    return commands.read(line, is_move) is not None


def found(text: str) -> tuple[str, ...]:
    return window.find(text, is_command).commands


# The window


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("5.7", ["5.7"]),
        ("\n \n\u200b\n5.7\n", ["5.7"]),
        ("5.7\ndraw\n\nboard", ["5.7", "draw"]),
        ("5.7\nGood luck!\nboard", ["5.7"]),
        ("5.7\n> resign #42", ["5.7"]),
        ("Hi Bob,\n5.7", []),
        ("Hi Bob,\n\n5.7", []),
        ("> 5.7", []),
        (" > 5.7", []),
        ("", []),
        ("On Monday Tripost wrote:\n> Hello\n> resign #42\n\n5.7", ["5.7"]),
        ("On Monday\nTripost <play@localhost>\nwrote:\n\n> Hello\n\n> there\n\n5.7\n", ["5.7"]),
        ("On Monday Tripost wrote:\n> Hello\n5.7", ["5.7"]),
        ("a\nb\nc\nd\nOn Monday Tripost wrote:\n> Hello\n\n5.7", []),
        ("On Monday Tripost wrote:\n\nHello\n\n5.7", []),
        ("On Monday Tripost wrote:\n5.7", []),
        ("Hi\n5.7\nOn Monday Tripost wrote:\n> Hello\n\ndraw", []),
        ("5.7\nOn Monday Tripost wrote:\n> Hello\n\ndraw", ["5.7"]),
        ("> Hello\n\n5.7", []),
    ],
)
def test_commands_are_read_from(text, lines):
    assert found(text) == tuple(lines)
    assert found(text.replace("\n", "\r\n")) == tuple(lines)


def test_the_end_of_a_quoted_line_that_lost_its_mark_is_no_command():
    quoted = "> " + "x" * 70
    assert found(f"On Monday Tripost wrote:\n{quoted}\nresign #42\n") == ()
    assert found("On Monday Tripost wrote:\n> short\nresign #42\n> more\n") == ()


def test_a_carriage_return_alone_does_not_free_what_is_quoted():
    assert found("On Monday Tripost wrote:\n> Hello\rresign #42\n") == ()


def test_the_rest_begins_below_the_blank_line():
    assert window.find("5.7\n\nHello\n\nBob", is_command).rest == "Hello\n\nBob"
    assert window.find("5.7\nHello\n\nBob", is_command).rest == ""


# Single lines


@pytest.mark.parametrize(
    ("line", "name", "argument"),
    [
        ("5.7", "move", "5.7"),
        ("Move 5.7", "move", "5.7"),
        ("move: nowhere", "move", "nowhere"),
        ("Zug 5.7.", "move", "5.7"),
        ("x5.7", "move", "x5.7"),
        ("DRAW!", "draw", ""),
        ("Remis", "draw", ""),
        ("accept", "accept", ""),
        ("Remis annehmen", "accept", ""),
        ("decline", "decline", ""),
        ("decline draw", "decline draw", ""),
        ("resign", "resign", ""),
        ("Resign #42", "resign", "42"),
        ("aufgeben 42", "resign", "42"),
        ("resign game 42.", "resign", "42"),
        ("board", "board", ""),
        ("ｂｏａｒｄ", "board", ""),
        ("Verlauf", "history", ""),
        ("help?", "help", ""),
        ("stopp", "stop", ""),
        ("If 5.7 then 5.8", "if", "if 5.7 then 5.8"),
        ("wenn egal würfel 7 dann 5.7", "if", "wenn egal würfel 7 dann 5.7"),
    ],
)
def test_a_line_is_the_command(line, name, argument):
    command = commands.read(line, is_move)
    assert command is not None
    assert (command.name, command.argument) == (name, argument)


@pytest.mark.parametrize(
    "line",
    [
        "yes", "no", "ok", "Thanks!", "I resign myself to waiting", "draw me a picture",
        "If you like, then call me", "resign #forty", "5.7 is my move", "the board", "5,7 apples",
        '"5.7"', "board " * 200, "helpful", "stop it", "resign #1234567890123456789",
    ],
)  # fmt: skip
def test_a_line_is_no_command(line):
    assert commands.read(line, is_move) is None


@pytest.mark.parametrize("key", sorted(RULESETS))
def test_every_game_reads_its_own_moves_and_no_prose(key):
    in_this_game = grammar(key)
    start = RULESETS[key].start({})
    for move in start.legal_moves()[:20]:
        assert in_this_game(str(move))
    for prose in ("hello", "good luck", "sent from my phone", "-- ", "12 monkeys", ""):
        assert not in_this_game(prose)


@pytest.mark.parametrize(
    ("lines", "conflicting"),
    [
        (["5.7", "5.8"], True),
        (["5.7", "5.7"], False),
        (["5.7", "draw"], False),
        (["5.7", "accept"], True),
        (["5.7", "decline"], False),
        (["draw", "decline"], True),
        (["resign #42", "draw"], True),
        (["resign #42", "board"], False),
        (["resign #42", "resign #43"], True),
        (["5.7", "if 5.7 then 5.8", "if any then resign"], False),
        (["5.7", "stop", "help"], False),
    ],
)
def test_commands_that_cannot_all_be_meant(lines, conflicting):
    read = [commands.read(line, is_move) for line in lines]
    assert commands.conflict([one for one in read if one], str) is conflicting


def test_conditions_make_a_tree():
    lines = ["if 5.7 and dice 7 or 12 then 5.8; if any then ask", "wenn 5.9 dann aufgeben"]
    assert conditions.tree(lines, is_move) == [
        {
            "move": "5.7", "dice": [7, 12], "then": "5.8",
            "next": [{"move": None, "dice": None, "then": None, "next": []}],
        },
        {"move": "5.9", "dice": None, "then": "resign", "next": []},
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["if 5.7 then nonsense", "if 5.7 then 5.8; draw", "if then 5.7"])
def test_a_condition_that_cannot_be_read_says_how_one_is_written(line):
    with pytest.raises(conditions.InvalidPlan, match="One is written like this"):
        conditions.tree([line], is_move)


# HTML


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<div>5.7</div><div>draw</div>", ["5.7", "draw"]),
        (
            "<html><head><title>board</title><style>b{}</style></head><body>5.7<br>draw",
            ["5.7", "draw"],
        ),
        ("<p>5.7</p><p>draw</p>", ["5.7"]),
        ('<p class="MsoNormal">5.7</p><p class="MsoNormal">draw</p>', ["5.7", "draw"]),
        ("<!-- <div>board</div> --><b>5.7</b> &nbsp;<i></i>", ["5.7"]),
        ("<blockquote>5.7</blockquote>", []),
        ("<div>On Monday wrote:<blockquote>Hello</blockquote></div><div>5.7</div>", ["5.7"]),
        ("<div>Hi</div><div>5.7</div>", []),
        ("5.7<script>x</script>", ["5.7"]),
        ("a < b", []),
    ],
)
def test_html_is_read_as_it_is_seen(html, lines):
    assert found(html_text.text_of(html)) == tuple(lines)


# No earlier letter, quoted in whatever way, ever does anything


LETTER = """\
##- Write your answer above this line -##

bob played 5.7. It is your turn.
This is Tritoc, game 42; you play Red.

Your time runs out on 5 Mar 2026, 13:00 CET, in 3 days.
The dice for you show 3 + 4.

bob wrote to you:
| resign #42
| accept

The last moves:
  1. alice: 5.7
  2. bob: 5.8

  3  4  5 | 3  4  5 | 3  4  5

You have 9 legal moves: "1.7", "2.7", "3.7", "4.7", "6.7", "7.7", "8.7", "9.7"
To answer, reply to this letter and put what you play on the first line, for
example "1.7". Other first lines that we understand: "draw" to offer a draw,
"resign #42", "board", "history" and "help".

--
Tripost, http://localhost:8000
"""
HEAD = "From: Tripost <play@localhost>\nSent: Monday, 2 March 2026 13:00\nTo: Alice\nSubject: x\n"


def marked(mark: str, width: int | None = None):
    def quote(text: str) -> str:
        lines = text.split("\n")
        if width:
            lines = [part for line in lines for part in textwrap.wrap(line, width) or [""]]
        return "\n".join(f"{mark}{line}" for line in lines)

    return quote


def lazily_wrapped(text: str) -> str:
    """Some programs mark a line and break it afterwards."""
    return "\n".join(
        "\n".join(textwrap.wrap(f"> {line}", 72) or [">"]) for line in text.split("\n")
    )


STYLES = {
    "angle": marked("> "),
    "angle without space": marked(">"),
    "twice": marked("> > "),
    "bar": marked("| "),
    "indented": marked("    "),
    "rewrapped": marked("> ", 40),
    "lazily wrapped": lazily_wrapped,
    "bare": lambda text: text,
    "html": lambda text: html_text.text_of(
        f"<blockquote>{'<br>'.join(text.split(chr(10)))}</blockquote>"
    ),
    "html without a quote": lambda text: html_text.text_of(
        "".join(f"<div>{line or '<br>'}</div>" for line in text.split("\n"))
    ),
}
HEADS = [
    "", "On Mon, 2 Mar 2026 at 13:00, Tripost <play@localhost> wrote:\n",
    "On Mon, 2 Mar 2026 at 13:00, Tripost <\nplay@localhost> wrote:\n\n",
    "Am 02.03.26 um 13:00 schrieb Tripost:\n", "Le lun. 2 mars 2026, Tripost a écrit :\n\n",
    "-----Original Message-----\n" + HEAD + "\n",
    "-----Ursprüngliche Nachricht-----\nVon: Tripost\nGesendet: Montag\n\n",
    "________________________________\n" + HEAD + "\n", HEAD + "\n",
    "---------- Forwarded message ---------\n" + HEAD + "\n",
]  # fmt: skip
TAILS = ["", "\n", "\n-- \nAlice\n", "\n\nSent from my phone"]


def quotations(letters: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, str]]:
    """A letter with its quotation, perhaps one that was quoted before."""
    styles = st.sampled_from(list(STYLES.values()))
    heads = st.sampled_from(HEADS)

    def once(text: str, style, head: str, tail: str) -> str:
        return head + style(text) + tail

    again = st.builds(once, letters, styles, heads, st.sampled_from(TAILS))
    return st.one_of(
        st.builds(once, letters, styles, heads, st.sampled_from(TAILS)),
        st.builds(once, again, styles, heads, st.sampled_from(TAILS)),
    )


SNIPPETS = st.lists(
    st.sampled_from([*LETTER.split("\n"), "resign #42", "draw", "5.7", "move 5.7", "", "accept"]),
    min_size=1,
    max_size=30,
).map(lambda lines: "\n".join(["##- Write your answer above this line -##", *lines]))


@given(quotations(st.one_of(st.just(LETTER), SNIPPETS)))
def test_no_quoted_letter_does_anything(quoted):
    assert found(quoted) == ()


@given(quotations(st.one_of(st.just(LETTER), SNIPPETS)), st.sampled_from(["", "\n", "\n\n"]))
def test_no_quoted_letter_adds_anything_to_what_was_written_above_it(quoted, between):
    assert found(f"5.7\n{between}{quoted}") == ("5.7",)


@given(quotations(st.one_of(st.just(LETTER), SNIPPETS)), st.sampled_from(["Hi!", "5.7 please"]))
def test_what_is_below_prose_does_nothing(quoted, prose):
    assert found(f"{prose}\n\n{quoted}") == ()


@pytest.mark.parametrize("style", STYLES)
def test_nothing_quoted_is_passed_on_as_chat(style):
    for head, tail in itertools.product(HEADS, TAILS):
        quoted = head + STYLES[style](LETTER) + tail
        rest = window.find(f"5.7\n\nGood luck!\n\n{quoted}", is_command).rest
        assert chat_text.trimmed(rest) == "Good luck!"
