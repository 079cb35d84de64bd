"""What can go wrong at the doors, each with a stable code and the sentence people read."""

import math
from http import HTTPStatus

from games.rules.position import Refusal


class PlayRefusal(Refusal):
    code = "refused"
    status = HTTPStatus.CONFLICT


class NotAtThisTable(PlayRefusal):
    code = "not_a_player"
    status = HTTPStatus.FORBIDDEN

    def __init__(self) -> None:
        super().__init__("You do not play in this game, so you can only watch it.")


class NoSuchGame(PlayRefusal):
    code = "not_found"
    status = HTTPStatus.NOT_FOUND

    def __init__(self) -> None:
        super().__init__("There is no such game.")


class NotFound(PlayRefusal):
    code = "not_found"
    status = HTTPStatus.NOT_FOUND


class GameIsOver(PlayRefusal):
    code = "game_over"


class NotYourTurn(PlayRefusal):
    code = "not_your_turn"


class StalePly(PlayRefusal):
    code = "stale_ply"


class TimeRanOut(PlayRefusal):
    code = "time_ran_out"


class NotYetKnown(TimeRanOut):
    """Time ran out, unless an outage that is not entered yet gives it back."""


class NothingToAnswer(PlayRefusal):
    code = "nothing_to_answer"


class TooLate(PlayRefusal):
    code = "too_late"


class NotAllowed(PlayRefusal):
    code = "not_allowed"
    status = HTTPStatus.FORBIDDEN


class OwnGame(NotAllowed):
    """Nobody decides a game they play in, staff included."""

    def __init__(self, games: str = "") -> None:
        """Of an act on an event, which of its games they are."""
        if games:
            super().__init__(
                "You play {games} in this event yourself; another director or the staff decides"
                " that.",
                games=games,
            )
        else:
            super().__init__(
                "You play this game yourself; another director or the staff decides it."
            )


class TooMany(PlayRefusal):
    """`retry_after` says in how many seconds it is worth another try."""

    code = "too_many"
    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, template: str, *, retry_after: float = 60, **parameters: object) -> None:
        super().__init__(template, **parameters)
        self.retry_after = math.ceil(retry_after)


class BadRequest(PlayRefusal):
    code = "invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
