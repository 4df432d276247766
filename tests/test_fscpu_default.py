"""The default: evidence of single columns and effects of features, with everything else a selector can do."""

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import FewLabelsWarning


def small(condition="40/3/1", seed=0, **changes):
    sizes = {"n_negative": 500, "n_positive": 120, "n_relevant": 6, "n_irrelevant": 6}
    return make_pu_clusters(condition, **{**sizes, **changes}, random_state=seed)


def fitted(X, y, k=6, **changes):
    return FSCPU(k, **{"max_iter": 60, "random_state": 0, **changes}).fit(X, y)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler((-3, 1000))])
def test_the_selection_is_the_same_behind_any_affine_scaler(scaler):
    X, y, _ = small()
    X[:, 3] = np.exp(X[:, 3])
    plain, scaled = fitted(X, y), fitted(scaler.fit_transform(X), y)
    np.testing.assert_array_equal(plain.support_, scaled.support_)
    np.testing.assert_allclose(plain.probabilities_, scaled.probabilities_, atol=1e-6)


def test_rare_dummies_do_not_displace_relevant_columns():
    found = []
    for seed in range(5):
        X, y, relevant = small(seed=seed)
        dummies = np.random.default_rng(seed).random((len(X), 10)) < 0.03
        selector = fitted(np.hstack([X, dummies]), y, k=12)
        found.append(selector.support_[:12][relevant].mean())
    assert np.mean(found) > 0.9


def test_features_never_selected_do_not_judge_others():
    X, y, _ = small()
    leak = np.column_stack([y + 0.0, X])
    plain, with_leak = fitted(X, y), fitted(leak, y, never_select=[0])
    np.testing.assert_allclose(plain.evidence_.cotrained, with_leak.evidence_.cotrained[1:])
    assert with_leak.evidence_.labelled[0] == 0


@pytest.mark.parametrize("n_labelled", [1, 2, 4])
def test_very_few_labels_give_a_result_with_one_warning(n_labelled):
    X, y, _ = small()
    few = np.zeros(len(y), dtype=int)
    few[np.flatnonzero(y)[:n_labelled]] = 1
    with pytest.warns(FewLabelsWarning) as heard:
        assert fitted(X, few).support_.sum() == 6
    assert len(heard) == 1
