"""Makes the environment of a run: ports, secret, database and Redis, each tried beforehand."""

import os
import secrets
import socket
import sys
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path

import environ
import psycopg
import redis
from psycopg.conninfo import make_conninfo


class Trouble(Exception):
    """Why Tripost cannot run, in one sentence for the person who started it."""


def surroundings(given: Mapping[str, str], home: Path) -> dict[str, str]:
    host = given.get("HOST") or "127.0.0.1"
    port = wanted_port(given.get("PORT") or "8000", host)
    mail_port = _next_free_port(port + 25, host, taken={port})
    stream_port = _next_free_port(port + 50, host, taken={port, mail_port})
    return {
        "DEBUG": "1",
        "SECRET_KEY": _kept_secret(home / "secret_key"),
        "SITE_URL": f"http://localhost:{port}",
        **given,
        "HOST": host,
        "PORT": str(port),
        "MAIL_PORT": str(mail_port),
        "STREAM_PORT": str(stream_port),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), given.get("PATH", os.defpath)]),
        "PYTHONUNBUFFERED": "1",
    }


def wanted_port(text: str, host: str, name: str = "PORT", command: str = "make run ") -> int:
    if not (text.isdecimal() and 0 < int(text) < 65536):
        raise Trouble(f"{name} must be a number from 1 to 65535, not {text!r}.")
    port = int(text)
    try:
        _bind(port, host)
    except PermissionError:
        raise Trouble(f"Port {port} is for the system alone; choose one above 1023.") from None
    except OSError as error:
        other = f"{command}{name}={port + 1 if port < 65535 else 8000}"
        raise Trouble(_why_not(port, host, error, other)) from None
    return port


def try_database(url: str) -> None:
    settings = _connection_settings(url)
    try:
        psycopg.connect(make_conninfo(**settings), connect_timeout=5).close()
    except psycopg.Error as error:
        raise Trouble(f"DATABASE_URL leads to no database: {_first_line(error)}") from None


def try_redis(url: str) -> None:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except (ValueError, OSError, redis.RedisError) as error:
        raise Trouble(f"REDIS_URL leads to no Redis: {_first_line(error)}") from None


def _bind(port: int, host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind((host, port))
        bound: int = trial.getsockname()[1]
        return bound


def _why_not(port: int, host: str, error: OSError, other: str) -> str:
    if isinstance(error, socket.gaierror):
        return f"HOST={host} is not an address of this machine."
    return f"Port {port} is taken; stop what uses it or choose another: {other}"


def _next_free_port(wanted: int, host: str, taken: Collection[int]) -> int:
    for port in range(wanted, min(wanted + 500, 65536)):
        if port in taken:
            continue
        try:
            return _bind(port, host)
        except OSError:
            continue
    return _bind(0, host)


def _kept_secret(file: Path) -> str:
    try:
        with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return file.read_text()


def _connection_settings(url: str) -> dict[str, str]:
    # Read as config/settings.py will read it, so that what passes here also serves there.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = environ.Env.db_url_config(url)
    except ValueError:
        said = {}
    if not said.get("ENGINE", "").endswith(".postgresql"):
        raise Trouble("DATABASE_URL must read postgres://user:password@host:5432/name.")
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    known = {name: said[key] for name, key in names.items() if said.get(key)}
    return {"dbname": said["NAME"], **said.get("OPTIONS", {}), **known}


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
