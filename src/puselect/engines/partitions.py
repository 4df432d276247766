"""Tables in partitions that stay where they are: functions travel to the rows, and sums come back.

A partition is an array, a data frame, a part of a Parquet file, or a promise of one of them. What is computed is a map
over the partitions and a sum of its results in their order, so that it does not depend on who computed what.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np

from puselect.arrays import AnyArray, Float32Array, FloatArray, IntArray
from puselect.scaling import ColumnRanges, RobustScaling, Scaling, robust_sides, wanted_quantiles

BINS = 1024
REFINEMENTS = 4  # 1024 bins four times: quantiles to a trillionth of the range


class Partitions(Protocol):
    """Partitions of the rows of a table."""

    @property
    def n_partitions(self) -> int:
        """How many there are."""
        ...

    def map(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return ``function(X, *arguments[i])`` of every partition i in order; `X` as `read_part` returns it."""
        ...


class FilePart(Protocol):
    """Some rows of a file."""

    path: str

    def read(self) -> AnyArray:
        """Return the rows as an array."""
        ...


def read_part(part: Any) -> AnyArray:
    """Return a partition as an array of finite numbers, or raise a ValueError."""
    values = part.read() if hasattr(part, "read") else np.asarray(part)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim != 2:
        raise ValueError(f"partitions must have rows and columns, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("X must hold finite numbers, got NaN or infinity in a partition")
    return values


class PartitionedTable:
    """A table in partitions, scaled when it is read.

    Parameters
    ----------
    partitions : Partitions
    lengths : ndarray of int, shape (n_partitions,)
    n_columns : int
    scaling : Scaling, optional
    """

    def __init__(self, partitions: Partitions, lengths: IntArray, n_columns: int, scaling: Scaling | None) -> None:
        self.partitions = partitions
        self.lengths = lengths
        self.n_columns = n_columns
        self.scaling = scaling
        self.columns: tuple[str, ...] | None = None
        """Their names, where they have any."""
        self.ends = np.cumsum(lengths)

    @classmethod
    def of(cls, partitions: Partitions) -> "PartitionedTable":
        """Return the table of these partitions, not scaled yet; raise a ValueError if they do not fit together."""
        shapes = partitions.map(_shape, [()] * partitions.n_partitions)
        widths = {shape[1] for shape in shapes if shape[0]}
        if len(widths) != 1:
            found = ", ".join(map(str, sorted(widths))) or "no rows at all"
            raise ValueError(f"all partitions must have the same columns, got {found}")
        return cls(partitions, np.array([shape[0] for shape in shapes]), widths.pop(), None)

    def scaled_by(self, scaling: Scaling | None) -> "PartitionedTable":
        """Return the table with a scaling."""
        return PartitionedTable(self.partitions, self.lengths, self.n_columns, scaling)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.ends[-1]), self.n_columns

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells the table from another without reading all of it again: its lengths, ranges and quantiles."""
        return self.lengths, None if self.scaling is None else tuple(self.scaling)  # type: ignore[arg-type]

    def __getitem__(self, rows: IntArray) -> AnyArray:
        """Bring some rows here, scaled."""
        chosen = np.asarray(rows)
        part = np.searchsorted(self.ends, chosen, side="right")
        local = chosen - (self.ends - self.lengths)[part]
        wanted = [(local[part == i],) for i in range(len(self.lengths))]
        found = np.empty((len(chosen), self.n_columns))
        for i, values in enumerate(self.partitions.map(_take, wanted)):
            found[part == i] = values
        return found if self.scaling is None else self.scaling.scale(found, np.float32)

    def sums(self, function: Callable[..., Any], *arguments: Any, of_rows: AnyArray | None = None) -> Any:
        """Return the sum over partitions of ``function(lines, *arguments)``, `lines` scaled, a line per column.

        `of_rows` has something for every row; each partition gets its share as the last argument.
        """
        each: list[tuple[Any, ...]] = [(function, self.scaling, *arguments)] * len(self.lengths)
        if of_rows is not None:
            pieces = np.split(of_rows, self.ends[:-1])
            each = [(*shared, piece) for shared, piece in zip(each, pieces, strict=True)]
        return reduce(_added, self.partitions.map(_on_lines, each))

    def map_rows(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return ``function(X, *arguments)`` of every partition as it came, in order."""
        return self.partitions.map(function, [arguments] * len(self.lengths))

    def extremes(self) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest value of every column, as they came."""
        found = self.partitions.map(_extremes, [()] * len(self.lengths))
        low, high = (np.array(part) for part in zip(*found, strict=True))
        return low.min(axis=0), high.max(axis=0)


def fit_partitioned_scaling(name: str, table: PartitionedTable) -> Scaling:
    """Return the scaling of that name, as `puselect.scaling.fit_scaling` fits it to a table in memory."""
    low, high = table.extremes()
    ranges = ColumnRanges(low / 2, high / 2 - low / 2)
    if name == "minmax":
        return ranges
    if name == "standard":
        total, squares = table.scaled_by(ranges).sums(_moments)
        share, mean = 1 / len(table), total / len(table)
        deviation = np.sqrt(np.maximum(squares * share - mean**2, 0.0))
        return ColumnRanges(ranges.low + ranges.width * mean, ranges.width * deviation)
    sides = [robust_sides(*column) for column in zip(low / 2, high / 2, *_quantiles(table, low, high) / 2, strict=True)]
    centre, below, above = np.array(sides).T
    return RobustScaling(centre, below, above)


def _quantiles(table: PartitionedTable, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the quantiles that robust scaling needs, shape (n_quantiles, n_columns), by ever finer histograms."""
    position = np.asarray(wanted_quantiles()) * (len(table) - 1)
    floor = np.floor(position).astype(np.int64)
    ranks = np.concatenate([floor, np.minimum(floor + 1, len(table) - 1)])
    lows = np.repeat(low[None], len(ranks), axis=0)
    highs = np.repeat(np.nextafter(high, np.inf)[None], len(ranks), axis=0)
    for _ in range(REFINEMENTS):
        each = [(lows, highs)] * len(table.lengths)
        below = reduce(_added, table.partitions.map(_count_below, each))[0]
        step = (below <= ranks[:, None, None]).sum(axis=2) - 1
        width = (highs - lows) / BINS
        lows, highs = lows + step * width, lows + (step + 1) * width
    values = lows.reshape(2, len(position), -1)
    share = (position - floor)[:, None]
    return np.asarray(values[0] + share * (values[1] - values[0]))


def _shape(X: AnyArray) -> tuple[int, int]:
    return X.shape[0], X.shape[1]


def _take(X: AnyArray, rows: IntArray) -> AnyArray:
    return X[rows]


def _extremes(X: AnyArray) -> tuple[AnyArray, AnyArray]:
    if not len(X):
        return np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)


def _moments(lines: Float32Array) -> tuple[FloatArray, FloatArray]:
    exact = lines.astype(np.float64)
    return exact.sum(axis=1), (exact**2).sum(axis=1)


def _count_below(X: AnyArray, lows: FloatArray, highs: FloatArray) -> tuple[IntArray]:
    """Return how many values of each column are below each of the edges, shape (n_targets, n_columns, BINS)."""
    count = np.empty((*lows.shape, BINS), dtype=np.int64)
    for j in range(X.shape[1]):
        column = np.sort(X[:, j].astype(np.float64))
        for t in range(len(lows)):
            edges = lows[t, j] + np.arange(BINS) * ((highs[t, j] - lows[t, j]) / BINS)
            count[t, j] = np.searchsorted(column, edges)
    return (count,)


def _on_lines(X: AnyArray, function: Callable[..., Any], scaling: Scaling | None, *arguments: Any) -> Any:
    scaled = X if scaling is None else scaling.scale(X, np.float32)
    return function(np.ascontiguousarray(scaled.T, dtype=np.float32), *arguments)


def _added(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(first, second, strict=True))
