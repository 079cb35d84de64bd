"""Signing up; apart from the other forms, because allauth loads those while it is loaded."""

from allauth.account.forms import SignupForm
from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts import locks
from accounts.models import NAME_TAKEN, Player


class SignUp(SignupForm):
    def try_save(self, request: HttpRequest) -> tuple[Player | None, HttpResponse | None]:
        """Of two who choose names that look the same at once, the database lets one have it."""
        try:
            return self._save(request)
        except IntegrityError:
            messages.error(request, NAME_TAKEN)
            return None, redirect("account_signup")

    @locks.action
    def _save(self, request: HttpRequest) -> tuple[Player | None, HttpResponse | None]:
        saved: tuple[Player | None, HttpResponse | None] = super().try_save(request)
        return saved
