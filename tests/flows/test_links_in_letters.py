"""Mail programs and their guards follow every link of a letter: that must not change anything."""

import html
import re
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone

from accounts.models import Player
from notifications import samples
from notifications.letters import LETTERS, compose
from notifications.models import InboundMail, Kind, Letter
from notifications.scene import Scene

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

URL = re.compile(r"https?://[^\s<>\"')]+")
TABLES = """
SELECT tablename FROM pg_tables
WHERE schemaname = 'public' AND tablename NOT IN ('django_session', 'django_migrations')
"""


@pytest.fixture
def written(site, settings, monkeypatch) -> dict[str, set[str]]:
    """The addresses in a letter of every kind, by its kind; pictures have none."""
    settings.SITE_URL = site
    monkeypatch.setattr(Scene, "picture", lambda _scene: b"PNG")
    found: dict[str, set[str]] = {}
    for letter in every_letter():
        found.setdefault(letter.kind, set()).update(addresses_in(letter))
    return found


def every_letter() -> list[Letter]:
    now = timezone.now()
    letters = [letter for _name, letter in samples.every_letter(now=now)]
    turn = next(letter for letter in letters if letter.kind == Kind.TURN)
    return [*letters, *(reply(turn, outcome) for outcome in ("played", "held", "illegal"))]


def reply(turn: Letter, outcome: str) -> Letter:
    mail = InboundMail.objects.create(
        recipient="play@localhost", peer="test", raw=b"", sha256=outcome, player=turn.player
    )
    details = {"outcome": outcome, "said": ["So."], "wants": ["help", "history"], "ply": turn.ply}
    return Letter.objects.create(
        key=f"r{mail.pk}.reply", kind=Kind.REPLY, player=turn.player, game=turn.game,
        seat=turn.seat, ply=turn.ply, about=mail.pk, details=details,
    )  # fmt: skip


def addresses_in(letter: Letter) -> set[str]:
    """In the text, in the HTML and in the headers."""
    message = compose(letter, now=timezone.now())
    parts = [message.body, *message.extra_headers.values()]
    parts += [html.unescape(content) for content, _kind in message.alternatives]
    return {url.rstrip(".,") for part in parts for url in URL.findall(str(part))}


def everything_stored() -> dict[str, str]:
    """A digest of every table; when somebody was last here is not counted."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        digests = " UNION ALL ".join(
            f"SELECT '{table}', (SELECT md5(string_agg(row, '|' ORDER BY row)) FROM"
            f" (SELECT (to_jsonb(t) - 'seen_at')::text AS row FROM \"{table}\" t) AS rows)"
            for (table,) in cursor.fetchall()
        )
        cursor.execute(digests)
        return dict(cursor.fetchall())


def test_there_is_a_letter_of_every_kind_with_links_to_our_pages_alone(written, site):
    assert set(written) == {kind.value for kind in LETTERS}
    assert all(written.values())
    foreign = {url for urls in written.values() for url in urls if not url.startswith(site)}
    assert foreign == set()


def test_to_fetch_any_link_changes_nothing(written, site):
    reader = Client()
    reader.force_login(Player.objects.get(name="Amelie"))
    before = everything_stored()
    for url in sorted(set().union(*written.values())):
        path = url.removeprefix(site)
        for who in (Client(), reader):
            for method in (who.get, who.head):
                assert method(path).status_code < 500, url
        assert everything_stored() == before, url


def test_a_browser_that_runs_scripts_and_clicks_nothing_changes_nothing(written, context):
    """Once as a stranger and once as the reader, one link of every sort in every kind."""
    before = everything_stored()
    urls = one_of_every_sort(written)
    look_at(context, urls, before)
    reader = Client()
    reader.force_login(Player.objects.get(name="Amelie"))
    before = everything_stored()
    cookie = reader.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": urls[0]}])
    look_at(context, urls, before)


def look_at(context, urls: list[str], before: dict[str, str]) -> None:
    page = context.new_page()
    for url in urls:
        page.goto(url)
        page.wait_for_load_state("networkidle")
        assert everything_stored() == before, url
    page.close()


def one_of_every_sort(written: dict[str, set[str]]) -> list[str]:
    chosen = {}
    for urls in written.values():
        for url in sorted(urls):
            chosen.setdefault(sort_of(url), url)
    return list(chosen.values())


def sort_of(url: str) -> str:
    path = urlsplit(url).path
    try:
        return resolve(path).view_name
    except Resolver404:
        return path


def test_the_comparison_sees_a_single_field(alice):
    before = everything_stored()
    Player.objects.update(seen_at=timezone.now())
    assert everything_stored() == before
    Player.objects.update(about="changed")
    assert everything_stored() != before
