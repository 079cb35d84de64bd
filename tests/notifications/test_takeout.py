"""A player can take everything along, and leaves nothing of himself behind."""

from accounts import export
from accounts.closing import close_account, settle_closings
from notifications import desk
from notifications.models import (
    FeedLink,
    Habits,
    InboundMail,
    Kind,
    Letter,
    Preference,
    PushSubscription,
    Webhook,
)
from tests.conftest import NOW


def _furnish(player):
    desk.write(kind=Kind.VACATION, player_id=player.pk, key=f"v{player.pk}.vacation", now=NOW)
    Habits.objects.create(player=player, digest_hour=9)
    Preference.objects.create(player=player, kind=Kind.CHAT, timing="off")
    FeedLink.objects.create(player=player, feed="turns", key=f"k{player.pk}")
    Webhook.objects.create(player=player, url="https://example.org/hook", secret="s3cret")
    PushSubscription.objects.create(
        player=player, endpoint=f"https://push.example/{player.pk}", p256dh="p", auth="a"
    )
    InboundMail.objects.create(
        player=player, recipient="play@localhost", peer="", raw=b"board\n", sha256=str(player.pk)
    )


def test_the_download_has_letters_wishes_channels_and_mails(alice):
    _furnish(alice)
    everything = export.everything(alice)
    assert [letter["kind"] for letter in everything["letters"]] == ["vacation"]
    assert everything["mails"][0]["raw"] == "board\n"
    assert everything["letter_preferences"]["habits"]["digest_hour"] == 9
    assert everything["letter_preferences"]["kinds"][0]["kind"] == "chat"
    assert everything["channels"]["webhooks"][0]["url"] == "https://example.org/hook"
    assert "s3cret" not in str(everything)


def test_a_closed_account_leaves_no_letter_and_no_channel_behind(alice, bob):
    _furnish(alice)
    _furnish(bob)
    close_account(player=alice, now=NOW)
    settle_closings(now=NOW)
    for kept in (
        Letter, InboundMail, Habits, Preference, FeedLink, Webhook, PushSubscription,
    ):  # fmt: skip
        assert not kept.objects.filter(player=alice).exists(), kept
        assert kept.objects.filter(player=bob).exists(), kept
