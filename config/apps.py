from django.apps import AppConfig
from django.core import checks

from config.deploy_checks import check_deployment


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        checks.register(check_deployment, deploy=True)
