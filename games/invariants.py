"""What must be true of everything that is stored; each breach is one sentence."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from django.db.models import Count, F, Prefetch

from games import clock, courses, dice, elo, proof, ratings, replay
from games.models import (
    Challenge,
    ChatLine,
    Game,
    Move,
    OutboxMessage,
    Participant,
    RatingEntry,
    Seat,
    Status,
    Vacation,
)
from games.rules.position import Outcome, Position, Turn
from games.sweeps import GRACE
from games.table import BOTH_SEATS, look

BATCH = 200


def breaches(*, now: datetime) -> Iterator[str]:
    """Everything that is wrong, once what was due by `now` has been done."""
    for game in _games():
        for problem in _problems_of(game):
            yield f"game {game.pk}: {problem}"
    yield from ratings.mismatches()
    yield from _left_undone(now)
    yield from _wrong_counts()
    yield from _overlapping_vacations()
    yield from _strangers()


# One game


def _games() -> Iterator[Game]:
    seats = Prefetch("seats", Seat.objects.order_by("number"))
    lines = Prefetch("moves", Move.objects.order_by("ply"))
    entries = Prefetch("rating_entries", RatingEntry.objects.filter(is_void=False))
    games = Game.objects.select_related("dice").prefetch_related(seats, lines, entries)
    return games.order_by("pk").iterator(chunk_size=BATCH)


def _problems_of(game: Game) -> Iterator[str]:
    lines = list(game.moves.all())
    if [seat.number for seat in game.seats.all()] != [0, 1]:
        yield "it has not two seats"
        return
    if [line.ply for line in lines] != list(range(game.ply + 1)):
        yield f"its lines are not numbered from 0 to {game.ply}"
        return
    try:
        position = replay.positions(game, replay.standing(lines))[-1]
    except ValueError as error:
        yield f"its log cannot be replayed: {error}"
        return
    yield from _standing(game, lines, position)
    yield from _ending(game, position)
    yield from _ruling(game, position)
    yield from _rating(game)
    yield from _dice(game)
    yield from _deadline(game)
    yield from _flag(game, position)


def _standing(game: Game, lines: list[Move], position: Position) -> Iterator[str]:
    """Where the log leads is where the game stands."""
    if game.position != position.to_json():
        yield "its position is not the one that its log leads to"
    mover = getattr(position.awaiting, "seat", None) if game.is_running else None
    if game.seat_to_move != mover:
        yield f"seat {game.seat_to_move} is to move, by its log seat {mover}"
    if game.opening != replay.opening(replay.standing(lines)):
        yield "its opening is not that of its log"
    if game.throws_made != sum(len(line.throws) for line in lines):
        yield "its throws are not those of its log"
    moved = {line.seat for line in lines if line.seat is not None and line.back_to is None}
    if game.seats_moved != sum(1 << seat for seat in moved):
        yield "it has not noted who has moved"


def _ending(game: Game, position: Position) -> Iterator[str]:
    """It has one ending or none, and that is the one that the board or an act gives."""
    if game.is_running:
        if game.reason or not isinstance(position.awaiting, Turn):
            yield "it runs although it is over"
        return
    if game.draw_offered_by is not None or game.takeback_asked_by is not None:
        yield "it is over and still waits for an answer"
    if game.reason == courses.REASON:
        return
    called_off = game.seats_moved != BOTH_SEATS and not _given_up_in_event(game)
    if (game.status == Status.VOID) != called_off:
        yield f"it is {game.status}, and those who moved are {game.seats_moved:02b}"
    if (game.score, game.reason) not in _possible_results(game, position):
        yield f"it cannot have ended with {game.score} halves for seat 0 by “{game.reason}”"


def _ruling(game: Game, position: Position) -> Iterator[str]:
    """What was ruled is what it came to, unless it has gone on since."""
    standing = courses.present_stretch(game)
    if standing is None:
        if game.reason == courses.REASON:
            yield "it ended by a ruling that there is not"
        return
    if courses.of(game) != courses.folded(game, standing, courses.points_on(position)):
        yield "it is not what its rulings make of it"


def _given_up_in_event(game: Game) -> bool:
    """An event must know who gave up, even before both have moved."""
    return game.event_id is not None and game.reason in ("resignation", "agreement")


def _possible_results(game: Game, position: Position) -> list[tuple[int | None, str]]:
    if game.status == Status.VOID:
        return [(None, "aborted"), (None, "time")]
    if isinstance(position.awaiting, Outcome):
        return [_result(position.awaiting)]
    assert isinstance(position.awaiting, Turn)
    on_time = _result(position.forfeited_by(position.awaiting.seat))
    return [on_time, (0, "resignation"), (2, "resignation"), (1, "agreement")]


def _result(outcome: Outcome) -> tuple[int, str]:
    return elo.halves(outcome.scores[0]), outcome.reason


def _rating(game: Game) -> Iterator[str]:
    entry = next(iter(game.rating_entries.all()), None)
    counts = ratings.is_ratable(rated=game.rated, seats_moved=game.seats_moved)
    if (entry is not None) != (counts and game.status == Status.FINISHED):
        yield "it is rated without an entry" if entry is None else "it has an entry, unrated"
    players = [seat.player_id for seat in game.seats.all()]
    if entry and (entry.score != game.score or [entry.first_id, entry.second_id] != players):
        yield "its rating entry tells of another game"


def _dice(game: Game) -> Iterator[str]:
    """Every throw is the one that was committed to; the seed of a running game is known here."""
    yield from dice.verify(proof.of_game(game, with_seed=True))


def _deadline(game: Game) -> Iterator[str]:
    if game.is_running and game.seat_to_move is not None:
        falls_at = look([game.pk])[0].flag_falls_at()
        if falls_at != game.deadline_at:
            yield f"its flag falls at {falls_at}, its deadline is {game.deadline_at}"


def _flag(game: Game, position: Position) -> Iterator[str]:
    """Whoever lost on time had none left, by all pauses that were ever known."""
    if game.is_running or game.reason != "time":
        return
    assert game.ended_at is not None
    assert isinstance(position.awaiting, Turn)
    table = look([game.pk])[0]
    pauses = table.pauses(table.seats[position.awaiting.seat])
    falls_at = clock.deadline(table.clock_from, table.time_left, pauses)
    if falls_at > game.ended_at:
        yield f"it ended on time at {game.ended_at}, but its flag falls at {falls_at}"


# All together


def _left_undone(now: datetime) -> Iterator[str]:
    due = Game.objects.filter(status=Status.RUNNING, deadline_at__lte=now - GRACE)
    for pk, deadline_at in due.values_list("pk", "deadline_at"):
        yield f"game {pk}: it was due at {deadline_at:%F %T} and still runs"
    for message in OutboxMessage.objects.order_by("pk"):
        yield f"message {message.pk}, {message}, is still on its way ({message.error or 'new'})"
    for offer in Challenge.objects.filter(state=Challenge.State.OPEN, expires_at__lte=now):
        yield f"challenge {offer.pk}: it should have expired"


def _wrong_counts() -> Iterator[str]:
    running = Seat.objects.filter(game__status=Status.RUNNING).values_list("player")
    counted = Counter(dict(running.annotate(Count("pk")).order_by()))
    noted = Counter(dict(Participant.objects.values_list("pk", "running_games")))
    for player in sorted(counted.keys() | noted.keys()):
        if counted[player] != noted[player]:
            yield f"player {player}: {noted[player]} running games noted, {counted[player]} found"


def _overlapping_vacations() -> Iterator[str]:
    ordered = Vacation.objects.order_by("player_id", "began_at")
    for earlier, later in pairwise(ordered):
        if earlier.player_id == later.player_id and later.began_at < earlier.ends_at:
            yield f"player {later.player_id}: two vacations at {later.began_at:%F %T}"


def _strangers() -> Iterator[str]:
    """Rows that hang in the air, or on the wrong nail."""
    for seat in Seat.objects.filter(player__participant=None):
        yield f"player {seat.player_id}: sits at a table and is no participant"
    for line in ChatLine.objects.exclude(game__seats__player=F("author")):
        yield f"chat line {line.pk}: its author does not play in the game"
    for offer in Challenge.objects.filter(state=Challenge.State.ACCEPTED):
        seated = set(Seat.objects.filter(game=offer.game).values_list("player_id", flat=True))
        if seated != {offer.challenger_id, offer.opponent_id}:
            yield f"challenge {offer.pk}: others play the game that came of it"
