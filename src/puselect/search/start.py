"""What single columns tell about the labels, and first probabilities that follow it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from puselect.arrays import BoolArray, FloatArray

BLOCK = 64  # columns ranked at a time


def column_evidence(X: NDArray[Any], positive: BoolArray) -> FloatArray:
    """Return Lepage's statistic of every column: how much labelled rows differ in place or spread.

    The sum of the squares of two standardised rank statistics, Wilcoxon's for a shift and Ansari and Bradley's for
    another spread (Lepage, Biometrika 58, 1971). Any increasing transformation of a column leaves it as it is. Without
    a difference it is about chi-squared with two degrees of freedom; a constant column gets 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    positive : ndarray of bool, shape (n_rows,)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> positive = np.arange(500) < 40
    >>> X = rng.normal(size=(500, 3))
    >>> X[positive, 0] += 2  # another place
    >>> X[positive, 1] *= 3  # another spread
    >>> column_evidence(X, positive).round().astype(int)
    array([114,  37,   7])
    """
    blocks = [X[:, first : first + BLOCK].T for first in range(0, X.shape[1], BLOCK)]
    return np.concatenate([_lepage(rankdata(block, axis=1), positive) for block in blocks])


def _lepage(rank: FloatArray, positive: BoolArray) -> FloatArray:
    place = rank - rank.mean(axis=1, keepdims=True)
    return _squared_z(place, positive) + _squared_z(np.abs(place), positive)


def _squared_z(score: FloatArray, positive: BoolArray) -> FloatArray:
    """Return the squared z-scores of the means over the labelled rows, as of a sample without replacement."""
    n, m = score.shape[1], int(positive.sum())
    variance = score.var(axis=1, ddof=1) / m * (n - m) / n
    shift = score[:, positive].mean(axis=1) - score.mean(axis=1)
    return np.asarray(np.divide(shift**2, variance, out=np.zeros(len(score)), where=variance > 0))


def evidence_start(
    evidence: FloatArray, costs: FloatArray, budget: float, start_evidence: float
) -> FloatArray:
    """Return first probabilities that rise with the rank of the evidence and cost the budget on average.

    Their log-odds are linear in the normal score of the rank, with slope `start_evidence`; 0 gives the paper's start.

    Examples
    --------
    >>> evidence_start(np.array([9.0, 1.0, 4.0, 2.0]), np.ones(4), 2.0, start_evidence=2.0).round(2)
    array([0.91, 0.09, 0.65, 0.35])
    """
    score = start_evidence * ndtri((rankdata(evidence) - 0.5) / len(evidence))
    share = budget / costs.sum()
    if share >= 1:
        return np.ones(len(evidence))

    def excess(shift: float) -> float:
        return float(expit(score + shift) @ costs - budget)

    low = -(np.abs(score).max() + 40)
    high = -low
    while excess(low) > 0:  # where the cheapest and the dearest feature are many orders of magnitude apart
        low *= 2
    if excess(high) <= 0:  # all features but a rounding error
        return np.ones(len(evidence))
    return np.asarray(expit(score + brentq(excess, low, high)))
