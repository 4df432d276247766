from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, ttest_1samp

from puselect_paper.statistics import (
    compare_pairs,
    compare_with,
    corrected_resampled_t_test,
    critical_difference,
    holm,
    indistinguishable,
    mean_ranks,
)

# Demšar (2006), Table 5(a): critical values of the two-tailed Nemenyi test for 2 to 10 methods.
DEMSAR = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


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
