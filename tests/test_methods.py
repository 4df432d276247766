import json
import subprocess
import sys

import numpy as np
import pytest
from command_line import clusters_table
from study_files import SMALL, write_study
from typer.testing import CliRunner

import puselect
from puselect import METHODS, cli, methods
from puselect.datasets import make_pu_clusters
from puselect.methods import (
    AS_CLASSES,
    NOTHING,
    POSITIVES,
    REGISTRY,
    SPEEDS,
    YARDSTICKS,
    Cost,
    Method,
    is_installed,
    register,
)
from puselect.report import summarise
from puselect.selectors.ranking import RankingSelector
from puselect.studies import load_study, report_study, run_study
from puselect.studies.paper import paper_figures


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects_and_ranks(name):
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, n_relevant=4, n_irrelevant=4, random_state=0)
    if not is_installed(name):
        pytest.skip(f"needs {REGISTRY[name].extra}")
    selector = METHODS[name](3, random_state=0, **REGISTRY[name].quick).fit(X, y)
    assert selector.get_support().sum() == 3
    assert sorted(selector.ranking_) == list(range(1, 9))
    assert np.array_equal(selector.get_support(), selector.ranking_ <= 3)


def test_every_method_of_the_papers_tables_is_there():
    names = {method for metric in ("fsr", "auc") for method, _ in paper_figures(metric)}
    assert len(names) == 12
    assert names <= set(METHODS)


def test_public_names_are_found_and_others_are_not():
    assert set(dir(puselect)) >= {"FSCPU", "METHODS", "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = puselect.nothing


def test_every_record_is_complete():
    assert list(REGISTRY) == list(METHODS)
    for name, record in REGISTRY.items():
        assert record.name == name
        assert record.labels in (AS_CLASSES, POSITIVES, NOTHING)
        assert record.cost.speed in SPEEDS
        assert record.group
        selector = METHODS[name](2, random_state=0)
        assert set(record.quick) | set(record.cost.proportional_to) <= set(selector.get_params())
        assert all(getattr(selector, key) == value for key, value in record.cost.proportional_to.items())
        assert record.clusters == hasattr(selector, "n_clusters")
    for field in ("idea", "label"):
        assert len({getattr(record, field) for record in REGISTRY.values()}) == len(REGISTRY)


def test_the_papers_rows_are_those_of_the_records():
    names = {method for metric in ("fsr", "auc") for method, _ in paper_figures(metric)}
    assert {record.paper for record in REGISTRY.values() if record.paper} == names


@pytest.mark.parametrize("name", ["kbest", *YARDSTICKS])
def test_a_name_is_registered_once(name):
    with pytest.raises(ValueError, match=name):
        register(Method(name, "nowhere:Nothing", "", "", NOTHING, Cost(1.0)))


def test_importing_the_registry_imports_no_method():
    code = "import sys; from puselect import METHODS; print('sklearn' in sys.modules, len(METHODS))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", str(len(METHODS))]


class LargestMean(RankingSelector):
    """A toy: the columns of largest mean."""

    def __init__(self, n_features_to_select=None, *, pos_label=1, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task):
        return task.X.mean(axis=0)


@pytest.fixture
def toy():
    """One class and one record: all that a new method takes."""
    record = Method("toy", LargestMean, "Toy", "columns of largest mean", NOTHING, Cost(0.1), "toys")
    register(record)
    yield record
    del methods._RECORDS["toy"]


class TestNewMethod:
    def test_it_is_in_methods_and_reports_know_its_name(self, toy):
        selector = METHODS["toy"](2, random_state=0).fit(*make_pu_clusters("40/1/1", random_state=0)[:2])
        assert summarise(selector).method == "toy"

    def test_the_command_line_lists_and_runs_it(self, toy, tmp_path):
        clusters_table().write_csv(tmp_path / "d.csv")
        run = CliRunner().invoke
        assert toy.idea in " ".join(run(cli.app, ["methods"], env={"COLUMNS": "200"}).stdout.split())
        table = [str(tmp_path / "d.csv"), "--label", "label", "-k", "3", "--json", "--quiet"]
        selected = run(cli.app, ["select", *table, "--method", "toy"])
        assert json.loads(selected.stdout)["method"] == "toy", selected.output
        compared = run(cli.app, ["compare", *table, "--methods", "toy", "--splits", "2", "--jobs", "1"])
        assert "toy" in {result["method"] for result in json.loads(compared.stdout)["methods"]}

    def test_a_study_runs_it_and_its_report_shows_it(self, toy, tmp_path):
        text = SMALL.replace('name = "kbest"\nlabel = "K-Best"', 'name = "toy"')
        study = load_study(str(write_study(tmp_path, text)))
        assert run_study(study, tmp_path / "out", methods=["toy"]).measured == 6
        assert "Toy" in report_study(tmp_path / "out").read_text()
        assert "toy" in {method.name for method in load_study("quick").methods}
