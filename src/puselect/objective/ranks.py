"""Ranks of many columns at once."""

import numpy as np

from puselect.arrays import AnyArray, FloatArray


def average_ranks(lines: AnyArray) -> FloatArray:
    """Return the ranks of the values of every line, from 1 on; ties share their mean rank.

    As SciPy's ``rankdata(lines, axis=1)``, which sorts stably and takes more than twice as long.

    Parameters
    ----------
    lines : ndarray of shape (n_lines, n_values)

    Examples
    --------
    >>> average_ranks(np.array([[0.5, 0.1, 0.5, 0.9]])).tolist()
    [[2.5, 1.0, 2.5, 4.0]]
    """
    n_values = lines.shape[1]
    order = np.argsort(lines, axis=1)
    ordered = np.take_along_axis(lines, order, axis=1)
    is_new = np.ones(lines.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=is_new[:, 1:])
    ranks = np.empty(lines.shape)
    for line, places, new in zip(ranks, order, is_new, strict=True):
        first = np.flatnonzero(new)
        last = np.append(first[1:], n_values)
        line[places] = np.repeat((first + last + 1) / 2, last - first)
    return ranks
