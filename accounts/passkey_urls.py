"""Addresses of allauth at which our own views stand."""

from django.urls import path
from django.views.generic import RedirectView

from accounts import passkeys

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="mfa_index"), name="mfa_list_webauthn"),
    path("add/", passkeys.AddPasskeyView.as_view(), name="mfa_add_webauthn"),
    path("login/", passkeys.LogInView.as_view(), name="mfa_login_webauthn"),
    path("reauthenticate/", passkeys.ConfirmView.as_view(), name="mfa_reauthenticate_webauthn"),
]
