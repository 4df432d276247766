"""What a cell asks of a method, and what its answer is worth."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from puselect.arrays import AnyArray
from puselect.evaluation.holdout import Fitted
from puselect_paper.studies.cells import JSONObject


class Assignment(NamedTuple):
    """What a cell asks of a method, and what its answer is worth."""

    X: AnyArray
    y: AnyArray
    k: int
    """How many features to select."""
    judge: Callable[[Fitted], JSONObject]
    """Returns the values of the cell."""
    settings: Mapping[str, object] = {}
    """Of the method, beside those of the cell."""


def journal_values(fitted: Fitted) -> JSONObject:
    """Return what the journal keeps of a selection."""
    values: dict[str, object] = {"selected": np.flatnonzero(fitted.support).tolist()}
    if fitted.seconds is not None:
        values["fit_seconds"] = fitted.seconds
    selector = fitted.selector
    if selector is not None and hasattr(selector, "n_iter_") and hasattr(selector, "objective_"):
        values["steps"] = int(selector.n_iter_)
        values["objective"] = float(selector.objective_)
        values["converged"] = float(selector.settled_)
        values["undecided"] = float(np.mean((selector.probabilities_ > 0.1) & (selector.probabilities_ < 0.9)))
    return values
