"""The ways to be told other than by mail, for programs."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of, token_of
from accounts.models import Scope
from games.refusals import NotFound
from notifications import feeds, webhooks
from notifications.models import FeedLink, Webhook

MADE_BY = {"read_only": True, "help_text": "The token that made it, with which it ends."}


class WebhookAnswer(serializers.ModelSerializer):
    class Meta:
        model = Webhook
        fields = [
            "id", "url", "created_at", "failures", "last_error", "switched_off_at", "token",
        ]  # fmt: skip
        extra_kwargs = {
            "failures": {"help_text": "In a row; after 20 it is switched off."},
            "token": MADE_BY,
        }


class WebhookList(serializers.Serializer):
    webhooks = WebhookAnswer(many=True)


class MadeWebhook(WebhookAnswer):
    secret = serializers.CharField(help_text="Shown this once; signs every request.")

    class Meta(WebhookAnswer.Meta):
        fields = [*WebhookAnswer.Meta.fields, "secret"]


class NewWebhook(serializers.Serializer):
    url = serializers.CharField(max_length=1000, help_text="Begins with https://.")


class MyWebhooks(APIView):
    """Addresses of mine that are told of my letters by a signed request."""

    scope = Scope.CONNECT
    gives_to_read = ("POST",)
    asks_again = True

    @extend_schema(operation_id="webhooks", responses=WebhookList)
    def get(self, request: Request) -> Response:
        return Response({"webhooks": WebhookAnswer(player_of(request).webhooks, many=True).data})

    @extend_schema(
        operation_id="make_webhook",
        description=(
            "Which letters go there is chosen with the preferences. A request carries"
            " `Tripost-Delivery`, the same each time it is tried, and `Tripost-Signature:"
            " t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY` by the secret, which is in"
            " this answer and nowhere else."
        ),
        request=NewWebhook,
        responses={201: MadeWebhook},
    )
    def post(self, request: Request) -> Response:
        data = NewWebhook(data=request.data)
        data.is_valid(raise_exception=True)
        made = webhooks.register(
            player=player_of(request),
            url=data.validated_data["url"],
            now=timezone.now(),
            token=token_of(request),
        )
        return Response(MadeWebhook(made).data, status=201)


class OneWebhook(APIView):
    """Removes a webhook: nothing is sent there any more."""

    scope = Scope.CONNECT

    @extend_schema(operation_id="remove_webhook", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        webhooks.remove(player=player_of(request), webhook_id=pk)
        return Response(status=204)


class TryWebhook(APIView):
    """Sends a message of the kind `test` there, now."""

    scope = Scope.CONNECT

    @extend_schema(operation_id="try_webhook", request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        webhooks.try_out(player=player_of(request), webhook_id=pk, now=timezone.now())
        return Response(status=204)


class SwitchWebhookOn(APIView):
    """Switches a webhook on again and forgets its failures."""

    scope = Scope.CONNECT

    @extend_schema(operation_id="switch_webhook_on", request=None, responses=WebhookAnswer)
    def post(self, request: Request, pk: int) -> Response:
        webhook = webhooks.switch_on(player=player_of(request), webhook_id=pk)
        return Response(WebhookAnswer(webhook).data)


# Feeds


class Feed(serializers.ModelSerializer):
    class Meta:
        model = FeedLink
        fields = ["feed", "created_at", "token"]
        extra_kwargs = {"token": MADE_BY}


class FeedList(serializers.Serializer):
    feeds = Feed(many=True)


class MadeFeed(Feed):
    address = serializers.SerializerMethodField(help_text="Shown this once; a secret.")

    class Meta(Feed.Meta):
        fields = [*Feed.Meta.fields, "address"]

    def get_address(self, link: FeedLink) -> str:
        return feeds.address_of(link)


class MyFeeds(APIView):
    """The private links there are to feeds of what waits for me."""

    @extend_schema(operation_id="feeds", responses=FeedList)
    def get(self, request: Request) -> Response:
        return Response({"feeds": Feed(player_of(request).feed_links, many=True).data})


class MyFeed(APIView):
    """One of my feeds: `calendar`, my deadlines as iCalendar, or `turns`, my turns as Atom."""

    scope = Scope.CONNECT
    gives_to_read = ("POST",)
    asks_again = True

    @extend_schema(
        operation_id="make_feed_link",
        description="A new link to it; an older one leads nowhere from now on.",
        request=None,
        responses={201: MadeFeed},
    )
    def post(self, request: Request, feed: str) -> Response:
        link = feeds.link_of(
            player=player_of(request),
            feed=_feed(feed),
            now=timezone.now(),
            token=token_of(request),
        )
        return Response(MadeFeed(link).data, status=201)

    @extend_schema(
        operation_id="revoke_feed_link",
        description="The link leads nowhere from now on.",
        responses={204: None},
    )
    def delete(self, request: Request, feed: str) -> Response:
        feeds.revoke(player=player_of(request), feed=_feed(feed))
        return Response(status=204)


def _feed(asked: str) -> Any:
    if asked not in FeedLink.Feed.values:
        raise NotFound("There are two feeds: calendar and turns.")
    return asked
