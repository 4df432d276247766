"""Min-max scaling of a table, for any finite values."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import FloatArray

FAR = 1e6


def check_unmasked(X: Any) -> None:
    """Raise a ValueError if `X` is a masked array with masked values, which would be read as if they were not."""
    n_masked = int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0
    if n_masked:
        raise ValueError(
            f"X must not hold missing values, got a masked array with {n_masked} masked values; "
            "fill them in, for example with scikit-learn's SimpleImputer"
        )


class ColumnRanges(NamedTuple):
    """The ranges of the columns of one table, to scale it and others."""

    low: FloatArray
    """Half of the smallest value of each column."""
    width: FloatArray
    """Half of the range of each column."""

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Return the ranges of the columns of `X`."""
        ranges = np.array([_range(X[:, j]) for j in range(X.shape[1])]).reshape(-1, 2)
        return cls(ranges[:, 0], ranges[:, 1])

    def of_columns(self, mask: NDArray[np.bool_]) -> Self:
        """Return the ranges of the columns of a mask."""
        return self._replace(low=self.low[mask], width=self.width[mask])

    def scale(self, X: NDArray[Any]) -> FloatArray:
        """Return another table in these ranges, clipped to [-FAR, FAR], so that everything stays finite.

        Examples
        --------
        >>> ranges = ColumnRanges.of(np.array([[1.0], [3.0]]))
        >>> ranges.scale(np.array([[2.0], [5.0], [1e300]])).ravel().tolist()
        [0.5, 2.0, 1000000.0]
        """
        scaled = np.empty(X.shape)
        with np.errstate(over="ignore"):
            for j, (low, width) in enumerate(zip(self.low, self.width, strict=True)):
                scaled[:, j] = np.clip(_scale(X[:, j], low, width), -FAR, FAR)
        return scaled


def scale_columns(
    X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64, ranges: ColumnRanges | None = None
) -> NDArray[Any]:
    """Return `X` with every column mapped to [0, 1]; constant columns become 0.

    Unlike scikit-learn's scaler this keeps columns of tiny range (1e-30), which that one takes for constant, and
    columns whose range overflows (from -1e308 to 1e308). The result is Fortran ordered: columns are contiguous.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    dtype : dtype of the result, default=float64
    ranges : ColumnRanges, optional
        The ranges of `X`, if they are known already.

    Examples
    --------
    >>> import numpy as np
    >>> scale_columns(np.array([[1.0, 7.0, 0.0], [3.0, 7.0, 1e-30], [2.0, 7.0, 1e-30]]))
    array([[0. , 0. , 0. ],
           [1. , 0. , 1. ],
           [0.5, 0. , 1. ]])
    """
    low, width = ColumnRanges.of(X) if ranges is None else ranges
    scaled = np.empty(X.shape, dtype=dtype, order="F")
    for j in range(X.shape[1]):
        scaled[:, j] = _scale(X[:, j], low[j], width[j])
    return scaled


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
