"""Sends prepared requests over kept connections, from a process of its own, and counts."""

import pickle
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """One lane of requests for each connection; a lane is sent in order."""

    port: int
    lanes: list[list[bytes]]


def seconds_to_answer(load: Load) -> float:
    """Until all were answered; raises if a single one was not answered by 201."""
    done = subprocess.run(
        [sys.executable, "-m", "bench._load"], input=pickle.dumps(load), capture_output=True
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return float(done.stdout)


def request(path: str, token: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _main() -> None:
    load: Load = pickle.load(sys.stdin.buffer)
    lines = [socket.create_connection(("127.0.0.1", load.port), PATIENCE) for _ in load.lanes]
    for line in lines:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with ThreadPoolExecutor(len(lines)) as pool:
        began = time.perf_counter()
        list(pool.map(_send, lines, load.lanes))
        print(time.perf_counter() - began)


def _send(line: socket.socket, lane: list[bytes]) -> None:
    for asked in lane:
        line.sendall(asked)
        answer = _answer(line)
        if not answer.startswith(b"HTTP/1.1 201 "):
            raise AssertionError(f"{asked.decode()}\n{answer.decode()}")


def _answer(line: socket.socket) -> bytes:
    got = b""
    while (end := got.find(b"\r\n\r\n")) < 0:
        got += _some(line)
    head = got[:end].lower()
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    while len(got) < end + 4 + length:
        got += _some(line)
    return got


def _some(line: socket.socket) -> bytes:
    if not (some := line.recv(65536)):
        raise ConnectionError("the server hung up")
    return some


if __name__ == "__main__":
    _main()
