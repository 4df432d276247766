import subprocess
import sys

import numpy as np
import pytest

import puselect
from puselect import METHODS
from puselect.datasets import make_pu_clusters
from puselect.methods import AS_CLASSES, NOTHING, POSITIVES, REGISTRY, SPEEDS, YARDSTICKS, Cost, Method, register
from puselect.studies.paper import paper_figures


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects_and_ranks(name):
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, n_relevant=4, n_irrelevant=4, random_state=0)
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
