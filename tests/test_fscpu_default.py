"""The default: evidence of single columns and effects of features, with everything else a selector can do."""

import warnings

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


def test_relevant_features_are_found():
    found = []
    for seed in range(4):
        X, y, relevant = small(seed=seed)
        selector = fitted(X, y)
        found.append(relevant[selector.support_].mean())
    assert np.mean(found) > 0.9


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


def test_costs_keep_and_never_are_obeyed():
    X, y, _ = small()
    costs = np.linspace(1, 3, 12)
    selector = fitted(X, y, k=None, feature_costs=costs, budget=10, always_keep=[0], never_select=[1, 2])
    assert costs[selector.support_].sum() <= 10
    assert selector.support_[0]
    assert not selector.support_[1:3].any()
    assert selector.ranking_[0] == 1


def test_features_never_selected_do_not_judge_others():
    X, y, _ = small()
    leak = np.column_stack([y + 0.0, X])
    plain, with_leak = fitted(X, y), fitted(leak, y, never_select=[0])
    np.testing.assert_allclose(plain.evidence_.cotrained, with_leak.evidence_.cotrained[1:])
    assert with_leak.evidence_.labelled[0] == 0


def test_a_resumed_search_ends_as_if_it_had_not_been_interrupted(tmp_path):
    X, y, _ = small()
    whole = fitted(X, y)
    path = tmp_path / "search.state"
    fitted(X, y, max_iter=20, checkpoint=path)
    with pytest.raises(ValueError, match="other settings"):
        fitted(X, y, checkpoint=path)
    from unittest.mock import patch

    with patch("puselect.fscpu.search_run.SAVE_SECONDS", 0.0), pytest.warns(UserWarning, match="interrupted"):
        from puselect.search.progress import watching

        def stop(step):
            if step.number == 20:
                raise KeyboardInterrupt

        with watching(stop):
            fitted(X, y, checkpoint=tmp_path / "other.state")
    resumed = fitted(X, y, checkpoint=tmp_path / "other.state")
    np.testing.assert_array_equal(whole.probabilities_, resumed.probabilities_)
    np.testing.assert_array_equal(whole.ranking_, resumed.ranking_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_nothing(n_jobs):
    X, y, _ = small()
    np.testing.assert_array_equal(fitted(X, y, n_jobs=n_jobs).probabilities_, fitted(X, y).probabilities_)


def test_the_reference_engine_agrees():
    X, y, _ = small(n_negative=200, n_positive=60)
    fast, slow = (fitted(X, y, max_iter=6, engine=engine) for engine in ("cpu", "reference"))
    np.testing.assert_allclose(fast.probabilities_, slow.probabilities_, atol=1e-6)


def test_a_sampled_table_is_searched_too():
    X, y, relevant = small(n_negative=2000, n_positive=400)
    selector = fitted(X, y, max_samples=600)
    assert relevant[selector.support_].mean() >= 5 / 6


@pytest.mark.parametrize("n_labelled", [1, 2, 4])
def test_very_few_labels_give_a_result_with_one_warning(n_labelled):
    X, y, _ = small()
    few = np.zeros(len(y), dtype=int)
    few[np.flatnonzero(y)[:n_labelled]] = 1
    with pytest.warns(FewLabelsWarning) as heard:
        assert fitted(X, few).support_.sum() == 6
    assert len(heard) == 1


@pytest.mark.parametrize(
    "table",
    [
        np.repeat(np.random.default_rng(0).normal(size=(60, 1)), 8, axis=1),
        np.random.default_rng(0).normal(size=(30, 80)),
        np.random.default_rng(0).integers(0, 2, (60, 8)),
        np.random.default_rng(0).random((60, 8)) < 0.5,
    ],
    ids=["identical", "wide", "integers", "booleans"],
)
def test_odd_tables_give_a_result_without_warnings(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = fitted(table, np.arange(len(table)) < 10, k=4, max_iter=10)
    assert selector.support_.sum() == 4


def test_the_paper_is_left_as_it_is():
    X, y, _ = small(n_negative=100, n_positive=30)
    selector = FSCPU.published(6, max_iter=3, random_state=0).fit(X, y)
    assert selector.evidence_ is None
