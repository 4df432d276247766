"""Greedy forward selection from pairwise values."""

from collections.abc import Callable

import numpy as np

from puselect.arrays import FloatArray, IntArray

MOST_PAIRED = 500  # columns of which all pairs are computed at once; beyond, only the pairs of chosen ones


def forward_order(
    first: FloatArray,
    pairs_of: Callable[[int], FloatArray],
    worth: Callable[[FloatArray, int], FloatArray],
    n_added: int | None = None,
) -> IntArray:
    """Return all features in the order in which greedy selection adds them; of equal ones the first comes first.

    Parameters
    ----------
    first : ndarray of shape (n_features,)
        Worth of each feature as the first one.
    pairs_of : callable
        Takes a feature; returns its pairwise values with all features, shape (n_features,).
    worth : callable
        Takes the sums of these values over the n chosen features, shape (n_features,), and n; returns the worth of each
        feature as the next one.
    n_added : int, optional
        Add so many one by one, and order the rest by their worth as the next one; by default all are added.
    """
    n_features = len(first)
    order = np.empty(n_features, dtype=np.intp)
    taken = np.zeros(n_features, dtype=bool)
    sums, values = np.zeros(n_features), first
    n_added = n_features if n_added is None else min(n_added, n_features)
    for n in range(n_added):
        order[n] = np.argmax(np.where(taken, -np.inf, values))
        taken[order[n]] = True
        sums = sums + pairs_of(int(order[n]))
        values = worth(sums, n + 1)
    rest = np.flatnonzero(~taken)
    order[n_added:] = rest[np.argsort(-values[rest], kind="stable")]
    return order
