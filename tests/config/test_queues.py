"""Duties that cannot take each other's place: every task has a queue, every queue one process."""

import re

import pytest

from config.celery import QUEUE_OF, app
from config.processes import procfile

app.loader.import_default_modules()
TASKS = sorted(name for name in app.tasks if not name.startswith(("celery.", "tests.")))


def queues_of(line: str) -> list[str]:
    found = re.search(r"celery .* worker .*--queues (\S+)", line)
    return found[1].split(",") if found else []


def test_each_queue_has_exactly_one_line_of_the_procfile():
    served = [queue for line in procfile().values() for queue in queues_of(line)]
    assert sorted(served) == sorted({queue.name for queue in app.conf.task_queues})
    assert set(served) == set(QUEUE_OF.values())


def test_a_process_has_one_queue_and_its_name():
    workers = {name: queues_of(line) for name, line in procfile().items() if queues_of(line)}
    assert workers == {name: [name] for name in workers}
    for name in workers:
        assert f"--hostname {name}@%h" in procfile()[name]


@pytest.mark.parametrize("task", TASKS)
def test_each_task_has_one_queue(task):
    assert app.amqp.router.route({}, task)["queue"].name == QUEUE_OF[task]


def test_no_queue_is_for_a_task_that_does_not_exist():
    assert sorted(QUEUE_OF) == TASKS


@pytest.mark.parametrize("entry", app.conf.beat_schedule)
def test_the_timetable_knows_its_tasks(entry):
    assert app.conf.beat_schedule[entry]["task"] in TASKS


@pytest.mark.parametrize("task", TASKS)
def test_each_task_is_in_the_timetable(task):
    """A wake-up that Redis lost costs time and nothing else."""
    assert task in {entry["task"] for entry in app.conf.beat_schedule.values()}


@pytest.mark.parametrize("task", TASKS)
def test_no_task_has_a_limit_of_its_own(task):
    assert app.tasks[task].soft_time_limit == app.conf.task_soft_time_limit == 60
    assert app.tasks[task].time_limit == app.conf.task_time_limit == 90
