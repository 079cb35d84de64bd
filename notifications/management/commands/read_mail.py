"""Tells what would be made of raw messages, or takes them in as if they had come by SMTP."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from email.message import Message
from email.utils import getaddresses
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error, connection, transaction

from games.rules.position import Position, Roll
from games.rules.registry import RULESETS
from notifications import mail_acts, mail_body, mail_in, mail_reading, reply_address, sender
from notifications.mail_body import LARGEST, Body, Unreadable
from notifications.models import ReplyToken

HELP = """\
With --dry-run prints one JSON object a line for each file (- is standard input), and writes
nothing anywhere:

  file         the file's name
  automatic    whether it is automatic mail, which is never answered
  refused      whether it would be refused before its words count
  why          what gives that away, such as "null sender" or "too deep"; else empty
  sender       the address that it is from
  recipient    the address of ours that it is for, if its headers name one
  token        the secret of that address, if it has one
  game, seat, ply   what the token stands for; null without a database that knows it
  game_key     the game by whose notation moves were read, or null if all were tried
  commands     what it says, as {"command", "text", "argument"}, in order
  chat         the message to the opponent
  body_source  "plain", "html" or "" (no text at all)
  ended_by     what stands below the last command: blank, quote, text or end
  outcome      automatic, refused, unreadable, other-address, not-understood, conflicting or act

No database is needed; if one answers, tokens are looked up in it. Without --dry-run each message
is stored like one that came by SMTP, and a worker does the rest.
"""
NAMED = ("From", "To", "Subject", "Date", "Received", "Message-ID", "Content-Type", "MIME-Version")
ADDRESSED = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
DICE = (3, 4)
PATIENCE = 3


class Command(BaseCommand):
    help = HELP
    requires_system_checks = []

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="only tell, as JSON lines")
        parser.add_argument(
            "--game", choices=sorted(RULESETS), help="read moves by the notation of this game alone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.has_database = True
        connection.settings_dict["OPTIONS"].setdefault("connect_timeout", PATIENCE)
        for name in options["files"]:
            raw = _read(name)
            if options["dry_run"]:
                found = {"file": name, **self.told(raw, options["game"])}
                self.stdout.write(json.dumps(found, ensure_ascii=False))
            else:
                self.stdout.write(f"{name}: {_take_in(raw)}")

    def told(self, raw: bytes, key: str | None) -> dict[str, Any]:
        """What would be made of one message; never fails, whatever it is."""
        found: dict[str, Any] = {
            "automatic": False, "refused": False, "why": "", "sender": "", "recipient": "",
            "token": "", "game": None, "seat": None, "ply": None, "game_key": key,
            "commands": [], "chat": "", "body_source": "", "ended_by": "",
        }  # fmt: skip
        try:
            found |= self._told(raw, key)
        except Unreadable as unreadable:
            found |= {"refused": True, "why": unreadable.why, "outcome": "unreadable"}
        return found

    def _told(self, raw: bytes, key: str | None) -> dict[str, Any]:
        message = mail_body.opened(raw)
        if not any(name in message for name in NAMED):
            text = mail_body.decoded(raw[: mail_body.LONGEST_TEXT], None)
            return _words(mail_reading.words_in(Body(text, "plain"), grammar(key)), grammar(key))
        recipient = _recipient_of(message)
        found = {
            "sender": ", ".join(mail_body.senders(message)),
            "recipient": recipient,
            "token": reply_address.written_in(recipient),
        }
        outcome, why = mail_reading.why_not_read(
            message, mail_from=None, domain=settings.MAIL_DOMAIN
        )
        if outcome:
            return found | {outcome: True, "why": why, "outcome": outcome}
        position, more = self._looked_up(message, recipient)
        is_move = mail_acts.is_move_in(position) if position else grammar(key)
        return found | _words(mail_reading.words_of(message, is_move), is_move) | more

    def _looked_up(
        self, message: Message, recipient: str
    ) -> tuple[Position | None, dict[str, Any]]:
        references = [mail_body.header(message, name) for name in ("References", "In-Reply-To")]
        if not self.has_database or not reply_address.is_named(recipient, references):
            return None, {}
        try:
            with transaction.atomic():
                connection.cursor().execute("SET TRANSACTION READ ONLY")
                token = reply_address.find(recipient) or reply_address.find_in_references(
                    references
                )
                return _known(token, message) if token else (None, {})
        except Error as error:
            self.has_database = False
            self.stderr.write(f"No database answers, so no token is known: {error}")
            return None, {}


def _known(token: ReplyToken, message: Message) -> tuple[Position, dict[str, Any]]:
    more = {
        "token": token.token, "game": token.game_id, "seat": token.seat, "ply": token.ply,
        "game_key": token.game.ruleset,
    }  # fmt: skip
    if not sender.is_own_address(token.player, mail_body.senders(message)):
        more |= {"refused": True, "why": "other address", "outcome": "other-address"}
    return mail_acts.position_of(token), more


def _words(words: mail_reading.Words, is_move: Callable[[str], bool]) -> dict[str, Any]:
    outcome = "act" if words.commands else "not-understood"
    if mail_acts.conflict(words.commands, str):
        outcome = "conflicting"
    return {
        "commands": [
            {"command": one.name, "text": one.text, "argument": one.argument}
            for one in words.commands
        ],
        "chat": words.chat,
        "body_source": words.source,
        "ended_by": words.ended_by,
        "outcome": outcome,
    }


def grammar(key: str | None) -> Callable[[str], bool]:
    """Whether a line is a move of this game, or of any."""
    chosen = [RULESETS[key]] if key else list(RULESETS.values())
    tried = [mail_acts.is_move_in(_thrown(rules.start({}))) for rules in chosen]
    return lambda text: any(is_move(text) for is_move in tried)


def _thrown(position: Position) -> Position:
    """A position that awaits a move, so that moves can be told from other words."""
    while isinstance(awaited := position.awaiting, Roll):
        position = position.rolled(DICE[: awaited.dice])
    return position


def _recipient_of(message: Message) -> str:
    """The first address of ours among the headers, one with a token before all others."""
    lines = [str(line)[:2000] for name in ADDRESSED for line in message.get_all(name, [])]
    found = [address.lower() for _name, address in getaddresses(lines)]
    ours = [one for one in found if one.endswith(f"@{settings.MAIL_DOMAIN.lower()}")]
    return next((one for one in ours if reply_address.written_in(one)), next(iter(ours), ""))


def _take_in(raw: bytes) -> str:
    if len(raw) > LARGEST:
        return "too large"
    try:
        message = mail_body.opened(raw)
    except Unreadable as unreadable:
        return unreadable.why
    recipient = _recipient_of(message)
    if refusal := mail_in.why_refused(recipient, peer="read_mail"):
        return refusal
    mail_from = mail_body.header(message, "Return-Path").strip("<>")
    senders = ", ".join(mail_body.senders(message))
    mail_in.store(raw, recipients=[recipient], mail_from=mail_from or senders, peer="read_mail")
    return "stored"


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}") from error
