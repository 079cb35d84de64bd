import itertools
import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.position import (
    InvalidMove,
    InvalidOption,
    MoveError,
    Outcome,
    Position,
    Roll,
    Ruleset,
    Turn,
    checked_options,
)
from games.rules.registry import RULESETS
from tests.rules import playthroughs
from tests.rules.playthroughs import Options

LONGEST_GAME = 5_000
SAMPLE = 25


def combinations(ruleset: Ruleset) -> Iterator[Options]:
    """Every combination of values that the options can take."""
    names = [option.name for option in ruleset.options]
    values = [[option.default, *playthroughs.other_values(option)] for option in ruleset.options]
    for combination in itertools.product(*values):
        yield dict(zip(names, combination, strict=True))


GAMES = [(ruleset, options) for ruleset in RULESETS.values() for options in combinations(ruleset)]
NAMES = [
    " ".join([ruleset.key, *(f"{name}={value}" for name, value in options.items())])
    for ruleset, options in GAMES
]

each_game = pytest.mark.parametrize(("ruleset", "options"), GAMES, ids=NAMES)
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
repeatable = settings(max_examples=15, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**64)
plies = st.integers(0, 150)


def picked(position: Position, chance: random.Random) -> str:
    """A move's text, picked token by token, the first and last ones often: they are the rare."""
    text = ""
    while choices := position.choices(text):
        choice = chance.choice([choices[0], chance.choice(choices), choices[-1]])
        text += choice.token
        if choice.whole and chance.random() < 0.5:
            break
    return text


def gone_on(position: Position, chance: random.Random) -> Position:
    if isinstance(position.awaiting, Roll):
        sides = position.awaiting.sides
        return position.rolled(
            tuple(chance.randint(1, sides) for _ in range(position.awaiting.dice))
        )
    return position.play(position.parse(picked(position, chance)))


def reached(ruleset: Ruleset, options: Options, seed: int, plies: int) -> Position:
    """A position some plies into a random game, or its end."""
    chance = random.Random(seed)
    position = ruleset.start(options)
    for _ in range(plies):
        if isinstance(position.awaiting, Outcome):
            break
        position = gone_on(position, chance)
    return position


def in_store(position: Position) -> str:
    return json.dumps(position.to_json())


def sample(position: Position, seed: int) -> list[object]:
    moves = list(position.legal_moves())
    return random.Random(seed).sample(moves, min(SAMPLE, len(moves)))


def whole_texts(position: Position, prefix: str = "") -> Iterator[str]:
    for choice in position.choices(prefix):
        text = prefix + choice.token
        if choice.whole:
            yield text
        yield from whole_texts(position, text)


# The registry


@each_ruleset
def test_a_ruleset_is_registered_by_its_key(ruleset: Ruleset) -> None:
    assert RULESETS[ruleset.key] is ruleset
    assert ruleset.version >= 1
    assert ruleset.name


@each_ruleset
def test_a_ruleset_starts_with_its_defaults(ruleset: Ruleset) -> None:
    assert ruleset.start({}) == ruleset.start(checked_options(ruleset.options, {}))


@each_ruleset
def test_a_ruleset_refuses_an_unknown_option(ruleset: Ruleset) -> None:
    with pytest.raises(InvalidOption):
        ruleset.start({"no such option": True})


@each_ruleset
def test_a_ruleset_refuses_an_unknown_value(ruleset: Ruleset) -> None:
    for option in ruleset.options:
        with pytest.raises(InvalidOption):
            ruleset.start({option.name: "no such value"})


# Positions


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_a_stored_position_comes_back_whole(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    again = ruleset.load(json.loads(in_store(position)))
    assert again == position
    assert hash(again) == hash(position)
    assert in_store(again) == in_store(position)
    assert again.awaiting == position.awaiting


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_a_position_is_frozen(ruleset: Ruleset, options: Options, seed: int, plies: int) -> None:
    position = reached(ruleset, options, seed, plies)
    with pytest.raises(AttributeError):
        position.awaiting = Turn(0)  # type: ignore[misc]


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_asking_and_playing_leave_a_position_as_it_was(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    before = hash(position), in_store(position), position.awaiting
    for move in sample(position, seed):
        position.choices(str(move))
        position.play(position.parse(str(move)))
    if not isinstance(position.awaiting, Outcome):
        gone_on(position, random.Random(seed))
    position.forfeited_by(0)
    assert (hash(position), in_store(position), position.awaiting) == before


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_a_forfeit_shares_out_one_point(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    for seat in (0, 1):
        outcome = position.forfeited_by(seat)
        assert sum(outcome.scores) == 1
        assert outcome.scores[seat] <= 0.5
        assert outcome.reason == "time"


@each_game
@settings(repeatable, max_examples=5)
@given(seed=seeds)
def test_every_game_ends(ruleset: Ruleset, options: Options, seed: int) -> None:
    position = reached(ruleset, options, seed, LONGEST_GAME)
    assert isinstance(position.awaiting, Outcome)
    assert sum(position.awaiting.scores) == 1
    assert position.awaiting.reason


# Moves


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_legal_moves_are_listed_once_and_only_when_a_turn_is_awaited(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    moves = position.legal_moves()
    assert len({str(move) for move in moves}) == len(set(moves)) == len(moves)
    assert bool(moves) == isinstance(position.awaiting, Turn)


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_a_move_is_read_from_its_canonical_text(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    for move in sample(position, seed):
        text = str(move)
        assert text.isascii()
        assert text == " ".join(text.lower().split())
        assert position.parse(text) == move
        assert position.parse(f"  {text.upper()}\r\n") == move
        assert position.parse(text.upper().replace("-", " – ").replace(">", " → ")) == move


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_chains_of_choices_are_the_legal_moves(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    chains = list(whole_texts(position))
    assert len(chains) == len(set(chains))
    assert set(chains) == {str(move) for move in position.legal_moves()}


@each_game
@repeatable
@given(seed=seeds, plies=plies, junk=st.text(max_size=20))
def test_a_dead_prefix_has_no_choices(
    ruleset: Ruleset, options: Options, seed: int, plies: int, junk: str
) -> None:
    position = reached(ruleset, options, seed, plies)
    assert not position.choices(f"?{junk}")


@each_game
@settings(repeatable, max_examples=100)
@given(
    seed=seeds,
    plies=plies,
    text=st.text() | st.text("abcdefghijk0123456789-> .xwens", max_size=20),
)
def test_any_text_is_a_legal_move_or_refused_as_one(
    ruleset: Ruleset, options: Options, seed: int, plies: int, text: str
) -> None:
    assert_read_or_refused(reached(ruleset, options, seed, plies), text)


@each_game
@settings(repeatable, max_examples=50)
@given(seed=seeds, plies=plies, slip=st.characters() | st.sampled_from(" ->.x1²٣\0"))
def test_a_misspelt_move_is_a_legal_move_or_refused_as_one(
    ruleset: Ruleset, options: Options, seed: int, plies: int, slip: str
) -> None:
    position = reached(ruleset, options, seed, plies)
    chance = random.Random(seed)
    text = picked(position, chance)
    at = chance.randint(0, len(text))
    for misspelt in (text[:at] + slip + text[at:], text[:at] + slip + text[at + 1 :], text[:at]):
        assert_read_or_refused(position, misspelt)


def assert_read_or_refused(position: Position, text: str) -> None:
    try:
        move = position.parse(text)
    except MoveError as refusal:
        sentence = str(refusal)
    else:
        sentence = str(position.play(move).awaiting)
        assert move in position.legal_moves()
    assert sentence


# Dice


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_only_the_awaited_dice_can_be_rolled(
    ruleset: Ruleset, options: Options, seed: int, plies: int
) -> None:
    position = reached(ruleset, options, seed, plies)
    wrong: list[tuple[int, ...]] = [(), (0,), (1,) * 9]
    if isinstance(position.awaiting, Roll):
        dice, sides = position.awaiting.dice, position.awaiting.sides
        wrong += [(sides + 1,) * dice, (0,) * dice, (1,) * (dice + 1)]
    else:
        wrong += [(1,), (1, 1)]
    for dice_thrown in wrong:
        with pytest.raises(ValueError):  # noqa: PT011
            position.rolled(dice_thrown)


# Playthroughs


def test_every_ruleset_and_option_value_has_a_playthrough() -> None:
    written = {path.name for path in playthroughs.FOLDER.glob("*.txt")}
    assert written == set(playthroughs.wanted())


@pytest.mark.parametrize("name", playthroughs.wanted())
def test_a_playthrough_goes_as_it_was_written_down(name: str) -> None:
    ruleset, options = playthroughs.wanted()[name]
    lines = (playthroughs.FOLDER / name).read_text(encoding="utf-8").splitlines()
    again = playthroughs.recorded(ruleset, options, playthroughs.read_from(lines))
    assert list(again) == lines


@pytest.mark.parametrize("key", RULESETS)
def test_what_is_too_long_for_a_move_is_refused_with_the_length(key: str) -> None:
    chance = random.Random(key)
    position = RULESETS[key].start({})
    while isinstance(roll := position.awaiting, Roll):
        position = position.rolled(tuple(chance.choices(range(1, roll.sides + 1), k=roll.dice)))
    with pytest.raises(InvalidMove, match="A move has at most 200 characters"):
        position.parse("x" * 100_000)
