"""Reads the environment, and names the variable that cannot be read."""

import warnings
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured


class Environment(environ.Env):
    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}.") from None

    def db(self, var: str) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            config: dict[str, Any] = self.db_url_config(self.get_value(var))
        if not config.get("ENGINE", "").endswith(".postgresql"):
            raise ImproperlyConfigured(f"{var} must read postgres://user:password@host:5432/name.")
        return config

    def email(self, var: str) -> dict[str, Any]:
        try:
            config: dict[str, Any] = self.email_url_config(self.get_value(var))
        except (ImproperlyConfigured, ValueError):
            raise ImproperlyConfigured(
                f"{var} cannot be read; it must read like smtp+tls://user:password@host:587."
            ) from None
        return config
