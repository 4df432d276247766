import os
import random
import time

import pytest
from command_line import CODE
from programs import run
from study_files import SMALL, write_study

from puselect_paper.report.reporting import study_tables
from puselect_paper.report.results import collect
from puselect_paper.studies.journal import NAME, Journal, Row, read_rows
from puselect_paper.studies.measures import measure
from puselect_paper.studies.runner import load_run, longest_first, run_study
from puselect_paper.studies.study import load_study
from puselect_paper.studies.workers import local_workers


@pytest.fixture
def study(tmp_path):
    return load_study(str(write_study(tmp_path)))


def values(folder):
    found = {row.cell.key: dict(row.values) for row in read_rows(folder)}
    for each in found.values():
        each.pop("fit_seconds", None)
    return found


def tables(folder):
    return study_tables(collect(*load_run(folder)))


class TestRunning:
    def test_everything_is_measured_once(self, study, tmp_path):
        first = run_study(study, tmp_path / "out")
        assert (first.measured, first.skipped, first.failed) == (18, 0, [])
        size = (tmp_path / "out" / NAME).stat().st_size
        again = run_study(study, tmp_path / "out")
        assert (again.measured, again.skipped, again.failed) == (0, 18, [])
        assert (tmp_path / "out" / NAME).stat().st_size == size

    def test_a_failed_cell_is_recorded_with_its_error_and_tried_again(self, tmp_path):
        # so few rows that only some data sets have the two labelled ones which the method needs
        text = SMALL.replace('name = "kbest"', 'name = "lgbm-opt"\nsettings = { max_iter = 1, n_estimators = 2 }')
        text = text.replace("n_positive = 100", "n_positive = 8").replace('"40/8/1", "40/1/2"', '"10/1/1", "40/1/2"')
        study = load_study(str(write_study(tmp_path, text)))
        outcome = run_study(study, tmp_path / "out")
        assert {row.cell.data["condition"] for row in outcome.failed} == {"10/1/1"}
        assert {row.cell.method for row in outcome.failed} == {"lgbm-opt"}
        assert "two labelled positives" in outcome.failed[0].error
        assert outcome.measured == 15
        again = run_study(study, tmp_path / "out")
        assert (again.skipped, again.measured, len(again.failed)) == (15, 0, 3)

    def test_imported_rows_count_as_finished_and_failures_do_not(self, study, tmp_path):
        imported, failed = study.cells()[:2]
        with Journal(tmp_path / "out") as journal:
            journal.append(Row(failed, error="ImportError: no such library"))
        line = Row(imported, {"fsr": 0.123}, engine="gpu").to_json()
        (tmp_path / "out" / "results-gpu.jsonl").write_text(line + "\n")
        assert run_study(study, tmp_path / "out").skipped == 1
        assert values(tmp_path / "out")[imported.key] == {"fsr": 0.123}
        assert values(tmp_path / "out")[failed.key]["fsr"] == measure(failed).values["fsr"]

    def test_a_folder_is_for_one_study_which_may_grow(self, study, tmp_path):
        run_study(study, tmp_path / "out", methods=["random"])
        grown = load_study(str(write_study(tmp_path, SMALL.replace("seeds = 3", "seeds = 4"))))
        assert run_study(grown, tmp_path / "out", methods=["random"]).skipped == 6
        other = load_study(str(write_study(tmp_path, SMALL.replace("Small study", "Other study"))))
        with pytest.raises(ValueError, match="holds the study 'Small study'; give another folder to 'Other study'"):
            run_study(other, tmp_path / "out")

    def test_progress_counts_cells_and_the_slowest_methods_start_first(self, study, tmp_path):
        told = []
        run_study(study, tmp_path / "out", methods=["kbest", "random"], tell=told.append)
        assert [(p.done, p.total) for p in told] == [(i, 12) for i in range(13)]
        assert [p.row.cell.method for p in told[1:]] == ["kbest"] * 6 + ["random"] * 6
        order = [cell.method for cell in longest_first(load_study("table1").cells(n_seeds=1))]
        assert order[0] == "es-mcrfs"
        assert order.index("fscpu-published") < order.index("dt-rfe") < order.index("fscpu") < order.index("kbest")


def wait_for_lines(path, n, process, limit=300):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if path.exists() and path.read_bytes().count(b"\n") >= n:
            return
        assert process.poll() is None
        time.sleep(0.005)
    raise AssertionError(f"{n} lines have not come in {limit} s")


def test_killed_at_a_random_moment_and_restarted_the_table_is_the_same(tmp_path):
    study = load_study(str(write_study(tmp_path, SMALL.replace("max_iter = 20", "max_iter = 60"))))
    run_study(study, tmp_path / "whole")
    folder = tmp_path / "killed"
    moment = random.Random(os.urandom(4))

    def kill(process):
        wait_for_lines(folder / NAME, moment.randint(1, 5), process)  # the searches, which come first
        time.sleep(moment.uniform(0, 0.03))
        process.kill()

    run(CODE, "reproduce", tmp_path / "small.toml", "--folder", folder, "--jobs", 1, meanwhile=kill)
    done = len(read_rows(folder))
    assert 0 < done < 18
    assert run_study(study, folder).skipped == done
    assert values(folder) == values(tmp_path / "whole")
    assert tables(folder) == tables(tmp_path / "whole")


def test_two_processes_give_the_same(study, tmp_path):
    quick = ["kbest", "random"]  # a search would compile its kernels in each process
    run_study(study, tmp_path / "one", methods=quick)
    outcome = run_study(study, tmp_path / "two", methods=quick, workers=local_workers(2))
    assert (outcome.measured, outcome.failed) == (12, [])
    assert values(tmp_path / "one") == values(tmp_path / "two")
