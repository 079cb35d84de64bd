"""A player's own share in the dice.

Where none is sent it stays the empty text: what the server chose would leave it a choice.
"""

from games.refusals import BadRequest

LONGEST = 64


def checked(text: str) -> str:
    if len(text) > LONGEST or (text and not text.isprintable()):
        raise BadRequest("A salt is a text of at most 64 printable characters.")
    return text
