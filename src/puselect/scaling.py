"""Scaling of the columns of a table, for any finite values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, issparse
from scipy.special import ndtr, ndtri
from sklearn.utils import check_array

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray, map_blocks

BLOCK = 2**13  # rows scaled at a time
COLUMNS_AT_ONCE = 16
STORED_AT_ONCE = 2**17  # values of a sparse matrix
FAR = 1e6
SAFE_EXPONENT = 900  # of a width in powers of 2, above which ratios may overflow before they are taken
CUT = 0.005  # share of the rows that is cut off at each end of a column
LONG = 4.0  # spreads from the median to the cut that make a long tail; a normal distribution has 2.6
N_KNOTS = 66  # of 100 to 10^6 log-normal, Pareto, t(2), rounded or partly zero values no score is off by more than .12
ONE_SIGMA = 0.1587  # share of a normal distribution beyond one standard deviation
QUANTILES = (0.0, 1.0, CUT, ONE_SIGMA, 0.5, 1 - ONE_SIGMA, 1 - CUT)
SCALES = ("auto", "minmax")


def check_unmasked(X: object) -> None:
    """Raise a ValueError if `X` is a masked array with masked values, which would be read as if they were not."""
    n_masked = int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0
    if n_masked:
        raise ValueError(
            f"X must not hold missing values, got a masked array with {n_masked} masked values; "
            "fill them in, for example with scikit-learn's SimpleImputer"
        )


def as_numbers(X: ArrayLike, **options: object) -> AnyArray:
    """Return a table as floats, or raise a clear error; `options` are those of scikit-learn's `check_array`."""
    check_unmasked(X)
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up all values to find NaN
        return np.asarray(check_array(X, dtype=[np.float64, np.float32], **options))


def of_each_column(
    function: Callable[[Any], tuple[FloatArray, ...]], X: AnyArray | csc_array, n_threads: int, at_once: int
) -> list[FloatArray]:
    """Return the results of a function of blocks of columns: several arrays with a number for each column."""
    parts = map_blocks(lambda block: function(X[:, block]), X.shape[1], at_once, n_threads)
    return [np.concatenate(found) for found in zip(*parts, strict=True)]


def _lines(X: AnyArray | csc_array) -> AnyArray:
    """Return the columns of a table as contiguous lines."""
    return np.ascontiguousarray((X if isinstance(X, np.ndarray) else X.toarray()).T)


def column_extremes(X: Any) -> tuple[AnyArray, AnyArray]:
    """Return the smallest and the largest value of every column of an array or a sparse matrix."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (low.toarray().ravel(), high.toarray().ravel()) if issparse(X) else (low, high)


class ColumnRanges(NamedTuple):
    """A linear scaling: where each column begins and how wide it is."""

    low: FloatArray
    """Half of the value that maps to 0, for each column."""
    width: FloatArray
    """Half of the range that maps to [0, 1]."""

    @classmethod
    def of(cls, X: AnyArray, n_threads: int = 1) -> Self:
        """Return the ranges of the columns of `X`."""
        return cls(*of_each_column(lambda block: _range(_lines(block)), X, n_threads, COLUMNS_AT_ONCE))

    def of_columns(self, chosen: BoolArray | IntArray) -> Self:
        """Return the ranges of the columns of a mask, or with these numbers."""
        return type(self)(*(part[chosen] for part in self))

    def scale(self, X: AnyArray, dtype: type[np.floating] = np.float64, n_threads: int = 1) -> AnyArray:
        """Return a table in these ranges, clipped to [-FAR, FAR], so that everything stays finite.

        Columns of tiny range (1e-30) and those whose range overflows (from -1e308 to 1e308) are scaled as any other;
        constant ones become 0.

        Examples
        --------
        >>> ranges = ColumnRanges.of(np.array([[1.0], [3.0]]))
        >>> ranges.scale(np.array([[2.0], [5.0], [1e300]])).ravel().tolist()
        [0.5, 2.0, 1000000.0]
        """

        def scaled(lines: AnyArray, block: slice) -> AnyArray:
            return np.clip(_scale(lines, self.low[block], self.width[block]), -FAR, FAR)

        return _scaled_table(scaled, X, dtype, n_threads)


@dataclass(frozen=True, eq=False)
class NormalScores:
    """Normal scores of the ranks of a column: exact at the knots, lines between them, constant beyond."""

    knots: FloatArray
    """Values of the column, ascending; 0.5 is the median, 1 one spread above it."""
    scores: FloatArray
    """Of the knots; half a per cent of the rows are below 0, and as many above 1."""

    @classmethod
    def of(cls, ordered: AnyArray, median: float, spread: float) -> Self:
        """Take the scores of a sorted column, evenly from the first to the last, and those beside a value of many."""
        n_rows = len(ordered)
        half = np.rint(n_rows * ndtr(np.linspace(ndtri(0.5 / n_rows), 0, N_KNOTS // 2)) - 0.5).astype(np.intp)
        values = ordered[np.append(half, n_rows - 1 - half[::-1])]
        many = values[1:][values[1:] == values[:-1]]
        beside = np.append(np.searchsorted(ordered, many) - 1, np.searchsorted(ordered, many, side="right"))
        values = np.union1d(values, ordered[np.clip(beside, 0, n_rows - 1)])
        ranks = (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right")) / 2  # of ties: mean
        knots = _linear(values[None], np.array([median]), np.array([spread]))[0]
        return cls(np.nan_to_num(knots), np.asarray(0.5 + ndtri(ranks / n_rows) / (2 * ndtri(1 - CUT))))


class RobustScaling(NamedTuple):
    """Maps columns to [0, 1], or a little further, without being squeezed by long tails.

    Half a per cent of the rows is cut off at each end. The spread of a side is the distance from the median to the
    16th or 84th percentile. If the cut is more than four spreads from the median on a side, the column has a long tail:
    normal scores of the ranks stand in for its values, and nothing is cut off. A column that is constant except in less
    than half a per cent of the rows keeps its whole range. An affine transformation of a column does not change the
    result.
    """

    centre: FloatArray
    """The value that maps to 0.5, halved, so that differences cannot overflow; of a long tail, the median."""
    reach: FloatArray
    """Half of the distance from the centre to the value that maps to 1; of a long tail, of the smaller spread."""
    curves: AnyArray
    """The `NormalScores` of columns with a long tail, None for others, shape (n_columns,)."""

    @classmethod
    def of(cls, X: AnyArray, n_threads: int = 1) -> Self:
        """Fit to the columns of `X`.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
        >>> RobustScaling.of(X).scale(X).round(3).ravel().tolist()
        [0.0, 0.247, 0.5, 0.753, 1.0]
        """
        if not issparse(X):
            return cls(*of_each_column(_robust, X, n_threads, COLUMNS_AT_ONCE))
        columns = csc_array(X)
        return cls(*of_each_column(_sparse_robust, columns, 1, columns_at_once(columns)))

    def of_columns(self, chosen: BoolArray | IntArray) -> Self:
        """Return the scaling of the columns of a mask, or with these numbers."""
        return type(self)(*(part[chosen] for part in self))

    def scale(self, X: AnyArray, dtype: type[np.floating] = np.float64, n_threads: int = 1) -> AnyArray:
        """Return a scaled table; a value beyond the ends of its column is scaled as the end.

        Examples
        --------
        >>> X = np.append(np.arange(-20.0, 20), [1e3, 1e6, 1e9])[:, None]
        >>> RobustScaling.of(X).scale(np.array([[1.0], [1e6], [1e9], [1e300]])).round(3).ravel().tolist()
        [0.5, 0.852, 0.94, 0.94]
        """

        def scaled(lines: AnyArray, block: slice) -> AnyArray:
            found, curves = _linear(lines, self.centre[block], self.reach[block]), self.curves[block]
            begin = np.flatnonzero(curves[1:] != curves[:-1]) + 1  # the stored values of a sparse column share a curve
            for curve, part in zip(curves[np.append(0, begin)], np.split(found, begin), strict=True):
                part[:] = np.clip(part, 0, 1) if curve is None else np.interp(part, curve.knots, curve.scores)
            return found

        return _scaled_table(scaled, X, dtype, n_threads)


def scale_columns(X: AnyArray) -> AnyArray:
    """Return `X` with every column mapped to [0, 1]; constant columns become 0.

    Examples
    --------
    >>> scale_columns(np.array([[1.0, 7.0, 0.0], [3.0, 7.0, 1e-30], [2.0, 7.0, 1e-30]]))
    array([[0. , 0. , 0. ],
           [1. , 0. , 1. ],
           [0.5, 0. , 1. ]])
    """
    return ColumnRanges.of(X).scale(X)


Scaling = ColumnRanges | RobustScaling
"""How a table was scaled, to scale others alike."""


def fit_scaling(name: str, X: AnyArray, n_threads: int = 1) -> Scaling:
    """Return the scaling of `SCALES` with that name, fitted to a table."""
    return (RobustScaling if name == "auto" else ColumnRanges).of(X, n_threads)


def _scaled_table(
    scaled: Callable[[AnyArray, slice], AnyArray], X: AnyArray, dtype: type[np.floating], n_threads: int
) -> AnyArray:
    """Return the table whose columns are the lines ``scaled(lines, block)`` for each block of columns."""
    table = np.empty(X.shape, dtype=dtype, order="F")

    def fill(block: slice) -> None:
        for begin in range(0, len(X), BLOCK):  # of rows, so that columns stay in the cache
            table.T[block, begin : begin + BLOCK] = scaled(_lines(X[begin : begin + BLOCK, block]), block)

    map_blocks(fill, X.shape[1], max(COLUMNS_AT_ONCE, BLOCK // max(len(X), 1)), n_threads)
    return table


def _robust(X: AnyArray) -> tuple[AnyArray, ...]:
    """Return the parts of the `RobustScaling` of some columns."""
    ordered = np.array(X.T, order="C")  # in its own type: float32 takes half the bytes
    ordered.sort(axis=1)  # sooner done than a partition
    return _robust_parts(lambda place, which: ordered[which, place], len(X))


def columns_at_once(X: csc_array) -> int:
    """Return how many columns of a sparse matrix are sorted at a time, so that little memory is needed."""
    return max(1, STORED_AT_ONCE * int(X.shape[1]) // max(int(X.nnz), 1))


def _sparse_robust(X: csc_array) -> tuple[AnyArray, ...]:
    """Return the same of the columns of a sparse matrix, whose zeros are not sorted."""
    (n_rows, n_columns), begin = X.shape, X.indptr[:-1]
    of_column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    ordered = np.append(X.data[np.lexsort((X.data, of_column))], 0)  # within columns; the last stands for zeros
    n_below, n_above = (np.bincount(of_column[chosen], minlength=n_columns) for chosen in (X.data < 0, X.data > 0))

    def values_at(place: IntArray, which: slice) -> AnyArray:
        from_below, from_above = begin[which, None] + place, X.indptr[1:][which, None] - n_rows + place
        is_below, is_above = place < n_below[which, None], place >= n_rows - n_above[which, None]
        return np.asarray(ordered[np.where(is_below, from_below, np.where(is_above, from_above, -1))])

    return _robust_parts(values_at, n_rows)


def _places(n_rows: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the places before and after the extremes and quantiles of `n_rows` sorted values, and shares between."""
    place = np.array(QUANTILES) * (n_rows - 1)
    before = np.floor(place).astype(np.intp)
    return before, np.minimum(before + 1, n_rows - 1), place - before


def _robust_parts(values_at: Callable[[IntArray, slice], AnyArray], n_rows: int) -> tuple[AnyArray, ...]:
    """Return the parts of a `RobustScaling` from sorted columns: the values of some of them at some places."""
    before, after, share = _places(n_rows)
    lower, upper = (values_at(place, slice(None)).astype(np.float64) / 2 for place in (before, after))
    between = np.where(share < 0.5, lower + (upper - lower) * share, upper - (upper - lower) * (1 - share))
    low, high, first, left, median, right, last = between.T
    below, above = median - left, right - median
    spread = np.minimum(below, above)
    has_tail = (spread > 0) & (((median - first) / LONG > below) | ((last - median) / LONG > above))
    varies = last > first
    low_end, high_end = np.where(varies, first, low), np.where(varies, last, high)
    half = high_end / 2 - low_end / 2
    curves = np.full(len(median), None)
    for j in np.flatnonzero(has_tail).tolist():
        curves[j] = NormalScores.of(values_at(np.arange(n_rows), slice(j, j + 1))[0], median[j], spread[j])
    return np.where(has_tail, median, low_end + half), np.where(has_tail, spread, half), curves


def _linear(lines: AnyArray, centre: FloatArray, reach: FloatArray) -> FloatArray:
    """Return each line with its centre at 0.5 and one reach further at 1; infinite if that overflows."""
    return np.asarray(0.5 + 0.5 * _scale(lines, centre, reach))  # no two so near that a slope between them overflows


def _range(lines: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return half of the smallest values and half of the ranges; a whole range could overflow."""
    halved = lines.astype(np.float64) / 2
    low = halved.min(axis=1)
    return low, halved.max(axis=1) - low


def _scale(lines: AnyArray, low: FloatArray, width: FloatArray) -> FloatArray:
    """Return each line in its range; zeros if the range is empty, infinite where that overflows."""
    width = np.where(width > 0, width, np.inf)[:, None]
    exponent = np.where(np.isfinite(width), np.frexp(width)[1], 0)
    distance = lines.astype(np.float64) / 2 - low[:, None]
    with np.errstate(over="ignore"):
        if (abs(exponent) < SAFE_EXPONENT).all():
            return np.asarray(distance / width)
        return np.asarray(np.ldexp(distance, -exponent) / np.ldexp(width, -exponent))  # tiny numbers may be taken as 0
