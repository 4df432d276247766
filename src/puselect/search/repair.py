"""Making masks meet the budget (Algorithm 3)."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

SLACK = 1e-9  # relative: three features of cost 0.1 fit a budget of 0.3


class Repair:
    """Drop features until a mask is within budget, then add features while any fits.

    Which feature goes is drawn with probability proportional to 1 - theta, which one comes in proportion to theta, as
    printed. A sequence of such draws without replacement is the order of exponential clocks with these rates, so one
    clock per feature is drawn beforehand. Clocks have no memory, so that this holds among the features that still fit.

    Parameters
    ----------
    costs : ndarray of shape (n_features,)
        Positive.
    budget : float
        What a mask may cost in all.
    """

    def __init__(self, costs: FloatArray, budget: float) -> None:
        self.costs = np.asarray(costs, dtype=np.float64)
        self.limit = budget * (1 + SLACK)

    def __call__(self, masks: BoolArray, theta: FloatArray, rng: np.random.Generator) -> BoolArray:
        """Return repaired copies of `masks` (n_masks, n_features)."""
        repaired = masks.copy()
        clock = rng.standard_exponential((2, *masks.shape))
        self._drop(repaired, clock[0] / (1 - theta))
        self._add(repaired, clock[1] / theta)
        return repaired

    def _drop(self, masks: BoolArray, clock: FloatArray) -> None:
        """Clear, in each mask over the limit, the feature whose clock rings first, until none is over; in place."""
        over = np.flatnonzero(masks @ self.costs > self.limit)
        while len(over):
            first = np.where(masks[over], clock[over], np.inf).argmin(axis=1)
            masks[over, first] = False
            over = over[masks[over] @ self.costs > self.limit]

    def _add(self, masks: BoolArray, clock: FloatArray) -> None:
        """Set, in each mask, the first to ring of the features that still fit, until none fits; in place."""
        open_masks = np.arange(len(masks))
        while True:
            left = self.limit - masks[open_masks] @ self.costs
            fits = ~masks[open_masks] & (self.costs <= left[:, None])
            some = fits.any(axis=1)
            open_masks, fits = open_masks[some], fits[some]
            if not len(open_masks):
                return
            first = np.where(fits, clock[open_masks], np.inf).argmin(axis=1)
            masks[open_masks, first] = True
