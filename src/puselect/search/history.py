"""The history of a search, bounded in memory."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import FloatArray
from puselect.search.checkpoint import LARGEST_COUNT, read_array, read_count

MOST_RECORDS = 1024


class History(NamedTuple):
    """The course of a search, at evenly spaced steps."""

    step: NDArray[np.int64]
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
        """Record one step."""
        self.best = max(self.best, float(values.max()))
        if step % self.stride:
            return
        self.rows.append((step, theta.copy(), float(values.mean()), self.best, settled))
        if len(self.rows) > MOST_RECORDS:
            self.stride *= 2
            self.rows = [row for row in self.rows if row[0] % self.stride == 0]

    def history(self) -> History:
        """Return the records as arrays."""
        steps, thetas, *rest = zip(*self.rows, strict=True) if self.rows else ((),) * 5
        value, best, settled = (np.array(part, dtype=np.float64) for part in rest)
        return History(np.array(steps, dtype=np.int64), np.array(thetas, dtype=np.float64), value, best, settled)

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on recording."""
        return {"stride": self.stride, "best": self.best, "rows": self.history()._asdict()}

    def restore(self, state: dict[str, Any], n_features: int) -> None:
        """Return to a saved state; raise an error if it is damaged."""
        self.stride, self.best = max(read_count(state, "stride"), 1), float(state["best"])
        rows, n = state["rows"], len(state["rows"]["step"])
        step = read_array(rows, "step", (n,), 1, LARGEST_COUNT)
        theta = read_array(rows, "theta", (n, n_features) if n else (0,), 0, 1)
        value, best = (read_array(rows, name, (n,), -np.inf, np.inf) for name in ("value", "best"))
        settled = read_array(rows, "settled", (n,), 0, 1)
        columns = (step.tolist(), theta, value.tolist(), best.tolist(), settled.tolist())
        self.rows = list(zip(*columns, strict=True))
