"""The diagrams of the rules pages: real positions, each with the moves that its page speaks of."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.rules.position import Position
from games.trial import Options, Trial, played, script


@dataclass(frozen=True)
class Diagram:
    """`moves` can be played in its position and `refused` cannot; pages call both by name."""

    key: str
    caption: str | Promise
    acts: tuple[str, ...] = ()
    options: Options = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def position(self) -> Position:
        return played(self.key, self.acts, self.options)

    @property
    def last_move(self) -> str:
        return Trial.begun(self.key, self.acts).last_move


# One game each, of which the diagrams are moments.
RELOADED = script("f6-h4, d5-f7, h5-h7, d8-f8, d3-f5 d5-f7>c4-e6, g6-g8, c5-e7 g6-g8>g7-g9")
CLASSIC = script("e8-g7, g3-g5, g3-g5>g4-g6, d5-f5, h3-h5, h3-h5>h2-h4")
TRITOC = script(
    "6+2, 5.8, 4+2, 1.6, 5+4, 6.9, 1+6, 1.7, 3+2, 6.5, 4+2, 4.6, 6+4, 6.10, 5+6, 6.11, 5+6, 5.11,"
    " 1+3, 1.4, 4+3, 6.7, 5+5, 1.10, 1+1, x5.8, 1+2, 4.3, 1+1, x5.11, 1+2, 7.3, 2+5, 2.7, 1+5,"
    " 7.6, 3+3, 2.6, 4+1, 7.5, 3+2, 2.5, 3+2, 4.5, 1+1, x2.6, 5+1, 5.6, 3+1, 7.4, 1+6, 4.7, 3+5,"
    " 4.8, 5+4, 7.9, 3+1, 4.4, 6+6, x2.7, 4+4, 2.8, 2+5, 5.7, 1+3, 2.4, 4+5, 4.9"
)
TRI_TRAC = script(
    "place c4 wn, place d3 ws, place b3 en, place c3 es, place d2 en, place b4 ws, place b1 en,"
    " rotate d3 we, place a4 ws, place c7 ws, move c4 c6 wn, rotate d3 ws, place d5 ws,"
    " place a3 en, move c6 c4 wn"
)
TRIOTRIO = script(
    "5+3, roll, 3, d1-d4, roll, 4, d7-f5, roll, 6, f1-f5, roll, 6, b7-b3, roll, 2, b1-b3, roll, 1,"
    " f7-e6, pass, reclaim scissors, roll, 2, e6-c6, roll, 5, d4-c6"
)

DIAGRAMS: dict[str, dict[str, Diagram]] = {
    "tritt-reloaded": {
        "board": Diagram(
            "tritt-reloaded",
            _("Orange has entered the first tritton, from f6 to h4."),
            RELOADED[:1],
            moves={"enter": "d5-f7"},
        ),
        "slide": Diagram(
            "tritt-reloaded",
            _("Orange entered d3-f5, then slid Blue’s tritton from d5-f7 down to c4-e6."),
            RELOADED[:5],
            refused={"line": "e7-g6", "own": "g6-g8 c4-e6>b3-d5"},
        ),
        "before": Diagram(
            "tritt-reloaded",
            _("Orange is to move, and can both win and lose here."),
            RELOADED[:6],
            moves={"both": "c5-e7 g6-g8>g7-g9", "blunder": "c5-e7 c4-e6>d5-f7"},
        ),
        "won": Diagram(
            "tritt-reloaded",
            _("The slide to g7-g9 made a line of three orange dots: Orange has won."),
            RELOADED,
        ),
    },
    "tritt-classic": {
        "board": Diagram(
            "tritt-classic",
            _("Orange has entered the first tritton; Blue may now swap."),
            CLASSIC[:1],
            moves={"enter": "g3-g5", "swap": "swap"},
        ),
        "slide": Diagram(
            "tritt-classic",
            _("Orange slid Blue’s tritton one step to the right, from g3-g5 to g4-g6."),
            CLASSIC[:3],
            moves={"slide": "e8-g7>d8-f8"},
            refused={"far": "e8-g7>c8-e8"},
        ),
        "before": Diagram(
            "tritt-classic",
            _("Blue is to move, and can both win and lose here."),
            CLASSIC[:5],
            moves={"win": "h3-h5>h2-h4", "win_by_entry": "i2-i4", "blunder": "h6-j4"},
        ),
        "won": Diagram(
            "tritt-classic",
            _("The slide to h2-h4 made a line of three blue dots: Blue has won."),
            CLASSIC,
        ),
    },
    "tritoc": {
        "board": Diagram(
            "tritoc",
            _("The first throw is an 8: Red may fill any of the nine holes called 8."),
            TRITOC[:1],
            moves={"put": "5.8"},
            refused={"other": "5.7"},
        ),
        "field": Diagram(
            "tritoc",
            _("With 6.7 Red has completed a diagonal, and so won field 6."),
            TRITOC[:22],
        ),
        "two": Diagram(
            "tritoc",
            _("A throw of 2: Red must take one of his own pieces off the board."),
            TRITOC[:25],
            moves={"own": "x5.8"},
            refused={"closed": "x6.7"},
        ),
        "twelve": Diagram(
            "tritoc",
            _("A throw of 12: Yellow may remove a red piece from an open field."),
            TRITOC[:59],
            moves={"remove": "x2.7", "keep": "keep"},
        ),
        "won": Diagram(
            "tritoc",
            _("Fields 1, 4 and 7 are Yellow’s: three in a column win the game."),
            TRITOC,
        ),
        "equal": Diagram(
            "tritoc",
            _("The die of 29 sides shows 23, which counts as a 10."),
            script("23"),
            options={"dice": "equal"},
            moves={"put_equal": "2.10"},
        ),
    },
    "tri-trac": {
        "board": Diagram(
            "tri-trac",
            _("The white triangle lies on c4; its track joins the west side to the north side."),
            TRI_TRAC[:1],
            moves={"place": "place d3 ws"},
            refused={"off": "place d1 we"},
        ),
        "blocked": Diagram(
            "tri-trac",
            _("The orange triangle on b1 turns its back to the dark arrow and so blocks it."),
            TRI_TRAC[:7],
            moves={"rotate": "rotate d3 we"},
        ),
        "neutral": Diagram(
            "tri-trac",
            _("Orange has moved the white triangle from c4 to c6; Yellow may not touch it now."),
            TRI_TRAC[:11],
            refused={"barred": "rotate c6 we"},
        ),
        "before": Diagram(
            "tri-trac",
            _("One gap is left in the track between the light arrows, and Orange is to move."),
            TRI_TRAC[:14],
            moves={"move": "move c6 c4 wn"},
        ),
        "won": Diagram(
            "tri-trac",
            _("The white triangle closes the gap: Orange has completed the track."),
            TRI_TRAC,
        ),
    },
    "triotrio": {
        "board": Diagram(
            "triotrio",
            _("Yellow threw the higher die and begins."),
            TRIOTRIO[:1],
            moves={"roll": "roll", "pass": "pass", "change": "change f1"},
        ),
        "steps": Diagram(
            "triotrio",
            _("Yellow has rolled a 3: one of her pieces moves three steps."),
            TRIOTRIO[:3],
            moves={"step": "d1-d4", "rock": "b1-e4", "scissors": "f1-c4"},
            refused={"repelled": "d1-c3", "beaten": "b1-b4"},
        ),
        "prey": Diagram(
            "triotrio",
            _("Yellow has rolled a 6, and Blue’s paper on f5 is within her scissors’ reach."),
            TRIOTRIO[:9],
            moves={"capture": "f1-f5", "back": "f1-f1"},
            refused={"near": "f1-f3"},
        ),
        "sacrifice": Diagram(
            "triotrio",
            _("The paper is captured, but next to the permanent scissors the captor is lost too."),
            TRIOTRIO[:10],
        ),
        "cow": Diagram(
            "triotrio",
            _("Yellow’s paper has held the Golden Cow for three turns: she may reclaim a piece."),
            TRIOTRIO[:20],
            moves={"reclaim": "reclaim scissors", "decline": "decline"},
        ),
        "won": Diagram(
            "triotrio",
            _("Moving off the Cow, the paper captures Blue’s last piece: Yellow has won."),
            TRIOTRIO,
        ),
    },
}

TRIALS: dict[str, tuple[str, ...]] = {
    "tritt-reloaded": RELOADED[:6],
    "tritt-classic": CLASSIC[:5],
    "tritoc": TRITOC[:67],
    "tri-trac": TRI_TRAC[:14],
    "triotrio": TRIOTRIO[:9],
}
"""Where a visitor begins to try: each time the player to move can do something telling."""


def moves_of(key: str) -> dict[str, str]:
    """All the moves that a game's page shows, by the names that it uses."""
    return {
        name: text for diagram in DIAGRAMS[key].values() for name, text in diagram.moves.items()
    }
