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


@pytest.mark.parametrize("n_found", [1, 40, 900])
def test_highest_values_are_those_of_sorted_lines(n_found):
    lines, is_out = np.stack([rng.standard_t(1.2, 1000), 1.7e308 * rng.uniform(-1, 1, 1000)]), np.arange(1000) < 60
    found = np.empty((2, n_found), dtype=int)
    highest(lines, is_out, found, np.empty(2, dtype=bool))
    for line, own in zip(lines, found, strict=True):
        assert set(own) == set(60 + np.argsort(-line[60:])[:n_found])
