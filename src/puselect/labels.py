"""Labels: which rows of ``y`` are labelled positives, and which were checked and are negative."""

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray

TYPICAL_ODDS = 0.25  # of positives among all rows
MOST_CHECKED = 0.75


def labelled_positives(y: ArrayLike, pos_label: object = 1) -> BoolArray:
    """Return which rows are labelled positive; every other row is unlabelled.

    Labels are anything that can be compared with `pos_label`: 0/1, -1/1, booleans, strings. Missing values (None, NaN,
    NaT, pandas' NA, masked values) mean "unlabelled". At least one row must be labelled, and one not.

    Examples
    --------
    >>> labelled_positives(["ham", "spam", None], pos_label="spam")
    array([False,  True, False])
    """
    values = np.asarray(without_missing(y, pos_label))
    if values.ndim != 1:
        raise ValueError(f"y must be one-dimensional, one label per row, got shape {values.shape}")
    positive = equal_to(values, pos_label)
    if not positive.any():
        raise ValueError(
            f"y must hold at least one labelled positive (y == {pos_label!r}), got only "
            f"{_some_values(y)}; set pos_label to the value that marks your positives"
        )
    if positive.all():
        raise ValueError(
            f"y must hold unlabelled rows (y != {pos_label!r}) besides the labelled positives, got "
            f"{pos_label!r} in all {len(positive)} rows"
        )
    return positive


def checked_negatives(y: ArrayLike, neg_label: object, positive: BoolArray) -> BoolArray | None:
    """Return which rows were checked and are negative (``y == neg_label``); None if `neg_label` is None.

    `positive` are the labelled positives; rows that are neither are unlabelled, and there must be as many of these as
    of checked negatives.
    """
    if neg_label is None:
        return None
    _check_value("neg_label", neg_label, "checked negatives")
    negative = equal_to(np.asarray(without_missing(y, neg_label)).reshape(positive.shape), neg_label)
    if not negative.any():
        raise ValueError(
            f"y must hold at least one checked negative (y == {neg_label!r}), got only {_some_values(y)}; set "
            "neg_label to the value that marks them, or to None"
        )
    if (both := positive & negative).any():
        raise ValueError(f"neg_label must differ from pos_label, got {neg_label!r} for both in {_some_rows(both)}")
    n_unlabelled = int((~positive & ~negative).sum())
    if n_unlabelled < negative.sum():
        raise ValueError(
            f"y must hold at least as many unlabelled rows as checked negatives, got {n_unlabelled} and {neg_label!r} "
            f"in {_some_rows(negative)}; where most rows are labelled, a method for known classes is better"
        )
    return negative


def equal_to(values: AnyArray, pos_label: object) -> BoolArray:
    """Return where `values`, which hold nothing missing, equal `pos_label`."""
    try:
        same = values == pos_label
    except OverflowError:  # an integer beyond the largest float
        same = False
    # NumPy compares arrays and scalars of unlike types as a whole
    return np.broadcast_to(np.asarray(same, dtype=bool), values.shape)


def without_missing(y: ArrayLike, pos_label: object = 1) -> ArrayLike:
    """Return `y` with missing values replaced by one that means unlabelled; `y` itself if there are none."""
    _check_value("pos_label", pos_label, "labelled positives")
    if isinstance(y, np.ndarray) and y.dtype.kind == "T":  # texts of any length, which scikit-learn does not know
        y = y.astype(object)
    values, missing = np.asarray(y), missing_values(y)
    if values.ndim == 0 or not missing.any():
        return y
    filled = values.astype(object) if values.dtype.kind in "US" else values.copy()
    filled[missing] = 0
    if equal_to(filled[missing], pos_label).any():
        filled[missing] = 1
    return filled


def _check_value(name: str, label: object, marked: str) -> None:
    if isinstance(label, list | tuple | dict | set | np.ndarray) or is_missing(label):
        raise ValueError(f"{name} must be a value that marks {marked}, got {label!r}")


def checked_weight(n_positive: ArrayLike, n_negative: ArrayLike) -> FloatArray:
    """Return the weight of all checked negatives together, that of all unlabelled rows being 1.

    Positives are compared with a mixture of both. Its most precise share of checked negatives is odds times negatives
    per positive, where the odds are those of positives among all rows.

    Examples
    --------
    >>> checked_weight([50, 50], [50, 400]).round(2)
    array([0.33, 3.  ])
    """
    ratio = np.asarray(n_negative, dtype=float) / np.maximum(n_positive, 1)
    share = np.minimum(TYPICAL_ODDS * ratio, MOST_CHECKED)
    return np.asarray(share / (1 - share))


def draw_rows(positive: BoolArray, rng: np.random.Generator, *, max_others: int) -> IntArray:
    """Return the labelled rows, followed by up to `max_others` others at random.

    Examples
    --------
    >>> draw_rows(np.array([False, True, False, True]), np.random.default_rng(0), max_others=1)
    array([1, 3, 2])
    """
    labelled = np.flatnonzero(positive)
    n_others = len(positive) - len(labelled)
    drawn = rng.choice(n_others, min(max_others, n_others), replace=False)
    return np.concatenate([labelled, rows_besides(labelled, drawn)])


def rows_besides(left_out: IntArray, numbers: IntArray) -> IntArray:
    """Return the rows that have these numbers if the ascending rows `left_out` are not counted.

    Examples
    --------
    >>> rows_besides(np.array([1, 2]), np.array([0, 1, 2]))
    array([0, 3, 4])
    """
    return np.asarray(numbers + np.searchsorted(left_out - np.arange(len(left_out)), numbers, side="right"))


def missing_values(y: ArrayLike) -> BoolArray:
    """Return where values are missing."""
    if isinstance(y, np.ma.MaskedArray):
        return np.asarray(missing_values(y.data) | np.ma.getmaskarray(y))
    values = np.asarray(y)
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind == "O":
        return np.array([is_missing(value) for value in values.ravel()], dtype=bool).reshape(values.shape)
    return np.zeros(values.shape, dtype=bool)


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA: all but None are known by not equalling themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA: even that is not known
        return True
    except ValueError:  # an array
        return False


def _some_rows(marked: BoolArray) -> str:
    """Return how many rows are marked, and the first three, in words."""
    rows = np.flatnonzero(marked).tolist()
    first = ", ".join(map(str, rows[:3])) + (", ..." if len(rows) > 3 else "")
    return f"{len(rows)} {'row' if len(rows) == 1 else 'rows'} ({first})"


def _some_values(y: ArrayLike) -> str:
    """Return the first different labels in words."""
    pairs = zip(np.asarray(y)[:10_000].tolist(), missing_values(y)[:10_000], strict=True)
    distinct = list(dict.fromkeys("missing values" if is_missing else repr(value) for value, is_missing in pairs))
    return ", ".join(distinct[:5]) + (", ..." if len(distinct) > 5 else "")
