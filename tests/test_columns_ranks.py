import numpy as np
import pytest
from scipy.stats import rankdata

from puselect.columns.ranks import double_ranks


@pytest.mark.parametrize("n_values", [1, 3, 40, 10**6])
def test_ranks_are_those_of_scipy(n_values):
    rng = np.random.default_rng(0)
    lines = rng.integers(-n_values, n_values + 1, (5, 200)) * np.array([1e-30, 1.0, 1.0, 1.0, 1e30])[:, None]
    lines = lines.astype(np.float32)
    lines[0, :40] = -0.0
    for part in (lines, lines[:, ::-2], lines[:, :1]):
        assert np.array_equal(double_ranks(part) / 2, rankdata(part, axis=1))
