"""Scoring the columns that vary; constant ones get a score below all others."""

from collections.abc import Callable

import numpy as np

from puselect.arrays import FloatArray

CONSTANT_SCORE = -1.0  # the scores of the methods that use this are at least 0


def score_varying(X: FloatArray, score: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the scores of the columns of a scaled table; `score` sees only those that vary.

    Examples
    --------
    >>> score_varying(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), lambda X: X[0])
    array([ 0., -1.,  1.])
    """
    varying = X.any(axis=0)  # scaled: a constant column is all zeros
    scores = np.full(X.shape[1], CONSTANT_SCORE)
    if varying.any():
        scores[varying] = score(X[:, varying])
    return scores
