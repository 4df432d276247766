"""Ranks of many columns at once."""

import numpy as np

from puselect.arrays import AnyArray, IntArray

MANY_VALUES = 2**16  # of a block of lines, above which loading compiled code pays


def double_ranks(lines: AnyArray) -> IntArray:
    """Return twice the ranks of the values of every line, from 1 on; ties share their mean rank.

    As SciPy's ``2 * rankdata(lines, axis=1)``, which sorts stably and takes more than twice as long.

    Parameters
    ----------
    lines : ndarray of shape (n_lines, n_values)

    Examples
    --------
    >>> double_ranks(np.array([[0.5, 0.1, 0.5, 0.9]])).tolist()
    [[5, 2, 5, 8]]
    """
    if lines.dtype == np.float32 and lines.size >= MANY_VALUES:
        from puselect.columns.rank_kernel import radix_ranks  # compiled code is loaded only when it is used

        ranks = np.empty(lines.shape, dtype=np.int32)
        radix_ranks(np.ascontiguousarray(lines).view(np.uint32), ranks)
        return ranks
    n_values = lines.shape[1]
    order = np.argsort(lines, axis=1)
    ordered = np.take_along_axis(lines, order, axis=1)
    is_new = np.ones(lines.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=is_new[:, 1:])
    ranks = np.empty(lines.shape, dtype=np.int32)
    for line, places, new in zip(ranks, order, is_new, strict=True):
        first = np.flatnonzero(new)
        last = np.append(first[1:], n_values)
        line[places] = np.repeat(first + last + 1, last - first)
    return ranks
