import numpy as np
import pytest
from scipy.stats import rankdata

from puselect.objective.ranks import average_ranks


@pytest.mark.parametrize("n_values", [1, 3, 40, 10**6])
def test_ranks_are_those_of_scipy(n_values):
    lines = np.random.default_rng(0).integers(0, n_values, (5, 200)).astype(np.float32)
    assert np.array_equal(average_ranks(lines), rankdata(lines, axis=1))
    assert np.array_equal(average_ranks(lines[:, ::-2]), rankdata(lines[:, ::-2], axis=1))
