"""What a cell asks of a method, and what its answer is worth."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.evaluation.holdout import Fitted


class Assignment(NamedTuple):
    """What a cell asks of a method, and what its answer is worth."""

    X: NDArray[Any]
    y: NDArray[Any]
    k: int
    """How many features to select."""
    judge: Callable[[Fitted], dict[str, Any]]
    """Returns the values of the cell."""
    settings: Mapping[str, Any] = {}
    """Of the method, beside those of the cell."""


def journal_values(fitted: Fitted) -> dict[str, Any]:
    """Return what the journal keeps of a selection."""
    values: dict[str, Any] = {"selected": np.flatnonzero(fitted.support).tolist()}
    if fitted.seconds is not None:
        values["fit_seconds"] = fitted.seconds
    selector = fitted.selector
    if selector is not None and hasattr(selector, "n_iter_") and hasattr(selector, "objective_"):
        values["steps"] = int(selector.n_iter_)
        values["objective"] = float(selector.objective_)
        values["converged"] = float(selector.settled_)
        values["undecided"] = float(np.mean((selector.probabilities_ > 0.1) & (selector.probabilities_ < 0.9)))
    return values
