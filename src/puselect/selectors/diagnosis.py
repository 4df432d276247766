"""Cells of a table that are no finite numbers: messages about faults, medians in place of missing values."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.exceptions import MissingValuesWarning
from puselect.labels import is_missing
from puselect.phrases import counted, shortened

KINDS = ("text", "dates", "infinite values")


def column_faults(X: Any) -> str:
    """Return a sentence that names the columns of a data frame that are not finite numbers; "" if there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> print(column_faults(pd.DataFrame({"age": [3, None], "city": ["Rome", "Oslo"]})))
    X must hold finite numbers, got text in 'city'; use puselect.prepare(X, y) first
    """
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        return "X is a polars LazyFrame, which has no rows yet; call X.collect() first"
    if (names := frame_names(X)) is None:
        return ""
    kinds = {str(name): _fault(np.asarray(X[name])) for name in names}
    found = [f"{kind} in {shortened([repr(name) for name in kinds if kinds[name] == kind])}" for kind in KINDS
             if kind in kinds.values()]
    if not found:
        return ""
    return f"X must hold finite numbers, got {'; '.join(found)}; use puselect.prepare(X, y) first"


def frame_names(X: Any) -> Sequence[Any] | None:
    """Return the names of the columns of a data frame, or of a table of pyarrow; None for anything else."""
    if not hasattr(X, "__getitem__"):
        return None
    return getattr(X, "column_names", getattr(X, "columns", None))


def check_frame(X: Any) -> None:
    """Raise a ValueError if columns of a data frame share their name, or hold dates that NumPy takes for numbers."""
    if hasattr(X, "collect") or (names := frame_names(X)) is None:
        return
    repeated = [repr(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(f"X must have a different name for each column, got several named {shortened(repeated)}")
    schema = getattr(X, "schema", None)  # of polars
    if isinstance(schema, Mapping) and any(str(kind).startswith(("Date", "Time")) for kind in schema.values()):
        raise ValueError(column_faults(X))


def _fault(values: AnyArray) -> str:
    """Return the fault of the values of a column."""
    if values.dtype.kind in "mM":
        return "dates"
    if values.dtype.kind not in "fiub":
        try:
            values = np.array([np.nan if is_missing(value) else float(value) for value in values.tolist()])
        except (TypeError, ValueError):
            return "dates" if any(hasattr(value, "month") or hasattr(value, "hour") for value in values) else "text"
    return "infinite values" if np.isinf(values).any() else ""


MOST_ROWS = 10_000


def column_medians(table: AnyArray) -> FloatArray:
    """Return the median of the cells of each column that are not missing; 0 if all of them are.

    Where no cell of a column is missing, the median of `MOST_ROWS` evenly spaced rows is taken.

    Examples
    --------
    >>> column_medians(np.array([[1.0, 3.0, np.nan], [np.nan, 4.0, np.nan], [4.0, 5.0, np.nan]]))
    array([2.5, 4. , 0. ])
    """
    medians = _median(table[:: -(-len(table) // MOST_ROWS)])
    for column in _incomplete_columns(table):
        present = table[~np.isnan(table[:, column]), column]
        medians[column] = _median(present) if len(present) else 0.0
    return medians


def filled(table: AnyArray, medians: FloatArray) -> AnyArray:
    """Return the table with medians in place of its missing cells; as it came if there are none."""
    incomplete = _incomplete_columns(table)
    if not len(incomplete):
        return table
    whole = table.copy()
    for column in incomplete:
        whole[np.isnan(whole[:, column]), column] = medians[column]
    return whole


def warn_of_missing(table: AnyArray, names: Sequence[object]) -> None:
    """Warn if cells are missing, and name their columns."""
    incomplete = _incomplete_columns(table)
    if len(incomplete):
        n_cells = sum(int(np.isnan(table[:, column]).sum()) for column in incomplete)
        warnings.warn(
            f"{counted(n_cells, 'missing value')} in {shortened([repr(names[column]) for column in incomplete])}: the "
            "median of the column stands in for them; puselect.prepare(X, y) can make features of what is missing",
            MissingValuesWarning,
            stacklevel=4,
        )


def _incomplete_columns(table: AnyArray) -> IntArray:
    return np.flatnonzero(np.isnan(table.min(axis=0)))


def _median(values: AnyArray) -> FloatArray:
    return np.asarray(2 * np.median(values / 2, axis=0))  # halves: the sum of two large values could overflow
