"""Scaling of the columns of a table, for any finite values."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, issparse
from sklearn.utils import check_array

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray, map_blocks

BLOCK = 2**13  # rows scaled at a time
COLUMNS_AT_ONCE = 16
STORED_AT_ONCE = 2**17  # values of a sparse matrix
FAR = 1e6
SAFE_EXPONENT = 900  # of a width in powers of 2, above which ratios may overflow before they are taken
CUT = 0.005  # share of the rows that is cut off at each end of a column
LONG = 4.0  # spreads from the median to the cut that make a long tail; a normal distribution has 2.6
REACH = 2.5  # spreads that are kept on each side of the median if there is a long tail
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


class RobustScaling(NamedTuple):
    """Maps columns to [0, 1] without being squeezed by long tails.

    Half a per cent of the rows is cut off at each end. The spread of a side is the distance from the median to the
    16th or 84th percentile. If the cut is more than four spreads from the median on a side, the column has a long tail:
    its median is put at 0.5, and each side is scaled by itself and cut off at 2.5 spreads. A column that is constant
    except in less than half a per cent of the rows keeps its whole range. An affine transformation of a column does not
    change the result.
    """

    centre: FloatArray
    """The value that maps to 0.5, halved, so that differences cannot overflow."""
    below: FloatArray
    """Half of the distance from the centre to the value that maps to 0."""
    above: FloatArray
    """Half of the distance from the centre to the value that maps to 1."""

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
            return cls(*of_each_column(_sides, X, n_threads, COLUMNS_AT_ONCE))
        columns = csc_array(X)
        return cls(*of_each_column(_sparse_sides, columns, 1, columns_at_once(columns)))

    def of_columns(self, chosen: BoolArray | IntArray) -> Self:
        """Return the scaling of the columns of a mask, or with these numbers."""
        return type(self)(*(part[chosen] for part in self))

    def scale(
        self, X: AnyArray, dtype: type[np.floating] = np.float64, n_threads: int = 1, tails: bool = False
    ) -> AnyArray:
        """Return a scaled table; tails that were cut off are at 0 or 1, or go on in logarithms if `tails` is true.

        Examples
        --------
        >>> RobustScaling(*np.array([[0.0], [1.0], [1.0]])).scale(np.array([[2.0], [2 * np.e]]), tails=True).tolist()
        [[1.0], [1.5]]
        """

        def scaled(lines: AnyArray, block: slice) -> AnyArray:
            centre, below, above = self.centre[block], self.below[block], self.above[block]
            side = _scale(lines, centre, below)
            two = below != above
            if two.any():
                side[two] = np.where(side[two] < 0, side[two], _scale(lines[two], centre[two], above[two]))
            near = np.clip(side, -1, 1)
            far = np.copysign(np.log(np.clip(abs(side), 1, FAR)), side) if tails else 0.0
            return np.asarray(0.5 + 0.5 * (near + far))

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
            with np.errstate(over="ignore"):
                table.T[block, begin : begin + BLOCK] = scaled(_lines(X[begin : begin + BLOCK, block]), block)

    map_blocks(fill, X.shape[1], max(COLUMNS_AT_ONCE, BLOCK // max(len(X), 1)), n_threads)
    return table


def _sides(X: AnyArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the centre of each column and how far it reaches below and above, all halved."""
    before, after, share = _places(len(X))
    ordered = np.partition(_lines(X), np.union1d(before, after))  # in its own type: float32 takes half the bytes
    return _sides_between(ordered[:, before], ordered[:, after], share)


def columns_at_once(X: csc_array) -> int:
    """Return how many columns of a sparse matrix are sorted at a time, so that little memory is needed."""
    return max(1, STORED_AT_ONCE * int(X.shape[1]) // max(int(X.nnz), 1))


def _sparse_sides(X: csc_array) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return `_sides` of the columns of a sparse matrix, whose zeros are not sorted."""
    (n_rows, n_columns), begin = X.shape, X.indptr[:-1]
    of_column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    ordered = np.append(X.data[np.lexsort((X.data, of_column))], 0)  # within columns; the last stands for zeros
    n_below, n_above = (np.bincount(of_column[chosen], minlength=n_columns) for chosen in (X.data < 0, X.data > 0))

    def values_at(place: IntArray) -> AnyArray:
        from_below, from_above = begin[:, None] + place, X.indptr[1:, None] - n_rows + place
        is_below, is_above = place < n_below[:, None], place >= n_rows - n_above[:, None]
        return np.asarray(ordered[np.where(is_below, from_below, np.where(is_above, from_above, -1))])

    before, after, share = _places(n_rows)
    return _sides_between(values_at(before), values_at(after), share)


def _places(n_rows: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the places before and after the extremes and quantiles of `n_rows` sorted values, and shares between."""
    place = np.array(QUANTILES) * (n_rows - 1)
    before = np.floor(place).astype(np.intp)
    return before, np.minimum(before + 1, n_rows - 1), place - before


def _sides_between(before: AnyArray, after: AnyArray, share: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centres and sides from values before and after the extremes and quantiles, shape (n_columns, 7)."""
    lower, upper = before.astype(np.float64) / 2, after.astype(np.float64) / 2
    between = np.where(share < 0.5, lower + (upper - lower) * share, upper - (upper - lower) * (1 - share))
    low, high, first, left, median, right, last = between.T
    below, above = median - left, right - median
    is_long = (median - first) / LONG > below, (last - median) / LONG > above
    has_tail = (np.minimum(below, above) > 0) & (is_long[0] | is_long[1])
    varies = last > first
    low_end, high_end = np.where(varies, first, low), np.where(varies, last, high)
    half = high_end / 2 - low_end / 2
    return (
        np.where(has_tail, median, low_end + half),
        np.where(has_tail, REACH * np.minimum(below, (median - low) / REACH), half),
        np.where(has_tail, REACH * np.minimum(above, (high - median) / REACH), half),
    )


def _range(lines: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return half of the smallest values and half of the ranges; a whole range could overflow."""
    halved = lines.astype(np.float64) / 2
    low = halved.min(axis=1)
    return low, halved.max(axis=1) - low


def _scale(lines: AnyArray, low: FloatArray, width: FloatArray) -> FloatArray:
    """Return each line in its range; zeros if the range is empty."""
    width = np.where(width > 0, width, np.inf)[:, None]
    exponent = np.where(np.isfinite(width), np.frexp(width)[1], 0)
    distance = lines.astype(np.float64) / 2 - low[:, None]
    if (abs(exponent) < SAFE_EXPONENT).all():
        return np.asarray(distance / width)
    return np.asarray(np.ldexp(distance, -exponent) / np.ldexp(width, -exponent))  # tiny numbers may be taken as 0
