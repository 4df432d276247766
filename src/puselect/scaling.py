"""Scaling of the columns of a table, for any finite values."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from puselect.arrays import AnyArray, FloatArray

BLOCK = 2**13  # rows scaled at a time
COLUMNS_AT_ONCE = 16
FAR = 1e6
CUT = 0.005  # share of the rows that is cut off at each end of a column
LONG = 4.0  # spreads from the median to the cut that make a long tail; a normal distribution has 2.6
REACH = 2.5  # spreads that are kept on each side of the median if there is a long tail
ONE_SIGMA = 0.1587  # share of a normal distribution beyond one standard deviation
SCALES = ("auto", "standard", "minmax")


class Scaling(Protocol):
    """How a table was scaled, to scale others alike."""

    def of_columns(self, mask: NDArray[np.bool_]) -> Self:
        """Return the scaling of the columns of a mask."""
        ...

    def scale(self, X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """Return a scaled table; its columns are contiguous."""
        ...


def fit_scaling(name: str, X: NDArray[Any]) -> Scaling:
    """Return the scaling of `SCALES` with that name, fitted to a table."""
    if name == "auto":
        return RobustScaling.of(X)
    return ColumnRanges.of(X) if name == "minmax" else ColumnRanges.of_deviations(X)


def check_unmasked(X: Any) -> None:
    """Raise a ValueError if `X` is a masked array with masked values, which would be read as if they were not."""
    n_masked = int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0
    if n_masked:
        raise ValueError(
            f"X must not hold missing values, got a masked array with {n_masked} masked values; "
            "fill them in, for example with scikit-learn's SimpleImputer"
        )


def as_numbers(X: Any, **options: Any) -> AnyArray:
    """Return a table as floats, or raise a clear error; `options` are those of scikit-learn's `check_array`."""
    check_unmasked(X)
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up all values to find NaN
        return np.asarray(check_array(X, dtype=[np.float64, np.float32], **options))


def column_of(X: Any, j: int) -> AnyArray:
    """Return a column of an array, or of a sparse matrix in columns, as an array."""
    if not issparse(X):
        return np.asarray(X[:, j])
    part = slice(X.indptr[j], X.indptr[j + 1])
    column = np.zeros(X.shape[0], dtype=X.dtype)
    column[X.indices[part]] = X.data[part]
    return column


def columns_of(X: Any) -> Iterator[AnyArray]:
    """Yield the columns, taken out of a table by rows some at a time: one at a time would read all of it each time."""
    for begin in range(0, X.shape[1], COLUMNS_AT_ONCE):
        some = X[:, begin : begin + COLUMNS_AT_ONCE]
        part = some if issparse(some) else np.asfortranarray(some)
        yield from (column_of(part, j) for j in range(part.shape[1]))


def column_extremes(X: Any) -> tuple[AnyArray, AnyArray]:
    """Return the smallest and the largest value of every column of an array, a sparse matrix or a partitioned table."""
    if hasattr(X, "extremes"):
        low, high = X.extremes()
        return low, high
    low, high = X.min(axis=0), X.max(axis=0)
    return (low.toarray().ravel(), high.toarray().ravel()) if issparse(X) else (low, high)


class ColumnRanges(NamedTuple):
    """A linear scaling: where each column begins and how wide it is."""

    low: FloatArray
    """Half of the value that maps to 0, for each column."""
    width: FloatArray
    """Half of the range that maps to [0, 1]."""

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Return the ranges of the columns of `X`."""
        ranges = np.array([_range(column) for column in columns_of(X)]).reshape(-1, 2)
        return cls(ranges[:, 0], ranges[:, 1])

    def of_columns(self, mask: NDArray[np.bool_]) -> Self:
        """Return the ranges of the columns of a mask."""
        return self._replace(low=self.low[mask], width=self.width[mask])

    @classmethod
    def of_deviations(cls, X: NDArray[Any]) -> Self:
        """Return ranges that centre columns at their mean and divide them by their standard deviation."""
        moments = np.array([_moments(column) for column in columns_of(X)]).reshape(-1, 2)
        return cls(moments[:, 0], moments[:, 1])

    def scale(self, X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """Return a table in these ranges, clipped to [-FAR, FAR], so that everything stays finite.

        Columns of tiny range (1e-30) and those whose range overflows (from -1e308 to 1e308) are scaled as any other;
        constant ones become 0.

        Examples
        --------
        >>> ranges = ColumnRanges.of(np.array([[1.0], [3.0]]))
        >>> ranges.scale(np.array([[2.0], [5.0], [1e300]])).ravel().tolist()
        [0.5, 2.0, 1000000.0]
        """
        scaled = np.empty(X.shape, dtype=dtype, order="F")
        with np.errstate(over="ignore"):
            for j, (low, width) in enumerate(zip(self.low, self.width, strict=True)):
                scaled[:, j] = np.clip(_scale(X[:, j], low, width), -FAR, FAR)
        return scaled


class RobustScaling(NamedTuple):
    """Maps columns to [0, 1] without being squeezed by long tails.

    Half a per cent of the rows is cut off at each end. The spread of a side is the distance from the median to the
    16th or 84th percentile. If the cut is more than four spreads from the median on a side, the column has a long tail:
    its median is put at 0.5, and each side is scaled by itself and cut off at 2.5 spreads. A column that is constant
    but for less than half a per cent of the rows keeps its whole range. An affine transformation of a column does not
    change the result.
    """

    centre: FloatArray
    """What maps to 0.5, halved, so that differences cannot overflow."""
    below: FloatArray
    """Half of the distance from the centre to what maps to 0."""
    above: FloatArray
    """Half of the distance from the centre to what maps to 1."""

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Fit to the columns of `X`.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
        >>> RobustScaling.of(X).scale(X).round(3).ravel().tolist()
        [0.0, 0.247, 0.5, 0.753, 1.0]
        """
        sides = np.array([_sides(column) for column in columns_of(X)]).reshape(-1, 3)
        return cls(sides[:, 0], sides[:, 1], sides[:, 2])

    def of_columns(self, mask: NDArray[np.bool_]) -> Self:
        """Return the scaling of the columns of a mask."""
        return self._replace(centre=self.centre[mask], below=self.below[mask], above=self.above[mask])

    def squeezed(self, mask: NDArray[np.bool_], share: float) -> Self:
        """Return the scaling that maps the columns of a mask to the middle `share` of [0, 1]."""
        widened = np.where(mask, 1 / share, 1.0)
        return self._replace(below=self.below * widened, above=self.above * widened)

    def scale(self, X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """Return a scaled table; what was cut off is at 0 or 1."""
        scaled = np.empty(X.shape, dtype=dtype, order="F")
        with np.errstate(over="ignore"):
            for begin in range(0, len(X), BLOCK):  # of rows, so that columns stay in the cache
                part = np.asfortranarray(X[begin : begin + BLOCK])
                for j, (centre, below, above) in enumerate(zip(*self, strict=True)):
                    side = _scale(part[:, j], centre, below)
                    if above != below:
                        side = np.where(side < 0, side, _scale(part[:, j], centre, above))
                    scaled[begin : begin + BLOCK, j] = 0.5 + 0.5 * np.clip(side, -1, 1)
        return scaled


def scale_columns(X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
    """Return `X` with every column mapped to [0, 1]; constant columns become 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    dtype : dtype of the result, default=float64

    Examples
    --------
    >>> import numpy as np
    >>> scale_columns(np.array([[1.0, 7.0, 0.0], [3.0, 7.0, 1e-30], [2.0, 7.0, 1e-30]]))
    array([[0. , 0. , 0. ],
           [1. , 0. , 1. ],
           [0.5, 0. , 1. ]])
    """
    return ColumnRanges.of(X).scale(X, dtype)


def wanted_quantiles() -> list[float]:
    """Return the quantiles that `robust_sides` takes, after the extremes."""
    return [CUT, ONE_SIGMA, 0.5, 1 - ONE_SIGMA, 1 - CUT]


def _sides(column: NDArray[Any]) -> tuple[float, float, float]:
    """Return the centre of a column and how far it reaches below and above, all halved."""
    place = np.array([0.0, 1.0, *wanted_quantiles()]) * (len(column) - 1)
    before = np.floor(place).astype(np.intp)
    after = np.minimum(before + 1, len(column) - 1)
    ordered = np.partition(column, np.union1d(before, after))  # in its own type: half the bytes of float64 for float32
    low, high = ordered[before].astype(np.float64) / 2, ordered[after].astype(np.float64) / 2
    share = place - before
    return robust_sides(*np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)))


def robust_sides(
    low: float, high: float, first: float, left: float, median: float, right: float, last: float
) -> tuple[float, float, float]:
    """Return the centre of a column and how far it reaches on both sides, from its extremes and quantiles, halved."""
    spread = np.array([median - left, right - median])
    if spread.min() > 0 and (np.array([median - first, last - median]) / LONG > spread).any():
        reach = REACH * np.minimum(spread, np.array([median - low, high - median]) / REACH)
        return median, reach[0], reach[1]
    if last > first:
        low, high = first, last
    half = high / 2 - low / 2
    return low + half, half, half


def _moments(column: NDArray[Any]) -> tuple[float, float]:
    """Return half of the mean and half of the standard deviation; sums of large values could overflow."""
    low, width = _range(column)
    share = _scale(column, low, width)
    return low + width * share.mean(), width * share.std()


def _range(column: NDArray[Any]) -> tuple[float, float]:
    """Return half of the smallest value and half of the range; the whole range could overflow."""
    halved = column.astype(np.float64) / 2
    low = halved.min()
    return low, halved.max() - low


def _scale(column: NDArray[Any], low: float, width: float) -> FloatArray:
    """Return the column in the given range; zeros if the range is empty."""
    if width <= 0:
        return np.zeros(len(column))
    exponent = np.frexp(width)[1]  # 1 / width alone could overflow
    return np.asarray(np.ldexp(column.astype(np.float64) / 2 - low, -exponent) / np.ldexp(width, -exponent))
