"""mRMR as the FSCPU paper ran it: on values truncated to integers, ties in the order that a quicksort leaves.

A quicksort is not stable: equal keys end in an order that depends on their positions alone. Where nearly all keys are
equal, that order is the result, and it is what the published row of mRMR measured.
"""

from collections.abc import Sequence

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.baselines.information import mrmr_scores
from puselect.selectors.ranking import RankingSelector, RankingTask

SMALL = 7  # a part of at most so many keys is sorted by insertion, which is stable


class PublishedMRMR(RankingSelector):
    """The selector behind the mRMR row of the FSCPU paper: what the program pymrmr chooses from a scaled table.

    Values are truncated to integers, so that of a scaled column only the row of its maximum remains. Nearly all
    features are then equal, and the order of the columns decides: the paper's figures come out only where the relevant
    columns come first. Do not select features with it; use `puselect.baselines.MRMR`. Parameters are those of
    `RankingSelector`; `random_state` is not used.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The number of features for the one added first, down to 1; 0 for constant columns.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> from puselect_paper.baselines import PublishedMRMR
    >>> X, y, relevant = make_pu_clusters("40/8/1", shuffle=False, random_state=0)
    >>> for columns in (np.arange(50), np.arange(50)[::-1]):
    ...     selector = PublishedMRMR(25).fit(X[:, columns], y)
    ...     print((selector.get_support() & relevant[columns]).sum() / 25)
    0.08
    0.92
    """

    def _score(self, task: RankingTask) -> FloatArray:
        return mrmr_scores(task, task.X.astype(np.int8), quicksort_order)


def quicksort_order(keys: Sequence[float] | FloatArray) -> IntArray:
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
