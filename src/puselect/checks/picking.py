"""Columns that tell which rows were inspected, not which of them were positive."""

from typing import NamedTuple

import numpy as np

from puselect.selectors.result import FitResult


class PickedColumn(NamedTuple):
    """A column by which rows were picked for inspection, and which says nothing about the class."""

    column: int
    name: str
    is_selected: bool


def find_picked(result: FitResult) -> list[PickedColumn]:
    """Return the columns that say how rows were picked; none where no rows were checked and found negative."""
    picked = None if result.evidence is None else result.evidence.picked
    if picked is None:
        return []
    columns = np.flatnonzero(picked).tolist()
    return [PickedColumn(column, result.names[column], bool(result.support[column])) for column in columns]
