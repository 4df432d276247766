import numpy as np
import pytest
from scipy.stats import spearmanr

from puselect.columns.twins import Twins, find_twins


@pytest.fixture
def table():
    return np.random.default_rng(0).lognormal(size=(400, 12))


def test_copies_logarithms_and_reversed_scales_are_twins(table):
    table[:, 3], table[:, 7], table[:, 9] = 1.08 * table[:, 1], np.log(table[:, 1]), -table[:, 1]
    assert find_twins(table) == [Twins((1, 3, 7, 9), 1.0)]


def test_correlation_is_that_of_scipy_and_the_threshold_counts(table):
    table[:, 5] = table[:, 2] * np.random.default_rng(1).lognormal(0, 0.1, 400)
    expected = spearmanr(table[:, 2], table[:, 5]).statistic
    assert find_twins(table, 0.999) == []
    ((columns, correlation),) = find_twins(table, expected - 0.01)
    assert columns == (2, 5)
    assert correlation == pytest.approx(expected, abs=1e-4)


def test_one_shared_outlier_makes_no_twins(table):
    table[0, :2] = 1e9
    assert np.corrcoef(table[:, 0], table[:, 1])[0, 1] > 0.99
    assert find_twins(table) == []


def test_constant_columns_are_nobodys_twins(table):
    table[:, :3] = 1.0
    assert find_twins(table) == []


def test_groups_do_not_overlap_across_blocks_of_many_columns():
    wide = np.random.default_rng(0).normal(size=(60, 700))
    wide[:, 600:] = wide[:, :100]
    assert [group.columns for group in find_twins(wide)] == [(j, j + 600) for j in range(100)]


@pytest.mark.parametrize("threshold", [0, 1.1, float("nan")])
def test_a_threshold_out_of_range_is_refused(table, threshold):
    with pytest.raises(ValueError, match="threshold"):
        find_twins(table, threshold)


def test_columns_without_any_correlation_are_no_twins_at_the_lowest_thresholds():
    steps = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    assert find_twins(steps, 1e-6) == []
