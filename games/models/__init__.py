"""What the games store."""

from games.models.bots import BotErrand, Review, Visit
from games.models.lobby import Challenge
from games.models.outages import EntryNode, EntryPoint, Heartbeat, Outage, WayIn
from games.models.outbox import OutboxMessage
from games.models.people import Participant, Vacation
from games.models.ratings import Rating, RatingEntry, RatingPool
from games.models.rulings import ImportedGame, Ruling, RulingRequest
from games.models.signing import SigningKey
from games.models.tables import (
    ChatLine,
    ConditionalMoves,
    DiceKey,
    Game,
    GameDice,
    Move,
    Seat,
    Status,
    Via,
)

__all__ = [
    "BotErrand",
    "Challenge",
    "ChatLine",
    "ConditionalMoves",
    "DiceKey",
    "EntryNode",
    "EntryPoint",
    "Game",
    "GameDice",
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
    "SigningKey",
    "Status",
    "Vacation",
    "Via",
    "Visit",
    "WayIn",
]
