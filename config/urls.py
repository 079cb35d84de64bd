"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config import probes, status, views
from config.metrics import metrics

urlpatterns = [
    # First, because addresses are tried in order and programs call by far the most often.
    path("api/v1/", include("config.api_urls")),
    path("", views.home, name="home"),
    path("healthz", probes.alive, name="healthz"),
    path("readyz", probes.ready, name="readyz"),
    path("status/", status.page, name="status"),
    path("status.json", status.as_json, name="status_json"),
    path("language/", include("django.conf.urls.i18n")),
    path(
        "accounts/sessions/",
        RedirectView.as_view(pattern_name="sessions"),
        name="usersessions_list",
    ),
    path("accounts/2fa/webauthn/", include("accounts.passkey_urls")),
    path("accounts/", include("allauth.urls")),
    path("", include("accounts.urls")),
    path("", include("games.urls")),
    path("", include("tournaments.urls")),
    path("", include("notifications.urls")),
    path("staff/", admin.site.urls),
]

if settings.METRICS:
    urlpatterns.append(path("metrics", metrics, name="metrics"))

if settings.ANYMAIL.get("WEBHOOK_SECRET"):
    urlpatterns.append(path("anymail/", include("anymail.urls")))

if settings.DEBUG:
    urlpatterns += [
        path("styleguide/", views.styleguide, name="styleguide"),
        path("styleguide/error/<int:status>/", views.show_error, name="show_error"),
    ]

handler400 = "config.views.error_400"
handler403 = "config.views.error_403"
handler404 = "config.views.error_404"
handler429 = "config.views.error_429"
handler500 = "config.views.error_500"
