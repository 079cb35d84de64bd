"""Background work: one app, its queues, its limits and the whole timetable."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

QUEUE_OF = {
    # What must never wait: every task here is a few statements or a slice of three seconds.
    "games.beat": "clocks",
    "games.end_games_on_time": "clocks",
    "games.credit_outages": "clocks",
    "games.expire_challenges": "clocks",
    "games.send_guests_off": "clocks",
    "accounts.forget_old_counts": "clocks",
    "notifications.forget_old_mail": "clocks",
    # Two slots, and one runner each: neither can take the other's.
    "games.relay": "relay",
    "notifications.read_new_mail": "relay",
    # Our own mail server and the providers of browsers.
    "notifications.send_letters": "letters",
    # Addresses that players gave, which may reply as slowly as they like.
    "notifications.call_webhooks": "webhooks",
    # Nobody waits for these, and there may be much to do.
    "accounts.settle_closed_accounts": "long",
    "games.recalculate_ratings": "long",
    "tournaments.catch_up": "long",
    "tournaments.look_at_due_events": "long",
    # Thinking takes a processor.
    "games.serve_bots": "bots",
}
"""Every task has one queue, and every queue one line of the Procfile."""

app = Celery("tripost")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    # A task that dies with its worker is delivered again; every task may be run twice.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    # A net for pools that fork; `accounts.background` has one for those that do not.
    task_soft_time_limit=60,
    task_time_limit=90,
    task_default_queue="long",
    task_queues=[Queue(name) for name in sorted(set(QUEUE_OF.values()))],
    task_routes={name: {"queue": queue} for name, queue in QUEUE_OF.items()},
    # Redis is only the doorbell: who rings must never hang or fail because it is away.
    task_publish_retry=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "socket_connect_timeout": 1,
        "socket_timeout": 1,
        "visibility_timeout": 600,
    },
    worker_hijack_root_logger=False,
    timezone="UTC",
)
# A task that nobody took before the next one comes is not worth running.
app.conf.beat_schedule = {
    name: {"task": task, "schedule": float(seconds), "options": {"expires": seconds}}
    for name, task, seconds in [
        ("heartbeat", "games.beat", 10),
        ("relay what the bell missed", "games.relay", 15),
        ("end games on time", "games.end_games_on_time", 20),
        ("credit outages", "games.credit_outages", 60),
        ("recalculate ratings", "games.recalculate_ratings", 30),
        ("expire challenges", "games.expire_challenges", 60),
        ("call the bots that the bell missed", "games.serve_bots", 15),
        ("settle closed accounts", "accounts.settle_closed_accounts", 60),
        ("forget the counts of days that are over", "accounts.forget_old_counts", 3600),
        ("send guests off who stay away", "games.send_guests_off", 3600),
        ("let events go on", "tournaments.catch_up", 20),
        ("look at due events", "tournaments.look_at_due_events", 30),
        ("send letters", "notifications.send_letters", 15),
        ("call webhooks", "notifications.call_webhooks", 15),
        ("read mail that the bell missed", "notifications.read_new_mail", 15),
        ("forget old mail", "notifications.forget_old_mail", 3600),
    ]
}
app.autodiscover_tasks()


@worker_init.connect
def _wait_for_tasks(**_: Any) -> None:
    """A worker's pop waits for a second by itself; a web process only publishes."""
    app.conf.broker_transport_options |= {"socket_connect_timeout": 2, "socket_timeout": 30}


@worker_ready.connect
def _beat_at_once(**_: Any) -> None:
    """A worker that has just come is alive now, not only when the timetable says so."""
    app.send_task("games.beat")
