"""Every method that scores each feature once: what they all promise."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from small_tables import AWKWARD, error_of, small_table

from puselect import FSCPU, METHODS
from puselect.baselines import PUBagging, consensus
from puselect.exceptions import FewerFeaturesWarning
from puselect.methods import REGISTRY

X, y, _ = small_table()

QUICK = {
    "es-mcrfs": {"max_iter": 8, "n_estimators": 3},
    "dt-rfe": {"n_estimators": 5},
    "forest": {"n_estimators": 5},
    "pu-bagging": {"n_estimators": 5},
    "puet": {"n_estimators": 5, "prior": 0.3},
    "pu-lasso": {"prior": 0.3},
}
SEARCHES = {"fscpu", "fscpu-mi", "fscpu-published", "fscpu-mi-published", "lgbm-opt"}
BAD_PARAMETERS = [
    ("es-mcrfs", {"max_iter": 0}, "max_iter must be an integer of at least 1, got 0"),
    ("es-mcrfs", {"n_estimators": 1.5}, "n_estimators must be an integer of at least 1, got 1.5"),
    ("jsfs", {"max_iter": 0}, "max_iter must be an integer of at least 1, got 0"),
    ("sselect", {"sigma2": 0}, "sigma2 must be a number above 0, got 0"),
    ("puet", {"prior": 0}, "prior must be a number in"),
    ("puet", {"prior": float("nan")}, "prior must be a number in"),
    ("forest", {"n_estimators": 0}, "n_estimators must be an integer of at least 1, got 0"),
    ("pu-bagging", {"n_estimators": 1.5}, "n_estimators must be an integer of at least 1, got 1.5"),
    ("l1-logistic", {"C": 0}, "C must be a number above 0, got 0"),
    ("lasso", {"alpha": 0}, "alpha must be a number above 0, got 0"),
    ("lasso", {"alpha": "small"}, "alpha must be a number above 0, got 'small'"),
    ("dt-rfe", {"n_estimators": 2.5}, "n_estimators must be an integer of at least 1, got 2.5"),
    ("dt-rfe", {"step": 0}, "step must be an integer of at least 1, got 0"),
]

BAD_DATA = {
    "nothing labelled": lambda X, y: (X, np.zeros_like(y)),
    "all labelled": lambda X, y: (X, np.ones_like(y)),
    "no y": lambda X, y: (X, None),
}


@pytest.fixture(params=sorted(set(REGISTRY) - SEARCHES))
def make(request, monkeypatch):
    """Return what makes a quick selector of a method."""
    if request.param == "consensus":
        monkeypatch.setattr(consensus, "FSCPU", partial(FSCPU, max_iter=3))
        monkeypatch.setattr(consensus, "PUBagging", partial(PUBagging, n_estimators=5))
    name = request.param
    if REGISTRY[name].extra:
        pytest.importorskip(REGISTRY[name].extra)

    def make_selector(n_features_to_select=None, **options):
        return METHODS[name](n_features_to_select, **QUICK.get(name, {}), **options)

    return make_selector


def test_passes_every_check_of_scikit_learn(make):
    check_estimator(make(), on_skip=None)


def test_scores_ranking_and_support_fit_together(make):
    selector = make(4, random_state=0).fit(X, y)
    assert sorted(selector.ranking_) == list(range(1, 11))
    assert (np.diff(selector.scores_[np.argsort(selector.ranking_)]) <= 0).all()
    np.testing.assert_array_equal(selector.get_support(), selector.ranking_ <= 4)
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])


def test_same_seed_same_scores_and_inputs_stay_as_they_are(make):
    before = X.copy(), y.copy()
    one = make(5, random_state=3).fit(X, y)
    for other in (clone(one).fit(X, y), pickle.loads(pickle.dumps(one))):
        np.testing.assert_array_equal(other.scores_, one.scores_)
        np.testing.assert_array_equal(other.ranking_, one.ranking_)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_constant_columns_are_never_selected(make):
    X, y, _ = small_table()
    X[:, [2, 6]] = 7.0
    with pytest.warns(FewerFeaturesWarning, match="8 instead of 9"):
        selector = make(9, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(~selector.get_support()), [2, 6])
    with pytest.raises(ValueError, match="varies"):
        make(5).fit(np.ones_like(X), y)


@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_tables_give_a_result_without_warnings(make, kind):
    X, y, _ = small_table()
    X = AWKWARD[kind](X)
    y = np.arange(len(X)) % 8 == 0 if kind == "wide" else y
    selector = make(5, random_state=0).fit(X, y)
    assert selector.transform(X).shape == (len(X), 5)
    assert np.isfinite(selector.scores_).all()


@pytest.mark.parametrize("kind", BAD_DATA)
def test_bad_data_give_the_error_of_fscpu(make, kind):
    X, y = BAD_DATA[kind](*small_table()[:2])
    assert error_of(make(), X, y) == error_of(FSCPU(), X, y)


@pytest.mark.parametrize("wanted", [0, 11, 2.5, True, "all"])
def test_bad_numbers_of_features_are_told_what_may_be_given(make, wanted):
    kind, text = error_of(make(wanted), X, y)
    assert kind is ValueError
    assert text.endswith(f"must be an integer in 1..10 or a share between 0 and 1, got {wanted!r}")


@pytest.mark.parametrize(("name", "parameters", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_named(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        METHODS[name](**parameters).fit(X, y)
