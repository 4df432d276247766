"""Making masks meet the budget (Algorithm 3)."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.draws import Stream, uniforms

SLACK = 1e-9  # relative: three features of cost 0.1 fit a budget of 0.3


class Repair:
    """Drop features until a mask is within budget, then add features while any fits.

    Which feature goes is drawn with probability proportional to 1 - theta, which one comes in proportion to theta, as
    printed. A sequence of such draws without replacement is the order of exponential clocks with these rates, so one
    clock per feature is drawn beforehand. Clocks have no memory, so that this holds among the features that still fit.
    """

    def __init__(self, costs: FloatArray, budget: float) -> None:
        self.costs = np.asarray(costs, dtype=np.float64)
        self.budget = budget
        self.limit = budget * (1 + SLACK)
        affordable = self.costs[self.costs <= self.limit]
        self.typical_cost = float(np.median(affordable)) if len(affordable) else np.inf

    @property
    def share(self) -> float:
        """The paper's first probability: budget over total cost."""
        return min(self.budget / float(self.costs.sum()), 1.0) if len(self.costs) else 1.0

    def best(self, scores: FloatArray) -> BoolArray:
        """Return masks of the features of highest score that fit, for each line of `scores` (n_masks, n_features)."""
        order = np.argsort(-scores, axis=1, kind="stable")
        masks, lines = np.zeros(scores.shape, dtype=bool), np.arange(len(scores))
        if (self.costs == self.costs[:1]).all():
            n_best = int(self.limit / self.costs[0]) if len(self.costs) else 0
            np.put_along_axis(masks, order[:, :n_best], True, axis=1)
            return masks
        left = np.full(len(scores), self.limit)
        for feature in order.T:
            fits = self.costs[feature] <= left
            masks[lines, feature] = fits
            left -= np.where(fits, self.costs[feature], 0.0)
        return masks

    def share_spent(self, mask: BoolArray) -> float:
        """Return the share of the budget that a mask spends; 1 if the rest does not pay for a typical feature."""
        spent = float(mask @ self.costs)
        return 1.0 if self.limit - spent < self.typical_cost else spent / self.limit

    def repaired(self, masks: BoolArray, clocks: FloatArray) -> BoolArray:
        """Return repaired copies of `masks`, with clocks (2, n_masks, n_features) for going and for coming."""
        copies = masks.copy()
        self._drop(copies, clocks[0])
        self._add(copies, clocks[1])
        return copies

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


def draw_clocks(n_masks: int, theta: FloatArray, seed: int, step: int) -> FloatArray:
    """Return when features go, at rates 1 - theta, and come, at rates theta: shape (2, n_masks, n_features)."""
    way, mask = np.arange(2)[:, None, None], np.arange(n_masks)[:, None]
    rates = np.stack([1 - theta, theta])[:, None]
    return np.asarray(-np.log(uniforms(seed, Stream.CLOCKS, step, way, mask, np.arange(len(theta)))) / rates)
