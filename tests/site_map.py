"""Every page of the site by the name of its address, with something on it to look at."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import chain

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import WebAuthn
from django.conf import settings
from django.core.mail import EmailMessage as Letter
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts import never_write
from accounts.models import Player
from games import blocking, lobby
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge, Game, RatingPool, Status
from games.pages.help import TOPICS
from games.rules.registry import RULESETS
from games.starting import start_game
from notifications import answer_links, answers, mail_in, mailbox, reply_address, unsubscribe
from notifications.models import InboundMail, Kind, MailboxLetter, ReplyToken
from tests.accounts.authenticator import registered
from tournaments import advancing, entering, opening, results
from tournaments.models import Event, State
from tournaments.opening import Plan

FOR_ALL = (
    "home", "account_signup", "account_login", "account_reset_password",
    "account_reset_password_done", "account_reset_password_from_key_done",
    "account_email_verification_sent", "account_inactive", "lobby", "leaders", "search", "help",
    "about", "status", "rules", "api_docs", "mailbox", "events", "event_calendar",
    "practice",
)  # fmt: skip
FOR_A_MEMBER = (
    "home", "my_games", "lobby", "challenge", "settings", "vacation", "api_tokens", "receipts",
    "letter_preferences", "channels", "account_email", "account_change_password", "mfa_index",
    "account_reauthenticate", "account_logout", "close_account", "new_event",
    "blocked_players",
    "sessions", "mfa_add_webauthn", "mfa_reauthenticate_webauthn",
)  # fmt: skip
WITH_MORE = (
    "game", "private_game", "player", "leaders_of", "help_on", "rules_of", "invitation", "answer",
    "held_mail", "unsubscribe", "mailbox_letter", "account_confirm_email",
    "account_reset_password_from_key", "event", "event_table", "event_rounds", "event_log",
    "event_console", "edit_event", "expel_from_event", "rule_in_event",
    "never_write", "mfa_edit_webauthn", "mfa_remove_webauthn",
)  # fmt: skip
NO_PAGES = (
    # Acts, files and what scripts fetch.
    "set_language", "answer_challenge", "try_move", "trial_choices", "answer_choices",
    "revoke_token", "end_session", "end_other_sessions", "revoke_all_access", "usersessions_list",
    "try_address_again", "change_feed", "register_webhook", "change_webhook",
    "subscribe_browser", "remove_browser", "mailbox_answer", "mailbox_letter_html", "push_worker",
    "enter_event", "stay_in_event", "challenge_in_event", "event_act", "event_trf", "event_csv",
    "event_json", "event_entrants", "leave_event", "feed", "selfplay", "next_turn", "download_data",
    "healthz", "readyz", "status_json", "api_schema", "api_me", "mark_as_bot", "verifier",
    "signing_keys", "block_player",
    # Only for whoever has, or is about to have, a second factor.
    "mfa_authenticate", "mfa_reauthenticate", "mfa_activate_totp", "mfa_deactivate_totp",
    "mfa_list_webauthn", "mfa_login_webauthn", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_download_recovery_codes",
    # Ways in that are switched off here.
    "account_set_password", "account_confirm_login_code",
)  # fmt: skip
FOR_DEVELOPERS = ("styleguide", "show_error")


@dataclass(frozen=True)
class Look:
    """`title` names the picture."""

    title: str
    address: str
    is_member: bool = False


def names_in_use() -> set[str]:
    """Of every address but the staff's."""
    return set(_names(get_resolver().url_patterns)) - set(FOR_DEVELOPERS)


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from _names(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name


def looks(player: Player) -> list[Look]:
    """As this player sees it, and as nobody; makes what there is nothing of yet."""
    visitor = [Look(name, reverse(name)) for name in FOR_ALL]
    member = [Look(f"{name}-member", reverse(name), is_member=True) for name in FOR_A_MEMBER]
    others = (
        _of_games(player),
        _of_events(player),
        _by_key(),
        _behind_links(player),
        _of_passkeys(player),
    )
    return [*visitor, *chain.from_iterable(others), *member]


def _of_games(player: Player) -> Iterator[Look]:
    for key in RULESETS:
        mine = Game.objects.filter(ruleset=key, seats__player=player, private_link=None)
        if game := mine.filter(status=Status.RUNNING).order_by("-pk").first():
            yield Look(f"game-{key}-member", game.get_absolute_url(), is_member=True)
    if game := Game.objects.filter(seats__player=player, status=Status.RUNNING).first():
        yield Look("plan-member", f"{game.get_absolute_url()}plan/", is_member=True)
    ended = Game.objects.filter(status=Status.FINISHED, private_link=None)
    if over := ended.order_by("-throws_made", "pk").first():
        for page in ("", "analysis/", "dice/", "review/"):
            yield Look(f"game-over-{page.strip('/')}", over.get_absolute_url() + page)
        yield Look("search-found", f"{reverse('search')}?player={player.name}")
    yield Look("private_game", _private_game(player).get_absolute_url())
    yield Look("player", player.get_absolute_url())
    yield Look("player-member", _other(player).get_absolute_url(), is_member=True)
    yield Look("player-blocked-member", _blocked(player).get_absolute_url(), is_member=True)
    if pool := RatingPool.objects.first():
        yield Look("leaders_of", reverse("leaders_of", args=[pool.key]))


def _of_events(player: Player) -> Iterator[Look]:
    now = timezone.now()
    # Whoever is new may have one event at a time, and there are two to look at.
    player.joined_at = now - timedelta(days=365)
    plan = Plan(name="Spring", format="swiss", ruleset="tritoc", clock=PerMove(3))
    draft = opening.prepare(plan=plan, organiser=player, now=now)
    yield Look("edit_event-member", reverse("edit_event", args=[draft.pk]), is_member=True)
    event = _running_event(player, plan, now)
    for name in ("event", "event_table", "event_rounds", "event_log"):
        yield Look(name, reverse(name, args=[event.pk]))
    for other in Event.objects.exclude(pk=event.pk).exclude(state=State.DRAFT):
        yield Look(f"event-{other.pk}-{other.format}", reverse("event", args=[other.pk]))
    yield Look("event-member", reverse("event", args=[event.pk]), is_member=True)
    console = reverse("event_console", args=[event.pk])
    yield Look("event_console-member", console, is_member=True)
    others = event.meetings.exclude(first__player=player).exclude(second__player=player)
    meeting = others.exclude(game=None).first()
    assert meeting is not None
    entrant = event.entries.exclude(player=player).select_related("player").first()
    assert entrant is not None
    rule = reverse("rule_in_event", args=[event.pk, meeting.pk])
    expel = reverse("expel_from_event", args=[event.pk, entrant.player.name])
    yield Look("rule_in_event-member", rule, is_member=True)
    yield Look("expel_from_event-member", expel, is_member=True)


def _running_event(player: Player, plan: Plan, now: datetime) -> Event:
    """One of the player's, with games."""
    if known := Event.objects.filter(state=State.RUNNING, organiser=player).first():
        return known
    for_two = replace(plan, format="round-robin", least_entrants=2)
    event = opening.prepare(plan=for_two, organiser=player, now=now)
    opening.open_entries(event_id=event.pk, by=player, now=now)
    for entrant in (player, _other(player), _third(player)):
        entering.enter(event_id=event.pk, player=entrant, now=now)
    advancing.start(event_id=event.pk, by=player, now=now)
    results.catch_up_all(now=now)
    return Event.objects.get(pk=event.pk)


def _third(player: Player) -> Player:
    """A director is not asked to rule on a game of their own."""
    known = Player.objects.filter(name="frida").first()
    return known or Player.objects.create_user("frida", email="frida@example.org")


def _private_game(player: Player) -> Game:
    known = Game.objects.filter(seats__player=player).exclude(private_link=None).first()
    return known or start_game(
        ruleset="tritt-classic",
        options={},
        players=(player, _other(player)),
        clock_settings=PerMove(3),
        private=True,
        now=timezone.now(),
    )


def _blocked(player: Player) -> Player:
    """Somebody whom the player has blocked."""
    people = Player.objects.exclude(pk=player.pk).filter(is_guest=False, bot_level=None)
    blocked = people.order_by("pk").last()
    assert blocked is not None
    blocking.block(blocker=player, blocked=blocked, now=timezone.now())
    return blocked


def _other(player: Player) -> Player:
    other = Player.objects.exclude(pk=player.pk).first()
    assert other is not None
    return other


def _by_key() -> Iterator[Look]:
    for key in RULESETS:
        yield Look(f"rules_of-{key}", reverse("rules_of", args=[key]))
    for topic in TOPICS:
        yield Look(f"help_on-{topic}", reverse("help_on", args=[topic]))


def _of_passkeys(player: Player) -> Iterator[Look]:
    known = Authenticator.objects.filter(user=player, type=Authenticator.Type.WEBAUTHN).first()
    passkey = known or WebAuthn.add(player, "My phone", registered(player)).instance
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        yield Look(f"{name}-member", reverse(name, args=[passkey.pk]), is_member=True)


def _behind_links(player: Player) -> Iterator[Look]:
    """What letters lead to."""
    yield Look("invitation", reverse("invitation", args=[_invitation(player).link]))
    token = _token(player)
    secret = answer_links.secret_of(token)
    yield Look("answer", reverse("answer", args=[token.pk, secret]))
    yield Look("held_mail", answers.confirm_link(_held(token).pk).removeprefix(settings.SITE_URL))
    signed = unsubscribe.signed(player.pk, Kind.TURN)
    yield Look("unsubscribe", reverse("unsubscribe", args=[signed]))
    yield Look("never_write", reverse("never_write", args=[never_write.signed("emil@example.org")]))
    yield Look("mailbox_letter", reverse("mailbox_letter", args=[_letter(player).pk]))
    address = EmailAddress.objects.get(user=player)
    key = EmailConfirmationHMAC(address).key
    yield Look("account_confirm_email", reverse("account_confirm_email", args=[key]))
    reset = [user_pk_to_url_str(player), default_token_generator.make_token(player)]
    yield Look(
        "account_reset_password_from_key", reverse("account_reset_password_from_key", args=reset)
    )


def _invitation(player: Player) -> Challenge:
    known = Challenge.objects.filter(
        challenger=player, email="", state=Challenge.State.OPEN
    ).exclude(link=None)
    terms = Terms(ruleset="tritt-classic", clock=PerMove(3))
    return known.first() or lobby.invite_by_link(challenger=player, terms=terms, now=timezone.now())


def _token(player: Player) -> ReplyToken:
    """To the right to move in a game that waits for the player."""
    waiting = Game.objects.filter(seats__player=player, status=Status.RUNNING)
    game = next(
        game for game in waiting if game.seats.get(player=player).number == game.seat_to_move
    )
    assert game.seat_to_move is not None
    return reply_address.token_for(
        game_id=game.pk,
        seat=game.seat_to_move,
        ply=game.ply,
        player_id=player.pk,
        now=timezone.now(),
    )


def _held(token: ReplyToken) -> InboundMail:
    """A mail in the player's name whose sender is not proved."""
    message = EmailMessage()
    message["From"] = token.player.email
    message["To"] = reply_address.address_of(token)
    message["Subject"] = "Re: the game"
    message.set_content("board\n\nWhere were we?")
    known = set(InboundMail.objects.values_list("pk", flat=True))
    mail_in.store(
        message.as_bytes(),
        recipients=[reply_address.address_of(token)],
        mail_from=token.player.email,
        peer="127.0.0.1",
    )
    mail = InboundMail.objects.exclude(pk__in=known).get()
    mail.state, mail.token = InboundMail.State.HELD, token
    mail.due_at = timezone.now() + timedelta(days=1)
    mail.save()
    return mail


def _letter(player: Player) -> MailboxLetter:
    known = MailboxLetter.objects.filter(recipient=player.email).first()
    if known is None:
        words = Letter("A letter", "It says nothing much.", to=[player.email])
        mailbox.MailboxBackend().send_messages([words])
    return known or MailboxLetter.objects.get(recipient=player.email)
