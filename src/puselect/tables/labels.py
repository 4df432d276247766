"""The label column: which of its values marks the positives, and which rows have it."""

from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import BoolArray
from puselect.tables.errors import LabelError, LabelFault, ValueCounts
from puselect.tables.parquet import POLARS_ERRORS

if TYPE_CHECKING:
    from puselect.tables.frames import pl

YES = {"1", "true", "yes", "y", "t", "positive", "pos", "labelled", "labeled"}
NO = {"0", "-1", "false", "no", "n", "f", "negative", "neg", "unlabelled", "unlabeled", "unknown", "u", "?", "na", ""}


def choose_labels(column: "pl.Series", wanted: str | None) -> tuple[object, BoolArray]:
    """Return the value that marks positives, and which rows have it."""
    positive = choose_positive(value_counts(column), column.name, wanted)
    return positive, _rows_with(column, positive)


def _rows_with(column: "pl.Series", value: object) -> BoolArray:
    return np.asarray((column == value).fill_null(False).to_numpy())


def value_counts(column: "pl.Series") -> ValueCounts:
    """Return the values of a label column with the number of their rows; missing ones, also NaN, are None."""
    if column.dtype.is_nested() or str(column.dtype) in ("Binary", "Object"):
        raise LabelError(column.name, "type", positive=column.dtype)
    known = column.fill_nan(None) if column.dtype.is_float() else column
    try:
        counts = known.value_counts().rows()
    except POLARS_ERRORS as error:  # a date that Python does not know
        raise LabelError(column.name, "type", positive=column.dtype) from error
    return [(value, count) for value, count in counts if count]


def choose_positive(counts: ValueCounts, label: str, wanted: str | None = None) -> object:
    """Return the value that marks a labelled positive, or raise a `LabelError`.

    `wanted` is the value as the user writes it. By default it is the one value that means yes if all others mean no, or
    the only value if the other rows have none.

    Examples
    --------
    >>> choose_positive([(0, 90), (1, 10)], "label")
    1
    >>> choose_positive([("ham", 90), ("spam", 10)], "label", "spam")
    'spam'
    """
    values = [value for value, _ in counts if value is not None]
    if not values:
        raise LabelError(label, "empty")
    fault: LabelFault = "unknown value"
    if wanted is None:
        found = _evident(values, is_alone=len(counts) == 1)
        fault = "none positive" if not found and len(values) == 1 < len(counts) else "ambiguous"
    else:
        exact = [value for value in values if str(value) == wanted]
        found = exact or [value for value in values if spelled(value) == spelled(wanted)]
    if len(found) != 1:
        raise LabelError(label, fault, counts, wanted)
    if len(counts) == 1:
        raise LabelError(label, "all positive", counts, found[0])
    return found[0]


def _evident(values: list[object], is_alone: bool) -> list[object]:
    """Return the value that means yes, or none or several if there is a doubt about it."""
    yes = [value for value in values if spelled(value) in YES]
    others = [value for value in values if value not in yes]
    if len(values) == 1 and not is_alone:  # the other rows have no value
        return [value for value in values if spelled(value) not in NO]
    return yes if all(spelled(value) in NO for value in others) else []


def spelled(value: object) -> str:
    """Return a value in lower case, numbers without decimals they do not need: 1, 1.0 and "1" are alike.

    Examples
    --------
    >>> spelled(1.0), spelled(" Yes "), spelled(True)
    ('1', 'yes', 'true')
    """
    text = str(value).strip().lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text
