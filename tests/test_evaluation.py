import sys
from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, ttest_1samp

from puselect.evaluation import (
    DOWNSTREAM,
    compare_pairs,
    compare_with,
    corrected_resampled_t_test,
    critical_difference,
    downstream_auc,
    feature_recall,
    holm,
    indistinguishable,
    mean_ranks,
)

# Demšar (2006), Table 5(a): critical values of the two-tailed Nemenyi test for 2 to 10 methods.
DEMSAR = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


class TestRecall:
    def test_counts_relevant_features_that_were_selected(self):
        relevant = np.arange(10) < 4
        assert feature_recall(np.arange(10) < 4, relevant) == 1
        assert feature_recall(np.arange(10) >= 4, relevant) == 0
        assert feature_recall(np.arange(10) % 2 == 0, relevant) == 0.5

    def test_wrong_input_is_named(self):
        with pytest.raises(ValueError, match=r"one shape, got \(2,\) and \(3,\)"):
            feature_recall([True, False], [True, False, True])
        with pytest.raises(ValueError, match="at least one feature"):
            feature_recall([True, False], [False, False])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4 == 0
    X = np.column_stack([rng.normal(size=400) + 2 * y, rng.normal(size=(400, 2)), np.zeros(400)])
    return X, y


class TestDownstream:
    @pytest.mark.parametrize("name", DOWNSTREAM)
    def test_every_model_learns_and_repeats_itself(self, name, rows):
        X, y = rows
        auc = downstream_auc(name, X[:300], y[:300], X[300:], y[300:], random_state=0)
        assert 0.8 < auc < 1
        assert auc == downstream_auc(name, X[:300], y[:300], X[300:], y[300:], random_state=0)
        noise = downstream_auc(name, X[:300, 1:], y[:300], X[300:, 1:], y[300:], random_state=0)
        assert noise < 0.65

    def test_lightgbm_is_as_in_the_paper(self):
        model = DOWNSTREAM["lightgbm"](random_state=3)
        own = {"n_jobs": 1, "deterministic": True, "verbosity": -1, "random_state": 3}
        assert model.get_params() == {**type(model)().get_params(), **own}
        assert model.n_estimators == 100

    def test_an_unknown_model_is_named(self, rows):
        with pytest.raises(ValueError, match=r"one of lightgbm, .*, got 'svm'"):
            downstream_auc("svm", *rows, *rows)

    def test_without_lightgbm_the_error_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "lightgbm", None)
        with pytest.raises(ImportError, match="pip install lightgbm"):
            DOWNSTREAM["lightgbm"](random_state=0)


class TestRanks:
    def test_mean_ranks_are_those_of_pandas(self):
        values = np.random.default_rng(0).integers(0, 5, (30, 6)) / 5
        wanted = pd.DataFrame(values).rank(axis=1, ascending=False).mean().to_numpy()
        assert np.allclose(mean_ranks(values), wanted)

    @pytest.mark.parametrize("alpha", DEMSAR)
    def test_critical_difference_is_that_of_demsars_table(self, alpha):
        for n_methods, quantile in enumerate(DEMSAR[alpha], start=2):
            wanted = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * 30))
            assert critical_difference(n_methods, 30, alpha) == pytest.approx(wanted, abs=0.0006)

    def test_indistinguishable_groups_are_all_maximal_cliques(self):
        ranks = np.random.default_rng(1).uniform(1, 8, 8)
        close = [
            set(group)
            for size in range(2, 9)
            for group in combinations(range(8), size)
            if np.ptp(ranks[list(group)]) <= 1.5
        ]
        wanted = [group for group in close if not any(group < other for other in close)]
        found = [set(group) for group in indistinguishable(ranks, 1.5)]
        assert len(found) == len(wanted) > 1
        assert all(group in wanted for group in found)

    def test_a_missing_value_is_refused(self):
        with pytest.raises(ValueError, match="every method needs a finite value"):
            mean_ranks([[0.1, np.nan]])
        with pytest.raises(ValueError, match="two methods"):
            critical_difference(1, 5)


class TestTests:
    def test_shared_rows_weaken_the_t_test_of_splits(self):
        # mean 2, variance 1, times 1/3 + 1: t = sqrt(3), and with two degrees of freedom p = 1 - t / sqrt(2 + t ** 2)
        assert corrected_resampled_t_test([1.0, 2.0, 3.0], test_share=0.5) == pytest.approx(1 - np.sqrt(3 / 5))
        few, many = (corrected_resampled_t_test([1.0, 2.0, 3.0], share) for share in (1e-9, 0.9))
        assert few == pytest.approx(ttest_1samp([1.0, 2.0, 3.0], 0).pvalue)
        assert many > 0.5
        assert corrected_resampled_t_test([0.0, 0.0], 0.5) == 1
        assert corrected_resampled_t_test([0.1, 0.1], 0.5) == 0

    @pytest.mark.parametrize(("differences", "share"), [([1.0], 0.5), ([1.0, np.nan], 0.5), ([1.0, 2.0], 1.0)])
    def test_a_t_test_needs_two_splits_and_a_share(self, differences, share):
        with pytest.raises(ValueError, match="must"):
            corrected_resampled_t_test(differences, share)

    def test_holm_is_closed_testing_with_bonferroni(self):
        p = np.random.default_rng(2).uniform(0, 0.3, 6)
        subsets = list(chain.from_iterable(combinations(range(6), size) for size in range(1, 7)))
        wanted = [max(min(1, len(s) * p[list(s)].min()) for s in subsets if i in s) for i in range(6)]
        assert np.allclose(holm(p), wanted)

    def test_wilcoxon_is_that_of_all_sign_flips(self):
        values = np.random.default_rng(3).normal([0.8, 0.2, 0], size=(9, 3))
        found = {(c.first, c.second): c for c in compare_pairs(values)}
        assert list(found) == [(0, 1), (0, 2), (1, 2)]
        for (i, j), comparison in found.items():
            differences = values[:, i] - values[:, j]
            ranks = rankdata(np.abs(differences))
            flips = np.array([ranks @ signs for signs in product([-1, 1], repeat=9)])
            wanted = (np.abs(flips) >= abs(ranks @ np.sign(differences)) - 1e-9).mean()
            assert comparison.p_value == pytest.approx(wanted)
            assert comparison.median_difference == np.median(differences)
        adjusted = holm([c.p_value for c in found.values()])
        assert [c.adjusted for c in found.values()] == adjusted.tolist()

    def test_one_against_the_others_is_corrected_for_those_alone(self):
        values = np.random.default_rng(4).normal([0.9, 0.3, 0, 0.1], size=(12, 4))
        pairs = {(c.first, c.second): c for c in compare_pairs(values)}
        found = compare_with(values, 1)
        assert [(c.first, c.second) for c in found] == [(1, 0), (1, 2), (1, 3)]
        wanted = [pairs[min(pair), max(pair)].p_value for pair in ((1, 0), (1, 2), (1, 3))]
        assert [c.p_value for c in found] == wanted
        assert [c.adjusted for c in found] == holm(wanted).tolist()
        assert found[0].median_difference == -pairs[0, 1].median_difference

    def test_equal_methods_do_not_differ(self):
        same = compare_pairs([[0.5, 0.5], [0.7, 0.7]])[0]
        assert (same.p_value, same.adjusted, same.median_difference) == (1, 1, 0)
