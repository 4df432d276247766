"""Greedy forward selection from a table of pairwise values."""

from collections.abc import Callable

import numpy as np

from puselect.arrays import FloatArray, IntArray


def forward_order(
    first: FloatArray, pairs: FloatArray, worth: Callable[[FloatArray, int], FloatArray]
) -> IntArray:
    """Return all features in the order in which greedy selection adds them; of equal ones the first comes first.

    Parameters
    ----------
    first : ndarray of shape (n_features,)
        Worth of each feature as the first one.
    pairs : ndarray of shape (n_features, n_features)
    worth : callable
        Takes the sums of `pairs` over the n chosen features, shape (n_features,), and n; returns the worth of each
        feature as the next one.
    """
    order = np.empty(len(first), dtype=np.intp)
    taken = np.zeros(len(first), dtype=bool)
    sums, values = np.zeros(len(first)), first
    for n in range(len(first)):
        order[n] = np.argmax(np.where(taken, -np.inf, values))
        taken[order[n]] = True
        sums = sums + pairs[order[n]]
        values = worth(sums, n + 1)
    return order
