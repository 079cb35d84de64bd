"""Plays a random legal move whenever one of its games waits for it."""

import json
import os
import random
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

API = os.environ.get("TRIPOST", "http://localhost:8000") + "/api/v1/"
HEADERS = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}


def ask(path, body=None):
    data = json.dumps(body).encode() if body else None
    return urlopen(Request(API + path, data, HEADERS), timeout=60)


while True:
    for line in ask("stream"):
        if line.startswith(b"data: "):
            turn, text, whole = json.loads(line[6:]), "", False
            try:
                while not whole:
                    picker = json.load(ask(f"games/{turn['game']}/choices?prefix={quote(text)}"))
                    step = random.choice(picker["choices"])
                    text, whole = text + step["token"], step["whole"]
                ask(f"games/{turn['game']}/moves", {"ply": turn["ply"], "move": text})
            except (HTTPError, IndexError) as problem:
                print(turn, problem)
