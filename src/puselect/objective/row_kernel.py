"""What evidence sums up over the rows of a table, compiled: without copies, and without the interpreter lock.

Tables come as lines, one per column. Sums of float64 are those of NumPy, to the bit.
"""

import numpy as np

from puselect.engines.cpu.kernels import Array, kernel, ordered_kernel

N_BINS = 1024
LEAF = 128  # values that are added up one after another, eight at a time


@ordered_kernel
def shifted(value: float, origin: float, squared: bool) -> float:
    """Return the value less the origin, or its square."""
    gap = value - origin
    return gap * gap if squared else gap


@ordered_kernel
def leaf_sum(line: Array, origin: float, squared: bool) -> float:
    """Return the sum of a few values less `origin`, or of their squares; see `pairwise_sum`."""
    a = b = c = d = e = f = g = h = 0.0
    n = line.shape[0]
    for i in range(0, n - n % 8, 8):
        a += shifted(line[i], origin, squared)
        b += shifted(line[i + 1], origin, squared)
        c += shifted(line[i + 2], origin, squared)
        d += shifted(line[i + 3], origin, squared)
        e += shifted(line[i + 4], origin, squared)
        f += shifted(line[i + 5], origin, squared)
        g += shifted(line[i + 6], origin, squared)
        h += shifted(line[i + 7], origin, squared)
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(n - n % 8, n):
        total += shifted(line[i], origin, squared)
    return total


@ordered_kernel
def pairwise_sum(line: Array, origin: float, squared: bool) -> float:
    """Return the sum of values less `origin`, or of their squares, added up in pairs of pairs as NumPy does."""
    todo, sums = np.empty((64, 2), dtype=np.int64), np.empty(64)  # halves, and sums of those that were done
    todo[0, 0], todo[0, 1], n_todo, n_sums = 0, line.shape[0], 1, 0
    while n_todo:
        n_todo -= 1
        first, n = todo[n_todo]
        if n < 0:  # both halves are done
            n_sums -= 1
            sums[n_sums - 1] += sums[n_sums]
        elif n <= LEAF:
            sums[n_sums] = leaf_sum(line[first : first + n], origin, squared)
            n_sums += 1
        else:
            half = n // 2
            half -= half % 8
            todo[n_todo, 1] = -1
            todo[n_todo + 1, 0], todo[n_todo + 1, 1] = first + half, n - half
            todo[n_todo + 2, 0], todo[n_todo + 2, 1] = first, half
            n_todo += 3
    return float(sums[0])


@ordered_kernel
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
            centre = pairwise_sum(both[i], 0.0, False) / n_rows
            mean[i, line] = centre
            variance[i, line] = pairwise_sum(both[i], centre, True) / (n_rows - 1)


@ordered_kernel
def standardise_spread(normal: Array, squares: bool, spread: Array) -> None:
    """Write the standardised squares or sizes of the normal scores of lines."""
    n_rows = normal.shape[1]
    for line in range(normal.shape[0]):
        own = spread[line]
        for r in range(n_rows):
            score = normal[line, r]
            own[r] = score * score if squares else abs(score)
        centre = pairwise_sum(own, 0.0, False) / n_rows
        deviation = np.sqrt(pairwise_sum(own, centre, True) / n_rows)
        for r in range(n_rows):
            own[r] = (own[r] - centre) / (deviation if deviation > 0 else 1.0)


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


@ordered_kernel
def line_means(lines: Array, columns: Array, rows: Array, means: Array) -> None:
    """Write the means of lines over rows, added up one after another."""
    for i in range(columns.shape[0]):
        line, total = lines[columns[i]], 0.0
        for r in range(rows.shape[0]):
            total += line[rows[r]]
        means[i] = total / rows.shape[0]


@kernel
def weighted_sum(lines: Array, columns: Array, weights: Array, out: Array) -> None:
    """Write the weighted sum of lines."""
    out[:] = 0.0
    for i in range(columns.shape[0]):
        line, weight = lines[columns[i]], weights[i]
        for r in range(out.shape[0]):
            out[r] += weight * line[r]


@kernel
def last_taken(values: Array, n_left: int, bins: Array) -> tuple[float, bool]:
    """Return the n-th smallest value and whether no other is equal to it; False if values are not finite, too.

    Overwrites `values`: those that share a bin with it move to the front, until they are all equal.
    """
    n_values, n_here = values.shape[0], np.empty(N_BINS, dtype=np.int64)
    while True:
        low, high, nothing = values[0], values[0], 0.0
        for i in range(n_values):
            low = values[i] if values[i] < low else low
            high = values[i] if values[i] > high else high
            nothing += 0.0 * values[i]
        if low == high and nothing == 0:
            return low, n_values == n_left
        scale = (N_BINS - 1) / (high - low)
        if not (nothing == 0 and 0 < scale < np.inf):
            return 0.0, False
        n_here[:] = 0
        for i in range(n_values):
            bins[i] = np.int32((values[i] - low) * scale)
        for i in range(n_values):
            n_here[bins[i]] += 1
        found = 0
        while n_here[found] < n_left:
            n_left -= n_here[found]
            found += 1
        n_kept = 0
        for i in range(n_values):
            values[n_kept] = values[i]
            n_kept += bins[i] == found
        n_values = n_kept


@kernel
def largest(lines: Array, allowed: Array, n_taken: int, taken: Array, is_clear: Array) -> None:
    """Write which of the allowed rows have the `n_taken` largest values of every line, in order.

    A line is not clear, and is left alone, if the last of them has the value of others, or if values are not finite.
    """
    values, bins = np.empty(len(allowed)), np.empty(len(allowed), dtype=np.int32)
    for number in range(lines.shape[0]):
        line = lines[number]
        for i in range(len(allowed)):
            values[i] = -line[allowed[i]]
        last, is_clear[number] = last_taken(values, n_taken, bins)
        n_found = 0
        if is_clear[number]:
            for row in allowed:
                if -line[row] <= last:
                    taken[number, n_found] = row
                    n_found += 1
