"""Interchangeable columns: those whose ranks agree almost perfectly."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, Float32Array, map_blocks
from puselect.columns.ranks import double_ranks
from puselect.scaling import as_numbers

BLOCK = 512  # columns compared with all later ones at a time
MOST_CELLS = 5_000_000
FEWEST_ROWS, MOST_ROWS = 200, 20_000


class Twins(NamedTuple):
    """Interchangeable columns: any of them can stand for the others."""

    columns: tuple[int, ...]
    """Indices, in the order of the table; the first stands for the others."""
    correlation: float
    """The lowest absolute rank correlation of any of them with the first."""


def find_twins(X: ArrayLike, threshold: float = 0.99) -> list[Twins]:
    """Return groups of columns whose rank correlation with the first of the group is `threshold` or more.

    Rank correlation (Spearman's, in absolute value) finds an amount in two currencies, a logarithm, a rounded copy and
    a reversed scale, and is not misled by a few extreme values. Constant columns have no twins. Of a large table evenly
    spaced rows are compared.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers.
    threshold : float, default=0.99
        In (0, 1].

    Examples
    --------
    >>> euro = np.array([10.0, 25.0, 3.0, 80.0])
    >>> find_twins(np.column_stack([euro, [1.0, 5.0, 2.0, 4.0], 1.1 * euro]))
    [Twins(columns=(0, 2), correlation=1.0)]
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must lie in (0, 1], got {threshold!r}")
    places = _places(as_numbers(X, ensure_min_samples=0, ensure_min_features=0))
    is_open = np.abs(places).max(axis=0, initial=0.0) > 0
    groups = []
    for first in range(0, places.shape[1], BLOCK):
        rows = np.flatnonzero(is_open[first : first + BLOCK]) + first
        correlation = np.abs(places[:, rows].T @ places[:, first:])
        for row, values in zip(rows, correlation, strict=True):
            if not is_open[row]:
                continue
            # Floats of 32 bits: a correlation of exactly 1 may come out a little lower.
            alike = np.flatnonzero(is_open[first:] & (values >= threshold * (1 - 1e-5))) + first
            alike = alike[alike > row]
            if len(alike):
                is_open[alike] = False
                lowest = min(float(values[alike - first].min()), 1.0)
                groups.append(Twins((int(row), *alike.tolist()), round(lowest, 4)))
    return groups


def _places(X: AnyArray) -> Float32Array:
    """Return the ranks of some rows in each column, centred and of length 1; zeros for constant columns."""
    most = min(max(MOST_CELLS // max(X.shape[1], 1), FEWEST_ROWS), MOST_ROWS)
    some = X[:: -(-len(X) // most)] if len(X) > most else X
    places = np.empty(some.shape, dtype=np.float32)

    def rank(block: slice) -> None:
        ranks = double_ranks(some[:, block].T) / 2 - (len(some) + 1) / 2
        places[:, block] = (ranks / np.maximum(np.sqrt((ranks**2).sum(axis=1)), 1e-12)[:, None]).T

    map_blocks(rank, some.shape[1], BLOCK)
    return places
