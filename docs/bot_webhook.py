"""Plays a random legal move whenever a signed webhook says that it is its turn."""

import hashlib
import hmac
import json
import os
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

API = os.environ.get("TRIPOST", "http://localhost:8000") + "/api/v1/"
HEADERS = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
SECRET = os.environ["WEBHOOK_SECRET"].encode()
PORT = int(os.environ.get("WEBHOOK_PORT", "8090"))


def ask(path, body=None):
    data = json.dumps(body).encode() if body else None
    return json.load(urlopen(Request(API + path, data, HEADERS), timeout=60))


def is_signed(header, body):
    """By whoever knows the secret, within the last five minutes."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    moment = parts.get("t", "0")
    if not moment.isdecimal() or abs(time.time() - int(moment)) > 300:
        return False
    signed = hmac.new(SECRET, moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signed, parts.get("v1", ""))


def play(game, ply):
    text, whole = "", False
    try:
        while not whole:
            step = random.choice(ask(f"games/{game}/choices?prefix={quote(text)}")["choices"])
            text, whole = text + step["token"], step["whole"]
        ask(f"games/{game}/moves", {"ply": ply, "move": text})
    except (HTTPError, IndexError) as problem:
        print(game, ply, problem)


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_ours = is_signed(self.headers.get("Tripost-Signature", ""), body)
        # The answer must not wait for the move: whoever calls hangs up after a few seconds.
        self.send_response(204 if is_ours else 403)
        self.end_headers()
        told = json.loads(body) if is_ours else {}
        if told.get("state", {}).get("your_turn"):
            turn = (told["game"], told["state"]["ply"])
            threading.Thread(target=play, args=turn, daemon=True).start()


ThreadingHTTPServer(("127.0.0.1", PORT), Webhook).serve_forever()
