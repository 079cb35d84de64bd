"""A player who moves by mail, to the reply address of the letters that the mail peer has taken."""

import smtplib
from email.message import EmailMessage
from typing import Any

from accounts.models import Player
from tests.chaos.ledger import Ledger, Sent
from tests.chaos.peers import MailPeer
from tests.chaos.site import AUTHSERV_ID

PATIENCE = 15.0


class Writer:
    def __init__(self, player: Player, peer: MailPeer, port: int, ledger: Ledger) -> None:
        self.player, self.peer, self.port, self.ledger = player, peer, port, ledger
        self.unsent: tuple[Sent, str, EmailMessage] | None = None

    def is_free(self, game: int, state: dict[str, Any]) -> bool:
        """Whether there is a letter to answer; a mail that was not taken yet is sent again."""
        if self.unsent:
            self._send(*self.unsent)
            return False
        is_answered = any(
            (one.game, one.ply) == (game, state["ply"]) for one in list(self.ledger.mailed)
        )
        return not is_answered and (game, state["ply"], self.player.email) in self.peer.reply_to

    def write(self, move: Sent) -> None:
        to = self.peer.reply_to[move.game, move.ply, self.player.email]
        mail = EmailMessage()
        mail["Authentication-Results"] = f"{AUTHSERV_ID}; dmarc=pass"
        mail["From"], mail["To"] = self.player.email, to
        mail["Subject"] = "Re: our game"
        mail["Message-ID"] = f"<{move.game}.{move.ply}@example.org>"
        mail.set_content(f"{move.text}\n")
        self._send(move, to, mail)

    def _send(self, move: Sent, to: str, mail: EmailMessage) -> None:
        """It stays the same mail until it is known to have been taken."""
        self.unsent = move, to, mail
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE) as line:
                line.send_message(mail, self.player.email, [to])
        except (OSError, smtplib.SMTPException) as error:
            self.ledger.note_reply(f"mail: {type(error).__name__}", str(error))
        else:
            self.unsent = None
            self.ledger.note_reply("mail: taken", "")
            self.ledger.note_mailed(move)
