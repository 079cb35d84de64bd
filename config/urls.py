"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from config import views

urlpatterns = [
    # First, because addresses are tried in order and programs call by far the most often.
    path("api/v1/", include("config.api_urls")),
    path("", views.home, name="home"),
    path("healthz", views.alive, name="healthz"),
    path("readyz", views.ready, name="readyz"),
    path("language/", include("django.conf.urls.i18n")),
    path("accounts/", include("allauth.urls")),
    path("", include("accounts.urls")),
    path("", include("games.urls")),
    path("", include("tournaments.urls")),
    path("", include("notifications.urls")),
    path("staff/", admin.site.urls),
]

if settings.METRICS:
    urlpatterns.append(path("", include("django_prometheus.urls")))

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
handler500 = "config.views.error_500"
