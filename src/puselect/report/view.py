"""The selected space in two dimensions, thinned to what a picture can show."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puselect.report.selection import View
from puselect.selectors.clusterings import Candidates
from puselect.selectors.projection import CANDIDATE, LABELLED, UNLABELLED, principal_axes, row_kinds

MOST_POINTS = 3000


def draw_view(
    table: NDArray[Any], positive: NDArray[np.bool_] | None, found: Candidates | None, names: NDArray[Any]
) -> View:
    """Return rows of the selected columns in their first two principal components.

    The components are those of all rows; of a table with more than `MOST_POINTS` rows a sample is drawn, in which
    labelled rows and candidates may take up a third each. `names` says what each row is called.
    """
    kind = row_kinds(len(table), positive, found)
    points, explained = principal_axes(table)
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
    """Return at most `MOST_POINTS` rows in random order, the same for the same table."""
    rng = np.random.default_rng(0)
    marked = [rng.permutation(np.flatnonzero(kind == k))[: MOST_POINTS // 3] for k in (LABELLED, CANDIDATE)]
    left = MOST_POINTS - sum(map(len, marked))
    plain = rng.permutation(np.flatnonzero(kind == UNLABELLED))[:left]
    return rng.permutation(np.concatenate([plain, *marked]))
