"""A distribution over masks that follows the estimated effect of each feature.

All masks evaluated so far are one regression. Within a step the ranks of the masks are regressed on each feature, and
the sums are kept over the steps: they give the effect of every feature and its standard error, free of drift.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

from puselect.arrays import BoolArray, FloatArray
from puselect.draws import Stream, normals
from puselect.search.checkpoint import State
from puselect.search.loop import rank_utilities
from puselect.search.repair import Repair

DECIDED = 3.0  # standard errors


class EffectSearch:
    """Thompson sampling by effects, with ask and tell: a mask holds the best features by scores with a random error.

    A feature's score is ``weight * z + evidence``: z is its effect over the standard error, the weight is the square of
    the share of the effects that is not noise (`effect_share`). The same scores rank the features in the end.

    Parameters
    ----------
    evidence : ndarray of shape (n_features,)
        Prior evidence for each feature, in standard errors; zeros for none.
    repair : Repair
        Knows the costs of the features and what a mask may cost.
    population_size : int
        Masks per ask.
    seed : int
    """

    def __init__(self, evidence: FloatArray, repair: Repair, population_size: int, seed: int) -> None:
        self.evidence = np.asarray(evidence, dtype=np.float64)
        self.repair = repair
        self.population_size = population_size
        self.seed = seed
        self.gain = np.zeros(len(self.evidence))
        """Sum of the utilities of the masks with a feature, less their mean in the step."""
        self.variance = np.zeros(len(self.evidence))
        """Variance of `gain` if the utilities were shuffled within each step."""
        self.weight = 0.0
        """How much the effects count in the scores, in [0, 1]."""
        self._keep(self.evidence)

    def ask(self, step: int) -> BoolArray:
        """Return the masks of a step, shape (population_size, n_features)."""
        mask, feature = np.arange(self.population_size)[:, None], np.arange(len(self.scores))
        return self.repair.best(self.scores + normals(self.seed, Stream.MASKS, step, mask, feature))

    def tell(self, masks: BoolArray, values: FloatArray) -> None:
        """Add the masks of a step to the regression; higher values are better."""
        utility = rank_utilities(values)
        centred = masks - masks.mean(axis=0)
        self.gain = self.gain + utility @ centred
        self.variance = self.variance + (utility @ utility) * (centred**2).sum(axis=0) / (len(masks) - 1)
        self._weigh()

    def _weigh(self) -> None:
        effects = self.effects
        self.weight = effect_share(effects, self.repair.share) ** 2
        self._keep(self.weight * effects + self.evidence)

    def _keep(self, scores: FloatArray) -> None:
        self.scores = scores
        """What features are ranked by."""
        self.cut = self._cut()
        """The score in the middle between the best mask and all other features."""

    @property
    def effects(self) -> FloatArray:
        """Effect of each feature in standard errors, less the median; 0 for a feature that was never varied."""
        error = np.sqrt(self.variance)
        z = np.divide(self.gain, error, out=np.zeros(len(error)), where=error > 0)
        return np.asarray(z - np.median(z)) if len(z) else z

    def _cut(self) -> float:
        best = self.repair.best(self.scores[None])[0]
        if best.all() or not best.any():
            return float(self.scores.min(initial=0.0)) - DECIDED if best.any() else float(self.scores.max(initial=0.0))
        return float(self.scores[best].min() + self.scores[~best].max()) / 2

    @property
    def theta(self) -> FloatArray:
        """Probability of each feature to be above the cut."""
        return np.asarray(ndtr(self.scores - self.cut))

    @property
    def decided(self) -> BoolArray:
        """Whether the score of each feature is `DECIDED` standard errors above or below the cut."""
        return np.asarray(np.abs(self.scores - self.cut) >= DECIDED)

    def state(self) -> State:
        """Return everything that changes during a search."""
        return {"gain": self.gain, "variance": self.variance}

    def restore(self, state: State) -> None:
        """Return to a saved state."""
        self.gain, self.variance = state["gain"], state["variance"]
        self._weigh()


def effect_share(effects: FloatArray, share: float) -> float:
    """Return how much of the largest effects is not noise: 1 - (what chance alone would give / their mean)^2.

    Parameters
    ----------
    effects : ndarray of shape (n_features,)
        In standard errors.
    share : float
        Share of the features that are wanted.

    Examples
    --------
    >>> round(effect_share(np.array([-4.0, -4.0, 4.0, 4.0]), 0.5), 2)
    0.96
    >>> effect_share(np.array([-0.1, 0.1]), 0.5)
    0.0
    """
    if not 0 < share < 1 or not len(effects):
        return 0.0
    tail = min(share, 1 - share)  # the best features, or the worst where more than half are wanted
    n_tail = max(1, round(tail * len(effects)))
    mean = float(np.sort(effects if share > 0.5 else -effects)[:n_tail].mean())
    return max(0.0, 1 - (mean_of_best(tail) / mean) ** 2) if mean < 0 else 0.0


@cache
def mean_of_best(share: float) -> float:
    """Return the mean of the best of independent standard normals, of which `share` are taken.

    Examples
    --------
    >>> round(mean_of_best(0.5), 4)
    0.7979
    """
    return float(norm.pdf(norm.isf(share)) / share)
