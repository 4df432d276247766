"""Labelled rows that chance puts into clusters, compiled: what ``Generator.multivariate_hypergeometric`` draws.

Clusters take their shares one after another: row by row where few rows are still to be drawn, or all but few, and else
by E. Stadlober's ratio of uniforms (HRUA; Journal of Computational and Applied Mathematics 31, 1990).
"""

from typing import Any

import numpy as np
from scipy.special import gammaln

from puselect.engines.cpu.kernels import Array, inner_kernel, kernel
from puselect.engines.random_kernel import begin, next_float, next_half

FEW = 10  # rows drawn, or left, that are counted one by one
LOG_FACTORIALS = gammaln(np.arange(1.0, 129.0))
HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)
WIDTH, OFFSET = 2 * np.sqrt(2 / np.e), 3 - 2 * np.sqrt(3 / np.e)  # of the rectangle that the ratio is drawn from


@inner_kernel
def log_factorial(n: int) -> Any:
    """Return log(n!), from n = 128 on by Stirling's series."""
    if n < LOG_FACTORIALS.shape[0]:
        return LOG_FACTORIALS[n]
    return (n + 0.5) * np.log(n) - n + (HALF_LOG_2PI + (1.0 / n) * (1 / 12.0 - 1 / (360.0 * n * n)))


@inner_kernel
def masked(state: Array, most: int) -> Any:
    """Return a random number from 0 to `most` below 2^32: the lowest bits, as often as they are too many."""
    if most == 0:
        return 0
    mask = np.uint64(most)
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> np.uint64(shift)
    while True:
        value = np.int64(next_half(state) & mask)
        if value <= most:
            return value


@inner_kernel
def counted(state: Array, n_good: int, n_bad: int, n_drawn: int) -> int:
    """Return how many of `n_drawn` rows are good, one row after another."""
    n_left, good_left = n_good + n_bad, n_good
    takes_rest = n_drawn > n_left // 2
    to_draw = n_left - n_drawn if takes_rest else n_drawn
    while to_draw > 0 and 0 < good_left < n_left:
        n_left -= 1
        if masked(state, n_left) < good_left:
            good_left -= 1
        to_draw -= 1
    if n_left == good_left:
        good_left -= to_draw
    return good_left if takes_rest else n_good - good_left


@inner_kernel
def by_ratio(state: Array, n_good: int, n_bad: int, n_drawn: int) -> int:
    """Return how many of `n_drawn` rows are good, by the ratio of uniforms."""
    n_rows = n_good + n_bad
    drawn, fewer, more = min(n_drawn, n_rows - n_drawn), min(n_good, n_bad), max(n_good, n_bad)
    p, q = fewer / n_rows, more / n_rows
    centre = drawn * p + 0.5
    deviation = np.sqrt((n_rows - drawn) * float(drawn) * p * q / (n_rows - 1) + 0.5)
    height = WIDTH * deviation + OFFSET
    mode = int(np.floor((drawn + 1.0) * (fewer + 1) / (n_rows + 2)))
    at_mode = (
        log_factorial(mode)
        + log_factorial(fewer - mode)
        + log_factorial(drawn - mode)
        + log_factorial(more - drawn + mode)
    )
    end = min(float(min(drawn, fewer) + 1), np.floor(centre + 16 * deviation))
    while True:
        u, v = next_float(state), next_float(state)
        place = centre + height * (v - 0.5) / u
        if not 0 <= place < end:
            continue
        n = int(np.floor(place))
        gap = at_mode - (
            log_factorial(n) + log_factorial(fewer - n) + log_factorial(drawn - n) + log_factorial(more - drawn + n)
        )
        if u * (4 - u) - 3 <= gap:
            break
        if u * (u - gap) < 1 and 2 * np.log(u) <= gap:
            break
    if n_good > n_bad:
        n = drawn - n
    return n_good - n if drawn < n_drawn else n


@kernel
def draw_labels(seeded: Array, rows: Array, n_labelled: Array, hits: Array) -> None:
    """Write into `hits` how many of so many random rows lie in each cluster, of `rows` rows; a line for each mask."""
    state = np.empty(6, dtype=np.uint64)
    for line in range(rows.shape[0]):
        begin(state, seeded[line])
        own, n_left = hits[line], rows[line].sum()
        takes_rest = n_labelled[line] > n_left // 2
        to_draw = n_left - n_labelled[line] if takes_rest else n_labelled[line]
        own[:] = 0
        last = rows.shape[1] - 1
        for cluster in range(last):
            if to_draw <= 0:
                break
            n_good = rows[line, cluster]
            n_left -= n_good
            if FEW <= to_draw <= n_good + n_left - FEW:
                n = by_ratio(state, n_good, n_left, to_draw)
            else:
                n = counted(state, n_good, n_left, to_draw)
            own[cluster] = n
            to_draw -= n
        if to_draw > 0:
            own[last] = to_draw
        if takes_rest:
            for cluster in range(last + 1):
                own[cluster] = rows[line, cluster] - own[cluster]
