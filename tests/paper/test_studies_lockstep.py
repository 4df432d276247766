"""Studies on a GPU. Needs none: an engine of one CPU engine per table stands in for it."""

import pytest
from several_tables import SeveralTables
from study_files import write_study
from typer.testing import CliRunner

from puselect.cli import app
from puselect_paper.cli import PRESETS, data_filter, preset_methods
from puselect_paper.studies import lockstep
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import read_rows
from puselect_paper.studies.runner import run_study
from puselect_paper.studies.study import load_study
from puselect_paper.studies.workers import local_workers


@pytest.fixture
def gpu(monkeypatch):
    """Let studies think that there is a GPU; return how many tables each engine was bound to."""
    bound = []

    def engine(tasks):
        bound.append(len(tasks))
        return SeveralTables(tasks)

    monkeypatch.setattr(lockstep, "gpu_engine_class", lambda: None)
    monkeypatch.setattr("puselect.fscpu.fit_many.shared_engine", engine)
    return bound


def run(study, folder):
    return run_study(study, folder, workers=lockstep.lockstep_workers(local_workers(1), 2))


def values(folder):
    return {row.cell.key: {**row.values, "fit_seconds": None} for row in read_rows(folder)}


def test_cells_in_lockstep_have_the_values_of_cells_alone(tmp_path, gpu):
    study = load_study(str(write_study(tmp_path)))
    outcome = run(study, tmp_path / "gpu")
    assert (outcome.measured, outcome.failed) == (18, [])
    assert gpu == [6], "both conditions and all seeds at once"
    run_study(study, tmp_path / "cpu")
    assert values(tmp_path / "gpu") == values(tmp_path / "cpu")
    engines = {row.cell.method: row.engine for row in read_rows(tmp_path / "gpu")}
    assert engines == {"fscpu": "gpu", "kbest": None, "random": None}


def test_one_error_fails_the_cells_that_were_searched_with_it(tmp_path, gpu, monkeypatch):
    def broken(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(SeveralTables, "cluster", broken)
    outcome = run(load_study(str(write_study(tmp_path))), tmp_path / "out")
    assert (outcome.measured, len(outcome.failed)) == (12, 6)
    assert all(row.error.endswith("RuntimeError: out of memory") for row in outcome.failed)


def test_only_searches_with_mixtures_use_the_gpu():
    def uses(measure, method, **settings):
        return lockstep.uses_gpu(Cell(measure, method, settings, {"condition": "40/8/1"}, 0))

    assert uses("recall", "fscpu")
    assert uses("convergence", "fscpu-mi-published")
    assert not uses("recall", "kbest")
    assert not uses("recall", "random")
    assert not uses("counts", "fscpu")


def test_a_preset_stands_for_both_searches_and_data_can_be_chosen():
    for preset, methods in PRESETS.items():
        assert preset_methods(preset) == methods
        assert len(load_study("table1").cells(methods)) == 100
    cells = load_study("table3-splits").cells(["kbest"], 1)
    chosen = [cell for cell in cells if data_filter(["name=spambase,ionosphere", "share=0.2"])(cell)]
    assert {(cell.data["name"], cell.data["share"]) for cell in chosen} == {("spambase", 0.2), ("ionosphere", 0.2)}


@pytest.mark.parametrize("option", ["--preset paper", "--engine tpu", "--engine gpu", "--only spambase"])
def test_what_an_option_does_not_know_is_a_usage_error(tmp_path, option, monkeypatch):
    def none():
        raise ValueError("engine='gpu' needs a GPU")

    monkeypatch.setattr(lockstep, "gpu_engine_class", none)
    result = CliRunner().invoke(app, ["reproduce", "quick", "--folder", str(tmp_path / "out"), *option.split()])
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()
