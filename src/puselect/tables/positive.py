"""Which value of the label column marks the positives."""

from collections.abc import Sequence
from typing import Any

from puselect.tables.counts import counted
from puselect.tables.names import nearest

Counts = Sequence[tuple[Any, int]]
"""Values of the label column with the number of their rows; None counts the missing ones."""

YES = {"1", "true", "yes", "y", "t", "positive", "pos", "labelled", "labeled"}
NO = {"0", "-1", "false", "no", "n", "f", "negative", "neg", "unlabelled", "unlabeled", "unknown", "u", "?", "na", ""}


def choose_positive(counts: Counts, label: str, wanted: str | None = None) -> Any:
    """Return the value that marks a labelled positive, or raise a ValueError that lists what there is.

    Parameters
    ----------
    counts : sequence of (value, number of rows)
    label : str
        Name of the column, for messages.
    wanted : str, optional
        What the user calls positive. Without it, a value that plainly means yes beside others that mean no, or the
        only value there is beside empty ones.

    Examples
    --------
    >>> choose_positive([(0, 90), (1, 10)], "label")
    1
    >>> choose_positive([("ham", 90), ("spam", 10)], "label", "spam")
    'spam'
    """
    values = [value for value, _ in counts if value is not None]
    if not values:
        raise ValueError(f"the label column {label!r} is empty; mark the rows you know to be positive, with 1 say")
    positive = plain_positive(counts, label) if wanted is None else named_positive(counts, label, wanted)
    if len(counts) == 1:
        raise ValueError(
            f"every row has {label} = {positive}: nothing is unlabelled; "
            "add rows that are not known to be positive, with another value or none"
        )
    return positive


def plain_positive(counts: Counts, label: str) -> Any:
    """Return the value that means yes if there is no doubt about it."""
    values = [value for value, _ in counts if value is not None]
    if len(values) == 1 and (len(counts) > 1 or spelled(values[0]) in YES):
        if spelled(values[0]) in NO:
            raise ValueError(f"no row is labelled positive: {label} has only {listing(counts)}; mark some with 1")
        return values[0]
    yes = [value for value in values if spelled(value) in YES]
    others_mean_no = all(spelled(value) in NO for value in values if value not in yes)
    if len(yes) == 1 and others_mean_no:
        return yes[0]
    raise ValueError(
        f"cannot tell which value of {label!r} marks the positives; it has {listing(counts)}; "
        f"say which with --positive VALUE"
    )


def named_positive(counts: Counts, label: str, wanted: str) -> Any:
    """Return the value that the user means, whatever its type."""
    values = [value for value, _ in counts if value is not None]
    exact = [value for value in values if str(value) == wanted]
    alike = exact or [value for value in values if spelled(value) == spelled(wanted)]
    if len(alike) == 1:
        return alike[0]
    raise ValueError(
        f"no row has {label} = {wanted}; it has {listing(counts)}{nearest(wanted, [str(v) for v in values])}"
    )


def spelled(value: Any) -> str:
    """Return a value as one would say it: 1, 1.0 and "1" are alike, and so are True and "true".

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


def listing(counts: Counts, most: int = 6) -> str:
    """Return the values with their counts, the most frequent first.

    Examples
    --------
    >>> listing([("ham", 90), (None, 10)])
    "'ham' (90 rows), nothing (10 rows)"
    """
    ordered = sorted(counts, key=lambda pair: -pair[1])
    names = [("nothing" if value is None else repr(value), count) for value, count in ordered[:most]]
    parts = [f"{name} ({counted(count, 'row')})" for name, count in names]
    return ", ".join(parts) + (f" and {len(ordered) - most} more" if len(ordered) > most else "")
