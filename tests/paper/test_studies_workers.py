import os
import signal

import light_tasks
import pytest
from joblib.externals.loky import get_reusable_executor
from light_tasks import Task

from puselect_paper.studies.workers import DIED, local_workers


@pytest.fixture
def new_processes():
    get_reusable_executor().shutdown(wait=True)


def test_processes_leave_ctrl_c_to_this_one(new_processes):
    usual = signal.getsignal(signal.SIGINT)
    rows = local_workers(2, light_tasks.ignores_interrupts)([Task("a"), Task("b")])
    assert [row.finding for row in rows] == [True, True]
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_task_that_kills_its_process_fails_and_the_others_do_not(new_processes, caplog):
    rows = {row.cell.key: row for row in local_workers(2, light_tasks.die)([Task("a", True), *map(Task, "bcd")])}
    assert rows.pop("a").error == DIED
    assert sorted(rows) == ["b", "c", "d"] and os.getpid() not in {row.finding for row in rows.values()}
    assert "a worker died" in caplog.text
