"""What is personal: every field that refers to a player or can hold words, and its decision."""

from dataclasses import dataclass

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Player

KEPT = "kept"
"""The row stays and shows the name of a closed account."""
DELETED = "deleted"
EMPTIED = "emptied"
REPLACED = "replaced"
"""The former name gives way to that of a closed account."""
IMPERSONAL = "impersonal"
"""Nothing that a person writes, or that names one."""
LONG = 200


@dataclass(frozen=True)
class Decision:
    """`exported` is a path into the export; without one, `why` says why not."""

    exported: str
    fate: str
    why: str = ""


def relations() -> list[str]:
    """Fields that refer to a player, or to a row that stands for one."""
    return [
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_fields
        if field.is_relation and (field.related_model is Player or _stands(field.related_model))
    ]


def _stands(model: type[models.Model]) -> bool:
    names = {field.name for field in model._meta.local_fields if field.related_model is Player}
    return bool(names & {"player", "user"})


def contents() -> list[str]:
    """Fields that can hold anything: JSON, bytes, addresses, long texts and loose numbers."""
    return [
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_fields
        if _holds_anything(field)
    ]


def _holds_anything(field: models.Field) -> bool:
    if isinstance(field, ArrayField):
        return _holds_anything(field.base_field)
    if isinstance(field, models.JSONField | models.BinaryField | models.TextField):
        return True
    if isinstance(field, models.CharField):
        return not field.choices and (field.max_length or LONG) >= LONG
    return (
        isinstance(field, models.BigIntegerField)
        and not field.primary_key
        and not (field.is_relation)
    )


def rows_of(label: str, player: Player) -> models.QuerySet:
    """Rows in which the field refers to this player, directly or by one that stands for one."""
    app, model_name, name = label.rsplit(".", 2)
    model = apps.get_model(app, model_name)
    target = model._meta.get_field(name).related_model
    if target is Player:
        return model.objects.filter(**{name: player})
    own = "player" if any(f.name == "player" for f in target._meta.local_fields) else "user"
    return model.objects.filter(**{f"{name}__{own}": player})


OF_THE_GAME = "the game, its result and its proof belong to both who played it"

RELATIONS = {
    "accounts.ApiToken.player": Decision("account.tokens", DELETED),
    "accounts.Block.blocker": Decision("account.blocked", DELETED),
    "accounts.Block.blocked": Decision("", DELETED, "who blocks a player is not told to them"),
    "accounts.Closing.player": Decision("", DELETED, "there while an account is being closed"),
    "accounts.Player_groups.player": Decision("account.groups", DELETED),
    "accounts.Player_user_permissions.player": Decision("account.permissions", DELETED),
    "account.EmailAddress.user": Decision("account.email_addresses", DELETED),
    "account.EmailConfirmation.email_address": Decision("", DELETED, "a secret of a few days"),
    "mfa.Authenticator.user": Decision("account.second_factors", DELETED),
    "usersessions.UserSession.user": Decision("account.sessions", DELETED),
    "admin.LogEntry.user": Decision("staff_acts", KEPT, "staff answer for what they did"),
    "games.Seat.player": Decision("games.file", KEPT, OF_THE_GAME),
    "games.ConditionalMoves.seat": Decision("games.conditional_moves_log", DELETED),
    "games.ChatLine.author": Decision("games.said", KEPT, "an empty line that says “removed”"),
    "games.Visit.player": Decision("presence.came_as_guest", DELETED),
    "games.Review.asked_by": Decision("reviews", KEPT, OF_THE_GAME),
    "games.Challenge.challenger": Decision("challenges.made", KEPT, OF_THE_GAME),
    "games.Challenge.opponent": Decision("challenges.received", KEPT, OF_THE_GAME),
    "games.Participant.player": Decision("presence.games", KEPT, "counts only"),
    "games.Vacation.player": Decision("vacations", KEPT, "clocks are proved by it"),
    "games.Rating.player": Decision("ratings.now", KEPT, OF_THE_GAME),
    "games.RatingEntry.first": Decision("ratings.history", KEPT, OF_THE_GAME),
    "games.RatingEntry.second": Decision("ratings.history", KEPT, OF_THE_GAME),
    "games.Ruling.made_by": Decision("rulings.made", KEPT, "results rest on it"),
    "games.Ruling.undone_by": Decision("rulings.made.undone_at", KEPT, "results rest on it"),
    "games.RulingRequest.player": Decision("rulings.asked", KEPT, "settled ones, without words"),
    "games.RulingRequest.settled_by": Decision("rulings.answered", KEPT, "staff answer for it"),
    "games.ImportedGame.owner": Decision("imported_games", DELETED),
    "tournaments.Event.organiser": Decision("events.organised", KEPT, "where nobody takes over"),
    "tournaments.Director.player": Decision("events.directed", DELETED),
    "tournaments.Guest.player": Decision("events.invitations", DELETED),
    "tournaments.LogLine.by": Decision("events.acts", KEPT, "results rest on it"),
    "tournaments.Entry.player": Decision("events.entries", KEPT, OF_THE_GAME),
    "tournaments.Meeting.first": Decision("events.games", KEPT, OF_THE_GAME),
    "tournaments.Meeting.second": Decision("events.games", KEPT, OF_THE_GAME),
    "tournaments.Rest.entry": Decision("events.rests", KEPT, OF_THE_GAME),
    "notifications.FeedLink.player": Decision("channels.feeds", DELETED),
    "notifications.FeedLink.token": Decision("channels.feeds", DELETED),
    "notifications.PushSubscription.player": Decision("channels.browsers", DELETED),
    "notifications.Webhook.player": Decision("channels.webhooks", DELETED),
    "notifications.Webhook.token": Decision("channels.webhooks", DELETED),
    "notifications.ReplyToken.player": Decision("reply_addresses", DELETED),
    "notifications.InboundMail.player": Decision("mails", DELETED),
    "notifications.InboundMail.token": Decision("mails", DELETED),
    "notifications.Letter.player": Decision("letters", DELETED),
    "notifications.Letter.carried_by": Decision("letters", DELETED),
    "notifications.Habits.player": Decision("letter_preferences.habits", DELETED),
    "notifications.Preference.player": Decision("letter_preferences.kinds", DELETED),
}

CONTENTS = {
    "accounts.Player.email": EMPTIED,
    "accounts.Player.about": EMPTIED,
    "accounts.Closing.addresses": DELETED,
    "account.EmailAddress.email": DELETED,
    "mfa.Authenticator.data": DELETED,
    "usersessions.UserSession.user_agent": DELETED,
    "usersessions.UserSession.data": DELETED,
    "admin.LogEntry.object_id": IMPERSONAL,
    "admin.LogEntry.object_repr": REPLACED,
    "admin.LogEntry.change_message": REPLACED,
    "auth.Permission.name": IMPERSONAL,
    "sessions.Session.session_data": DELETED,
    "games.Game.options": IMPERSONAL,
    "games.Game.clock": IMPERSONAL,
    "games.Game.event_id": IMPERSONAL,
    "games.Game.position": IMPERSONAL,
    "games.Game.seed": IMPERSONAL,
    "games.Game.as_played": IMPERSONAL,
    "games.DiceKey.secret": IMPERSONAL,
    "games.GameDice.secret": IMPERSONAL,
    "games.GameDice.drawn": IMPERSONAL,
    "games.GameDice.past": IMPERSONAL,
    "games.SigningKey.private_key": IMPERSONAL,
    "games.Game.opening": IMPERSONAL,
    "games.Seat.note": EMPTIED,
    "games.ConditionalMoves.tree": DELETED,
    "games.ConditionalMoves.log": DELETED,
    "games.Move.typed": IMPERSONAL,
    "games.Move.throws": IMPERSONAL,
    "games.ChatLine.text": EMPTIED,
    "games.Review.judgements": IMPERSONAL,
    "games.Challenge.email": EMPTIED,
    "games.Challenge.options": IMPERSONAL,
    "games.Challenge.clock": IMPERSONAL,
    "games.Challenge.dice_secret": IMPERSONAL,
    "games.Challenge.message": EMPTIED,
    "games.EntryNode.name": IMPERSONAL,
    "games.Outage.credited_to": IMPERSONAL,
    "games.OutboxMessage.payload": IMPERSONAL,
    "games.OutboxMessage.queue": IMPERSONAL,
    "games.OutboxMessage.error": REPLACED,
    "games.Ruling.detail": IMPERSONAL,
    "games.Ruling.reason": REPLACED,
    "games.RulingRequest.text": EMPTIED,
    "games.RulingRequest.answer": REPLACED,
    "games.ImportedGame.record": DELETED,
    "games.ImportedGame.summary": DELETED,
    "tournaments.Event.about": REPLACED,
    "tournaments.Event.unbegun_from": IMPERSONAL,
    "tournaments.Event.settings": IMPERSONAL,
    "tournaments.Event.options": IMPERSONAL,
    "tournaments.Event.clock": IMPERSONAL,
    "tournaments.LogLine.words": REPLACED,
    "tournaments.Errand.game_id": IMPERSONAL,
    "notifications.PushSubscription.endpoint": DELETED,
    "notifications.PushSubscription.p256dh": DELETED,
    "notifications.PushSubscription.browser": DELETED,
    "notifications.Webhook.url": DELETED,
    "notifications.Webhook.last_error": DELETED,
    "notifications.InboundMail.mail_from": DELETED,
    "notifications.InboundMail.recipient": DELETED,
    "notifications.InboundMail.raw": DELETED,
    "notifications.InboundMail.message_id": DELETED,
    "notifications.InboundMail.reason": DELETED,
    "notifications.Letter.address": DELETED,
    "notifications.Letter.about": IMPERSONAL,
    "notifications.Letter.details": REPLACED,
    "notifications.Letter.error": REPLACED,
    "notifications.MailboxLetter.recipient": DELETED,
    "notifications.MailboxLetter.subject": DELETED,
    "notifications.MailboxLetter.raw": DELETED,
    "notifications.Suppression.address": DELETED,
    "notifications.Suppression.last_error": DELETED,
}
"""What becomes of the player's own words; those of others have the name replaced. Files that
others imported stay as they are: they are theirs, and any change would break their proof."""
