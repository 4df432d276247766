"""The order in which a textbook quicksort leaves equal keys.

A quicksort is not stable: equal keys end in an order that depends on their positions alone. Where nearly all
keys are equal, that order is the result. This is what the published row of mRMR measured, and why it is kept here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from puselect.arrays import IntArray

SMALL = 7  # a part of at most so many keys is sorted by insertion, which is stable


def quicksort_order(keys: Sequence[float] | np.ndarray[Any, Any]) -> IntArray:
    """Return the indices by falling key, equal keys as quicksort with the median of three leaves them.

    R. Sedgewick, "Implementing Quicksort Programs", Communications of the ACM 21, 1978: the middle key is moved to
    the second place, the median of first, second and last is the pivot, both scans stop at keys equal to it.

    Examples
    --------
    >>> quicksort_order([1, 3, 2]), quicksort_order([1] * 8)
    (array([1, 2, 0]), array([5, 3, 6, 0, 4, 1, 2, 7]))
    """
    values = [float(key) for key in keys]
    order = list(range(len(values)))
    parts = [(0, len(values) - 1)]
    while parts:
        low, high = parts.pop()
        if high - low < SMALL:
            order[low : high + 1] = sorted(order[low : high + 1], key=lambda index: -values[index])
        else:
            end, begin = _partition(values, order, low, high)
            parts += [(low, end), (begin, high)]
    return np.array(order, dtype=np.intp)


def _partition(values: list[float], order: list[int], low: int, high: int) -> tuple[int, int]:
    """Split order[low..high], in place, around a pivot; return the end of the left and the begin of the right part."""

    def swap(a: int, b: int) -> None:
        order[a], order[b] = order[b], order[a]

    swap((low + high) // 2, low + 1)
    for a, b in ((low + 1, high), (low, high), (low + 1, low)):
        if values[order[a]] < values[order[b]]:
            swap(a, b)
    pivot = values[order[low]]
    left, right = low + 1, high
    while True:
        left, right = left + 1, right - 1
        while values[order[left]] > pivot:
            left += 1
        while values[order[right]] < pivot:
            right -= 1
        if right < left:
            swap(low, right)
            return right - 1, left
        swap(left, right)
