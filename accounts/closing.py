"""Leaving for good: the person goes, the games and ratings stay true."""

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from accounts.models import Player


@transaction.atomic
def close_account(*, player: Player, now: datetime) -> None:
    """Replaces the name and forgets everything personal; nobody can log in any more."""
    player = Player.objects.select_for_update().get(pk=player.pk)
    if player.is_closed:
        return
    player.name = f"closed-{player.pk}"
    player.email = player.about = ""
    player.zone = "UTC"
    player.is_active = player.is_staff = player.is_superuser = False
    player.closed_at = now
    player.set_unusable_password()
    player.save()
    player.tokens.all().delete()
    EmailAddress.objects.filter(user=player).delete()
    Authenticator.objects.filter(user=player).delete()
    for forget in settings.DATA_ERASURES:
        import_string(forget)(player)
