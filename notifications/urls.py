from django.urls import path

from notifications.pages import (
    answer,
    channels,
    feeds,
    held,
    mailbox,
    never,
    preferences,
    receipts,
    unsubscribe,
)

urlpatterns = [
    path("letters/", receipts.receipts, name="receipts"),
    path("letters/preferences/", preferences.letter_preferences, name="letter_preferences"),
    path("letters/try-again/", receipts.try_again, name="try_address_again"),
    path("letters/stop/<str:signed>/", unsubscribe.stop, name="unsubscribe"),
    path("letters/never/<str:signed>/", never.never, name="never_write"),
    path("letters/channels/", channels.channels, name="channels"),
    path("letters/channels/feeds/<slug:feed>/", channels.change_feed, name="change_feed"),
    path("letters/channels/webhooks/", channels.register_webhook, name="register_webhook"),
    path("letters/channels/webhooks/<int:pk>/", channels.change_webhook, name="change_webhook"),
    path("letters/channels/browsers/", channels.subscribe, name="subscribe_browser"),
    path("letters/channels/browsers/<int:pk>/", channels.remove_browser, name="remove_browser"),
    path("push-worker.js", channels.worker, name="push_worker"),
    path("letters/feeds/<str:key>.<slug:ending>", feeds.feed, name="feed"),
    path("letters/answer/<int:pk>/<str:secret>/", answer.answer, name="answer"),
    path("letters/answer/<int:pk>/<str:secret>/choices/", answer.choices, name="answer_choices"),
    path("letters/held/<str:signed>/", held.held, name="held_mail"),
    path("mailbox/", mailbox.mailbox, name="mailbox"),
    path("mailbox/<int:pk>/", mailbox.letter, name="mailbox_letter"),
    path("mailbox/<int:pk>/html/", mailbox.letter_html, name="mailbox_letter_html"),
    path("mailbox/<int:pk>/answers/<int:mail>/", mailbox.answer, name="mailbox_answer"),
]
