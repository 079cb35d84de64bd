"""While PostgreSQL is away everybody is told so, and what came to nothing is done once more."""

import json
import time

import psycopg
import pytest
from django.core.handlers.exception import convert_exception_to_response
from django.db import close_old_connections, connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory
from redis import Redis

from config.asgi_bridge import environ_of
from config.unavailable import Unavailable
from games.models import RatingPool
from tests.api.test_stream import Listening
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db
MINT = """
from accounts import tokens
from accounts.models import Player
player, _ = Player.objects.get_or_create(name="Alice", defaults={"email": "alice@example.org"})
print(tokens.mint(player=player, name="stream", scopes=["read"])[1])
"""


# Away


def test_pages_and_programs_are_told_when_to_come_again(web):
    with web.without(web.postgres):
        for path in ("/", "/games/1/"):
            page = web.get(path)
            assert (page.status, page.headers["Retry-After"]) == (503, "10"), path
            assert "We cannot serve this right now" in page.body.decode()
            assert "css/site.css" in page.body.decode()
        german = web.get("/", headers={"Accept-Language": "de"}).body.decode()
        assert "Das geht gerade nicht" in german
        headers = {"Content-Type": "application/json", "Authorization": "Bearer trip_0123456789"}
        for method in ("GET", "POST"):
            reply = web.ask(method, "/api/v1/challenges", b"{}", headers)
            assert (reply.status, reply.headers["Retry-After"]) == (503, "10")
            assert reply.headers["Content-Type"] == "application/problem+json"
            assert reply.json["code"] == "unavailable"
    until_served(web)
    assert "Traceback" not in web.log("web")


def until_served(site: OwnSite) -> None:
    """By both processes, each of which tries again after a second."""
    give_up_at = time.monotonic() + 10
    while any(site.get("/").status != 200 for _ in range(6)):
        assert time.monotonic() < give_up_at
        time.sleep(0.2)


def test_the_log_says_it_once_and_has_a_line_for_each_request(web):
    before = len(web.log("web"))
    with web.without(web.postgres):
        for _ in range(8):
            assert web.get("/").status == 503
        lines = web.log("web")[before:].splitlines()
    until_served(web)
    assert sum(" GET / 503 " in line for line in lines) == 8
    # Once by each of the two processes.
    assert sum("PostgreSQL is away" in line for line in lines) <= 2
    assert "PostgreSQL is away" in web.log("web")
    assert "Traceback" not in "\n".join(lines)


def test_a_connection_that_was_cut_costs_nothing(web):
    until_served(web)
    with psycopg.connect(web.postgres.url, autocommit=True) as database:
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )
    assert [web.get("/").status for _ in range(8)] == [200] * 8


def test_the_stream_says_that_it_is_away_and_that_it_is_back(web):
    web.start("stream", STREAM_HEARTBEAT="1")
    try:
        secret = web.run_python(MINT).split()[-1]
        authorization = {"Authorization": f"Bearer {secret}"}
        before = len(web.log("stream"))
        listening = Listening(web.stream_port, **authorization)
        assert listening.answer.status == 200
        with web.without(web.postgres):
            assert next_outage(listening) == {"is_over": False}
            refused = Listening(web.stream_port, **authorization).answer
            assert (refused.status, refused.headers["Retry-After"]) == (503, "10")
            assert json.load(refused)["code"] == "unavailable"
            # Access is checked every second.
            time.sleep(4)
        assert next_outage(listening) == {"is_over": True}
        listening.close()
        away, back = web.log("stream")[before:].splitlines()
        assert "PostgreSQL is away" in away
        assert back.endswith("PostgreSQL is back")
    finally:
        web.stop("stream")


def test_a_worker_says_once_that_it_is_away_and_once_that_it_is_back(own_site):
    before = len(own_site.log("clocks")) if (own_site.home / "clocks.log").exists() else 0
    own_site.start("clocks")
    try:
        run_tasks(own_site, 1)
        with own_site.without(own_site.postgres):
            run_tasks(own_site, 5)
        run_tasks(own_site, 3)
    finally:
        own_site.stop("clocks")
    said = own_site.log("clocks")[before:]
    assert "Traceback" not in said
    assert said.count("PostgreSQL is away") == said.count("PostgreSQL is back") == 1


def run_tasks(site: OwnSite, number: int) -> None:
    """Until the worker has taken and acknowledged them, whatever became of them."""
    site.run_python(f"from games.tasks import beat; [beat.delay() for _ in range({number})]")
    url = site.redis.url
    with Redis.from_url(url) as redis:
        give_up_at = time.monotonic() + 60
        while redis.llen("clocks") or redis.hlen("unacked"):
            assert time.monotonic() < give_up_at, site.log("clocks")
            time.sleep(0.1)


def next_outage(listening: Listening) -> dict:
    for _ in range(40):
        fields = listening.block()
        if fields.get("event") == "outage":
            return json.loads(fields["data"])
    raise AssertionError("nothing was said")


# Once more


@pytest.fixture
def other(transactional_db, settings):
    """Another session of the same database."""
    at = connection.settings_dict
    where = {"host": at["HOST"] or at["OPTIONS"].get("host"), "user": at["USER"]}
    with psycopg.connect(dbname=at["NAME"], autocommit=True, **where) as session:
        yield session
    connection.close()


def cut(other: psycopg.Connection) -> None:
    connection.ensure_connection()
    other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    RatingPool.objects.count()


def request():
    scope = {
        "method": "POST", "raw_path": b"/", "query_string": b"", "server": ("127.0.0.1", 80),
        "http_version": "1.1", "scheme": "http",
        "headers": [(b"content-type", b"text/plain"), (b"content-length", b"4")],
    }  # fmt: skip
    environ = environ_of(scope)
    environ["wsgi.input"].write(b"pool")
    environ["wsgi.input"].seek(0)
    return RequestFactory().request(**environ)


def serve(view) -> HttpResponse:
    response = Unavailable(convert_exception_to_response(view))(request())
    close_old_connections()
    return response


def test_what_lost_its_connection_before_a_commit_is_repeated(other):
    bodies = []

    def view(request):
        with transaction.atomic():
            RatingPool.objects.create(key=request.read().decode())
            bodies.append(1)
            if len(bodies) == 1:
                cut(other)
        return HttpResponse("done")

    assert serve(view).content == b"done"
    assert len(bodies) == 2
    assert [pool.key for pool in RatingPool.objects.all()] == ["pool"]


def test_it_is_repeated_only_once(other):
    tries = []

    def view(request):
        with transaction.atomic():
            tries.append(RatingPool.objects.create(key="pool"))
            cut(other)

    assert serve(view).status_code == 503
    assert len(tries) == 2
    assert not RatingPool.objects.exists()


def test_what_committed_something_is_not_repeated(other):
    tries = []

    def commit_and_lose(request):
        with transaction.atomic():
            tries.append(RatingPool.objects.create(key=f"pool {len(tries)}"))
        cut(other)

    def write_and_lose(request):
        """Without a transaction, each statement commits."""
        tries.append(RatingPool.objects.create(key=f"pool {len(tries)}"))
        cut(other)

    assert serve(commit_and_lose).status_code == 503
    assert serve(write_and_lose).status_code == 503
    assert len(tries) == RatingPool.objects.count() == 2


def test_the_victim_of_a_deadlock_is_repeated(other):
    tries = []

    def view(request):
        tries.append(1)
        with transaction.atomic(), connection.cursor() as cursor:
            if len(tries) == 1:
                cursor.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$")
        return HttpResponse("done")

    assert serve(view).content == b"done"


def test_a_statement_that_took_too_long_is_not_repeated(other):
    tries = []

    def view(request):
        tries.append(1)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 10")
            cursor.execute("SELECT pg_sleep(1)")

    assert serve(view).status_code == 503
    assert len(tries) == 1


def test_what_is_wrong_with_us_is_still_an_error(other):
    def view(request):
        raise ValueError("ours")

    assert serve(view).status_code == 500
