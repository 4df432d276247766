import os
import signal

import light_tasks
import pytest
from joblib.externals.loky import get_reusable_executor
from light_tasks import Task

from puselect_paper.studies import workers
from puselect_paper.studies.workers import DIED, local_workers


@pytest.fixture
def new_processes():
    get_reusable_executor().shutdown(wait=True)


def test_processes_leave_ctrl_c_to_this_one(new_processes):
    usual = signal.getsignal(signal.SIGINT)
    rows = local_workers(2, light_tasks.ignores_interrupts)([Task("a"), Task("b")])
    assert [row.finding for row in rows] == [True, True]
    assert signal.getsignal(signal.SIGINT) is usual


def test_new_processes_take_what_one_that_was_killed_leaves(new_processes, tmp_path, caplog):
    tasks = [Task("a"), Task("b", str(tmp_path / "died")), *map(Task, "cdef")]
    rows = list(local_workers(2, light_tasks.die_once)(tasks))
    assert sorted(row.cell for row in rows) == tasks
    assert os.getpid() not in {row.finding for row in rows}
    assert "a worker died" in caplog.text


def test_a_task_that_kills_its_process_fails_and_the_others_do_not(new_processes, monkeypatch):
    monkeypatch.setattr(workers, "MOST_BROKEN_POOLS", 1)
    rows = {row.cell.key: row for row in local_workers(2, light_tasks.die)([Task("a", "deadly"), Task("b")])}
    assert rows["a"].error == DIED
    assert rows["b"].finding != os.getpid()
