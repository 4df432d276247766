"""Tables in partitions that stay where they are: functions travel to the rows, and sums come back.

A partition is an array, a data frame, a part of a Parquet file, or a promise of one of them. Computations are a map
over the partitions and a sum of the results in a fixed order, so that they do not depend on the workers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, Float32Array, FloatArray, IntArray
from puselect.scaling import ColumnRanges, RobustScaling, Scaling, robust_sides, wanted_quantiles

BINS = 1024
REFINEMENTS = 4  # 1024 bins four times: quantiles to a trillionth of the range

T = TypeVar("T")
Arrays = tuple[AnyArray, ...]
Arguments = tuple[object, ...]
OwnArguments = Mapping[int, Arguments]
"""Arguments of some partitions, by their numbers."""


class Partitions(Protocol):
    """Partitions of the rows of a table."""

    def map(self, function: Callable[..., T], shared: Arguments = (), own: OwnArguments | None = None) -> list[T]:
        """Return ``function(X, *shared, *own[i])`` of the partitions i in `own`, in order; of all by default.

        `X` is the result of `read_part`.
        """

    def total(
        self, function: Callable[..., Arrays], shared: Arguments = (), own: OwnArguments | None = None
    ) -> Arrays:
        """Return the sum of the results of `map`, which are tuples of arrays, without having all at once."""


def read_part(part: ArrayLike) -> AnyArray:
    """Return a partition as an array of finite numbers, or raise a ValueError."""
    values = np.asarray(part)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim != 2:
        raise ValueError(f"partitions must have rows and columns, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("X must hold finite numbers, got NaN or infinity in a partition")
    return values


class Extremes(NamedTuple):
    """The smallest and the largest value of every column, as they came."""

    low: FloatArray
    high: FloatArray


class PartitionedTable:
    """A table in partitions of the given lengths, scaled when it is read."""

    def __init__(
        self, partitions: Partitions, lengths: IntArray, ranges: Extremes, scaling: Scaling | None = None
    ) -> None:
        self.partitions = partitions
        self.lengths = lengths
        self.ranges = ranges
        self.scaling = scaling
        self.columns: tuple[str, ...] | None = None
        """Their names, where they have any."""
        self.ends = np.cumsum(lengths)

    @classmethod
    def of(cls, partitions: Partitions) -> "PartitionedTable":
        """Return the table of these partitions, not scaled yet; raise a ValueError if they do not fit together."""
        found = partitions.map(_shape_and_extremes)
        shapes = [shape for shape, _ in found]
        widths = {width for n_rows, width in shapes if n_rows}
        if len(widths) != 1:
            wrong = ", ".join(map(str, sorted(widths))) or "no rows at all"
            raise ValueError(f"all partitions must have the same columns, got {wrong}")
        low, high = zip(*(extremes for (n_rows, _), extremes in found if n_rows), strict=True)
        ranges = Extremes(np.min(low, axis=0), np.max(high, axis=0))
        return cls(partitions, np.array([n_rows for n_rows, _ in shapes]), ranges)

    def scaled_by(self, scaling: Scaling | None) -> "PartitionedTable":
        """Return the table with a scaling."""
        return PartitionedTable(self.partitions, self.lengths, self.ranges, scaling)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.ranges.low)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.ends[-1]), self.n_columns

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def identity(self) -> tuple[object, ...]:
        """Lengths, ranges and quantiles, which identify the table without reading it again."""
        return self.lengths, None if self.scaling is None else tuple(self.scaling)  # type: ignore[arg-type]

    def __getitem__(self, rows: IntArray) -> AnyArray:
        """Bring some rows here, scaled."""
        chosen = np.asarray(rows)
        order = np.argsort(chosen, kind="stable")
        wanted = self.split(chosen[order])
        parts = self.partitions.map(_take, own=wanted)
        found = np.empty((len(chosen), self.n_columns), dtype=np.result_type(*parts) if parts else np.float64)
        end = 0
        for values in parts:
            found[order[end : end + len(values)]] = values
            end += len(values)
        return found if self.scaling is None else self.scaling.scale(found, np.float32)

    def split(self, rows: IntArray) -> dict[int, tuple[IntArray]]:
        """Return the numbers that ascending rows have in their partitions, of those partitions that have any."""
        cuts = np.searchsorted(rows, self.ends)
        first = self.ends - self.lengths
        pieces = np.split(rows, cuts[:-1])
        return {i: (piece - first[i],) for i, piece in enumerate(pieces) if len(piece)}

    def sums(self, function: Callable[..., Arrays], *arguments: object, rows: IntArray | None = None) -> Arrays:
        """Return the sum over partitions of ``function(lines, *arguments)``, `lines` scaled, a line per column.

        Each partition gets its own of the ascending `rows`, if there are any, as the last argument.
        """
        own = None
        if rows is not None:
            own = {i: (np.empty(0, dtype=np.intp),) for i in range(len(self.lengths))} | self.split(rows)
        return self.partitions.total(_on_lines, (function, self.scaling, *arguments), own)

    def map_rows(self, function: Callable[..., T], *arguments: object) -> list[T]:
        """Return ``function(X, *arguments)`` of every partition as it came, in order."""
        return self.partitions.map(function, arguments)

    def extremes(self) -> Extremes:
        """Return the smallest and the largest value of every column, as they came."""
        return self.ranges


def added(parts: Sequence[Arrays]) -> Arrays:
    """Return the sum of tuples of arrays, from the first to the last."""
    return reduce(lambda first, second: tuple(a + b for a, b in zip(first, second, strict=True)), parts)


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
    return RobustScaling(*robust_sides(low / 2, high / 2, *_quantiles(table, low, high) / 2))


def _quantiles(table: PartitionedTable, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the quantiles that robust scaling needs, shape (n_quantiles, n_columns), by ever finer histograms."""
    position = np.asarray(wanted_quantiles()) * (len(table) - 1)
    floor = np.floor(position).astype(np.int64)
    ranks = np.concatenate([floor, np.minimum(floor + 1, len(table) - 1)])
    lows = np.repeat(low[None], len(ranks), axis=0)
    highs = np.repeat(np.nextafter(high, np.inf)[None], len(ranks), axis=0)
    for _ in range(REFINEMENTS):
        (below,) = table.partitions.total(_count_below, (lows, highs))
        step = (below <= ranks[:, None, None]).sum(axis=2) - 1
        width = (highs - lows) / BINS
        lows, highs = lows + step * width, lows + (step + 1) * width
    values = lows.reshape(2, len(position), -1)
    share = (position - floor)[:, None]
    return np.asarray(values[0] + share * (values[1] - values[0]))


def _shape_and_extremes(X: AnyArray) -> tuple[tuple[int, int], Extremes | None]:
    if not len(X):
        return (0, X.shape[1]), None
    return (X.shape[0], X.shape[1]), Extremes(X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64))


def _take(X: AnyArray, rows: IntArray) -> AnyArray:
    return X[rows]


def _moments(lines: Float32Array) -> tuple[FloatArray, FloatArray]:
    exact = lines.astype(np.float64)
    return exact.sum(axis=1), (exact**2).sum(axis=1)


def _count_below(X: AnyArray, lows: FloatArray, highs: FloatArray) -> tuple[IntArray]:
    """Return how many values of each column are below each of the edges, shape (n_targets, n_columns, BINS)."""
    count = np.empty((*lows.shape, BINS), dtype=np.int64)
    for j in range(X.shape[1]):
        column = np.sort(X[:, j]).astype(np.float64)
        for t in range(len(lows)):
            edges = lows[t, j] + np.arange(BINS) * ((highs[t, j] - lows[t, j]) / BINS)
            count[t, j] = np.searchsorted(column, edges)
    return (count,)


def _on_lines(X: AnyArray, function: Callable[..., T], scaling: Scaling | None, *arguments: object) -> T:
    scaled = X if scaling is None else scaling.scale(X, np.float32)
    return function(np.ascontiguousarray(scaled.T, dtype=np.float32), *arguments)
