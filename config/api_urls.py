"""Every address of the API."""

from django.urls import include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from config import api_views

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api_docs")),
    path("docs", RedirectView.as_view(pattern_name="api_docs")),
    path("docs/", api_views.Docs.as_view(url_name="api_schema"), name="api_docs"),
    path("schema", SpectacularAPIView.as_view(), name="api_schema"),
    path("stream", api_views.Stream.as_view()),
    path("", include("accounts.api_urls")),
    path("", include("games.api.urls")),
    path("", include("tournaments.api.urls")),
    path("", include("notifications.api_urls")),
    re_path("", api_views.Nowhere.as_view()),
]
