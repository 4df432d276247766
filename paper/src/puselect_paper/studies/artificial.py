"""What is measured on artificial data: recall, convergence of the probabilities, the objective by both rules."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.clustering import make_engine
from puselect.datasets import make_pu_clusters
from puselect.evaluation import feature_recall
from puselect.evaluation.holdout import Fitted
from puselect.fscpu.settings import Settings
from puselect.methods import METHODS
from puselect.objective.score import best_clusters
from puselect.scaling import fit_scaling
from puselect_paper.studies.cells import Assignment, Cell, JSONObject, journal_values

MOST_RECORDS = 80
N_MASKS = 200


class Artificial(NamedTuple):
    """A data set whose relevant features are known."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    relevant: NDArray[np.bool_]


def draw(cell: Cell) -> Artificial:
    """Return the data set of the cell; all methods with one seed get the same one."""
    return Artificial(*make_pu_clusters(**cell.data, random_state=cell.seed))


def assign_recall(cell: Cell) -> Assignment:
    """Ask for as many features as are relevant; the answer is worth the share of those among them (FSR)."""
    data = draw(cell)
    return _assignment(data, lambda selection: _recall_values(selection, data))


def assign_convergence(cell: Cell) -> Assignment:
    """Ask for the same; the values also tell how the probabilities of the features moved, at evenly spaced steps."""
    data = draw(cell)
    return _assignment(data, lambda selection: _convergence_values(cell, selection, data))


def measure_objective(cell: Cell) -> JSONObject:
    """Return the score of random masks by the exact and by the printed rule, from the same clusterings.

    The masks hold half of the features and any number of relevant ones, so that they span the range of a search.
    """
    data = draw(cell)
    selector = METHODS[cell.method](int(data.relevant.sum()), random_state=cell.seed, **cell.settings)
    masks = _masks_of_all_grades(data.relevant, np.random.default_rng(cell.seed))
    positive = data.y == 1
    settings = Settings.of(selector.get_params(deep=False))
    X = data.X if settings.scale is None else fit_scaling(settings.scale, data.X).scale(data.X, np.float32)
    engine = make_engine("cpu", X, positive, settings.mixture)
    table = engine.cluster(masks, np.arange(len(masks)))
    names, smoothing = {"printed": "greedy", "exact": "best"}, settings.preset.smoothing
    found = {name: best_clusters(table.size, table.positive, choice, smoothing) for name, choice in names.items()}
    return {name: np.round(best.score, 6).tolist() for name, best in found.items()}


def _assignment(data: Artificial, judge: Callable[[Fitted], JSONObject]) -> Assignment:
    return Assignment(data.X, data.y, int(data.relevant.sum()), judge)


def _recall_values(selection: Fitted, data: Artificial) -> JSONObject:
    return {"fsr": feature_recall(selection.support, data.relevant), **journal_values(selection)}


def _convergence_values(cell: Cell, selection: Fitted, data: Artificial) -> JSONObject:
    if selection.selector is None or not hasattr(selection.selector, "history_"):
        raise ValueError(f"convergence needs a method that searches, got {cell.method!r}")
    history = selection.selector.history_
    kept = np.unique(np.linspace(0, len(history.step) - 1, MOST_RECORDS).astype(int))
    return {
        **_recall_values(selection, data),
        "evaluations": (history.step[kept] * selection.selector.n_evaluations_ // selection.selector.n_iter_).tolist(),
        "theta": np.round(history.theta[kept], 3).tolist(),
        "relevant": np.flatnonzero(data.relevant).tolist(),
    }


def _masks_of_all_grades(relevant: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return masks of as many features as are relevant; how many of them are relevant is uniform."""
    inside, outside = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    k = len(inside)
    masks = np.zeros((N_MASKS, len(relevant)), dtype=bool)
    for mask in masks:
        n_found = int(rng.integers(max(0, k - len(outside)), k + 1))
        mask[rng.permutation(inside)[:n_found]] = True
        mask[rng.permutation(outside)[: k - n_found]] = True
    return masks
