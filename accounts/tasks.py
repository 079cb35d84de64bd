"""Accounts' background work; each task may run twice and find nothing left to do."""

from celery import shared_task
from django.utils import timezone

from accounts import closing, daily


@shared_task(name="accounts.settle_closed_accounts", soft_time_limit=600, time_limit=660)
def settle_closed_accounts() -> None:
    closing.settle_closings(now=timezone.now())


@shared_task(name="accounts.forget_old_counts")
def forget_old_counts() -> None:
    daily.forget_old(now=timezone.now())
