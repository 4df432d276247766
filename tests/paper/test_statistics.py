from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, ttest_1samp

from puselect_paper.statistics import compare_with, corrected_resampled_t_test, holm, mean_ranks


def test_mean_ranks_are_those_of_pandas():
    values = np.random.default_rng(0).integers(0, 5, (30, 6)) / 5
    wanted = pd.DataFrame(values).rank(axis=1, ascending=False).mean().to_numpy()
    assert np.allclose(mean_ranks(values), wanted)


def test_a_missing_value_is_refused():
    with pytest.raises(ValueError, match="every method needs a finite value"):
        mean_ranks([[0.1, np.nan]])


@pytest.mark.parametrize("values", [[], [0.1, 0.2], [[]]])
def test_values_must_be_a_table(values):
    with pytest.raises(ValueError, match="table"):
        compare_with(values, 0)


def test_shared_rows_weaken_the_t_test_of_splits():
    # mean 2, variance 1, times 1/3 + 1: t = sqrt(3), and with two degrees of freedom p = 1 - t / sqrt(2 + t ** 2)
    assert corrected_resampled_t_test([1.0, 2.0, 3.0], test_share=0.5) == pytest.approx(1 - np.sqrt(3 / 5))
    few, many = (corrected_resampled_t_test([1.0, 2.0, 3.0], share) for share in (1e-9, 0.9))
    assert few == pytest.approx(ttest_1samp([1.0, 2.0, 3.0], 0).pvalue)
    assert many > 0.5
    assert corrected_resampled_t_test([0.0, 0.0], 0.5) == 1
    assert corrected_resampled_t_test([0.1, 0.1], 0.5) == 0


@pytest.mark.parametrize(("differences", "share"), [([1.0], 0.5), ([1.0, np.nan], 0.5), ([1.0, 2.0], 1.0)])
def test_a_t_test_needs_two_splits_and_a_share(differences, share):
    with pytest.raises(ValueError, match="must"):
        corrected_resampled_t_test(differences, share)


def test_holm_is_closed_testing_with_bonferroni():
    p = np.random.default_rng(2).uniform(0, 0.3, 6)
    subsets = list(chain.from_iterable(combinations(range(6), size) for size in range(1, 7)))
    wanted = [max(min(1, len(s) * p[list(s)].min()) for s in subsets if i in s) for i in range(6)]
    assert np.allclose(holm(p), wanted)


def test_wilcoxon_is_that_of_all_sign_flips_corrected_for_the_other_methods():
    values = np.random.default_rng(3).normal([0.2, 0.8, 0], size=(9, 3))
    found = compare_with(values, 1)
    assert [(test.first, test.second) for test in found] == [(1, 0), (1, 2)]
    for test in found:
        differences = values[:, 1] - values[:, test.second]
        ranks = rankdata(np.abs(differences))
        flips = np.array([ranks @ signs for signs in product([-1, 1], repeat=9)])
        wanted = (np.abs(flips) >= abs(ranks @ np.sign(differences)) - 1e-9).mean()
        assert test.p_value == pytest.approx(wanted)
        assert test.median_difference == np.median(differences)
    assert [test.adjusted for test in found] == holm([test.p_value for test in found]).tolist()


def test_equal_methods_do_not_differ():
    (same,) = compare_with([[0.5, 0.5], [0.7, 0.7]], 0)
    assert (same.p_value, same.adjusted, same.median_difference) == (1, 1, 0)
