"""Whatever comes in ends soon, with a stored reason, and plays nothing."""

import contextlib
import time
from email import message_from_bytes

import pytest

from games.models import Move
from notifications import mail_body, mail_reading
from notifications.management.commands.read_mail import grammar
from notifications.models import InboundMail
from tests.notifications.mails import arrive, token_of

HEAD = b"From: alice@example.org\nTo: r+x@localhost\nSubject: x\nMessage-ID: <x@example.org>\n"
PLAIN = HEAD + b"Content-Type: text/plain; charset=utf-8\n\n"
HTML = HEAD + b"Content-Type: text/html\n\n"
SIZE = 200_000


def filled(pattern: bytes, size: int = SIZE) -> bytes:
    return (pattern * (size // len(pattern) + 1))[:size]


def nested(levels: int) -> bytes:
    opened = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
        for level in range(levels)
    )
    return HEAD + opened + b"Content-Type: text/plain\n\nc3-e5\n"


def many_parts(number: int) -> bytes:
    return HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * number


HOSTILE = {
    f"{name} {what} {pattern!r}": head + start + filled(pattern)
    for name, head in (("plain", PLAIN), ("html", HTML))
    for start, what in ((b"", "alone"), (b"c3-e5\n\n", "below a move"))
    for pattern in (
        b"On ", b"\n", b" \n", b"-", b"- ", b"From: x\n", b">", b"> ", b">\n", b"|", b":\n",
        b"wrote:", b"On x wrote:\n", b"_", b"\x00", b"\xff", b"<", b"<div>", b"<!--", b"</p>",
        b"<blockquote>", b"&", b"&#", b"if a then b", b"resign #", b"a\xcc\x81\xcc\xa3", b"=",
        b"\t", b"\r", b"\xe2\x80\x8b", b"*", b"if x;", b"@", b"(", b"1.", b"\xef\xb7\xba",
    )
}  # fmt: skip
HOSTILE |= {
    "eleven levels": nested(11),
    "five hundred levels": nested(500),
    "three thousand levels": nested(3000),
    "many parts": many_parts(60),
    "very many parts": many_parts(30_000),
    "long subject": b"Subject: " + filled(b"=?utf-8?q?=20?= ") + b"\n" + PLAIN + b"x",
    "long sender": b"From: " + filled(b"<(\"") + b"\nSubject: x\n\nx",
    "many senders": b"From: " + filled(b"a@b, ") + b"\nSubject: x\n\nx",
    "long references": b"References: " + filled(b"<a@localhost> ") + b"\n" + PLAIN + b"x",
    "long results": b"Authentication-Results: " + filled(b"x; (") + b"\n" + PLAIN + b"x",
    "many headers": filled(b"X: y\n") + PLAIN + b"x",
    "no end of a header": filled(b"x"),
    "folded header": b"Subject: x" + filled(b"\n\t") + b"\n" + PLAIN + b"x",
    "broken boundary": HEAD + b"Content-Type: multipart/mixed; boundary=\n\nx",
    "broken base64": HEAD + b"Content-Transfer-Encoding: base64\n\n" + filled(b"=A"),
    "broken quoted-printable": HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n"
    + filled(b"=\n=4"),
    "broken content type": HEAD + b"Content-Type: " + filled(b"a/b;x*0*='") + b"\n\nx",
    "nothing": b"",
    "nothing but headers": HEAD,
    "empty text": PLAIN,
    "zeros": filled(b"\0"),
    "no ascii": filled(b"\xff\xfe"),
}  # fmt: skip
CHARSETS = (
    "foo-8", "iso-8859-8-i", "utf-7", "punycode", "idna", "base64", "unicode_escape", "utf-16",
    "utf-32", "\xff", '"', "undefined", "zlib", "rot13", "hz", "utf-8\0",
)  # fmt: skip
HOSTILE |= {
    f"charset {name}": HEAD
    + f"Content-Type: text/plain; charset={name}\n\n".encode("latin-1")
    + filled(b"\xe4-")
    for name in CHARSETS
}

is_move = grammar(None)


@pytest.mark.parametrize("name", HOSTILE)
def test_reading_ends_within_a_second_of_work(name):
    raw = HOSTILE[name]
    began = time.process_time()
    with contextlib.suppress(mail_body.Unreadable):
        message = mail_body.opened(raw)
        mail_reading.why_not_read(message, mail_from="alice@example.org", domain="localhost")
        words = mail_reading.words_of(message, is_move)
        assert all(command.argument == "c3-e5" for command in words.commands)
    assert time.process_time() - began < 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "plain alone b'On '", "html alone b'<div>'", "eleven levels", "three thousand levels",
        "many parts", "long sender", "long references", "long results", "many headers", "nothing",
        "zeros", "no ascii", "charset foo-8", "charset punycode", "broken content type",
        "empty text",
    ],
)  # fmt: skip
def test_it_is_settled_with_a_reason(start, name):
    game = start("tritt-classic")
    began = time.process_time()
    done = arrive(HOSTILE[name], f"r+{token_of(game).token}@localhost")
    assert time.process_time() - began < 1
    assert done.state in ("refused", "done")
    assert done.outcome
    assert done.reason
    assert Move.objects.filter(game=game).count() == 1


def test_what_is_larger_than_the_limit_is_not_opened():
    with pytest.raises(mail_body.Unreadable, match="too large"):
        mail_body.opened(PLAIN + filled(b"x", 1_000_001))


# What a reader should see


def text_of(raw: bytes) -> str:
    return mail_body.body_of(mail_body.opened(raw)).text


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        (b"utf-8", "Züge".encode(), "Züge"),
        (b"iso-8859-1", "Züge".encode("latin-1"), "Züge"),
        (b"foo-8", "Züge".encode(), "Züge"),
        (b"foo-8", "Züge".encode("cp1252"), "Züge"),
        (b"us-ascii", "Züge".encode(), "Züge"),
        (b"utf-8", "Züge".encode("latin-1"), "Züge"),
        (b"iso-8859-8-i", "שלום".encode("iso-8859-8"), "שלום"),
        (b"utf-16", "5.7".encode("utf-16"), "5.7"),
    ],
)
def test_the_text_is_decoded_by_what_is_declared_or_what_fits(charset, body, text):
    assert text_of(HEAD + b"Content-Type: text/plain; charset=" + charset + b"\n\n" + body) == text


def parts(*bodies: tuple[bytes, bytes], kind: bytes = b"alternative") -> bytes:
    inner = b"".join(b"--b\n" + head + b"\n\n" + body + b"\n" for head, body in bodies)
    return HEAD + b"Content-Type: multipart/" + kind + b"; boundary=b\n\n" + inner + b"--b--\n"


TEXT, PAGE = b"Content-Type: text/plain", b"Content-Type: text/html"


def test_plain_text_comes_before_html():
    assert text_of(parts((PAGE, b"<p>draw</p>"), (TEXT, b"5.7"))).strip() == "5.7"


def test_an_empty_text_beside_html_gives_way_to_it():
    opened = mail_body.opened(parts((TEXT, b" \n"), (PAGE, b"<div>5.7</div>")))
    body = mail_body.body_of(opened)
    assert (body.text.strip(), body.source) == ("5.7", "html")


@pytest.mark.parametrize(
    "attached",
    [
        b"Content-Type: text/plain\nContent-Disposition: attachment",
        b"Content-Type: text/plain; name=x.txt",
        b"Content-Type: message/rfc822",
        b"Content-Type: application/octet-stream",
    ],
)
def test_what_is_attached_is_not_what_was_written(attached):
    assert text_of(parts((attached, b"Subject: x\n\nresign #1"), kind=b"mixed")) == ""


def test_a_second_text_is_not_read_when_the_first_is_empty():
    assert text_of(parts((TEXT, b""), (TEXT, b"resign #1"), kind=b"mixed")) == ""


def test_long_texts_are_cut_before_they_are_read():
    text = text_of(PLAIN + b"5.7\n" * 1000)
    assert text.count("\n") == mail_body.MOST_LINES - 1


def test_the_same_bytes_are_opened_alike_with_a_mark_or_blank_lines_before_them():
    for before in (b"", b"\xef\xbb\xbf", b"\r\n\n"):
        assert mail_body.senders(mail_body.opened(before + PLAIN)) == ["alice@example.org"]


def test_stored_mail_is_what_came(start):
    game = start("tritt-classic")
    raw = PLAIN + b"c3-e5\r\n\0\xff"
    done = arrive(raw, f"r+{token_of(game).token}@localhost")
    assert bytes(InboundMail.objects.get(pk=done.pk).raw) == raw
    assert message_from_bytes(raw)["Subject"] == "x"
