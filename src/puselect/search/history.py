"""The record of a search, bounded in memory."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import FloatArray

MOST_RECORDS = 1024


class History(NamedTuple):
    """What happened, at evenly spaced steps."""

    step: NDArray[np.int64]
    """Steps done at each record, shape (n_records,)."""
    theta: FloatArray
    """Probabilities after the step, shape (n_records, n_features)."""
    value: FloatArray
    """Mean objective of the step's masks, shape (n_records,)."""
    best: FloatArray
    """Best objective of any mask so far, shape (n_records,)."""


class Recorder:
    """Keeps every step until `MOST_RECORDS`, then every second, every fourth, ... so that memory stays bounded."""

    def __init__(self) -> None:
        self.stride = 1
        self.best = -np.inf
        self.rows: list[tuple[int, FloatArray, float, float]] = []

    def add(self, step: int, theta: FloatArray, values: FloatArray) -> None:
        """Record one step."""
        self.best = max(self.best, float(values.max()))
        if step % self.stride:
            return
        self.rows.append((step, theta.copy(), float(values.mean()), self.best))
        if len(self.rows) > MOST_RECORDS:
            self.stride *= 2
            self.rows = [row for row in self.rows if row[0] % self.stride == 0]

    def history(self) -> History:
        """Return the record as arrays."""
        steps, thetas, values, bests = zip(*self.rows, strict=True) if self.rows else ((), (), (), ())
        return History(
            np.array(steps, dtype=np.int64),
            np.array(thetas, dtype=np.float64),
            np.array(values, dtype=np.float64),
            np.array(bests, dtype=np.float64),
        )

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on recording."""
        return {"stride": self.stride, "best": self.best, "rows": self.history()._asdict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a saved state."""
        self.stride, self.best = state["stride"], state["best"]
        step, theta, value, best = (state["rows"][name] for name in History._fields)
        self.rows = list(zip(step.tolist(), theta, value.tolist(), best.tolist(), strict=True))
