"""Tables of which most values are equal within a column, such as word counts: only the other values are stored."""

from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from puselect.arrays import AnyArray, FloatArray
from puselect.scaling import Scaling

BLOCK = 2**17  # values scaled at a time


class SparseTable:
    """A table that is an offset for each column, plus a sparse matrix.

    Scaling moves the zeros of a sparse table to some other value, the same for all zeros of a column: the offset.
    `values` are differences from it.
    """

    def __init__(self, values: csc_array, offset: FloatArray) -> None:
        self.values = values
        self.offset = offset

    @classmethod
    def of(cls, X: csc_array, scaling: Scaling | None = None) -> "SparseTable":
        """Return a sparse matrix in columns as a table, scaled if there is a scaling."""
        columns = csc_array(X)
        if scaling is None:
            return cls(columns, np.zeros(columns.shape[1]))
        offset = np.asarray(scaling.scale(np.zeros((1, columns.shape[1])))[0], dtype=np.float64)
        data = np.empty(len(columns.data), dtype=np.float32)
        for begin in range(0, len(data), BLOCK):
            part = slice(begin, min(begin + BLOCK, len(data)))
            own = np.searchsorted(columns.indptr, np.arange(part.start, part.stop), side="right") - 1
            data[part] = scaling.of_columns(own).scale(columns.data[None, part])[0] - offset[own]
        places = columns.indices, columns.indptr  # may be those of X
        if data.all():
            return cls(csc_array((data, *places), shape=columns.shape), offset)
        scaled = csc_array((data, *(part.copy() for part in places)), shape=columns.shape)
        scaled.eliminate_zeros()
        return cls(scaled, offset)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> "SparseTable":
        """Return the table of some rows, or with a pair of keys of some columns."""
        if isinstance(key, tuple):
            return SparseTable(self.values[key], self.offset[key[1]])
        return SparseTable(self.values[key], self.offset)

    def dense(self) -> AnyArray:
        """Return the table as an array."""
        return np.asarray(self.values.toarray() + self.offset.astype(self.values.dtype))


def canonical(table: Any) -> Any:
    """Return a table; a sparse one with sorted places and without duplicates, as a copy if it is not so already.

    SciPy does the same in place where it needs it, and would change a table that belongs to somebody else.
    """
    if not issparse(table) or table.has_canonical_format:
        return table
    ordered = table.copy()
    ordered.sum_duplicates()
    return ordered


def as_dense(table: "AnyArray | SparseTable") -> AnyArray:
    """Return a table, or a part of one, as an array."""
    return table.dense() if isinstance(table, SparseTable) else table
