"""How two players find each other: seeks, challenges, invitations and rematches."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypedDict

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError
from django.db.models import Q, QuerySet

from accounts import locks, never_write
from accounts.models import Player
from games import blocks, budgets, clock, commitments, dice, elo, outbox, ratings, salts
from games.commitments import Commitment
from games.events import ChallengeAnswered, ChallengeMade
from games.models import Challenge, Game, Rating, Seat
from games.refusals import BadRequest, NoSuchGame, NotAllowed, NotFound, TooLate, TooMany
from games.rules.position import Term, checked_options
from games.starting import known_ruleset, lock_participants, start_game

MOST_OPEN_CHALLENGES = 20
LONGEST_LIFE = timedelta(days=30)
USUAL_LIFE = timedelta(days=7)
State = Challenge.State
NO_CHALLENGES = Term("{name} does not take challenges from you.")
NO_GAMES = Term("{name} does not play with you.")
ONLY_PRACTICE = Term("A guest plays the bots of the house; sign up to play people or be rated.")


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is offered to be played; `side` is the seat that the challenger wants, if any."""

    ruleset: str
    clock: clock.Clock
    options: Mapping[str, object] = field(default_factory=dict)
    weekends: bool = False
    rated: bool = True
    private: bool = False
    side: int | None = None
    rating_least: int | None = None
    rating_most: int | None = None
    message: str = ""
    salt: str = ""
    """The challenger's share in the dice."""
    lasts: timedelta = USUAL_LIFE


# Making an offer


def seek(*, challenger: Player, terms: Terms, now: datetime) -> Challenge:
    """An offer to everyone in the lobby."""
    return _offer(challenger, terms, now)


def challenge(*, challenger: Player, opponent: Player, terms: Terms, now: datetime) -> Challenge:
    if opponent == challenger:
        raise BadRequest("You cannot challenge yourself.")
    if opponent.is_guest:
        raise BadRequest("{name} is a guest, who plays bots alone.", name=opponent.name)
    _require_presence(opponent)
    return _offer_to(opponent, challenger, terms, now)


@locks.action
def _offer_to(
    opponent: Player, challenger: Player, terms: Terms, now: datetime, **more: Any
) -> Challenge:
    """A house bot accepts whatever it is offered, and at once."""
    if opponent.bot_level is None:
        return _offer(challenger, terms, now, opponent=opponent, **more)
    # Both, before the offer locks one of them: locks are taken in one order.
    lock_participants(challenger, opponent)
    made = _offer(challenger, terms, now, opponent=opponent, **more)
    accept(challenge_id=made.pk, player=opponent, now=now)
    made.refresh_from_db()
    return made


def invite_by_link(*, challenger: Player, terms: Terms, now: datetime) -> Challenge:
    """An offer to whoever is given its link."""
    return _offer(challenger, terms, now, link=secrets.token_urlsafe(18))


@locks.action
def invite_by_email(*, challenger: Player, email: str, terms: Terms, now: datetime) -> Challenge:
    """An offer to somebody who may not be a player yet; one letter goes out."""
    try:
        validate_email(email)
    except ValidationError:
        raise BadRequest("{email} is no e-mail address.", email=email) from None
    if never_write.normalised(email) == never_write.normalised(challenger.email):
        raise BadRequest("You cannot challenge yourself.")
    _require_wanted(email, challenger)
    made = _offer(challenger, terms, now, email=email, link=secrets.token_urlsafe(18))
    budgets.spend_on_address(email, sender=challenger, now=now)
    return made


def _require_wanted(email: str, challenger: Player) -> None:
    """The same sentence for all who said no, so that it tells nothing about whose address it is."""
    if never_write.is_unwanted(email) or _is_of_a_blocker(email, challenger):
        raise NotAllowed("This address does not want invitations.")


def _is_of_a_blocker(email: str, challenger: Player) -> bool:
    """Looked for among those who have blocked the challenger: a spelling has no index."""
    blockers = Player.objects.filter(blocks__blocked=challenger)
    verified = EmailAddress.objects.filter(user__in=blockers, verified=True)
    theirs = blockers.values_list("email").union(verified.values_list("email"))
    return never_write.normalised(email) in {never_write.normalised(one) for [one] in theirs}


def offer_rematch(*, player: Player, game_id: int, now: datetime, salt: str = "") -> Challenge:
    """The same game again, seats exchanged; two who both ask are in the game at once."""
    game = Game.objects.filter(pk=game_id).first()
    seats = list(Seat.objects.filter(game=game_id).select_related("player"))
    mine = next((seat for seat in seats if seat.player_id == player.pk), None)
    if game is None or mine is None:
        raise NoSuchGame
    if game.is_running:
        raise TooLate("This game is still being played.")
    if offered := _rematch_under_way(game, player, salt, now):
        return offered
    opponent = next(seat.player for seat in seats if seat.player_id != player.pk)
    _require_presence(opponent)
    terms = Terms(
        ruleset=game.ruleset, options=game.options, clock=clock.from_json(game.clock),
        weekends=game.weekends, rated=game.rated, private=game.private_link is not None,
        side=1 - mine.number, salt=salt,
    )  # fmt: skip
    try:
        return _offer_to(opponent, player, terms, now, rematch_of=game)
    except IntegrityError:
        # The opponent has asked at the same moment, and his offer was written first.
        if offered := _rematch_under_way(game, player, salt, now):
            return offered
        raise


def _rematch_under_way(game: Game, player: Player, salt: str, now: datetime) -> Challenge | None:
    """The one rematch of a game, accepted if it was offered to this player."""
    offered = Challenge.objects.filter(
        rematch_of=game, state__in=[State.OPEN, State.ACCEPTED]
    ).first()
    if offered and offered.state == State.OPEN and offered.opponent_id == player.pk:
        accept(challenge_id=offered.pk, player=player, now=now, salt=salt)
        offered.refresh_from_db()
    return offered


@locks.action
def _offer(challenger: Player, terms: Terms, now: datetime, **to: Any) -> Challenge:
    _check(terms)
    _require_account(challenger, terms, to.get("opponent"))
    # The lock makes the count true for two offers made at once.
    lock_participants(challenger)
    open_now = Challenge.objects.filter(challenger=challenger, state=State.OPEN, expires_at__gt=now)
    if open_now.count() >= MOST_OPEN_CHALLENGES:
        raise TooMany(
            "You have {most} open challenges, the most one can; withdraw one first.",
            most=MOST_OPEN_CHALLENGES,
        )
    if opponent := to.get("opponent"):
        blocks.require_no_block(challenger, opponent, NO_CHALLENGES)
    made = Challenge.objects.create(
        challenger=challenger, ruleset=terms.ruleset,
        options=checked_options(known_ruleset(terms.ruleset).options, terms.options),
        clock=clock.to_json(terms.clock), weekends=terms.weekends, rated=terms.rated,
        private=terms.private, side=terms.side, rating_least=terms.rating_least,
        rating_most=terms.rating_most, message=terms.message, made_at=now,
        salt=salts.checked(terms.salt), expires_at=now + terms.lasts, **to,
    )  # fmt: skip
    if opponent and opponent.bot_level is None:
        budgets.spend(budgets.Act.CHALLENGE, sender=challenger, recipient=opponent, now=now)
    outbox.record(ChallengeMade(challenge_id=made.pk), now=now)
    return made


def _check(terms: Terms) -> None:
    if not timedelta(hours=1) <= terms.lasts <= LONGEST_LIFE:
        raise BadRequest("A challenge stays open for an hour at least and 30 days at most.")
    if terms.side not in (None, 0, 1):
        raise BadRequest("The side is 0, 1 or none.")
    least, most = terms.rating_least, terms.rating_most
    if least is not None and most is not None and least > most:
        raise BadRequest("The lowest rating is above the highest.")
    if len(terms.message) > 300 or "\0" in terms.message:
        raise BadRequest("A message has at most 300 characters.")


def _require_account(player: Player, terms: Terms, opponent: Player | None) -> None:
    """A guest plays the bots of the house, in private and for no rating."""
    is_practice = bool(opponent and opponent.bot_level) and terms.private and not terms.rated
    if player.is_guest and not is_practice:
        raise NotAllowed(ONLY_PRACTICE)


def _require_presence(player: Player) -> None:
    if not player.is_active:
        raise BadRequest("{name} does not play here any more.", name=player.name)


# Answering one


@locks.action
def accept(
    *, challenge_id: int, player: Player, now: datetime, link: str = "", salt: str = "",
    sent_at: datetime | None = None,
) -> Game:  # fmt: skip
    """Whoever comes first has the game; the row's lock decides.

    An answer that was sent in time is in time, but no clock runs before the game is there.

    The salt comes after the commitment, which the offer published, so it settles the dice.
    """
    offer = _locked(challenge_id)
    if offer.state == State.ACCEPTED and offer.game and _sits(offer.game, player):
        return offer.game
    _require_open(offer, sent_at or now)
    _require_addressee(offer, player, link)
    if player.is_guest:
        raise NotAllowed(ONLY_PRACTICE)
    _require_presence(offer.challenger)
    lock_participants(offer.challenger, player)
    blocks.require_no_block(player, offer.challenger, NO_GAMES)
    game = start_game(
        ruleset=offer.ruleset, options=offer.options,
        clock_settings=clock.from_json(offer.clock), rated=offer.rated,
        weekends=offer.weekends, private=offer.private, now=now,
        **_seated(offer, player, salts.checked(salt)),
    )  # fmt: skip
    offer.game = game
    offer.opponent = player
    _close(offer, State.ACCEPTED, now)
    return game


@locks.action
def decline(*, challenge_id: int, player: Player, now: datetime, link: str = "") -> None:
    offer = _locked(challenge_id)
    _require_open(offer, now)
    _require_addressee(offer, player, link)
    if offer.opponent_id is None and not offer.link:
        raise NotAllowed("An offer to everyone is not declined; leave it to others.")
    _close(offer, State.DECLINED, now)


@locks.action
def decline_by_link(*, link: str, now: datetime) -> None:
    """A stranger says no; knowing the link is enough for that."""
    offer = Challenge.objects.select_for_update(no_key=True).filter(link=link).first()
    if offer is None:
        raise NotFound("There is no such challenge.")
    _require_open(offer, now)
    _close(offer, State.DECLINED, now)


@locks.action
def withdraw(*, challenge_id: int, player: Player, now: datetime) -> None:
    offer = _locked(challenge_id)
    if offer.challenger_id != player.pk:
        raise NotAllowed("Only whoever made a challenge can withdraw it.")
    _require_open(offer, now)
    _close(offer, State.WITHDRAWN, now)


@locks.action
def withdraw_all(*, player_id: int, now: datetime, most: int) -> int:
    """Withdraw what a leaving player offered and decline what was offered to them."""
    theirs = Challenge.objects.select_for_update(no_key=True, of=("self",)).filter(
        Q(challenger=player_id) | Q(opponent=player_id), state=State.OPEN
    )
    offers = list(theirs.order_by("id")[:most])
    for offer in offers:
        is_own = offer.challenger_id == player_id
        _close(offer, State.WITHDRAWN if is_own else State.DECLINED, now)
    return len(offers)


@locks.action
def expire(*, now: datetime, most: int = 500) -> int:
    """Closes offers whose time is up; their makers are told."""
    due = Challenge.objects.select_for_update(skip_locked=True, no_key=True).filter(
        state=State.OPEN, expires_at__lte=now
    )
    offers = list(due.order_by("expires_at", "id")[:most])
    for offer in offers:
        _close(offer, State.EXPIRED, now)
    return len(offers)


@locks.action
def close_between(*, blocker: Player, blocked: Player, now: datetime) -> None:
    """What they offer each other ends as if the blocker had declined or withdrawn it."""
    pair = Q(challenger=blocker, opponent=blocked) | Q(challenger=blocked, opponent=blocker)
    open_now = Challenge.objects.select_for_update(no_key=True, of=("self",)).filter(
        pair, state=State.OPEN
    )
    for offer in open_now.order_by("id"):
        is_own = offer.challenger_id == blocker.pk
        _close(offer, State.WITHDRAWN if is_own else State.DECLINED, now)


def _close(offer: Challenge, state: str, now: datetime) -> None:
    offer.state = state
    offer.answered_at = now
    offer.save(update_fields=["state", "answered_at", "game", "opponent"])
    outbox.record(ChallengeAnswered(challenge_id=offer.pk, state=state), now=now)


def _locked(challenge_id: int) -> Challenge:
    offer = (
        Challenge.objects.select_for_update(no_key=True, of=("self",))
        .select_related("challenger")
        .filter(pk=challenge_id)
        .first()
    )
    if offer is None:
        raise NotFound("There is no such challenge.")
    return offer


def _sits(game: Game, player: Player) -> bool:
    return Seat.objects.filter(game=game, player=player).exists()


def _require_open(offer: Challenge, now: datetime) -> None:
    if offer.state == State.OPEN and now < offer.expires_at:
        return
    state = State.EXPIRED if offer.state == State.OPEN else State(offer.state)
    sentences = {
        State.ACCEPTED: Term("Somebody else was quicker: this challenge is accepted already."),
        State.DECLINED: Term("This challenge was declined."),
        State.WITHDRAWN: Term("This challenge was withdrawn."),
        State.EXPIRED: Term("This challenge has expired."),
    }
    raise TooLate(sentences[state])


def _require_addressee(offer: Challenge, player: Player, link: str) -> None:
    if offer.challenger_id == player.pk:
        raise NotAllowed("This is your own challenge; somebody else must answer it.")
    if offer.opponent_id is not None and offer.opponent_id != player.pk:
        raise NotAllowed("This challenge is meant for somebody else.")
    if offer.link and not secrets.compare_digest(offer.link, link):
        raise NotAllowed("This challenge is meant for somebody else.")
    if offer.rating_least is not None or offer.rating_most is not None:
        _require_rating(offer, player)


def _require_rating(offer: Challenge, player: Player) -> None:
    rating = displayed_rating(player, ratings.pool_key(offer.ruleset, offer.options))
    least = offer.rating_least or 0
    if rating < least or (offer.rating_most is not None and rating > offer.rating_most):
        raise NotAllowed(
            "This challenge is for ratings from {least} to {most}; yours is {rating}.",
            least=least,
            most=offer.rating_most or "∞",
            rating=rating,
        )


def displayed_rating(player: Player, pool: str) -> int:
    rating = Rating.objects.filter(pool__key=pool, player=player).first()
    return elo.displayed(rating.rating if rating else elo.START)


class _Seated(TypedDict):
    players: tuple[Player, Player]
    salts: tuple[str, str]
    commitment: Commitment


def _seated(offer: Challenge, player: Player, salt: str) -> _Seated:
    """Whoever has begun fewer of the pair's games of this kind begins; a tie is drawn by lot."""
    commitment = commitments.of_secret(bytes(offer.dice_secret))
    if player.bot_level is not None:
        # Nobody read the offer's commitment before the salts came: a bot accepts at once.
        commitment = commitments.with_a_bot(offer.challenger, player, now=offer.made_at)
    side = offer.side
    if side is None:
        side = _balancing_side(offer.challenger, player, offer.ruleset)
    if side is None:
        begins = dice.challenger_begins(seed=commitment.seed, salts=[offer.salt, salt])
        side = 0 if begins else 1
        commitment = replace(commitment, challenger=side)
    players, both = (offer.challenger, player), (offer.salt, salt)
    if side == 1:
        players, both = (player, offer.challenger), (salt, offer.salt)
    return {"players": players, "salts": both, "commitment": commitment}


def _balancing_side(challenger: Player, opponent: Player, ruleset: str) -> int | None:
    def begun_by(player: Player, other: Player) -> int:
        seats = Seat.objects.filter(player=player, number=0, game__ruleset=ruleset)
        return seats.filter(game__seats__player=other).count()

    by_challenger = begun_by(challenger, opponent)
    by_opponent = begun_by(opponent, challenger)
    if by_challenger == by_opponent:
        return None
    return 0 if by_challenger < by_opponent else 1


# Looking around


def open_seeks(*, now: datetime, viewer_id: int | None = None) -> QuerySet[Challenge]:
    """Whoever has blocked the viewer, or was blocked by them, is left out."""
    return (
        Challenge.objects.filter(state=State.OPEN, opponent=None, link=None, expires_at__gt=now)
        .filter(blocks.is_near(viewer_id, field="challenger"))
        .select_related("challenger")
        .order_by("-made_at", "-id")
    )
