import numpy as np
import pytest

from puselect.objective.column_ranks import LEPAGE, NORMAL, ColumnRanks
from puselect.objective.row_kernel import largest, line_means, pairwise_sum, weighted_sum

rng = np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 128, 129, 136, 257, 4500, 20_001])
def test_sums_have_the_bits_of_numpy(n):
    line = rng.normal(size=n)
    mean = line.mean()
    assert pairwise_sum(line, 0.0, False) == line.sum()
    assert pairwise_sum(line, mean, True) == ((line - mean) ** 2).sum()


@pytest.mark.parametrize("scores", [LEPAGE, NORMAL])
def test_ranks_that_are_scored_again_are_those_of_the_table(scores):
    X = rng.integers(0, 50, size=(300, 20)).astype(np.float32)
    X[:, 3] = 1.0
    again, fresh = ColumnRanks(X, LEPAGE).scored_by(scores), ColumnRanks(X, scores)
    for name in ("location", "mean", "variance"):
        assert np.array_equal(getattr(again, name), getattr(fresh, name))


@pytest.mark.parametrize("scores", [LEPAGE, NORMAL])
def test_statistic_by_definition(scores):
    ranks = ColumnRanks(rng.normal(size=(400, 5)), scores)
    rows, n = rng.choice(400, 60, replace=False), 400
    expected = np.zeros(5)
    for score in (ranks.location.astype(float), scores.spread(ranks.location.astype(float))):
        error = score.var(axis=1, ddof=1) / 60 * (n - 60) / n
        expected += (score[:, rows].mean(axis=1) - score.mean(axis=1)) ** 2 / error
    assert np.allclose(ranks.statistic(rows), expected, rtol=1e-5)
    assert np.array_equal(ranks.statistic_each(np.array([3, 1]), np.stack([rows, rows])), ranks.statistic(rows)[[3, 1]])


@pytest.mark.parametrize("n_taken", [1, 40, 250])
def test_largest_rows_of_each_line(n_taken):
    lines = rng.normal(size=(6, 500))
    lines[1] = np.exp(20 * lines[1])  # most values share a bin with the last one
    lines[2, :300] = -7.0  # ties below those that are taken
    lines[3] = 5.0
    lines[4, 17] = np.nan
    lines[5] = lines[5].round(1)
    allowed = np.flatnonzero(rng.random(500) < 0.6)
    taken, is_clear = np.empty((6, n_taken), dtype=np.intp), np.empty(6, dtype=bool)
    allowed = np.union1d(allowed, [17])
    largest(lines, allowed, n_taken, taken, is_clear)
    assert not is_clear[3] and not is_clear[4]
    for line, rows, clear in zip(lines[:3], taken, is_clear, strict=False):
        order = allowed[np.argsort(-line[allowed], kind="stable")]
        is_tied = line[order[n_taken - 1]] == line[order[n_taken]]
        assert clear != is_tied
        if clear:
            assert np.array_equal(rows, np.sort(order[:n_taken]))
    order = np.sort(-lines[5][allowed])
    assert is_clear[5] == (order[n_taken - 1] != order[n_taken])


def test_means_and_weighted_sums_of_lines():
    lines, columns, rows, weights = rng.normal(size=(8, 90)), np.array([5, 2, 7]), np.arange(0, 90, 4), rng.random(3)
    means, total = np.empty(3), np.empty(90)
    line_means(lines, columns, rows, means)
    weighted_sum(lines, columns, weights, total)
    assert np.allclose(means, lines[columns][:, rows].mean(axis=1))
    assert np.allclose(total, weights @ lines[columns])
