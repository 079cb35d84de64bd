"""What can go wrong at the doors of events, each with a stable code and the sentence to read."""

from http import HTTPStatus

from games.refusals import PlayRefusal


class EventRefusal(PlayRefusal):
    """What doors of events refuse."""


class NoSuchEvent(EventRefusal):
    code = "not_found"
    status = HTTPStatus.NOT_FOUND

    def __init__(self) -> None:
        super().__init__("There is no such event.")


class NotYourEvent(EventRefusal):
    code = "not_allowed"
    status = HTTPStatus.FORBIDDEN

    def __init__(self) -> None:
        super().__init__("Only the organiser of this event and its directors may do that.")


class WrongMoment(EventRefusal):
    """The event is not in the state in which this can be done."""

    code = "wrong_moment"


class CannotEnter(EventRefusal):
    """The conditions of entry are not met; the sentence says which."""

    code = "cannot_enter"


class NotEntered(EventRefusal):
    code = "not_entered"


class BadEvent(EventRefusal):
    """What was filled in does not make an event; the sentence says what would."""

    code = "invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
