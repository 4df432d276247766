"""The course of a search, thinned to what a picture can show."""

from typing import Any

import numpy as np

from puselect.report.selection import SearchRecord
from puselect.selectors.budget import searched_columns
from puselect.selectors.settings import margin

MOST_POINTS = 160
MOST_TRACKS = 300


def search_record(selector: Any) -> SearchRecord:
    """Return the history of a fitted search, at most `MOST_POINTS` records of the `MOST_TRACKS` best features."""
    history = selector.history_
    free = searched_columns(selector)
    theta = history.theta.reshape(len(history.step), len(free))
    kept = np.unique(np.linspace(0, max(len(theta) - 1, 0), MOST_POINTS).round().astype(int))[: len(theta)]
    edge = max(0.1, margin(selector, max(len(free), 1)))
    settled = ((theta <= edge) | (theta >= 1 - edge)).mean(axis=1)
    best = np.argsort(selector.ranking_[free])[:MOST_TRACKS]
    return SearchRecord(
        step=tuple(history.step[kept].tolist()),
        masks_per_step=int(selector.population_size),
        theta=tuple(tuple(theta[kept, i].round(3).tolist()) for i in best),
        columns=tuple(free[best].tolist()),
        value=tuple(_finite(history.value[kept])),
        best=tuple(_finite(history.best[kept])),
        settled=tuple(settled[kept].round(4).tolist()),
        n_iter=int(selector.n_iter_),
        converged=float(selector.settled_),
        n_degenerate=int(selector.n_degenerate_),
    )


def _finite(values: np.ndarray[Any, Any]) -> list[float | None]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]
