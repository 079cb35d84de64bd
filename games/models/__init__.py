"""What the games store."""

from games.models.bots import BotErrand, Review, Visit
from games.models.lobby import Challenge
from games.models.outages import Heartbeat, Outage
from games.models.outbox import OutboxMessage
from games.models.people import Participant, Vacation
from games.models.ratings import Rating, RatingEntry, RatingPool
from games.models.rulings import ImportedGame, Ruling, RulingRequest
from games.models.tables import ChatLine, Game, Move, Seat, Status, Via

__all__ = [
    "BotErrand",
    "Challenge",
    "ChatLine",
    "Game",
    "Heartbeat",
    "ImportedGame",
    "Move",
    "Outage",
    "OutboxMessage",
    "Participant",
    "Rating",
    "RatingEntry",
    "RatingPool",
    "Review",
    "Ruling",
    "RulingRequest",
    "Seat",
    "Status",
    "Vacation",
    "Via",
    "Visit",
]
