"""The candidate hidden positives as a table, each row by the name its reader knows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puselect.report.selection import CandidateTable, Feature
from puselect.selectors.clusterings import Candidates

MOST_CANDIDATES = 5000
SHOWN_VALUES = 6


def row_names(X: Any, n_rows: int, wanted: ArrayLike | None = None) -> NDArray[Any]:
    """Return what each row is called: as wanted, or by the index of a data frame, or by its position.

    Examples
    --------
    >>> row_names([[0.5], [0.7]], 2)
    array([0, 1])
    """
    if wanted is None:
        index = getattr(X, "index", None)
        names = np.arange(n_rows) if index is None or callable(index) else np.asarray(index)
        return names if _can_name(names, n_rows) else np.arange(n_rows)
    names = np.asarray(wanted)
    if not _can_name(names, n_rows):
        came = f"{names.dtype} of shape {names.shape}"
        raise ValueError(f"row_numbers must name each of the {n_rows} rows by an integer or a string, got {came}")
    return names


def list_candidates(
    found: Candidates, table: NDArray[Any], features: Sequence[Feature], names: NDArray[Any]
) -> CandidateTable:
    """Return the most confident candidates with their values of the best selected features."""
    shown = [feature for feature in features if feature.selected][:SHOWN_VALUES]
    rows = found.rows[:MOST_CANDIDATES]
    values = table[rows][:, [feature.column for feature in shown]].astype(float)
    return CandidateTable(
        row=tuple(names[rows].tolist()),
        confidence=tuple(found.confidence[:MOST_CANDIDATES].round(4).tolist()),
        columns=tuple(feature.name for feature in shown),
        values=tuple(tuple(float(f"{value:.6g}") for value in row) for row in values),
        total=len(found.rows),
    )


def _can_name(names: NDArray[Any], n_rows: int) -> bool:
    is_text = names.dtype.kind == "U" or (names.dtype == object and all(isinstance(name, str) for name in names.flat))
    return names.shape == (n_rows,) and (names.dtype.kind in "iu" or is_text)
