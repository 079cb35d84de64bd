"""How two players find each other: seeks, challenges, invitations and rematches."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from accounts.models import Player
from games import clock, elo, outbox, ratings
from games.events import ChallengeAnswered, ChallengeMade
from games.models import Challenge, Game, Rating, Seat
from games.refusals import BadRequest, NoSuchGame, NotAllowed, TooLate, TooMany
from games.rules.position import Term, checked_options
from games.starting import known_ruleset, lock_participants, start_game

MOST_OPEN_CHALLENGES = 20
LONGEST_LIFE = timedelta(days=30)
USUAL_LIFE = timedelta(days=7)
State = Challenge.State
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


@transaction.atomic
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


def invite_by_email(*, challenger: Player, email: str, terms: Terms, now: datetime) -> Challenge:
    """An offer to somebody who may not be a player yet; one letter goes out."""
    try:
        validate_email(email)
    except ValidationError:
        raise BadRequest("{email} is no e-mail address.", email=email) from None
    if challenger.email.lower() == email.lower():
        raise BadRequest("You cannot challenge yourself.")
    with transaction.atomic():
        _lock_address(email)
        asked = Challenge.objects.filter(email__iexact=email, made_at__gt=now - timedelta(days=1))
        if asked.exists():
            raise TooMany(
                "This address was written to within the last day; let it rest for a while."
            )
        return _offer(challenger, terms, now, email=email, link=secrets.token_urlsafe(18))


def _lock_address(email: str) -> None:
    """No row stands for a stranger yet, so two letters to him at once wait for each other here."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"invite {email.lower()}"])


def offer_rematch(*, player: Player, game_id: int, now: datetime) -> Challenge:
    """The same game again, seats exchanged; two who both ask are in the game at once."""
    game = Game.objects.filter(pk=game_id).first()
    seats = list(Seat.objects.filter(game=game_id).select_related("player"))
    mine = next((seat for seat in seats if seat.player_id == player.pk), None)
    if game is None or mine is None:
        raise NoSuchGame
    if game.is_running:
        raise TooLate("This game is still being played.")
    if offered := _rematch_under_way(game, player, now):
        return offered
    opponent = next(seat.player for seat in seats if seat.player_id != player.pk)
    _require_presence(opponent)
    terms = Terms(
        ruleset=game.ruleset, options=game.options, clock=clock.from_json(game.clock),
        weekends=game.weekends, rated=game.rated, private=game.private_link is not None,
        side=1 - mine.number,
    )  # fmt: skip
    try:
        with transaction.atomic():
            return _offer_to(opponent, player, terms, now, rematch_of=game)
    except IntegrityError:
        # The opponent has asked at the same moment, and his offer was written first.
        if offered := _rematch_under_way(game, player, now):
            return offered
        raise


def _rematch_under_way(game: Game, player: Player, now: datetime) -> Challenge | None:
    """The one rematch of a game, accepted if it was offered to this player."""
    offered = Challenge.objects.filter(
        rematch_of=game, state__in=[State.OPEN, State.ACCEPTED]
    ).first()
    if offered and offered.state == State.OPEN and offered.opponent_id == player.pk:
        accept(challenge_id=offered.pk, player=player, now=now)
        offered.refresh_from_db()
    return offered


@transaction.atomic
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
    made = Challenge.objects.create(
        challenger=challenger, ruleset=terms.ruleset,
        options=checked_options(known_ruleset(terms.ruleset).options, terms.options),
        clock=clock.to_json(terms.clock), weekends=terms.weekends, rated=terms.rated,
        private=terms.private, side=terms.side, rating_least=terms.rating_least,
        rating_most=terms.rating_most, message=terms.message, made_at=now,
        expires_at=now + terms.lasts, **to,
    )  # fmt: skip
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


def accept(*, challenge_id: int, player: Player, now: datetime, link: str = "") -> Game:
    """Whoever comes first has the game; the row's lock decides."""
    with transaction.atomic():
        offer = _locked(challenge_id)
        if offer.state == State.ACCEPTED and offer.game and _sits(offer.game, player):
            return offer.game
        _require_open(offer, now)
        _require_addressee(offer, player, link)
        if player.is_guest:
            raise NotAllowed(ONLY_PRACTICE)
        _require_presence(offer.challenger)
        lock_participants(offer.challenger, player)
        first, second = _seated(offer, player)
        game = start_game(
            ruleset=offer.ruleset, options=offer.options, players=(first, second),
            clock_settings=clock.from_json(offer.clock), rated=offer.rated,
            weekends=offer.weekends, private=offer.private, now=now,
        )  # fmt: skip
        offer.game = game
        offer.opponent = player
        _close(offer, State.ACCEPTED, now)
        return game


def decline(*, challenge_id: int, player: Player, now: datetime, link: str = "") -> None:
    with transaction.atomic():
        offer = _locked(challenge_id)
        _require_open(offer, now)
        _require_addressee(offer, player, link)
        if offer.opponent_id is None and not offer.link:
            raise NotAllowed("An offer to everyone is not declined; leave it to others.")
        _close(offer, State.DECLINED, now)


def decline_by_link(*, link: str, now: datetime) -> None:
    """A stranger says no; knowing the link is enough for that."""
    with transaction.atomic():
        offer = Challenge.objects.select_for_update().filter(link=link).first()
        if offer is None:
            raise NoSuchGame
        _require_open(offer, now)
        _close(offer, State.DECLINED, now)


def withdraw(*, challenge_id: int, player: Player, now: datetime) -> None:
    with transaction.atomic():
        offer = _locked(challenge_id)
        if offer.challenger_id != player.pk:
            raise NotAllowed("Only whoever made a challenge can withdraw it.")
        _require_open(offer, now)
        _close(offer, State.WITHDRAWN, now)


def expire(*, now: datetime, most: int = 500) -> int:
    """Closes offers whose time is up; their makers are told."""
    with transaction.atomic():
        due = Challenge.objects.select_for_update(skip_locked=True).filter(
            state=State.OPEN, expires_at__lte=now
        )
        offers = list(due.order_by("expires_at", "id")[:most])
        for offer in offers:
            _close(offer, State.EXPIRED, now)
    return len(offers)


def _close(offer: Challenge, state: str, now: datetime) -> None:
    offer.state = state
    offer.answered_at = now
    offer.save(update_fields=["state", "answered_at", "game", "opponent"])
    outbox.record(ChallengeAnswered(challenge_id=offer.pk, state=state), now=now)


def _locked(challenge_id: int) -> Challenge:
    offer = (
        Challenge.objects.select_for_update(of=("self",))
        .select_related("challenger")
        .filter(pk=challenge_id)
        .first()
    )
    if offer is None:
        raise NoSuchGame
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


def _seated(offer: Challenge, player: Player) -> tuple[Player, Player]:
    """Whoever has begun fewer of the pair's games of this kind begins; a tie is drawn by lot."""
    challenger = offer.challenger
    side = offer.side
    if side is None:
        side = _balancing_side(challenger, player, offer.ruleset)
    return (challenger, player) if side == 0 else (player, challenger)


def _balancing_side(challenger: Player, opponent: Player, ruleset: str) -> int:
    def begun_by(player: Player, other: Player) -> int:
        seats = Seat.objects.filter(player=player, number=0, game__ruleset=ruleset)
        return seats.filter(game__seats__player=other).count()

    by_challenger = begun_by(challenger, opponent)
    by_opponent = begun_by(opponent, challenger)
    if by_challenger == by_opponent:
        return secrets.randbelow(2)
    return 0 if by_challenger < by_opponent else 1


# Looking around


def open_seeks(*, now: datetime) -> QuerySet[Challenge]:
    return (
        Challenge.objects.filter(state=State.OPEN, opponent=None, link=None, expires_at__gt=now)
        .select_related("challenger")
        .order_by("-made_at", "-id")
    )
