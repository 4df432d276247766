"""Which value of the label column marks the positives."""

from typing import Any

from puselect.tables.errors import LabelError, ValueCounts

YES = {"1", "true", "yes", "y", "t", "positive", "pos", "labelled", "labeled"}
NO = {"0", "-1", "false", "no", "n", "f", "negative", "neg", "unlabelled", "unlabeled", "unknown", "u", "?", "na", ""}


def choose_positive(counts: ValueCounts, label: str, wanted: str | None = None) -> Any:
    """Return the value that marks a labelled positive, or raise a `LabelError`.

    Parameters
    ----------
    counts : sequence of (value, number of rows)
    label : str
        Name of the column.
    wanted : str, optional
        The value as the user writes it. By default the one value that means yes if all others mean no, or the only
        value if the other rows have none.

    Examples
    --------
    >>> choose_positive([(0, 90), (1, 10)], "label")
    1
    >>> choose_positive([("ham", 90), ("spam", 10)], "label", "spam")
    'spam'
    """
    if all(value is None for value, _ in counts):
        raise LabelError(label, "empty")
    positive = _evident_positive(counts, label) if wanted is None else _named_positive(counts, label, wanted)
    if len(counts) == 1:
        raise LabelError(label, "all positive", counts, positive)
    return positive


def _evident_positive(counts: ValueCounts, label: str) -> Any:
    """Return the value that means yes if there is no doubt about it."""
    values = [value for value, _ in counts if value is not None]
    if len(values) == 1 and (len(counts) > 1 or spelled(values[0]) in YES):
        if spelled(values[0]) in NO:
            raise LabelError(label, "none positive", counts)
        return values[0]
    yes = [value for value in values if spelled(value) in YES]
    others_mean_no = all(spelled(value) in NO for value in values if value not in yes)
    if len(yes) == 1 and others_mean_no:
        return yes[0]
    raise LabelError(label, "ambiguous", counts)


def _named_positive(counts: ValueCounts, label: str, wanted: str) -> Any:
    """Return the value that the user means, whatever its type."""
    values = [value for value, _ in counts if value is not None]
    exact = [value for value in values if str(value) == wanted]
    alike = exact or [value for value in values if spelled(value) == spelled(wanted)]
    if len(alike) == 1:
        return alike[0]
    raise LabelError(label, "unknown value", counts, wanted)


def spelled(value: Any) -> str:
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
