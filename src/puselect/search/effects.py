"""A distribution over masks that follows the estimated effect of each feature.

All masks evaluated so far are one regression. Within a step the ranks of the masks are regressed on each feature, and
the sums are kept over the steps: they give the effect of every feature and its standard error, free of drift.
How much the effects count also depends on whether the values are above what random labels would give.
"""

from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import norm

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.search.checkpoint import State, read_array
from puselect.search.igo import rank_utilities

DECIDED = 3.0  # standard errors
LEAST_WEIGHT = 0.2  # of effects in the ranking: less than this is noise, but would outweigh evidence that is weak, too
DRAWN_LIMIT = 3.0  # of support when masks are drawn, so that the search looks at every feature
RANKED_FACTOR = 2.5  # of support when features are ranked: tuned, docs/internals/search.md
RANKED_LIMIT = 12.0  # beyond it the search, which knows about redundancy, decides between strong features


class Drawing(NamedTuple):
    """How features are drawn, by what is known of them."""

    weight: float
    """How much the effects count in the ranking."""
    drawn_by: FloatArray
    """Scores that decide how often features are drawn."""
    cut: float
    """Features with this score are drawn as often as not."""
    theta: FloatArray
    """The probabilities."""


class EffectSearch:
    """Draws features by their effect in standard errors, to which prior support is added; with ask and tell.

    A feature's score is ``weight * z + support``, where z is its effect over the standard error. The weight is the
    square of how much of the effects is not noise (see `effect_share`). A feature is drawn with the probability that a
    score with a normal error of 1 is above the cut, and the cut is where the expected cost of a mask is the budget.
    Support is bent towards `DRAWN_LIMIT` for the draw. In the final ranking it counts more, and effects count only as
    far as the values are above chance (see `chance_share`): a search that starts at chance can still leave it. As far
    as effects do not count there, `tails` replaces `support`: positives that form no clusters are often outliers.

    Parameters
    ----------
    support : ndarray of shape (n_features,)
        Prior evidence for each feature, in standard errors; zeros for none.
    costs : ndarray of shape (n_features,)
    budget : float
        Expected cost of a mask.
    population_size : int
        Masks per ask.
    margin : float
        Probabilities stay within [margin, 1 - margin].
    rng : numpy.random.Generator
        Belongs to the state: it is saved and restored with it.
    tails : ndarray of shape (n_features,), optional
        Prior evidence for each feature from the tails of its column; `support` by default.
    """

    def __init__(
        self,
        support: FloatArray,
        costs: FloatArray,
        budget: float,
        population_size: int,
        margin: float,
        rng: np.random.Generator,
        tails: FloatArray | None = None,
    ) -> None:
        self.support = np.asarray(support, dtype=np.float64)
        self.tails = self.support if tails is None else tails
        self.costs = costs
        self.budget = budget
        self.population_size = population_size
        self.margin = margin
        self.rng = rng
        self.gain = np.zeros(len(self.support))
        """Sum of the utilities of the masks with a feature, less their mean in the step."""
        self.variance = np.zeros(len(self.support))
        """Variance of `gain` if the utilities were shuffled within each step."""
        self.compared = np.zeros(4)
        """Number of values that were compared with chance, their sum, and the sums of chance and of its squares."""

    def ask(self) -> BoolArray:
        """Draw masks ~ Bernoulli(theta), shape (population_size, n_features)."""
        return np.asarray(self.rng.random((self.population_size, len(self.theta))) < self.theta)

    def tell(self, masks: BoolArray, values: FloatArray, chance: FloatArray | None = None) -> None:
        """Add the masks of a step (as evaluated, after repair) to the regression; higher values are better.

        `chance` has what the values could have been with random labels, NaN where that is unknown.
        """
        if chance is not None:
            known = np.isfinite(chance)
            drawn = chance[known]
            self.compared = self.compared + np.array([len(drawn), values[known].sum(), drawn.sum(), drawn @ drawn])
        utility = rank_utilities(values)
        centred = masks - masks.mean(axis=0)
        self.gain = self.gain + utility @ centred
        self.variance = self.variance + (utility @ utility) * (centred**2).sum(axis=0) / (len(masks) - 1)
        self._forget_drawing()

    @property
    def effects(self) -> FloatArray:
        """Effect of each feature in standard errors, less the median; 0 for a feature that was never varied."""
        error = np.sqrt(self.variance)
        z = np.divide(self.gain, error, out=np.zeros(len(error)), where=error > 0)
        return np.asarray(z - np.median(z)) if len(z) else z

    @property
    def decided(self) -> BoolArray:
        """Whether the score of each feature is `DECIDED` standard errors above or below the cut."""
        return np.asarray(np.abs(self.drawing.drawn_by - self.drawing.cut) >= DECIDED)

    def exchange(self, costs: FloatArray, support: FloatArray, tails: FloatArray, places: IntArray) -> None:
        """Replace costs and evidence of all features; what was learnt about those at `places` is forgotten."""
        self.costs, self.support, self.tails = costs, support, tails
        self.gain, self.variance = self.gain.copy(), self.variance.copy()
        self.gain[places] = self.variance[places] = 0.0
        self._forget_drawing()

    def state(self) -> State:
        """Return everything that changes during a search, the random generator included."""
        sums = {"gain": self.gain, "variance": self.variance, "compared": self.compared}
        return {**sums, "rng": self.rng.bit_generator.state}

    def restore(self, state: State) -> None:
        """Return to a saved state; raise an error if it is damaged."""
        self.gain = read_array(state, "gain", self.gain.shape, -np.inf, np.inf)
        self.variance = read_array(state, "variance", self.variance.shape, 0, np.inf)
        self.compared = read_array(state, "compared", self.compared.shape, 0, np.inf)
        self.rng.bit_generator.state = state["rng"]
        self._forget_drawing()

    def _forget_drawing(self) -> None:
        self.__dict__.pop("drawing", None)

    @cached_property
    def drawing(self) -> Drawing:
        """What follows from the effects so far, found when it is asked for."""
        effects = self.effects
        share = min(self.budget / self.costs.sum(), 1.0) if len(effects) else 1.0
        signal = effect_share(effects, share) ** 2
        weight = signal * chance_share(*self.compared)
        drawn_by = signal * effects + self.drawn_support
        cut = cut_at(drawn_by, self.costs, self.budget)
        return Drawing(
            weight if weight >= LEAST_WEIGHT or not self.support.any() else 0.0,
            drawn_by,
            cut,
            np.clip(ndtr(drawn_by - cut), self.margin, 1 - self.margin),
        )

    @property
    def theta(self) -> FloatArray:
        """Probability of each feature."""
        return self.drawing.theta

    @property
    def weight(self) -> float:
        """How much the effects count in the ranking."""
        return self.drawing.weight

    @property
    def drawn_support(self) -> FloatArray:
        """Support as it counts when masks are drawn."""
        return bent(self.support, DRAWN_LIMIT)

    @property
    def scores(self) -> FloatArray:
        """What features are ranked by."""
        return self.ranked_by(self.ranked_support)

    @property
    def ranked_support(self) -> FloatArray:
        """Support as it counts in the ranking, before it is bent."""
        by_support = self.weight if self.variance.any() else 1.0  # before the first step nothing speaks for tails
        return np.asarray(by_support * self.support + (1 - by_support) * self.tails)

    def ranked_by(self, support: FloatArray) -> FloatArray:
        """Return what features are ranked by with the support given."""
        return self.weight * self.effects + bent(RANKED_FACTOR * support, RANKED_LIMIT)


def bent(support: FloatArray, limit: float) -> FloatArray:
    """Return the support, bent so that it stays below a limit."""
    return np.asarray(limit * np.tanh(support / limit))


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


def chance_share(n_values: float, total: float, chance_total: float, chance_squares: float) -> float:
    """Return how far values are above chance: z^2 / (1 + z^2), z their mean excess in standard deviations of chance.

    0 if they are not above chance, 1 if nothing was compared.

    Examples
    --------
    >>> chance_share(2, 13.0, 5.0, 13.0)  # values with mean 6.5; by chance 2 and 3
    0.9846153846153847
    """
    if n_values < 2:
        return 1.0
    excess = (total - chance_total) / n_values
    variance = max(0.0, chance_squares / n_values - (chance_total / n_values) ** 2)
    return float(excess**2 / (variance + excess**2)) if excess > 0 else 0.0


def cut_at(scores: FloatArray, costs: FloatArray, budget: float) -> float:
    """Return the cut at which features drawn with probability ndtr(score - cut) cost the budget on average.

    Examples
    --------
    >>> round(cut_at(np.array([-2.0, 2.0]), np.ones(2), 1.0), 6) + 0.0
    0.0
    """
    if not len(scores):
        return 0.0
    low, high = float(scores.min()) - 9.0, float(scores.max()) + 9.0

    def excess(cut: float) -> float:
        return float(ndtr(scores - cut) @ costs - budget)

    while excess(high) > 0:  # the cheapest and the most expensive feature may be many orders of magnitude apart
        high += high - low
        if high - low > 1e4:
            return high
    return float(brentq(excess, low, high)) if excess(low) > 0 else low
