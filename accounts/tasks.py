"""Background tasks of accounts; each may run twice and find nothing left to do."""

from datetime import datetime

from accounts import background, closing, daily


@background.task("accounts.settle_closed_accounts")
def settle_closed_accounts(*, now: datetime, seconds: float) -> None:
    closing.settle_closings(now=now, seconds=seconds)


@background.task("accounts.forget_old_counts", seconds=3.0)
def forget_old_counts(*, now: datetime, seconds: float) -> None:
    daily.forget_old(now=now, seconds=seconds)
