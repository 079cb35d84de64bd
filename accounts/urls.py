from django.urls import path

from accounts import views

urlpatterns = [
    path("settings/", views.settings_page, name="settings"),
    path("settings/tokens/", views.api_tokens, name="api_tokens"),
    path("settings/tokens/<int:pk>/revoke/", views.revoke_token, name="revoke_token"),
    path("settings/download/", views.download, name="download_data"),
    path("settings/close/", views.close, name="close_account"),
]
