import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import clusters_table
from typer.testing import CliRunner

from puselect import METHODS, cli, methods
from puselect.datasets import make_pu_clusters
from puselect.methods import (
    AS_CLASSES,
    IN_PAPER,
    NOTHING,
    POSITIVES,
    REGISTRY,
    SPEEDS,
    YARDSTICKS,
    Method,
)
from puselect.selectors.ranking import RankingSelector


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects_and_ranks(name):
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, n_relevant=4, n_irrelevant=4, random_state=0)
    if REGISTRY[name].extra:
        pytest.importorskip(REGISTRY[name].extra)
    selector = METHODS[name](3, random_state=0, **REGISTRY[name].quick).fit(X, y)
    assert selector.get_support().sum() == 3
    assert sorted(selector.ranking_) == list(range(1, 9))
    assert np.array_equal(selector.get_support(), selector.ranking_ <= 3)


def test_every_record_is_complete():
    assert list(REGISTRY) == list(METHODS)
    for name, record in REGISTRY.items():
        assert record.name == name
        assert record.labels in (AS_CLASSES, POSITIVES, NOTHING)
        assert record.speed in SPEEDS
        selector = METHODS[name](2, random_state=0)
        assert set(record.quick) <= set(selector.get_params())
        assert record.clusters == hasattr(selector, "n_clusters")
    assert len({record.idea for record in REGISTRY.values()}) == len(REGISTRY)


@pytest.mark.parametrize("name", ["kbest", *YARDSTICKS])
def test_a_name_is_registered_once(name):
    with pytest.raises(ValueError, match=name):
        methods.add(methods._records(), Method(name, "nowhere:Nothing", "", NOTHING, 1.0))


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
    record = Method("toy", LargestMean, "columns of largest mean", NOTHING, 0.1)
    methods.add(methods._records(), record)
    yield record
    del methods._records()["toy"]


class TestNewMethod:

    def test_the_command_line_lists_and_runs_it(self, toy, tmp_path):
        clusters_table().write_csv(tmp_path / "d.csv")
        run = CliRunner().invoke
        assert toy.idea in " ".join(run(cli.app, ["methods"], env={"COLUMNS": "200"}).stdout.split())
        table = [str(tmp_path / "d.csv"), "--label", "label", "-k", "3", "--json", "--quiet"]
        selected = run(cli.app, ["select", *table, "--method", "toy", "--no-checks"])
        assert json.loads(selected.stdout)["method"] == "toy", selected.output
        compared = run(cli.app, ["compare", *table, "--methods", "toy", "--splits", "2", "--jobs", "1"])
        assert "toy" in {result["method"] for result in json.loads(compared.stdout)["methods"]}


@pytest.fixture
def alone(monkeypatch):
    """No other package adds anything."""
    monkeypatch.setattr(methods, "entry_points", lambda group: ())
    methods._records.cache_clear()
    yield
    methods._records.cache_clear()


class TestOtherPackages:
    def test_an_entry_point_adds_methods(self, alone, monkeypatch):
        record = Method("toy", LargestMean, "columns of largest mean", NOTHING, 0.1)
        entry = SimpleNamespace(load=lambda: [record])
        monkeypatch.setattr(methods, "entry_points", lambda group: [entry] if group == "puselect.methods" else [])
        assert METHODS["toy"] is LargestMean
        assert list(REGISTRY)[-1] == "toy"

    def test_a_name_that_is_taken_is_refused(self, alone, monkeypatch):
        entry = SimpleNamespace(load=lambda: [Method("kbest", LargestMean, "", NOTHING, 0.1)])
        monkeypatch.setattr(methods, "entry_points", lambda group: [entry])
        with pytest.raises(ValueError, match="kbest"):
            list(METHODS)

    @pytest.mark.parametrize("name", IN_PAPER)
    def test_methods_of_the_paper_say_where_they_are(self, alone, name):
        assert name not in METHODS
        for lookup in (METHODS, REGISTRY):
            with pytest.raises(KeyError, match=f"{name}.*pip install puselect-paper"):
                lookup[name]

    def test_a_mistyped_name_is_answered_with_the_nearest(self, alone):
        with pytest.raises(KeyError, match="did you mean 'semi-jmi'"):
            METHODS["semi_jmi"]

    def test_an_unknown_name_is_answered_with_all(self, alone):
        with pytest.raises(KeyError, match=r"nothing.*kbest.*fscpu"):
            METHODS["nothing"]
        assert METHODS.get("nothing") is None
