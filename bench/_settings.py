"""The settings of the service, with the yardstick's address beside its own."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench._yardstick"
SUBSCRIPTIONS = "bench._stage.SUBSCRIPTIONS"
API_LIMITS: dict[str, int] = {}
PAGE_LIMITS: dict[str, int] = {}
