"""What can go wrong at the doors, each with a stable code and the sentence people read."""

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


class NothingToAnswer(PlayRefusal):
    code = "nothing_to_answer"


class TooLate(PlayRefusal):
    code = "too_late"


class NotAllowed(PlayRefusal):
    code = "not_allowed"
    status = HTTPStatus.FORBIDDEN


class TooMany(PlayRefusal):
    code = "too_many"
    status = HTTPStatus.TOO_MANY_REQUESTS


class BadRequest(PlayRefusal):
    code = "invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
