"""What is measured on artificial data: recall of the relevant features, convergence of their probabilities."""

import numpy as np

from puselect.arrays import BoolArray
from puselect.datasets import make_pu_clusters
from puselect.evaluation import feature_recall
from puselect.evaluation.holdout import Fitted
from puselect_paper.studies.cells import Assignment, Cell, JSONObject, journal_values

MOST_RECORDS = 80


def assign_artificial(cell: Cell) -> Assignment:
    """Ask for as many features as are relevant; the answer is worth the share of those among them (FSR).

    All methods with one seed get the same data set.
    """
    X, y, relevant = make_pu_clusters(**cell.data, random_state=cell.seed)

    def values(selection: Fitted) -> JSONObject:
        found = {"fsr": feature_recall(selection.support, relevant), **journal_values(selection)}
        return {**found, **_path(cell, selection, relevant)} if cell.measure == "convergence" else found

    return Assignment(X, y, int(relevant.sum()), values)


def _path(cell: Cell, selection: Fitted, relevant: BoolArray) -> JSONObject:
    """Return how the probabilities of the features moved, at evenly spaced steps."""
    selector = selection.selector
    if selector is None or not hasattr(selector, "history_"):
        raise ValueError(f"convergence needs a method that searches, got {cell.method!r}")
    history = selector.history_
    kept = np.unique(np.linspace(0, len(history.step) - 1, MOST_RECORDS).astype(int))
    return {
        "evaluations": (history.step[kept] * selector.n_evaluations_ // selector.n_iter_).tolist(),
        "theta": np.round(history.theta[kept], 3).tolist(),
        "relevant": np.flatnonzero(relevant).tolist(),
    }
