"""Make the first superuser, with a verified address, so that they log in where all do."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError, transaction

from accounts.models import Player


class Command(BaseCommand):
    help = (
        "Create a superuser whose e-mail address counts as verified. The password is asked for,"
        " or read from standard input; it is never an argument."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("email")
        parser.add_argument(
            "--another", action="store_true", help="even if there is a superuser already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if _is_there_one() and not options["another"]:
            raise CommandError("There is a superuser already. Use --another to add one more.")
        player = Player(
            name=options["name"],
            email=Player.objects.normalize_email(options["email"]),
            is_staff=True,
            is_superuser=True,
        )
        try:
            player.full_clean(exclude=["password"])
            if EmailAddress.objects.filter(email__iexact=player.email, verified=True).exists():
                raise CommandError("Another account uses this e-mail address.")
            password = _password()
            validate_password(password, player)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        player.set_password(password)
        with transaction.atomic():
            player.save()
            EmailAddress.objects.create(
                user=player, email=player.email, verified=True, primary=True
            )
        self.stdout.write(f"{player.name} can log in now. Set up a second factor next.")


def _is_there_one() -> bool:
    try:
        return Player.objects.filter(is_superuser=True).exists()
    except ProgrammingError:
        raise CommandError(
            "The database has no tables yet. Run first: python manage.py migrate"
        ) from None


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("Password: ")
    if password != getpass.getpass("Password, once more: "):
        raise CommandError("The two passwords differ.")
    return password
