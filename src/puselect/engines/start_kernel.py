"""Rows that clusters start from, for many seeds at once, compiled: what ``Generator(PCG64(seed)).choice`` draws.

Distinct rows are drawn by R. W. Floyd's algorithm, then shuffled.
"""

import numpy as np

from puselect.engines.cpu.kernels import Array, kernel
from puselect.engines.random_kernel import begin, bounded


@kernel
def draw_distinct(seeded: Array, n_rows: int, rows: Array) -> None:
    """Write distinct rows of `n_rows` into each line of `rows`; `seeded` has four words of 64 bits for each."""
    n_lines, n_drawn = rows.shape
    state = np.empty(6, dtype=np.uint64)
    for line in range(n_lines):
        begin(state, seeded[line])
        own = rows[line]
        for i in range(n_drawn):
            last = n_rows - n_drawn + i
            row = bounded(state, last)
            for other in own[:i]:
                if other == row:
                    row = last
                    break
            own[i] = row
        for i in range(n_drawn - 1, 0, -1):
            other = bounded(state, i)
            own[i], own[other] = own[other], own[i]
