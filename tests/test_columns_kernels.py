import numpy as np
import pytest

from puselect.columns.kernels import highest, line_means, weighted_sum

rng = np.random.default_rng(0)


def test_means_and_weighted_sums_of_lines():
    lines, columns, rows, weights = rng.normal(size=(8, 90)), np.array([5, 2, 7]), np.arange(0, 90, 4), rng.random(3)
    means, total = np.empty(3), np.empty(90)
    line_means(lines, columns, rows, means)
    weighted_sum(lines, columns, weights, total)
    assert np.allclose(means, lines[columns][:, rows].mean(axis=1))
    assert np.allclose(total, weights @ lines[columns])


@pytest.mark.parametrize("n_found", [1, 40, 900, 1000])
@pytest.mark.parametrize("n_out", [0, 60])
def test_highest_values_are_those_of_sorted_lines(n_found, n_out):
    """Of values with long tails, of two kinds far apart, of whole numbers, of a constant, and of an infinite range."""
    n, is_out = 1000, np.arange(1000) < n_out
    far = np.where(rng.random(n) < 0.3, 50 + 1e-6 * rng.normal(size=n), rng.normal(size=n))
    whole, huge = rng.integers(0, 20, n).astype(float), 1.7e308 * rng.uniform(-1, 1, n)
    lines = np.stack([rng.standard_t(1.2, n), far, whole, np.ones(n), huge])
    found, is_sure = np.full((5, n_found), -1), np.empty(5, dtype=bool)
    highest(lines, is_out, found, is_sure)
    for line, own, sure in zip(lines, found, is_sure, strict=True):
        order = np.argsort(-line[~is_out])
        left = line[~is_out][order]
        assert sure == (n_found == len(left) or (n_found < len(left) and left[n_found - 1] > left[n_found]))
        if sure:
            assert set(own) == set(np.flatnonzero(~is_out)[order[:n_found]])
