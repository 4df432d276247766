"""What an engine is told that does whole steps of searches by effects, and what it answers.

The first to do so is `puselect.engines.gpu.steps`; here is only what needs no device.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines.sample import Samples

MANY_STEPS = 256  # of all searches, from which on loading compiled code pays


@dataclass(frozen=True)
class Rules:
    """What all searches of a group have in common."""

    n_taken: int
    """Features in a mask, of the free ones."""
    n_expected: float
    """The budget over the cost of a feature: how many are drawn on average."""
    n_affordable: float
    """The same with the slack that a repair has."""
    free: IntArray
    """Columns of the free features."""
    kept: IntArray
    """Columns that are in every mask."""
    n_masks: int
    """Masks per step."""
    margin: float
    decided: float
    """Standard errors from the cut at which a feature is decided."""
    smoothing: float
    chance_mean: float
    """Mean of the largest effects if all were noise."""
    n_tail: int
    """How many effects count as the largest."""
    wants_most: bool
    """Whether more than half of the features are wanted: then the smallest effects are looked at instead."""
    fewest_steps: int
    """Before a search may be over."""

    @property
    def width(self) -> int:
        """Columns of a mask."""
        return self.n_taken + len(self.kept)


class Draws(NamedTuple):
    """The random numbers of a chunk of steps of all searches."""

    uniform: FloatArray
    """Shape (n_steps, n_searches, n_masks, n_free)."""
    clocks: FloatArray
    """Shape (n_steps, n_searches, 2, n_masks, n_free)."""
    start: NDArray[np.int64]
    """Rows that clusters start from, shape (n_steps, n_searches, n_clusters)."""
    rows: NDArray[np.int64] | None
    """Rows used, shape (n_steps, n_searches, n_rows); None for all."""
    weight: FloatArray
    """Rows that each unlabelled row stands for, shape (n_steps, n_searches)."""

    def of_first(self, n_steps: int) -> "Draws":
        """Return those of the first steps."""
        uniform, clocks, start, rows, weight = self
        sampled = None if rows is None else rows[:n_steps]
        return Draws(uniform[:n_steps], clocks[:n_steps], start[:n_steps], sampled, weight[:n_steps])

    def draw(self, rng: np.random.Generator, search: int) -> None:
        """Draw masks and clocks of a search, step by step as `puselect.search.Search.draw` does."""
        uniform, clocks = self.uniform[:, search], self.clocks[:, search]
        if self.weight.size < MANY_STEPS:
            for step in range(len(uniform)):
                rng.random(out=uniform[step])
                rng.standard_exponential(out=clocks[step])
            return
        from puselect.engines.random_kernel import draw_steps  # compiled code is loaded only when it pays

        draw_steps(rng, uniform, clocks)


class Chunk(NamedTuple):
    """What happened in a chunk of steps."""

    theta: FloatArray
    """Probabilities after each step, shape (n_steps, n_searches, n_free)."""
    values: FloatArray
    """Scores of the masks, shape (n_steps, n_searches, n_masks)."""
    size: FloatArray
    """Rows in the clusters of the first mask, shape (n_steps, n_searches, n_clusters)."""
    positive: FloatArray
    """Labelled rows in them."""
    settled: FloatArray
    """Shape (n_steps, n_searches)."""
    n_degenerate: FloatArray
    """Shape (n_steps, n_searches)."""
    is_done: NDArray[np.bool_]
    """Whether a search did the step: it was not over before. Shape (n_steps, n_searches)."""
    gain: FloatArray
    """What was learnt by the last step, shape (n_searches, n_free); see `EffectSearch`."""
    variance: FloatArray
    goes_on: BoolArray
    """Whether a search is not over after the chunk, shape (n_searches,)."""


class EffectStepper(Protocol):
    """Searches by effects whose steps are done by an engine."""

    def begin(
        self,
        slots: IntArray,
        targets: IntArray,
        gain: FloatArray,
        variance: FloatArray,
        support: FloatArray,
        done: IntArray,
        most: IntArray,
        may_stop: BoolArray,
    ) -> None:
        """Let searches go on from what was learnt so far, after so many steps of at most so many.

        All arguments have a line for each of these searches: its slot, the number of its label vector, what it has
        learnt, and what is added to the weighted effects when masks are drawn.
        """
        ...

    def launch(self, draws: Draws) -> None:
        """Start a chunk of steps; may return before they are done."""
        ...

    def collect(self, n_steps: int) -> Chunk:
        """Wait for a chunk of `n_steps`, and return what happened."""
        ...


class SteppingEngine(Protocol):
    """An engine that can do whole steps."""

    n_clusters: int
    max_samples: int | None

    def most_searches(self, rules: Rules) -> int:
        """Return for how many searches at once this engine can do whole steps; 0 if it cannot."""
        ...

    def effect_steps(self, rules: Rules, n_slots: int, n_steps: int) -> EffectStepper:
        """Return slots for so many searches, and chunks of so many steps at most."""
        ...

    def samples(self, seeds: IntArray, targets: IntArray) -> Samples:
        """Return the rows used with each of many seeds and label vectors, and where clusters start."""
        ...
