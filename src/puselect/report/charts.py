"""What the charts of a report draw: the course of the search, and the map of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puselect.fscpu.final_clusters import Candidates
from puselect.fscpu.projection import LABELLED, principal_axes, row_kinds
from puselect.report.quality import count_near_cut, follows_effects
from puselect.report.selection import EFFECTS, IGO, SearchRecord, View
from puselect.selectors.base import PUSelector
from puselect.selectors.groups import selected_groups

MOST_STEPS, MOST_TRACKS = 160, 300  # of the search
MOST_POINTS = 3000  # on the map


def search_record(selector: PUSelector) -> SearchRecord:
    """Return the history of a search: at most `MOST_STEPS` steps of the `MOST_TRACKS` best features."""
    history, by_effects = selector.history_, follows_effects(selector)
    free = selector.searched_
    theta = history.theta.reshape(len(history.step), len(free))
    kept = np.unique(np.linspace(0, max(len(theta) - 1, 0), MOST_STEPS).round().astype(int))[: len(theta)]
    best = np.argsort(selector.ranking_[free])[:MOST_TRACKS]
    return SearchRecord(
        step=tuple(history.step[kept].tolist()),
        masks_per_step=max(int(selector.n_evaluations_) // max(int(selector.n_iter_), 1), 1),
        theta=tuple(tuple(theta[kept, i].round(3).tolist()) for i in best),
        columns=tuple(free[best].tolist()),
        value=tuple(_finite(history.value[kept])),
        best=tuple(_finite(history.best[kept])),
        settled=tuple(history.settled[kept].round(4).tolist()),
        n_iter=int(selector.n_iter_),
        converged=bool(selector.converged_),
        settled_share=float(selector.settled_),
        n_degenerate=int(selector.n_degenerate_),
        optimizer=EFFECTS if by_effects else IGO,
        n_near_cut=count_near_cut(selector) if by_effects else 0,
    )


def _finite(values: np.ndarray[Any, Any]) -> list[float | None]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]


def row_map(
    selector: PUSelector,
    table: NDArray[Any],
    positive: NDArray[np.bool_] | None,
    found: Candidates | None,
    names: NDArray[Any],
) -> View:
    """Return rows of the selected columns in their first two principal components.

    The components are those of all rows. Of more than `MOST_POINTS` rows a sample is shown, in which labelled rows and
    candidates take up to a third each.
    """
    kind = row_kinds(len(table), positive, found)
    groups = selected_groups(getattr(selector, "groups_", {}), selector.support_)
    points, explained = principal_axes(table[:, selector.support_], groups)
    rows = _some_rows(kind)
    return View(
        x=tuple(points[rows, 0].round(4).tolist()),
        y=tuple(points[rows, 1].round(4).tolist()),
        row=tuple(names[rows].tolist()),
        kind=tuple(kind[rows].tolist()),
        explained=tuple(explained.round(4).tolist()),
        n_rows=len(table),
    )


def _some_rows(kind: NDArray[Any]) -> NDArray[np.intp]:
    """Return at most `MOST_POINTS` rows in random order, the same for the same table.

    Labelled rows come first; of the others, candidates are in proportion.
    """
    rng = np.random.default_rng(0)
    labelled = rng.permutation(np.flatnonzero(kind == LABELLED))[: MOST_POINTS // 2]
    others = rng.permutation(np.flatnonzero(kind != LABELLED))[: MOST_POINTS - len(labelled)]
    return rng.permutation(np.concatenate([labelled, others]))
