"""Compiled kernels over the rows of single columns: ranks, scores, means, the highest values.

Tables come as lines, one per column. Kernels make no copies and do not hold the interpreter lock.
"""

import numpy as np

from puselect.clustering.cpu.kernels import Array, inner_kernel, kernel

DIGIT = 11  # bits of a pass
N_DIGITS = 1 << DIGIT
N_BINS = 1024  # that values are counted in
FEW = 16  # values that are sorted instead


@kernel
def radix_ranks(bits: Array, ranks: Array) -> None:
    """Write into `ranks` twice the mean rank, from 1 on, of every value of every line.

    `bits` are the bytes of float32 values as uint32, without NaN; -0.0 and 0.0 are equal.
    """
    n_lines, n_values = bits.shape
    items = np.empty(n_values, dtype=np.uint64)  # a key that orders as the value does, and the place of the value
    sorted_items = np.empty(n_values, dtype=np.uint64)
    n_below = np.empty((3, N_DIGITS), dtype=np.int64)
    sign, low, digit = np.uint64(1 << 31), np.uint64(32), np.uint64(N_DIGITS - 1)
    for line in range(n_lines):
        n_below[:] = 0
        for i in range(n_values):
            value = np.uint64(bits[line, i])
            is_positive = value & sign == 0 or value == sign  # the second is -0.0
            key = sign | value if is_positive else np.uint64(0xFFFFFFFF) ^ value
            items[i] = (key << low) | np.uint64(i)
            for p in range(3):
                n_below[p, (key >> np.uint64(p * DIGIT)) & digit] += 1
        for p in range(3):
            total = 0
            for b in range(N_DIGITS):
                here = n_below[p, b]
                n_below[p, b] = total
                total += here
            shift = np.uint64(p * DIGIT) + low
            for i in range(n_values):
                b = (items[i] >> shift) & digit
                sorted_items[n_below[p, b]] = items[i]
                n_below[p, b] += 1
            items, sorted_items = sorted_items, items
        first = 0
        while first < n_values:
            last = first + 1
            while last < n_values and items[last] >> low == items[first] >> low:
                last += 1
            for i in range(first, last):
                ranks[line, items[i] & np.uint64(0xFFFFFFFF)] = first + last + 1
            first = last


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
def standardise_spread(normal: Array, spread: Array) -> None:
    """Write the standardised squares of the normal scores of lines."""
    n_rows = normal.shape[1]
    for line in range(normal.shape[0]):
        own = spread[line]
        for r in range(n_rows):
            own[r] = normal[line, r] * normal[line, r]
        centre, total = mean_and_squares(own)
        deviation = np.sqrt(total / n_rows)
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


@kernel
def line_means(lines: Array, columns: Array, rows: Array, means: Array) -> None:
    """Write the means of lines over rows."""
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
def highest(lines: Array, is_out: Array, found: Array, is_sure: Array) -> None:
    """Write the places of the highest values of every line into `found` (n_lines, n_found), in no order.

    Places that are out are not looked at. Where values are equal at the limit, or too few are left, a line is not sure,
    and which of them to take is left to the caller. Values are counted in bins, then those in the bin of the limit
    are, and so on, until few are left to be sorted.
    """
    n_lines, n_rows = lines.shape
    bins, counts = np.empty(n_rows, dtype=np.int16), np.empty(N_BINS, dtype=np.int64)
    every = np.flatnonzero(~is_out)
    for line in range(n_lines):
        values, places, n_left, taken = lines[line], every.copy(), every.shape[0], 0
        while n_left > FEW:
            low = high = values[places[0]]
            for i in range(n_left):
                low, high = min(low, values[places[i]]), max(high, values[places[i]])
            scale = (N_BINS - 1) / (high - low) if high > low else 0.0
            if not 0 < scale < np.inf:
                break
            counts[:] = 0
            for i in range(n_left):
                bins[i] = np.int16((high - values[places[i]]) * scale)
                counts[bins[i]] += 1
            limit, n_above = 0, taken + counts[0]
            while n_above < found.shape[1] and limit < N_BINS - 1:
                limit += 1
                n_above += counts[limit]
            n_here = 0
            for i in range(n_left):
                if bins[i] < limit:
                    found[line, taken] = places[i]
                    taken += 1
                elif bins[i] == limit:
                    places[n_here] = places[i]
                    n_here += 1
            n_left = n_here
        own = places[:n_left]
        order, n_more = np.argsort(-values[own]), found.shape[1] - taken
        is_sure[line] = n_more <= n_left
        for i in range(min(n_more, n_left)):
            found[line, taken + i] = own[order[i]]
        if n_more < n_left:
            is_sure[line] = values[own[order[n_more - 1]]] > values[own[order[n_more]]]


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
