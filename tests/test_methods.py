import numpy as np
import pytest

import puselect
from puselect import METHODS
from puselect.datasets import make_pu_clusters
from puselect.descriptions import DESCRIPTIONS
from puselect.studies.paper import paper_figures

SLOW = {"es-mcrfs": {"max_iter": 5, "n_estimators": 3}, "lgbm-opt": {"max_iter": 3, "n_estimators": 3}}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects_and_ranks(name):
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, n_relevant=4, n_irrelevant=4, random_state=0)
    selector = METHODS[name](3, random_state=0)
    short = {**SLOW.get(name, {}), **({"max_iter": 3} if name.startswith("fscpu") else {})}
    selector.set_params(**{key: value for key, value in short.items() if key in selector.get_params()}).fit(X, y)
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


def test_every_method_is_described_once():
    assert list(DESCRIPTIONS) == list(METHODS)
    assert {description.speed for description in DESCRIPTIONS.values()} <= {"instant", "seconds", "minutes", "hours"}
    assert len({description.idea for description in DESCRIPTIONS.values()}) == len(METHODS)
