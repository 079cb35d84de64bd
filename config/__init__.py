"""The top floor: settings, wiring and what concerns the whole house."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
