"""Listens for players' answers."""

import asyncio
import signal
import smtplib
from functools import partial
from typing import Any

from aiosmtpd.smtp import SMTP
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games import beats
from games.models import WayIn
from notifications.mail_in import LARGEST, Handler

OK = 250


def _ask(host: str, port: int) -> None:
    with smtplib.SMTP(host, port, timeout=beats.PATIENCE) as line:
        code, said = line.noop()
    if code != OK:
        raise smtplib.SMTPResponseException(code, said)


class Command(BaseCommand):
    help = "Takes mail by SMTP until it is stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asyncio.run(self.listen())
        except OSError as error:
            raise CommandError(f"Cannot listen for mail: {error}") from error

    async def listen(self) -> None:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, stopped.set)
        host, port = settings.MAIL_LISTEN_HOST, settings.MAIL_LISTEN_PORT
        session = partial(SMTP, Handler(), hostname=settings.MAIL_DOMAIN, data_size_limit=LARGEST)
        async with await loop.create_server(session, host=host, port=port):
            self.stdout.write(f"listening for mail on {host}:{port}")
            beats.start(WayIn.MAIL, port, partial(_ask, beats.own_host(host), port))
            await stopped.wait()
