import os
import signal
import sys

import pytest
from study_files import write_study

from puselect_paper.studies.journal import read_rows
from puselect_paper.studies.runner import run_study
from puselect_paper.studies.study import load_study
from puselect_paper.studies.workers import dask_workers


def values(folder):
    return {row.cell.key: (row.values["fsr"], row.values["selected"]) for row in read_rows(folder)}


def test_a_cluster_gives_the_same_results_even_if_a_worker_is_killed(dask_cluster, tmp_path):
    study = load_study(str(write_study(tmp_path)))
    killed = []

    def kill_a_worker(progress):
        if progress.done == 3:
            nanny = next(iter(dask_cluster.workers.values()))
            killed.append(nanny.pid)
            os.kill(nanny.pid, signal.SIGKILL)

    run_study(study, tmp_path / "here")
    outcome = run_study(
        study, tmp_path / "cluster", workers=dask_workers(dask_cluster.scheduler_address), tell=kill_a_worker
    )
    assert len(killed) == 1
    assert (outcome.measured, outcome.failed) == (18, [])
    assert values(tmp_path / "cluster") == values(tmp_path / "here")


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match="pip install 'dask"):
        dask_workers("tcp://127.0.0.1:1")
