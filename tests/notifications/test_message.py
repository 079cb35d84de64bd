"""Headers, threads, pictures and the address that bounces come back to."""

import struct
from datetime import timedelta
from email import message_from_bytes, policy
from email.mime.text import MIMEText

import pytest
from django.utils import timezone

from games.models import Game
from notifications import letters, message, reply_address, unsubscribe
from notifications.message import Content, bounce_address, bounced_letter
from notifications.models import Kind, Letter, State


@pytest.fixture
def game(start, unpainted):
    return start(now=timezone.now())


@pytest.fixture
def letter(game):
    return written(game, "g7.p0.s0.turn")


def written(game: Game, key: str, kind: Kind = Kind.TURN, **fields):
    player = game.seats.get(number=0).player
    numbers = {"game": game, "ply": 0, "seat": 0, "player": player}
    return Letter.objects.create(key=key, kind=kind, **numbers | fields)


def composed(letter):
    return letters.compose(letter, now=timezone.now())


def parsed(letter):
    return message_from_bytes(composed(letter).message().as_bytes(), policy=policy.default)


def sent(game, key, minutes=0, **fields):
    when = timezone.now() + timedelta(minutes=minutes)
    return written(game, key, Kind.CHAT, state=State.SENT, settled_at=when, **fields)


def test_the_headers_are_those_that_programs_look_for(letter, game, settings):
    token = reply_address.token_for(
        game_id=game.pk, seat=0, ply=0, player_id=letter.player_id, now=timezone.now()
    )
    read = parsed(letter)
    assert read["From"] == f"Tripost <play@{settings.MAIL_DOMAIN}>"
    assert read["To"] == "alice@example.org"
    assert read["Reply-To"] == reply_address.address_of(token)
    assert read["Subject"] == f"Tritt (2009) #{game.pk}: alice – bob"
    assert read["Message-ID"] == f"<g7.p0.s0.turn@{settings.MAIL_DOMAIN}>"
    assert read["Auto-Submitted"] == "auto-generated"
    assert read["X-Auto-Response-Suppress"] == "All"
    assert read["List-Id"] == f'"Tritt (2009)" <tritt-classic.{settings.MAIL_DOMAIN}>'
    assert read["X-Game-Id"] == str(game.pk)
    assert read["X-Game-Ply"] == "0"
    assert read["X-Mail-Kind"] == "turn"
    assert read["Feedback-ID"] == "turn:tritt-classic:localhost:tripost"
    assert read["Precedence"] is None


def test_one_click_stops_this_kind(letter, settings, client):
    read = parsed(letter)
    link, mailto = read["List-Unsubscribe"].strip().split(", ")
    assert read["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mailto == f"<mailto:{unsubscribe.mailto_for(letter.player_id, 'turn')}>"
    path = link[1:-1].removeprefix(settings.SITE_URL)
    assert client.get(path).status_code == 200
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert letter.player.letter_preferences.get(kind="turn").timing == "off"


def test_the_envelope_sender_is_the_letters_own(letter):
    assert composed(letter).from_email == bounce_address(letter.pk)


def test_the_message_id_is_the_same_each_time(letter):
    assert parsed(letter)["Message-ID"] == parsed(letter)["Message-ID"]


def test_the_subject_is_the_same_for_all_letters_about_a_game(letter, game):
    other = written(game, "g7.s0.over", Kind.GAME_OVER)
    assert parsed(other)["Subject"] == parsed(letter)["Subject"]


# Threads


def test_the_first_letter_hangs_on_the_game_itself(letter, game, settings):
    read = parsed(letter)
    assert read["In-Reply-To"] == f"<g{game.pk}@{settings.MAIL_DOMAIN}>"
    assert read["References"].split()[0] == read["In-Reply-To"]


def test_the_next_hangs_on_the_one_before(letter, game, bob, settings):
    sent(game, "first", minutes=1)
    sent(game, "second", minutes=2)
    sent(game, "to-bob", minutes=3, player=bob)
    read = parsed(letter)
    assert read["In-Reply-To"] == f"<second@{settings.MAIL_DOMAIN}>"
    references = read["References"].split()
    assert references[0] == f"<g{game.pk}@{settings.MAIL_DOMAIN}>"
    assert references[-1] == read["In-Reply-To"]


def test_a_letter_that_was_carried_by_another_is_no_link(letter, game, settings):
    digest = sent(game, "digest")
    sent(game, "carried", minutes=5, carried_by=digest)
    assert parsed(letter)["In-Reply-To"] == f"<digest@{settings.MAIL_DOMAIN}>"


def test_the_references_lead_back_to_the_token(letter):
    message = composed(letter)
    found = reply_address.find_in_references([message.extra_headers["References"]])
    assert reply_address.address_of(found) == message.reply_to[0]


def test_a_long_thread_gets_a_new_root(letter, game, settings, monkeypatch):
    monkeypatch.setattr(message, "THREAD_LENGTH", 2)
    for number in range(2):
        sent(game, f"letter{number}", minutes=number)
    root = f"<g{game.pk}.2@{settings.MAIL_DOMAIN}>"
    assert parsed(letter)["In-Reply-To"] == root
    sent(game, "letter3", minutes=3)
    assert parsed(letter)["References"].split()[0] == root
    assert parsed(letter)["In-Reply-To"] == f"<letter3@{settings.MAIL_DOMAIN}>"


# What it is made of


def test_the_picture_stays_with_the_html(start):
    read = parsed(written(start(now=timezone.now()), "g7.p0.s0.turn"))
    assert read.get_content_type() == "multipart/alternative"
    text, related = read.iter_parts()
    assert text.get_content_type() == "text/plain"
    assert related.get_content_type() == "multipart/related"
    html, picture = related.iter_parts()
    assert html.get_content_type() == "text/html"
    assert picture.get_content_type() == "image/png"
    assert picture.get_content_disposition() == "inline"
    assert f'src="cid:{picture["Content-ID"][1:-1]}"' in html.get_content()
    assert 'width="400"' in html.get_content()
    png = picture.get_content()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[16:20]) == (800,)


def test_the_picture_is_told_to_whoever_does_not_see_it(letter):
    _text, related = parsed(letter).iter_parts()
    html = next(related.iter_parts()).get_content()
    assert 'alt="Orange has' in html


def test_other_attachments_stay_attachments(letter):
    part = MIMEText("a file")
    part.add_header("Content-Disposition", "attachment", filename="game.txt")
    content = Content(
        template="event", context={"event": "Cup", "what": "opened"}, attachments=[part]
    )
    built = message.build(letter, content, to="alice@example.org")
    assert built.message().get_content_type() == "multipart/mixed"
    assert built.message().get_content_type() == "multipart/mixed", "building again is the same"
    assert [p.get_content_type() for p in built.message().get_payload()] == [
        "multipart/alternative",
        "text/plain",
    ]


def test_an_answer_says_that_it_is_one(letter):
    letter.kind = Kind.REPLY
    content = Content(template="event", automatic="auto-replied")
    built = message.build(letter, content, to="alice@example.org")
    assert built.extra_headers["Auto-Submitted"] == "auto-replied"
    assert "List-Unsubscribe" not in built.extra_headers


def test_a_digest_is_bulk_and_starts_no_thread(game, letter, alice):
    details = {"letters": [letter.pk]}
    digest = Letter.objects.create(key="d1.digest", kind=Kind.DIGEST, player=alice, details=details)
    read = parsed(digest)
    assert read["Precedence"] == "bulk"
    assert read["In-Reply-To"] is None
    assert read["Reply-To"] is None
    text = read.get_body(("plain",)).get_content()
    assert reply_address.address_of(game_token(letter)) in text
    assert "##- " not in text
    pictures = [part for part in read.walk() if part.get_content_type() == "image/png"]
    assert len(pictures) == 1


def game_token(letter):
    return reply_address.token_for(
        game_id=letter.game_id, seat=0, ply=0, player_id=letter.player_id, now=timezone.now()
    )


def test_several_turns_in_one_stop_turns(letter, alice):
    details = {"letters": [letter.pk], "joint": True}
    joint = Letter.objects.create(key="t1.turns", kind=Kind.DIGEST, player=alice, details=details)
    assert unsubscribe.link_for(alice.pk, "turn") in parsed(joint)["List-Unsubscribe"]


# Bounces


def test_a_bounce_is_known_by_its_address():
    address = bounce_address(42)
    assert bounced_letter(address) == 42
    assert bounced_letter(address.upper()) == 42
    assert len(address.partition("@")[0]) <= 64


@pytest.mark.parametrize(
    "address", ["b+42-0000@localhost", "b+x-1@localhost", "play@localhost", "", "b+²-1@localhost"]
)
def test_a_forged_bounce_is_known_too(address):
    assert bounced_letter(address) is None


def test_a_signature_is_good_for_one_letter_and_one_domain(settings):
    address = bounce_address(42)
    assert bounced_letter(address.replace("42", "43", 1)) is None
    settings.MAIL_DOMAIN = "elsewhere.example"
    assert bounced_letter(address) is None
