"""A distribution over masks that moves towards better ones (Algorithm 2).

Information-geometric optimisation of independent Bernoulli variables: with two masks a step it is the compact genetic
algorithm of Uchikoshi & Akimoto (GECCO 2025); see Ollivier et al., JMLR 18 (2017), for the theory.
"""

from dataclasses import dataclass

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.draws import Stream, uniforms
from puselect.search.checkpoint import State
from puselect.search.loop import rank_utilities
from puselect.search.repair import Repair, draw_clocks

EDGE = 0.1


@dataclass
class BernoulliIGO:
    """Independent Bernoulli variables with ask and tell; never sees the function it maximises."""

    theta: FloatArray
    """Probabilities of the features, within the margins."""
    population_size: int
    """Masks per ask."""
    learning_rate: float
    """Theta changes by this times the utility-weighted sum of the masks over half of their number; for two masks that
    is the paper's update."""
    margin: float
    """Probabilities stay within [margin, 1 - margin]."""
    repair: Repair
    seed: int

    def __post_init__(self) -> None:
        self.theta = np.clip(np.asarray(self.theta, dtype=np.float64), self.margin, 1 - self.margin)

    def ask(self, step: int) -> BoolArray:
        """Draw masks ~ Bernoulli(theta) and repair them, shape (population_size, n_features)."""
        mask, feature = np.arange(self.population_size)[:, None], np.arange(len(self.theta))
        drawn = uniforms(self.seed, Stream.MASKS, step, mask, feature) < self.theta
        return self.repair.repaired(drawn, draw_clocks(len(drawn), self.theta, self.seed, step))

    def tell(self, masks: BoolArray, values: FloatArray) -> None:
        """Move theta towards the better of `masks`; higher values are better."""
        gradient = rank_utilities(values) @ masks / (len(masks) / 2)
        self.theta = np.clip(self.theta + self.learning_rate * gradient, self.margin, 1 - self.margin)

    @property
    def scores(self) -> FloatArray:
        """Scores that rank the features."""
        return self.theta

    @property
    def decided(self) -> BoolArray:
        """Whether each probability is 0.1 or less, or 0.9 or more (or at a wider margin)."""
        edge = max(EDGE, self.margin)
        return np.asarray((self.theta <= edge) | (self.theta >= 1 - edge))

    def state(self) -> State:
        return {"theta": self.theta}

    def restore(self, state: State) -> None:
        self.theta = state["theta"]
