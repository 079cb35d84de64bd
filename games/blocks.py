"""Who has blocked whom, and what that keeps them from."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from accounts.models import Block, Player
from games.refusals import NotAllowed
from games.rules.position import Term

MEANS = Term(
    "A player you block cannot challenge you, invite you to events or by e-mail, make you a"
    " director, accept your open challenges or chat with you, and you do not see each other's open"
    " challenges. They are not notified, but if they try, they read that you do not accept it."
    " Running games go on without chat. Games in events you both play go on too: you may still be"
    " paired, or challenged on a ladder."
)
"""What a block does, as the blocker reads it."""


def is_blocked_by(blockers: Iterable[int], player_id: int) -> bool:
    return Block.objects.filter(blocker__in=blockers, blocked=player_id).exists()


def blockers_of(player_id: int) -> QuerySet[Block, int]:
    return Block.objects.filter(blocked=player_id).values_list("blocker", flat=True)


def require_no_block(actor: Player, other: Player, refusal: Term) -> None:
    """Refuses the actor's act towards the other; only the blocker learns that there is a block."""
    between = Block.objects.filter(_between(actor.pk, other.pk))
    blockers = set(between.values_list("blocker", flat=True))
    if actor.pk in blockers:
        raise NotAllowed("You have blocked {name}. Unblock them first.", name=other.name)
    if blockers:
        raise NotAllowed(refusal, name=other.name)


def are_apart(player_id: int, other_id: int) -> bool:
    return Block.objects.filter(_between(player_id, other_id)).exists()


def is_near(player_id: int | None, *, field: str) -> Q:
    """A condition on players: neither blocked by this one, nor having blocked them."""
    mine = Block.objects.filter(blocker=player_id).values("blocked")
    theirs = Block.objects.filter(blocked=player_id).values("blocker")
    return ~Q(**{f"{field}__in": mine}) & ~Q(**{f"{field}__in": theirs})


def blocks_of(player: Player) -> QuerySet[Block]:
    """The newest first."""
    return Block.objects.filter(blocker=player).select_related("blocked").order_by("-id")


def _between(one: int, other: int) -> Q:
    return Q(blocker=one, blocked=other) | Q(blocker=other, blocked=one)
