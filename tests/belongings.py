"""All that one player has, and for every change that the API knows a request that succeeds."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import Block, Player, Scope
from config.access import TABLES
from games import files, importing, lobby, ruling_requests, rulings, talk, vacations
from games.clock import PerMove
from games.models import ChatLine, ConditionalMoves, Game, ImportedGame
from games.pages.plans import _seen
from games.starting import start_game
from notifications.models import FeedLink, Kind, Letter, PushSubscription, Suppression, Webhook
from tests.accounts.authenticator import Passkey
from tests.accounts.test_passkeys import add
from tests.conftest import log_in, make_player
from tests.games.acts import as_stored, both_move, move, position_of, resigned_by, to_move
from tests.tournaments.life import Stage
from tournaments import directing

SECRET = "quokka"
"""In everything that only its owner may read."""
RESIGNS = {"move": None, "then": "resign", "dice": None, "next": []}
NUMBER = "<int:pk>/"
PARTS = re.compile(r"<\w+:(\w+)>|{(\w+)}")


@dataclass
class Change:
    """Sent to an address below /api/v1; `before` is what has to be done first."""

    address: str
    body: Any = None
    before: Callable[[], object] = field(default=lambda: None)

    def send(self, client: APIClient, method: str) -> Any:
        said = {"format": "json"}
        if isinstance(self.body, bytes):
            said = {"content_type": "application/json"}
        return getattr(client, method)(f"/api/v1{self.address}", self.body, **said)


class Belongings:
    """Alice's: games with Bob that nobody else may see, offers, events, settings and access."""

    def __init__(self) -> None:
        self.now = timezone.now()
        self.alice = make_player("alice")
        self.bob, self.frida = make_player("bob"), make_player("frida")
        self._play()
        self._offer()
        self._organise()
        self._enter()
        self._connect()

    def _play(self) -> None:
        now = self.now
        self.new, self.running, self.waiting = self._game(), self._game(), self._game()
        both_move(self.running, now=now)
        both_move(self.waiting, now=now)
        if to_move(self.waiting) == self.alice:
            move(self.waiting, now=now)
        self.over = resigned_by(self.bob, self._game(), now=now)
        for player, text in ((self.alice, "Hush"), (self.bob, "Psst")):
            talk.say(
                game_id=self.running.pk, player_id=player.pk, text=f"{text}, {SECRET}", now=now
            )
        self.line = ChatLine.objects.get(game=self.running, author=self.bob)
        talk.write_note(game_id=self.running.pk, player_id=self.alice.pk, note=f"My {SECRET}.")
        seat = self.waiting.seats.get(player=self.alice)
        ConditionalMoves.objects.create(seat=seat, tree=[RESIGNS], log=[{"why": SECRET}])
        self.asked = ruling_requests.ask(
            game_id=self.running.pk, player=self.alice, text=f"A {SECRET}!", now=now
        )
        other = resigned_by(self.bob, self._game(), now=now)
        data = files.file_of(other.pk).as_json()
        self.imported, _new = importing.take_in(owner=self.alice, data=data, now=now)
        record = self.imported.record | {"players": [SECRET, SECRET]}
        summary = importing.summary_of(record)
        ImportedGame.objects.filter(pk=self.imported.pk).update(record=record, summary=summary)

    def _game(self) -> Game:
        return start_game(
            ruleset="tritt-reloaded", options={}, players=(self.alice, self.bob), private=True,
            rated=False, clock_settings=PerMove(3), now=self.now,
        )  # fmt: skip

    def _offer(self) -> None:
        hello = lobby.Terms(ruleset="tritoc", clock=PerMove(3), message=f"For a {SECRET}")
        self.received = lobby.challenge(
            challenger=self.bob, opponent=self.alice, terms=hello, now=self.now
        )
        self.made = lobby.challenge(
            challenger=self.alice, opponent=self.bob, terms=hello, now=self.now
        )
        Block.objects.create(blocker=self.alice, blocked=self.frida, created_at=self.now)

    def _organise(self) -> None:
        stage, others = self._stage(self.alice), [make_player(f"p{n}") for n in range(5)]
        self.draft = stage.draft(about=f"A {SECRET}.")
        self.open = stage.open(bots_allowed=True, rated=False)
        stage.enter(self.open, *others)
        directing.appoint(event_id=self.open.pk, by=self.alice, player=self.bob, now=stage.now)
        self.event = stage.started(*others, format="swiss", settings={"rounds": 3})
        self.meeting = self.event.meetings.order_by("pk")[0]
        both_move(self.meeting.game, now=stage.now)
        self.ruling = rulings.give_time(
            game_id=self.meeting.game_id, seat=0, hours=9, by=self.alice, reason="Rain.",
            now=stage.now,
        )  # fmt: skip
        self.question = ruling_requests.ask(
            game_id=self.meeting.game_id, player=self.meeting.first.player,
            text=f"My {SECRET}?", now=stage.now,
        )  # fmt: skip

    def _enter(self) -> None:
        stage = self._stage(self.bob)
        self.inviting = stage.open()
        self.entered = stage.open()
        stage.enter(self.entered, self.alice)
        self.league = stage.started(self.alice, self.bob, format="league", renews=True, rated=False)
        self.ladder = stage.started(self.bob, self.frida, self.alice, format="ladder", rated=False)
        self.directed = stage.open()
        directing.appoint(event_id=self.directed.pk, by=self.bob, player=self.alice, now=stage.now)

    def _stage(self, organiser: Player) -> Stage:
        stage = Stage(organiser)
        stage.now = self.now
        return stage

    def _connect(self) -> None:
        alice = self.alice
        self.token, _secret = tokens.mint(player=alice, name=SECRET, scopes=Scope.values)
        self.webhook = Webhook.objects.create(
            player=alice, url=f"https://{SECRET}.example/", secret=SECRET, last_error=SECRET,
            failures=20, switched_off_at=self.now,
        )  # fmt: skip
        self.feed = FeedLink.objects.create(player=alice, feed="turns", key=SECRET)
        self.browser = PushSubscription.objects.create(
            player=alice, endpoint=f"https://{SECRET}.example/1", p256dh="p", auth="a",
            browser=SECRET,
        )  # fmt: skip
        add(log_in(Client(), alice), Passkey(alice), name=SECRET)
        self.passkey = Authenticator.objects.get(user=alice, type=Authenticator.Type.WEBAUTHN)
        self.session = UserSession.objects.create(
            user=alice, ip="::1", session_key="k" * 32, user_agent=SECRET, last_seen_at=self.now
        )
        Suppression.objects.create(address=alice.email, last_error=SECRET, since=self.now)
        Letter.objects.create(
            key=SECRET, kind=Kind.CHAT, player=alice, address=f"{SECRET}@example.org", error=SECRET
        )

    # Changing it

    def changes(self) -> dict[str, Change]:
        """By the operation's name."""
        return {
            **self._at_tables(),
            **self._of_offers(),
            **self._in_events(),
            **self._of_events(),
            **self._of_rulings(),
            **self._of_hers(),
        }

    def forms(self) -> list[tuple[str, str, dict[str, str]]]:
        """The page's route, the number or link in it, and what is filled in."""
        return [
            *(
                (table + rest, str(game.pk if "pk" in table else game.private_link), fields)
                for table in TABLES
                for rest, game, fields in self._forms_at_a_table()
            ),
            *((f"lobby/{NUMBER}", str(offer.pk), {"answer": answer})
              for offer, answer in (
                  (self.received, "accept"), (self.received, "decline"), (self.made, "withdraw"),
              )),
            (f"settings/tokens/{NUMBER}revoke/", str(self.token.pk), {}),
            (f"settings/sessions/{NUMBER}end/", str(self.session.pk), {}),
            (f"letters/channels/webhooks/{NUMBER}", str(self.webhook.pk), {"act": "remove"}),
            (f"letters/channels/webhooks/{NUMBER}", str(self.webhook.pk), {"act": "switch-on"}),
            (f"letters/channels/browsers/{NUMBER}", str(self.browser.pk), {}),
            (f"accounts/2fa/webauthn/keys/{NUMBER}edit/", str(self.passkey.pk), {"name": "x"}),
            (f"accounts/2fa/webauthn/keys/{NUMBER}remove/", str(self.passkey.pk), {}),
            (f"events/{NUMBER}leave/", str(self.entered.pk), {}),
            (f"events/{NUMBER}stay/", str(self.league.pk), {"stays": "no"}),
            (f"events/{NUMBER}challenge/", str(self.ladder.pk), {"player": self._above()}),
        ]  # fmt: skip

    def _forms_at_a_table(self) -> list[tuple[str, Game, dict[str, str]]]:
        first = str(position_of(self.new).legal_moves()[0])
        plan = ConditionalMoves.objects.get(seat__game=self.waiting, seat__player=self.alice)
        seen = {"seen": _seen(as_stored(self.waiting), plan)}
        theirs = str(position_of(self.waiting).legal_moves()[0])
        return [
            ("move/", self.new, {"move": first, "ply": "0"}),
            ("act/", self.running, {"act": "resign", "sure": "yes"}),
            ("say/", self.running, {"text": "Hello!"}),
            ("chat/", self.running, {"hide": "yes"}),
            ("note/", self.running, {"note": "Else."}),
            ("rematch/", self.over, {}),
            ("review/ask/", self.over, {}),
            ("plan/add/", self.waiting, {**seen, "move": theirs, "resign": "yes"}),
            ("plan/remove/", self.waiting, {**seen, "all": "yes"}),
        ]

    def _above(self) -> str:
        place = self.ladder.entries.get(player=self.alice).place
        return self.ladder.entries.get(place=place - 1).player.name

    # Looking at it

    def at(self, route: str) -> list[str]:
        """The addresses of this route that are about what is hers."""
        route = "/" + route.removeprefix("/").replace("{id}", NUMBER[:-1])
        about = next((things for part, things in self._things() if part in route), [])
        values = {"name": "alice", "line": self.line.pk, "meeting": self.meeting.pk}
        values |= {"feed": "turns", "slug": "open"}

        def filled(thing: Any) -> str:
            known = values | {"pk": thing.pk, "link": getattr(thing, "private_link", "x")}
            return PARTS.sub(lambda part: str(known.get(part[1] or part[2], 1)), route)

        return [filled(thing) for thing in about] or [filled(self.alice)]

    def _things(self) -> list[tuple[str, list[Any]]]:
        return [
            ("/me/imports/", [self.imported]),
            ("/webhooks/", [self.webhook]),
            ("/keys/", [self.passkey]),
            ("/browsers/", [self.browser]),
            ("/sessions/", [self.session]),
            ("/tokens/", [self.token]),
            ("/ruling-requests/", [self.asked]),
            ("/challenges/", [self.received, self.made]),
            ("/events/", [self.draft, self.open]),
            ("/g/", [self.running, self.waiting]),
            ("/games/", [self.running, self.waiting, self.over]),
        ]

    def _at_tables(self) -> dict[str, Change]:
        running, over = f"/games/{self.running.pk}", f"/games/{self.over.pk}"
        first = str(position_of(self.new).legal_moves()[0])
        return {
            "abort": Change(f"/games/{self.new.pk}/abort"),
            "play_move": Change(f"/games/{self.new.pk}/moves", {"ply": 0, "move": first}),
            "resign": Change(f"{running}/resign"),
            "draw": Change(f"{running}/draw", {"action": "offer"}),
            "takeback": Change(f"/games/{self.waiting.pk}/takeback", {"action": "ask"}),
            "rematch": Change(f"{over}/rematch", {}),
            "ask_for_review": Change(f"{over}/review"),
            "say": Change(f"{running}/chat", {"text": "Hello!"}),
            "show_chat": Change(f"{running}/chat", {"hidden": True}),
            "report_chat": Change(f"{running}/chat/{self.line.pk}/report"),
            "write_note": Change(f"{running}/note", {"note": "Else."}),
            "write_plan": Change(
                f"/games/{self.waiting.pk}/plan",
                {"tree": []},
            ),
            "ask_for_ruling": Change(f"{over}/ruling-requests", {"text": "Please."}),
        }

    def _of_offers(self) -> dict[str, Change]:
        received = f"/challenges/{self.received.pk}"
        return {
            "make_challenge": Change("/challenges", {"ruleset": "tritoc"}),
            "accept": Change(f"{received}/accept", {}),
            "decline": Change(f"{received}/decline", {}),
            "withdraw": Change(f"/challenges/{self.made.pk}/withdraw"),
        }

    def _in_events(self) -> dict[str, Change]:
        return {
            "enter_event": Change(f"/events/{self.inviting.pk}/enter", {}),
            "leave_event": Change(f"/events/{self.entered.pk}/leave"),
            "stay_in_league": Change(f"/events/{self.league.pk}/stay", {"stays": False}),
            "challenge_on_ladder": Change(
                f"/events/{self.ladder.pk}/challenge", {"player": self._above()}
            ),
            "step_down": Change(f"/events/{self.directed.pk}/step-down"),
        }

    def _of_events(self) -> dict[str, Change]:
        draft, opened, event = (f"/events/{e.pk}" for e in (self.draft, self.open, self.event))
        second = self.event.entries.get(number=2).player.name
        plan = {"name": "Autumn Cup", "format": "round-robin", "ruleset": "tritt-classic"}
        return {
            "prepare_event": Change("/events", plan),
            "change_event": Change(draft, plan),
            "open_event": Change(f"{draft}/open"),
            "start_event": Change(f"{opened}/start"),
            "call_off_event": Change(f"{opened}/call-off", {"reason": "Rain."}),
            "postpone_event": Change(
                f"{opened}/postpone", {"starts_at": (self.now + timedelta(days=9)).isoformat()}
            ),
            "invite_to_event": Change(f"{opened}/invite", {"player": "bob"}),
            "enter_bot_into_event": Change(f"{opened}/bots", {"level": "river"}),
            "appoint_director": Change(f"{opened}/directors", {"player": "p1"}),
            "dismiss_director": Change(f"{opened}/directors/bob"),
            "enter_list": Change(f"{opened}/list", {"names": "bob", "dry_run": False}),
            "finish_event": Change(f"{event}/finish"),
            "expel_from_event": Change(f"{event}/expel", {"player": second, "reason": "Rude."}),
            "give_bye": Change(f"{event}/bye", {"player": second, "kind": "H"}),
            "rule_in_event": Change(
                f"{event}/games/{self.meeting.pk}/rule", {"scores": [1, 0], "reason": "Late."}
            ),
        }

    def _of_rulings(self) -> dict[str, Change]:
        return {
            "rule": Change(
                f"/games/{self.meeting.game_id}/rulings", {"kind": "void", "reason": "Rain."}
            ),
            "undo_ruling": Change(f"/rulings/{self.ruling.pk}/undo"),
            "settle_ruling_request": Change(
                f"/ruling-requests/{self.question.pk}/settle", {"answer": "No."}
            ),
        }

    def _of_hers(self) -> dict[str, Change]:
        webhook = f"/me/webhooks/{self.webhook.pk}"
        kept = self.imported.pk
        return {
            "change_me": Change("/me", {"about": "A bot."}),
            "change_letter_preferences": Change("/me/letter-preferences", {"digest_hour": 9}),
            "try_address_again": Change("/me/letter-preferences/try-again"),
            "make_webhook": Change("/me/webhooks", {"url": "https://a.example/"}),
            "remove_webhook": Change(webhook),
            "try_webhook": Change(f"{webhook}/try"),
            "switch_webhook_on": Change(f"{webhook}/switch-on"),
            "make_feed_link": Change("/me/feeds/calendar"),
            "revoke_feed_link": Change("/me/feeds/turns"),
            "make_token": Change("/me/tokens", {"name": "t", "scopes": ["read"]}),
            "revoke_token": Change(f"/me/tokens/{self.token.pk}"),
            "mark_as_bot": Change("/me/bot", {"bot": True}),
            "import_game": Change("/me/imports", files.file_of(self.over.pk).as_json()),
            "delete_import": Change(f"/me/imports/{kept}"),
            "block": Change("/me/blocks/p1"),
            "unblock": Change("/me/blocks/frida"),
            "begin_vacation": Change("/me/vacation", {}),
            "automatic_vacation": Change("/me/vacation", {"automatic": False}),
            "end_vacation": Change(
                "/me/vacation",
                before=lambda: vacations.begin(player_id=self.alice.pk, now=self.now),
            ),
        }
