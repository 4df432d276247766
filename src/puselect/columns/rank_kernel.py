"""Ranks of many lines of float32, compiled: a radix sort of three passes takes half of the time of an argsort."""

import numpy as np

from puselect.clustering.cpu.kernels import Array, kernel

DIGIT = 11  # bits of a pass
N_BINS = 1 << DIGIT


@kernel
def radix_ranks(bits: Array, ranks: Array) -> None:
    """Write into `ranks` twice the mean rank, from 1 on, of every value of every line.

    `bits` are the bytes of float32 values as uint32, without NaN; -0.0 and 0.0 are equal.
    """
    n_lines, n_values = bits.shape
    items = np.empty(n_values, dtype=np.uint64)  # a key that orders as the value does, and the place of the value
    sorted_items = np.empty(n_values, dtype=np.uint64)
    n_below = np.empty((3, N_BINS), dtype=np.int64)
    sign, low, digit = np.uint64(1 << 31), np.uint64(32), np.uint64(N_BINS - 1)
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
            for b in range(N_BINS):
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
