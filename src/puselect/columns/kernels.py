"""Compiled kernels over the rows of single columns: scores of ranks, their means, pairs of codes.

Tables come as lines, one per column. Kernels make no copies and do not hold the interpreter lock.
"""

import numpy as np

from puselect.clustering.cpu.kernels import Array, inner_kernel, kernel


@inner_kernel
def mean_and_squares(line: Array) -> tuple[float, float]:
    """Return the mean of some values, and the sum of the squared differences from it."""
    total, squares = 0.0, 0.0
    for r in range(line.shape[0]):
        total += line[r]
    mean = total / line.shape[0]
    for r in range(line.shape[0]):
        squares += (line[r] - mean) * (line[r] - mean)
    return mean, squares


@kernel
def score_ranks(
    ranks: Array, possible: Array, squares: bool, location: Array, mean: Array, variance: Array
) -> None:
    """Write the scores of twice the ranks of lines, and the means and variances of these and of their spread."""
    n_rows = ranks.shape[1]
    both = np.empty((2, n_rows))
    for line in range(ranks.shape[0]):
        for r in range(n_rows):
            score = possible[ranks[line, r] - 2]
            location[line, r] = score
            both[0, r], both[1, r] = score, score * score if squares else abs(score)
        for i in range(2):
            mean[i, line], total = mean_and_squares(both[i])
            variance[i, line] = total / (n_rows - 1)


@kernel
def score_means(location: Array, columns: Array, rows: Array, squares: bool, means: Array) -> None:
    """Write the means of the scores of columns over rows, and of their squares or sizes, into `means` (2, n_columns).

    `rows` has a line of them for every column, or one for all. Scores are float32: in float64 their sums are all but
    exact, in any order.
    """
    n_rows = rows.shape[1]
    for i in range(columns.shape[0]):
        line, taken, first, second = location[columns[i]], rows[min(i, rows.shape[0] - 1)], 0.0, 0.0
        for r in range(n_rows):
            score = line[taken[r]]
            first += score
            second += score * score if squares else abs(score)
        means[0, i], means[1, i] = first / n_rows, second / n_rows


@kernel
def count_pairs_of(codes: Array, column: int, positive: Array, everywhere: Array, labelled: Array) -> None:
    """Add up how many rows, and how many labelled ones, hold each pair of codes of `column` and of every column.

    `codes` has a line per column; the counts have the shape (n_columns, n_codes, n_codes).
    """
    own = codes[column]
    for j in range(codes.shape[0]):
        other, every, some = codes[j], everywhere[j], labelled[j]
        for i in range(codes.shape[1]):
            every[own[i], other[i]] += 1
            if positive[i]:
                some[own[i], other[i]] += 1
