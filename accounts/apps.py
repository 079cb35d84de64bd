from django.apps import AppConfig
from django.core import checks

from accounts.checks import check_named_functions


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        checks.register(check_named_functions)
