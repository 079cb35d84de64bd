"""A letter of every kind, in both languages, as it is read by people and by programs."""

import random
import re
from email import message_from_bytes, policy
from html.parser import HTMLParser

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import Player
from games import dice, play, talk
from games.models import RatingEntry, Via
from games.rules.position import MoveError
from games.rules.registry import ruleset
from notifications import commands, html_text, letters, plain_text, samples
from notifications.models import Kind, Letter
from tests.conftest import NOW, days, make_player
from tests.notifications.conftest import PNG

pytestmark = pytest.mark.usefixtures("unpainted")

VOID = {"meta", "img", "br", "hr", "link", "input"}


@pytest.fixture(scope="module", params=["en", "de"])
def every_letter(request, django_db_setup, django_db_blocker):
    """Name, letter, message and the positions that a command could be played in."""
    found = []
    with django_db_blocker.unblock(), transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        chance = random.Random(12)
        patch.setattr(dice, "throw", lambda dice, sides, **_seed: thrown(chance, dice, sides))
        patch.setattr("games.pictures.png", lambda drawing, **how: PNG)
        now = timezone.now()
        for name, letter in samples.every_letter(now=now, language=request.param):
            message = letters.compose(letter, now=now)
            parsed = message_from_bytes(message.message().as_bytes(), policy=policy.default)
            found.append((name, letter, parsed, positions_of(letter)))
        transaction.set_rollback(True)
    return request.param, found


def thrown(chance, dice, sides):
    return tuple(chance.randint(1, sides) for _die in range(dice))


def positions_of(letter):
    about = [letter, *Letter.objects.filter(pk__in=letter.details.get("letters", []))]
    games = [one.game for one in about if one.game]
    return [ruleset(game.ruleset, game.version).load(game.position) for game in games]


def executes(line, positions):
    """Whether this line alone, as the first of a mail, would do anything."""

    def is_move(text):
        return any(parses(position, text) for position in positions)

    command = commands.read(line, is_move)
    return command is not None and (command.name != "move" or is_move(command.argument))


def parses(position, text):
    try:
        position.parse(text)
    except MoveError:
        return False
    return True


def text_of(message):
    return message.get_body(("plain",)).get_content()


def unbroken(text):
    return " ".join(text.split())


def html_of(message):
    return message.get_body(("html",)).get_content()


def turn_letter(game, seat=0, **fields):
    game.refresh_from_db()
    return Letter.objects.create(
        key=f"g{game.pk}.p{game.ply}.s{seat}.{fields.get('kind', 'turn')}",
        game=game, ply=game.ply, seat=seat, player=game.seats.get(number=seat).player,
        **{"kind": Kind.TURN, **fields},
    )  # fmt: skip


def move(game, text, now):
    game.refresh_from_db()
    player = game.seats.get(number=game.seat_to_move).player_id
    play.submit_move(
        game_id=game.pk, player_id=player, text=text, ply=game.ply, now=now, via=Via.WEB
    )


# All kinds


def test_every_kind_has_its_letter(every_letter):
    _language, found = every_letter
    assert {letter.kind for _name, letter, _message, _positions in found} == set(Kind)
    for name, _letter, message, _positions in found:
        assert message["Subject"].strip(), name
        assert len(text_of(message)) > 80, name


def test_the_html_says_which_language_it_is_in(every_letter):
    language, found = every_letter
    for name, _letter, message, _positions in found:
        assert f'<html lang="{language}"' in html_of(message), name


def test_no_line_of_a_letter_is_a_command(every_letter):
    for name, _letter, message, positions in every_letter[1]:
        for line in text_of(message).splitlines():
            assert not executes(line, positions), (name, line)


def test_no_line_of_the_html_is_a_command_when_it_becomes_text(every_letter):
    for name, _letter, message, positions in every_letter[1]:
        for line in html_text.text_of(html_of(message)).splitlines():
            assert not executes(line, positions), (name, line)


def test_lines_are_narrow_where_they_can_be(every_letter):
    for name, _letter, message, _positions in every_letter[1]:
        for line in text_of(message).splitlines():
            assert len(line) <= 80 or "://" in line, (name, line)


def test_no_letter_asks_for_anything_from_elsewhere(every_letter):
    for name, _letter, message, _positions in every_letter[1]:
        html = html_of(message)
        sources = re.findall(r'\b(?:src|background|srcset)="([^"]*)"', html)
        pictures = {
            f"cid:{part['Content-ID'][1:-1]}" for part in message.walk() if part["Content-ID"]
        }
        assert set(sources) == pictures, name
        assert not re.search(r"<link|<script|@import|@font-face|url\(", html), name


def test_the_html_is_well_formed(every_letter):
    for name, _letter, message, _positions in every_letter[1]:
        reader = Balance()
        reader.feed(html_of(message))
        assert reader.open == [], name


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_dark_colours_outlive_the_inlining(every_letter):
    for name, _letter, message, _positions in every_letter[1]:
        html = html_of(message)
        assert "prefers-color-scheme: dark" in html, name
        assert 'name="color-scheme"' in html, name
        assert 'class="sheet"' in html, name
        assert re.search(r'<body style="[^"]*background', html), name


def test_whoever_can_answer_sees_where(every_letter):
    for name, _letter, message, _positions in every_letter[1]:
        if message["Reply-To"]:
            assert text_of(message).startswith("##- "), name
            assert "##- " in html_of(message), name
        else:
            assert "##- " not in text_of(message), name


# A turn


@pytest.fixture
def game(start):
    return start(now=timezone.now())


def test_a_turn_letter_can_be_played_from_as_plain_text(game, alice):
    now = timezone.now()
    move(game, "e8-g7", now)
    text = text_of(parsed(letters.compose(turn_letter(game, 1), now=now)))
    assert "alice played e8-g7. It is your turn." in text
    assert "you play Blue" in text
    assert "1. alice: e8-g7" in text
    assert "e   .   .   .   .   .   .   .   O   .   ." in text
    assert '"swap"' in text
    assert "legal moves, for example" in text
    assert "reply to this letter" in text
    assert f'"resign #{game.pk}"' in text
    assert f"/games/{game.pk}/" in text


def parsed(message):
    return message_from_bytes(message.message().as_bytes(), policy=policy.default)


def test_the_deadline_is_in_the_zone_of_the_reader_and_in_utc(start):
    game = start(now=NOW)
    text = text_of(parsed(letters.compose(turn_letter(game), now=NOW + days(1))))
    assert "5 Mar 2026, 13:00 CET (12:00 UTC), in 2 days." in text
    move(game, "e8-g7", NOW + days(1) / 2)
    text = text_of(parsed(letters.compose(turn_letter(game, 1), now=NOW + days(1))))
    assert "5 Mar 2026, 19:00 EST (6 Mar 2026, 00:00 UTC), in 2 days 12 h." in unbroken(text)


def test_few_moves_are_all_named(start, loaded_dice):
    loaded_dice((4, 5))
    text = text_of(parsed(letters.compose(turn_letter(start("tritoc")), now=timezone.now())))
    assert "The dice for you show 4 + 5." in text
    named = unbroken(text)
    assert "You have 9 legal moves: " in named
    assert all(f'"{field}.9"' in named for field in range(1, 10))


def test_no_line_of_a_board_can_be_played(start, loaded_dice):
    """A throw of 12 offers to remove a piece or to keep it, which is a move of one word."""
    loaded_dice((3, 5), (6, 6), (1, 2))
    game = start("tritoc", now=timezone.now())
    move(game, "5.8", timezone.now())
    game.refresh_from_db()
    position = ruleset(game.ruleset, game.version).load(game.position)
    assert parses(position, "keep")
    text = text_of(parsed(letters.compose(turn_letter(game, 1), now=timezone.now())))
    assert [line for line in text.splitlines() if executes(line, [position])] == []
    assert plain_text.without_commands("or\n  keep.", "keep".__eq__) == "or keep."


def test_a_turn_letter_tells_what_was_said_since_the_last_turn(game, alice, bob):
    now = timezone.now()
    talk.say(game_id=game.pk, player_id=bob.pk, text="long ago", now=now - days(1))
    move(game, "e8-g7", now - days(0.5))
    talk.say(game_id=game.pk, player_id=bob.pk, text="Hello\nresign", now=now)
    talk.say(game_id=game.pk, player_id=alice.pk, text="my own words", now=now)
    move(game, "g3-g5", now)
    text = text_of(parsed(letters.compose(turn_letter(game), now=now)))
    assert "| Hello\n| resign\n" in text
    assert "long ago" not in text
    assert "my own words" not in text
    talk.hide_chat(game_id=game.pk, player_id=alice.pk, hidden=True)
    Letter.objects.all().delete()
    assert "Hello" not in text_of(parsed(letters.compose(turn_letter(game), now=now)))


def test_a_letter_that_is_late_shows_the_moment_that_it_is_about(game):
    now = timezone.now()
    letter = turn_letter(game)
    move(game, "e8-g7", now)
    message = parsed(letters.compose(letter, now=now))
    assert "a new game" in text_of(message).lower()
    assert "1. alice: e8-g7" not in text_of(message)


def test_a_turn_letter_asks_little_of_the_database(game, django_assert_max_num_queries):
    now = timezone.now()
    for text in ("e8-g7", "g3-g5"):
        move(game, text, now)
    letter = Letter.objects.select_related("player", "game").get(pk=turn_letter(game).pk)
    with django_assert_max_num_queries(14):
        letters.compose(letter, now=now)


def test_the_same_board_is_painted_once(game, monkeypatch):
    now = timezone.now()
    letter = turn_letter(game)
    letters.compose(letter, now=now)
    monkeypatch.setattr("games.pictures.png", lambda *args, **kwargs: pytest.fail("painted again"))
    letters.compose(letter, now=now)


# Endings


def test_the_end_of_a_game_tells_the_ratings_of_both(game):
    now = timezone.now()
    for text in samples.CLASSIC:
        move(game, text, now)
    entry = RatingEntry.objects.get(game=game)
    assert (entry.first_after, entry.second_after) != (150000, 150000)
    text = text_of(parsed(letters.compose(turn_letter(game, 0, kind=Kind.GAME_OVER), now=now)))
    gain = round((entry.second_after - entry.second_before) / 100)
    assert f"  alice: 1500 → {1500 - gain} (−{gain})\n  bob: 1500 → {1500 + gain} (+{gain})" in text
    assert "You lost against bob." in text
    text = text_of(parsed(letters.compose(turn_letter(game, 1, kind=Kind.GAME_OVER), now=now)))
    assert "You won against alice." in text
    assert f"  bob: 1500 → {1500 + gain} (+{gain})\n  alice: 1500 → {1500 - gain} (−{gain})" in text


def test_a_game_that_is_not_rated_says_nothing_of_ratings(start):
    now = timezone.now()
    game = start(now=now, rated=False)
    for text in samples.CLASSIC:
        move(game, text, now)
    text = text_of(parsed(letters.compose(turn_letter(game, 0, kind=Kind.GAME_OVER), now=now)))
    assert "rating" not in text.lower()


# Hostile names


@pytest.mark.parametrize(
    "name", ["a1-a3", "draw", "resign", "swap", "help", "move", "Zug", "a" * 24]
)
def test_a_name_that_looks_like_a_command_executes_nothing(start, bob, name):
    now = timezone.now()
    odd = make_player(name)
    game = start("tritt-classic", odd, bob, now=now)
    move(game, "e8-g7", now)
    game.refresh_from_db()
    position = ruleset(game.ruleset, game.version).load(game.position)
    for kind, details in ((Kind.TURN, {}), (Kind.OFFER, {"what": "draw-offered"})):
        letter = turn_letter(game, 1, kind=kind, details=details)
        message = parsed(letters.compose(letter, now=now))
        for text in (text_of(message), html_text.text_of(html_of(message))):
            assert name in text
            assert [line for line in text.splitlines() if executes(line, [position])] == []


def test_no_name_can_add_a_header(start, alice, bob):
    Player.objects.filter(pk=alice.pk).update(name='a"\r\nBcc: x@y.z\x07')
    game = start(now=timezone.now())
    letter = turn_letter(game, 1)
    message = parsed(letters.compose(letter, now=timezone.now()))
    assert message["Bcc"] is None
    assert "Bcc: x@y.z" in message["Subject"]
    assert message["To"] == "bob@example.org"


def test_markup_in_words_stays_words(game, bob):
    now = timezone.now()
    talk.say(game_id=game.pk, player_id=bob.pk, text="<b>hi</b> & <img src=x>", now=now)
    message = parsed(letters.compose(turn_letter(game), now=now))
    assert "| <b>hi</b> & <img src=x>" in text_of(message)
    assert "&lt;b&gt;hi&lt;/b&gt; &amp; &lt;img" in html_of(message)


# Plain text


def test_prose_is_broken_so_that_no_line_is_a_command():
    sentence = "Please be so kind as to tell us in the first line of the answer what your next"
    text = plain_text.laid_out(f"{sentence} move a1-a3 is, if you like.")
    assert all(commands.read(line, lambda text: True) is None or len(line.split()) > 2
               for line in text.splitlines())  # fmt: skip
    assert not any(line.startswith("move") for line in text.splitlines())


def test_what_others_wrote_is_marked_line_by_line():
    assert plain_text.quoted("resign\r\n\x07draw") == "| resign\n|  draw"
    assert max(map(len, plain_text.quoted("word " * 100).splitlines())) <= plain_text.WIDTH
