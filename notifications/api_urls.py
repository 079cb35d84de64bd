from django.urls import path

from notifications import api, api_channels

urlpatterns = [
    path("me/letters", api.MyLetters.as_view()),
    path("me/letter-preferences", api.MyLetterPreferences.as_view()),
    path("me/letter-preferences/try-again", api.TryAddressAgain.as_view()),
    path("me/webhooks", api_channels.MyWebhooks.as_view()),
    path("me/webhooks/<int:pk>", api_channels.OneWebhook.as_view()),
    path("me/webhooks/<int:pk>/try", api_channels.TryWebhook.as_view()),
    path("me/webhooks/<int:pk>/switch-on", api_channels.SwitchWebhookOn.as_view()),
    path("me/feeds", api_channels.MyFeeds.as_view()),
    path("me/feeds/<str:feed>", api_channels.MyFeed.as_view()),
]
