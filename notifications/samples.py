"""A letter of every kind, about games that are played for it: to be looked at, and for tests."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from allauth.account.models import EmailAddress

from accounts.models import Player
from games import lobby, play, rulings, talk, vacations
from games.clock import PerMove
from games.diagrams import CLASSIC
from games.lobby import Terms
from games.models import Game, Ruling, RulingRequest, Via, WayIn
from games.plans import write as write_plan
from games.rules.position import Turn
from games.rules.registry import RULESETS, ruleset
from games.starting import start_game
from notifications.models import Kind, Letter
from tournaments import event_log, opening
from tournaments.models import Entry, EntryState, Event
from tournaments.models import State as EventState
from tournaments.opening import Plan

DAY = timedelta(days=1)
TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3), message="Shall we?\nI would like to.")


@dataclass(frozen=True, kw_only=True)
class People:
    reader: Player
    other: Player
    judge: Player


def people(language: str) -> People:
    return People(
        reader=_player("Amelie", language, zone="Europe/Berlin"),
        other=_player("Bertram", language, zone="America/New_York"),
        judge=_player("Cornelia", language, is_staff=True),
    )


def _player(name: str, language: str, **fields: Any) -> Player:
    email = f"{name.lower()}@example.org"
    player = Player.objects.create_user(name, email, language=language, **fields)
    EmailAddress.objects.create(user=player, email=email, verified=True, primary=True)
    return player


def every_letter(*, now: datetime, language: str = "en") -> Iterator[tuple[str, Letter]]:
    """Names and letters; to be called in a transaction that is rolled back."""
    who = people(language)
    numbers = count(1)
    for name, written in _all(who, now):
        key = f"sample{next(numbers)}.{name}"
        yield (
            name,
            Letter.objects.create(key=key, player=written.pop("player", who.reader), **written),
        )


def _all(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from _turns(who, now)
    yield from _talk(who, now)
    yield from _ends(who, now)
    yield from _plans(who, now)
    yield from _rulings(who, now)
    yield from _lobby(who, now)
    yield from _time_off(who, now)
    yield from _events(who, now)
    yield "digest", _digest(who, now)


# Games


def _about(game: Game, kind: Kind, seat: int = 0, **more: Any) -> dict[str, Any]:
    game.refresh_from_db()
    return {"kind": kind, "game": game, "ply": game.ply, "seat": seat, **more}


def _started(
    who: People, now: datetime, key: str = "tritt-classic", *, begins: bool = True
) -> Game:
    players = (who.reader, who.other) if begins else (who.other, who.reader)
    return start_game(
        ruleset=key, options={}, players=players, clock_settings=PerMove(3), now=now - DAY
    )


def _played(game: Game, now: datetime, *, until: int, most: int = 40) -> Game:
    """Any moves, at least a few, until it is this seat's turn."""
    choose = random.Random(7)  # noqa: S311 (a picture, not a secret)
    for number in range(most):
        game.refresh_from_db()
        position = ruleset(game.ruleset, game.version).load(game.position)
        awaited = position.awaiting
        if not isinstance(awaited, Turn) or (number > 6 and awaited.seat == until):
            break
        _move(game, str(choose.choice(position.legal_moves())), now)
    return game


def _script(who: People, now: datetime, moves: int) -> Game:
    game = _started(who, now)
    for text in CLASSIC[:moves]:
        _move(game, text, now)
    return game


def _move(game: Game, text: str, now: datetime) -> None:
    game.refresh_from_db()
    seat = game.seats.get(number=game.seat_to_move or 0)
    play.play_move(
        game_id=game.pk, player_id=seat.player_id, text=text, ply=game.ply, now=now, via=Via.WEB
    )


def _turns(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in RULESETS:
        game = _played(_started(who, now, key), now, until=0)
        yield f"turn-{key}", _about(game, Kind.TURN)
    yield "turn-first", _about(_started(who, now), Kind.TURN)
    yield "started", _about(_started(who, now, "tritoc", begins=False), Kind.STARTED, 1)
    late = start_game(
        ruleset="tri-trac", options={}, players=(who.reader, who.other), clock_settings=PerMove(1),
        now=now - timedelta(hours=21),
    )  # fmt: skip
    yield "reminder", _about(late, Kind.REMINDER, details={"moment": "3h"})


def _talk(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    game = _script(who, now, 4)
    for text in ("Nice one. Where did you learn that?", "resign\n\nis what I should do, I know."):
        line = talk.say(game_id=game.pk, player_id=who.other.pk, text=text, now=now)
    yield "turn-with-chat", _about(game, Kind.TURN)
    yield "chat", _about(game, Kind.CHAT, about=line.pk)
    answered = {"outcome": "illegal", "said": ["This is not legal."], "wants": [], "ply": 4}
    yield "reply", _about(game, Kind.REPLY, details=answered)
    play.offer_draw(game_id=game.pk, player_id=who.other.pk, now=now)
    for what in ("draw-offered", "draw-declined", "takeback-asked", "takeback-declined"):
        yield what, _about(game, Kind.OFFER, details={"what": what})


def _ends(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    lost = _script(who, now, 6)
    yield "game-over-lost", _about(lost, Kind.GAME_OVER)
    yield "game-over-won", _about(lost, Kind.GAME_OVER, 1, player=who.other)
    drawn = _script(who, now, 4)
    play.offer_draw(game_id=drawn.pk, player_id=who.other.pk, now=now)
    play.accept_draw(game_id=drawn.pk, player_id=who.reader.pk, now=now)
    yield "game-over-drawn", _about(drawn, Kind.GAME_OVER)
    flagged, unplayed = (_script(who, now - 5 * DAY, moves) for moves in (4, 1))
    play.forfeit_on_time(due_by=dict.fromkeys(WayIn.values, now - DAY), now=now, most=100)
    yield "timeout-mine", _about(flagged, Kind.TIMEOUT)
    yield "timeout-of-the-other", _about(flagged, Kind.TIMEOUT, 1, player=who.other)
    yield "timeout-void", _about(unplayed, Kind.TIMEOUT)


def _plans(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    answered = _script(who, now, 3)
    branch: dict[str, Any] = {"move": CLASSIC[3], "dice": None, "then": CLASSIC[4], "next": []}
    write_plan(game_id=answered.pk, player_id=who.reader.pk, tree=[branch])
    _move(answered, CLASSIC[3], now)
    yield "plan-played", _about(answered, Kind.PLAN, details={"what": "played"})
    stopped = _script(who, now, 3)
    write_plan(game_id=stopped.pk, player_id=who.reader.pk, tree=[{**branch, "move": "a1-a3"}])
    _move(stopped, CLASSIC[3], now)
    yield "plan-stopped", _about(stopped, Kind.PLAN, details={"what": "stopped"})
    yield "turn-after-a-plan", _about(stopped, Kind.TURN)


def _rulings(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    game = _script(who, now, 4)
    reason = "The site could not be reached from one country for two days."
    made = rulings.give_time(
        game_id=game.pk, seat=0, hours=48, by=who.judge, reason=reason, now=now
    )
    yield "ruling-time", _ruling(game, made, "made")
    yield "ruling-undone", _ruling(game, made, "undone")
    other = _script(who, now, 4)
    won = rulings.set_result(game_id=other.pk, score=2, by=who.judge, reason=reason, now=now)
    yield "ruling-result", _ruling(other, won, "made")
    asked = RulingRequest.objects.create(
        game=game, player=who.reader, text="May he do that?", asked_at=now, settled_at=now,
        settled_by=who.judge, answer="Yes, he may.\nSee the rules, the part about slides.",
    )  # fmt: skip
    yield "ruling-answered", _about(game, Kind.RULING, about=asked.pk, details={"what": "answered"})


def _ruling(game: Game, ruling: Ruling, what: str) -> dict[str, Any]:
    return _about(game, Kind.RULING, about=ruling.pk, details={"what": what})


# Around the games


def _lobby(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    made = lobby.challenge(challenger=who.other, opponent=who.reader, terms=TERMS, now=now)
    yield "challenge", {"kind": Kind.CHALLENGE, "about": made.pk}
    mine = lobby.challenge(challenger=who.reader, opponent=who.other, terms=TERMS, now=now)
    for state in ("declined", "expired"):
        details = {"state": state}
        yield state, {"kind": Kind.CHALLENGE_ANSWER, "about": mine.pk, "details": details}
    invited = lobby.invite_by_email(
        challenger=who.other, email="emil@example.org", terms=TERMS, now=now
    )
    yield "invitation", {
        "kind": Kind.INVITATION, "about": invited.pk, "address": invited.email, "player": None,
    }  # fmt: skip


def _time_off(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    for player in (who.reader, who.other):
        Player.objects.filter(pk=player.pk).update(joined_at=now - 100 * DAY)
        taken = vacations.begin(player_id=player.pk, now=now)
        mine = "mine" if player == who.reader else "of-the-other"
        for what in ("began", "ended"):
            details = {"what": what}
            letter = {"kind": Kind.VACATION, "about": taken.pk, "details": details}
            yield f"vacation-{mine}-{what}", letter
    yield "unreachable", {"kind": Kind.UNREACHABLE, "about": who.other.pk}


def _events(who: People, now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    plan = Plan(name="Spring Cup", format="swiss", ruleset="tritoc", clock=PerMove(3))
    cup = opening.prepare(plan=plan, organiser=who.other, now=now)
    event_log.write(cup, "called-off", now=now, by=who.other, reason="It is already summer.")
    event_log.write(cup, "vanished", now=now, player=who.reader.name, timeouts=2)
    Entry.objects.create(event=cup, player=who.reader, state=EntryState.INVITED)
    Event.objects.filter(pk=cup.pk).update(state=EventState.OPEN)
    event = {"event": cup.name, "address": cup.get_absolute_url()}
    whats = ("opened", "started", "finished", "cancelled", "withdrawn", "invited", "declined")
    for what in (*whats, "appointed", "handed-over"):
        details: dict[str, Any] = {**event, "what": what, "by": who.judge.pk}
        if what == "finished":
            details |= {"place": 2, "players": 9}
        if what == "declined":
            details |= {"player": who.other.name}
        yield f"event-{what}", {"kind": Kind.EVENT, "about": cup.pk, "details": details}
    paired = {**event, "round": 2, "games": [[who.other.name, "/games/42/"]]}
    yield "round-paired", {"kind": Kind.ROUND_PAIRED, "details": paired}
    bye = {**event, "round": 3, "games": [], "bye": True}
    yield "round-paired-bye", {"kind": Kind.ROUND_PAIRED, "details": bye}
    rows = [[1, who.other.name, "2½"], [2, who.reader.name, "2"], [3, "Cornelia", "½"]]
    yield "standings", {"kind": Kind.STANDINGS, "details": {**event, "round": 3, "rows": rows}}


def _digest(who: People, now: datetime) -> dict[str, Any]:
    parts: list[Callable[[], dict[str, Any]]] = [
        lambda: _about(_script(who, now, 4), Kind.TURN),
        lambda: _about(_played(_started(who, now, "tritoc"), now, until=0), Kind.TURN),
        lambda: _about(_script(who, now, 6), Kind.GAME_OVER),
    ]
    letters = [
        Letter.objects.create(key=f"sample.part{number}", player=who.reader, **part())
        for number, part in enumerate(parts)
    ]
    return {"kind": Kind.DIGEST, "details": {"letters": [letter.pk for letter in letters]}}
