"""Running searches: ask, repair, evaluate, tell; several of them in lockstep, each with its history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.draws import Stream, hashes
from puselect.search.checkpoint import State
from puselect.search.repair import Repair

MOST_RECORDS = 1024

Evaluate = Callable[[BoolArray, IntArray, IntArray], FloatArray]
"""(masks, seeds, targets) -> criteria of shape (n_masks, n_criteria); higher is better."""


class History(NamedTuple):
    """The course of a search, at evenly spaced steps."""

    step: IntArray
    """Steps done at each record, shape (n_records,)."""
    theta: FloatArray
    """Probabilities after the step, shape (n_records, n_features)."""
    value: FloatArray
    """Mean objective of the step's masks, shape (n_records,)."""
    best: FloatArray
    """Best objective of any mask so far, shape (n_records,)."""
    settled: FloatArray
    """How far the search has settled, 0 to 1, shape (n_records,); see `Search.settled`."""


class Recorder:
    """Records every step until `MOST_RECORDS`, then every second, every fourth, ..."""

    def __init__(self) -> None:
        self.stride = 1
        self.best = -np.inf
        self.rows: list[tuple[int, FloatArray, float, float, float]] = []

    def add(self, step: int, theta: FloatArray, values: FloatArray, settled: float) -> None:
        self.best = max(self.best, float(values.max()))
        if step % self.stride:
            return
        self.rows.append((step, theta.copy(), float(values.mean()), self.best, settled))
        if len(self.rows) > MOST_RECORDS:
            self.stride *= 2
            self.rows = [row for row in self.rows if row[0] % self.stride == 0]

    def history(self) -> History:
        steps, thetas, *rest = zip(*self.rows, strict=True) if self.rows else ((),) * 5
        value, best, settled = (np.array(part, dtype=np.float64) for part in rest)
        return History(np.array(steps, dtype=np.int64), np.array(thetas, dtype=np.float64), value, best, settled)

    def state(self) -> State:
        return {"stride": self.stride, "best": self.best, "rows": self.history()._asdict()}

    def restore(self, state: State) -> None:
        self.stride, self.best = state["stride"], state["best"]
        step, theta, value, best, settled = History(**state["rows"])
        self.rows = list(zip(step.tolist(), theta, value.tolist(), best.tolist(), settled.tolist(), strict=True))


class Optimizer(Protocol):
    """A distribution over masks that learns from their values; `state` is everything that changes during a search."""

    repair: Repair
    seed: int

    @property
    def theta(self) -> FloatArray:
        """Probabilities of the features."""

    @property
    def scores(self) -> FloatArray:
        """Scores that rank the features."""

    @property
    def decided(self) -> BoolArray:
        """Features that are in or out for good."""

    def ask(self, step: int) -> BoolArray:
        """Return the masks of a step, within budget."""

    def tell(self, masks: BoolArray, values: FloatArray) -> None:
        """Learn from the values of masks; higher is better."""

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


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

    def state(self) -> State:
        return {"count": self.count, "mean": self.mean, "squares": self.squares}

    def restore(self, state: State) -> None:
        self.count, self.mean, self.squares = state["count"], state["mean"], state["squares"]


@dataclass
class Search:
    """One search: its distribution, its steps, its history. All random numbers come from the optimizer's seed."""

    optimizer: Optimizer
    target: int = 0
    """The engine's label vector that this search looks at."""
    n_criteria: int = 1
    """If more than one, each is divided by its standard deviation over the search and they are added up."""
    step: int = 0
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.scale = RunningScale(self.n_criteria)

    @property
    def seed(self) -> int:
        """Seed of the coming step, shared by its masks."""
        return int(hashes(self.optimizer.seed, Stream.STEP_SEEDS, self.step) >> np.uint64(32))

    @property
    def settled(self) -> float:
        """How far the search has settled, from 0 to 1.

        The share of decided features is not enough where few of many are wanted, as all probabilities are low from the
        start: the result is the smaller of this share and of the share of the budget that decided features spend.
        """
        theta, decided = self.optimizer.theta, self.optimizer.decided
        if not len(theta):
            return 1.0
        return min(float(decided.mean()), self.optimizer.repair.share_spent(decided & (theta > 0.5)))

    def tell(self, masks: BoolArray, criteria: FloatArray) -> None:
        """Learn from the criteria of the masks."""
        values = criteria[:, 0]
        if self.n_criteria > 1:
            values = (criteria / self.scale.update(criteria)).sum(axis=1)
        self.optimizer.tell(masks, values)
        self.step += 1
        self.recorder.add(self.step, self.optimizer.theta, criteria[:, 0], self.settled)

    def state(self) -> State:
        """Return everything that a resumed search needs."""
        return {
            "seed": self.optimizer.seed,
            "step": self.step,
            "scale": self.scale.state(),
            "optimizer": self.optimizer.state(),
            "recorder": self.recorder.state(),
        }

    def restore(self, state: State) -> None:
        """Return to a saved state."""
        self.optimizer.seed, self.step = state["seed"], state["step"]
        self.scale.restore(state["scale"])
        self.optimizer.restore(state["optimizer"])
        self.recorder.restore(state["recorder"])


def rank_utilities(values: FloatArray) -> FloatArray:
    """Return utilities linear in rank, -1 for the worst to 1 for the best; equal values share their mean.

    Two values give +1 and -1, or 0 and 0 when equal: the sign of the difference.

    Examples
    --------
    >>> rank_utilities(np.array([3.0, 1.0, 2.0]))
    array([ 1., -1.,  0.])
    >>> rank_utilities(np.array([5.0, 5.0]))
    array([0., 0.])
    """
    worse = (values[:, None] > values).sum(axis=1)
    equal = (values[:, None] == values).sum(axis=1)
    return np.asarray((2 * worse + equal - 1) / (len(values) - 1) - 1)


def advance(searches: Sequence[Search], evaluate: Evaluate) -> None:
    """Do one step of every search, with one call of `evaluate` for all their masks."""
    batches = [search.optimizer.ask(search.step) for search in searches]
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
