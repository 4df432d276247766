"""Where a search starts: first probabilities that follow the evidence of single columns."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from puselect.arrays import FloatArray


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
