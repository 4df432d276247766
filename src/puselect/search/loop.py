"""Running searches: ask, repair, evaluate, tell; several of them in lockstep."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.search.history import History, Recorder
from puselect.search.igo import BernoulliIGO
from puselect.search.repair import Repair, draw_clocks

Evaluate = Callable[[BoolArray, IntArray, IntArray], FloatArray]
"""(masks, seeds, targets) -> criteria of shape (n_masks, n_criteria); higher is better."""


class RunningScale:
    """Standard deviations of criteria over all values seen so far (Welford); 1 where nothing varies yet."""

    def __init__(self, n_criteria: int) -> None:
        self.count = 0
        self.mean = np.zeros(n_criteria)
        self.squares = np.zeros(n_criteria)

    def update(self, criteria: FloatArray) -> FloatArray:
        """Take in new values (n_masks, n_criteria) and return the current standard deviations."""
        for row in criteria:
            self.count += 1
            step = row - self.mean
            self.mean = self.mean + step / self.count
            self.squares = self.squares + step * (row - self.mean)
        deviation = np.sqrt(self.squares / max(self.count, 1))
        return np.asarray(np.where(deviation > 0, deviation, 1.0))


class Search:
    """One search: its distribution, its chance, its record.

    Parameters
    ----------
    optimizer : BernoulliIGO
    repair : Repair
    entropy : int
        Step seeds come from (entropy, index, step), so that they do not depend on anything else.
    index : int
        Number of the search among those that share the entropy.
    target : int
        Which of the engine's label vectors this search looks at.
    n_criteria : int
        More than one: each is divided by its standard deviation over the search and they are added up.
    """

    def __init__(
        self,
        optimizer: BernoulliIGO,
        repair: Repair,
        entropy: int,
        index: int = 0,
        target: int = 0,
        n_criteria: int = 1,
    ) -> None:
        self.optimizer = optimizer
        self.repair = repair
        self.entropy = entropy
        self.index = index
        self.target = target
        self.step = 0
        self.scale = RunningScale(n_criteria)
        self.recorder = Recorder()

    @property
    def seed(self) -> int:
        """Seed of the coming step, shared by its masks."""
        sequence = np.random.SeedSequence(self.entropy, spawn_key=(self.index, self.step))
        return int(sequence.generate_state(1)[0])

    @property
    def theta(self) -> FloatArray:
        """Probabilities of the features."""
        return self.optimizer.theta

    @property
    def settled(self) -> float:
        """Share of the features whose probability is 0.1 or less, or 0.9 or more (or at a wider margin)."""
        if not len(self.theta):
            return 1.0
        edge = max(0.1, self.optimizer.margin)
        return float(np.mean((self.theta <= edge) | (self.theta >= 1 - edge)))

    def draw(self) -> tuple[BoolArray, FloatArray]:
        """Draw the masks of a step and the clocks that repair them."""
        masks = self.optimizer.ask()
        return masks, draw_clocks(len(masks), self.theta, self.optimizer.rng)

    def tell(self, masks: BoolArray, criteria: FloatArray) -> None:
        """Learn from the criteria (n_masks, n_criteria) of the masks."""
        values = criteria[:, 0]
        if criteria.shape[1] > 1:
            values = (criteria / self.scale.update(criteria)).sum(axis=1)
        self.optimizer.tell(masks, values)
        self.step += 1
        self.recorder.add(self.step, self.theta, criteria[:, 0])

    def history(self) -> History:
        """Return the record so far."""
        return self.recorder.history()

    def state(self) -> dict[str, Any]:
        """Return everything that a resumed search needs."""
        return {
            "entropy": self.entropy,
            "step": self.step,
            "scale": {"count": self.scale.count, "mean": self.scale.mean, "squares": self.scale.squares},
            "optimizer": self.optimizer.state(),
            "recorder": self.recorder.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a saved state."""
        self.entropy, self.step = state["entropy"], state["step"]
        for name, value in state["scale"].items():
            setattr(self.scale, name, value)
        self.optimizer.restore(state["optimizer"])
        self.recorder.restore(state["recorder"])


def ask(searches: Sequence[Search]) -> list[BoolArray]:
    """Draw the masks of a step of every search, within budget; searches with one repair are repaired together."""
    drawn = [search.draw() for search in searches]
    if any(search.repair is not searches[0].repair for search in searches):
        pairs = zip(searches, drawn, strict=True)
        return [search.repair.repaired(masks, clocks) for search, (masks, clocks) in pairs]
    masks = np.concatenate([masks for masks, _ in drawn])
    clocks = np.concatenate([clocks for _, clocks in drawn], axis=1)
    ends = np.cumsum([len(masks) for masks, _ in drawn])[:-1]
    return np.split(searches[0].repair.repaired(masks, clocks), ends)


def advance(searches: Sequence[Search], evaluate: Evaluate) -> None:
    """Do one step of every search, with one call of `evaluate` for all their masks."""
    batches = ask(searches)
    counts = [len(batch) for batch in batches]
    seeds = np.repeat([search.seed for search in searches], counts)
    targets = np.repeat([search.target for search in searches], counts)
    criteria = evaluate(np.concatenate(batches), seeds, targets)
    ends = np.cumsum(counts)[:-1]
    for search, batch, part in zip(searches, batches, np.split(criteria, ends), strict=True):
        search.tell(batch, part)


def run_searches(
    searches: Sequence[Search],
    evaluate: Evaluate,
    is_over: Callable[[Search], bool],
    after_step: Callable[[], bool] = lambda: False,
) -> None:
    """Run all searches in lockstep until each of them is over, or until `after_step` returns True."""
    while running := [search for search in searches if not is_over(search)]:
        advance(running, evaluate)
        if after_step():
            return
