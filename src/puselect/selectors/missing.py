"""Missing cells of a table: each becomes the median of its column."""

import warnings
from collections.abc import Sequence

import numpy as np

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.exceptions import MissingValuesWarning
from puselect.phrases import counted, shortened

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
