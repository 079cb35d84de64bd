from django.urls import path

from accounts import views

urlpatterns = [
    path("settings/", views.settings_page, name="settings"),
    path("settings/tokens/", views.api_tokens, name="api_tokens"),
    path("settings/tokens/<int:pk>/revoke/", views.revoke_token, name="revoke_token"),
    path("settings/sessions/", views.sessions, name="sessions"),
    path("settings/sessions/<int:pk>/end/", views.end_session, name="end_session"),
    path("settings/sessions/end/", views.end_other_sessions, name="end_other_sessions"),
    path("settings/sessions/revoke/", views.revoke_all_access, name="revoke_all_access"),
    path("settings/download/", views.download, name="download_data"),
    path("settings/close/", views.close, name="close_account"),
]
