"""Writes a letter of every kind to a folder, to be looked at."""

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from notifications import letters, samples


class Command(BaseCommand):
    help = "Writes a letter of every kind as .eml, .txt and .html; the database stays as it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--language", default="en")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        folder.mkdir(parents=True, exist_ok=True)
        with transaction.atomic():
            now = timezone.now()
            for name, letter in samples.every_letter(now=now, language=options["language"]):
                raw = letters.compose(letter, now=now).message().as_bytes()
                (folder / f"{name}.eml").write_bytes(raw)
                self._unpack(folder / name, BytesParser(policy=policy.default).parsebytes(raw))
            transaction.set_rollback(True)
        self.stdout.write(f"see {folder}")

    def _unpack(self, path: Path, message: EmailMessage) -> None:
        """The HTML shows its pictures from files beside it, as a mail program would."""
        html = ""
        for number, part in enumerate(message.walk()):
            if part.get_content_type() == "text/plain":
                path.with_name(f"{path.name}.txt").write_text(part.get_content())
            elif part.get_content_type() == "text/html":
                html = part.get_content()
            elif part.get_content_maintype() == "image":
                picture = path.with_name(f"{path.name}.{number}.png")
                picture.write_bytes(part.get_content())
                html = html.replace(f"cid:{part['Content-ID'][1:-1]}", picture.name)
        path.with_name(f"{path.name}.html").write_text(html)
