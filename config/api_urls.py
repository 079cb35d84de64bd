"""Every address of the API."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from config import views

urlpatterns = [
    path("schema", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs/", views.ApiDocs.as_view(url_name="api_schema"), name="api_docs"),
    path("", include("accounts.api_urls")),
    path("", include("games.api.urls")),
]
