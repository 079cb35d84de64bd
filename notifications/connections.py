"""Feeds, webhooks and browsers of a player, for the list of all lasting access."""

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.connections import Connection
from accounts.models import Player
from notifications.models import FeedLink, PushSubscription, ReplyToken, Webhook

PAGE = "channels"


def of(player: Player) -> list[Connection]:
    links = player.feed_links.select_related("token").order_by("feed")
    hooks = player.webhooks.select_related("token")
    return [
        *(_feed(link) for link in links),
        *(_webhook(hook) for hook in hooks),
        *(_browser(browser) for browser in player.browsers.all()),
    ]


def revoke(player: Player) -> None:
    """End feeds, webhooks, browsers, and the links and reply addresses in e-mails."""
    player.feed_links.all().delete()
    player.webhooks.all().delete()
    player.browsers.all().delete()
    ReplyToken.objects.filter(player=player, revoked_at=None).update(revoked_at=timezone.now())


def _feed(link: FeedLink) -> Connection:
    name = link.get_feed_display()
    return Connection("feed", _("Feed"), name, link.created_at, link.token, PAGE)


def _webhook(hook: Webhook) -> Connection:
    return Connection("webhook", _("Webhook"), hook.url, hook.created_at, hook.token, PAGE)


def _browser(one: PushSubscription) -> Connection:
    return Connection("browser", _("Browser"), one.browser, one.created_at, None, PAGE)
