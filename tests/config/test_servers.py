"""The project's own servers start, stop, and come back after a kill with all they must keep."""

import os
import signal
import socket
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest

from config.servers import FORGETFUL, PostgresServer, RedisServer
from config.unprivileged import ServerFailure, make_private


@pytest.fixture
def postgres(tmp_path: Path):
    with PostgresServer(tmp_path) as server:
        yield server


@pytest.fixture
def stranger(postgres: PostgresServer):
    """Another process of PostgreSQL's user: one that PostgreSQL could take for its own."""
    with subprocess.Popen(["sleep", "60"], user=postgres.runner.uid) as process:
        yield process
        process.kill()


@pytest.fixture
def redis(tmp_path: Path):
    with RedisServer(tmp_path) as server:
        yield server


def test_postgres_starts_and_stops(tmp_path):
    server = PostgresServer(tmp_path, FORGETFUL)
    server.start()
    assert _ask(server, "SHOW fsync") == "off"
    server.stop()
    assert not server.is_alive()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.url)


def test_postgres_started_twice_is_used_as_it_is(postgres):
    before = _postmaster(postgres)
    PostgresServer(postgres.folder.parent).start()
    assert _postmaster(postgres) == before


def test_postgres_keeps_what_was_committed_through_a_kill(postgres):
    someone_connected = psycopg.connect(postgres.url)
    _ask(postgres, "CREATE TABLE word AS SELECT 'kept' AS text")
    os.kill(_postmaster(postgres), signal.SIGKILL)
    postgres.start()
    someone_connected.close()
    assert _ask(postgres, "SELECT text FROM word") == "kept"


def test_postgres_starts_when_its_number_belongs_to_someone_else(postgres, stranger):
    record = postgres.data / "postmaster.pid"
    lines = record.read_text().split("\n")
    postgres.stop()
    record.write_text("\n".join([str(stranger.pid), *lines[1:]]))
    postgres.start()
    assert _ask(postgres, "SELECT 1") == 1
    assert stranger.poll() is None


def test_a_half_made_cluster_is_made_anew(tmp_path):
    unfinished = tmp_path / "postgres" / "unfinished"
    server = PostgresServer(tmp_path, FORGETFUL)
    server.runner.make_private(unfinished)
    (unfinished / "PG_VERSION").write_text("18\n")
    with server:
        assert _ask(server, "SELECT 1") == 1


def test_postgres_listens_to_no_network(postgres):
    assert _ask(postgres, "SHOW listen_addresses") == ""
    assert stat.S_IMODE(postgres.sockets.stat().st_mode) == 0o700


def test_a_folder_too_deep_for_a_socket_gets_a_private_one_elsewhere(tmp_path):
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    with PostgresServer(deep, FORGETFUL) as postgres, RedisServer(deep) as redis:
        assert deep not in postgres.sockets.parents
        assert stat.S_IMODE(postgres.sockets.stat().st_mode) == 0o700
        assert _ask(postgres, "SELECT 1") == 1
        assert _ping(redis) == b"+PONG\r\n"
    postgres.sockets.rmdir()
    redis.socket.parent.rmdir()


def test_a_socket_folder_that_others_may_enter_is_refused(tmp_path):
    trap = tmp_path / "trap"
    trap.mkdir(mode=0o755)
    with pytest.raises(ServerFailure, match="alone"):
        make_private(trap, os.geteuid(), os.getegid())


def test_redis_starts_and_stops(tmp_path):
    server = RedisServer(tmp_path)
    server.start()
    assert _ping(server) == b"+PONG\r\n"
    server.stop()
    assert not server.is_alive()


def test_redis_comes_up_again_after_a_kill(redis):
    os.kill(_redis_pid(redis), signal.SIGKILL)
    redis.start()
    assert _ping(redis) == b"+PONG\r\n"


def _ask(server: PostgresServer, statement: str) -> object:
    with psycopg.connect(server.url) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def _postmaster(server: PostgresServer) -> int:
    return int((server.data / "postmaster.pid").read_text().split("\n")[0])


def _ping(server: RedisServer) -> bytes:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(server.socket))
        line.sendall(b"PING\r\n")
        return line.recv(20)


def _redis_pid(server: RedisServer) -> int:
    return int((server.folder / "pid").read_text())
