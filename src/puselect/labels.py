"""What ``y`` means: which rows are labelled positives."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puselect.arrays import BoolArray


def labelled_positives(y: ArrayLike, pos_label: Any = 1) -> BoolArray:
    """Return which rows are labelled positive; every other row is unlabelled.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Anything that can be compared with `pos_label`: 0/1, -1/1, booleans, strings.
    pos_label : object, default=1
        The value that marks a labelled positive. All other values mean "unlabelled".

    Returns
    -------
    positive : ndarray of bool, shape (n_rows,)

    Raises
    ------
    ValueError
        If no row is labelled positive, or every row is.

    Examples
    --------
    >>> labelled_positives(["ham", "spam", "?"], pos_label="spam")
    array([False,  True, False])
    """
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"y must be one-dimensional, one label per row, got shape {values.shape}")
    positive = np.asarray(values == pos_label)
    if positive.shape != values.shape:  # NumPy compares arrays and scalars of unlike types as a whole
        positive = np.zeros(values.shape, dtype=bool)
    if not positive.any():
        raise ValueError(
            f"y must hold at least one labelled positive (y == {pos_label!r}), got only "
            f"{_some_values(values)}; set pos_label to the value that marks your positives"
        )
    if positive.all():
        raise ValueError(
            f"y must hold unlabelled rows (y != {pos_label!r}) beside the labelled positives, got "
            f"{pos_label!r} in all {len(positive)} rows"
        )
    return positive.astype(bool)


def without_missing(y: ArrayLike, pos_label: Any = 1) -> Any:
    """Return `y` with missing values (NaN) replaced by one that means unlabelled; `y` itself if there are none.

    Examples
    --------
    >>> without_missing([1.0, np.nan, 0.0])
    array([1., 0., 0.])
    """
    values = np.asarray(y)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind == "O":
        missing = np.array([isinstance(value, float) and value != value for value in values.ravel()], dtype=bool)
        missing = missing.reshape(values.shape)
    else:
        return y
    if not missing.any():
        return y
    filled = values.copy()
    filled[missing] = 0 if pos_label != 0 else -1
    return filled


def _some_values(values: NDArray[Any]) -> str:
    distinct = list(dict.fromkeys(values[:10_000].tolist()))
    return ", ".join(repr(value) for value in distinct[:5]) + (", ..." if len(distinct) > 5 else "")
