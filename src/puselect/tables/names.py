"""Column names as users write them: lists, and what they may have meant."""

import csv
import difflib
from collections.abc import Iterable, Sequence


def split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in comma-separated lists; a name with a comma goes in double quotes.

    Examples
    --------
    >>> split_names(["age, income", '"height, cm"'])
    ('age', 'income', 'height, cm')
    """
    rows = csv.reader(texts, skipinitialspace=True)
    return tuple(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


def quoted_name(name: str) -> str:
    """Return a name as `split_names` wants it.

    Examples
    --------
    >>> quoted_name("age"), quoted_name("height, cm")
    ('age', '"height, cm"')
    """
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name


def check_known(option: str, wanted: Iterable[str], names: Sequence[str]) -> None:
    """Raise a ValueError for a wanted name that is not among `names`."""
    for name in wanted:
        if name not in names:
            raise ValueError(f"{option} names the column {name!r}, which is not in the table{suggestion(name, names)}")


def suggestion(wanted: str, names: Sequence[str], most: int = 8) -> str:
    """Return a continuation of the message that says what is near, or what there is.

    Examples
    --------
    >>> suggestion("lable", ["label", "age"])
    "; did you mean 'label'?"
    >>> suggestion("x", ["label", "age"])
    '; it has: label, age'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return nearest(wanted, names) or f"; it has: {', '.join(names[:most])}{more}"


def nearest(wanted: str, names: Sequence[str]) -> str:
    """Return a continuation of the message that says what is near, or nothing.

    Examples
    --------
    >>> nearest("Lable", ["label", "age"]), nearest("x", ["label", "age"])
    ("; did you mean 'label'?", '')
    """
    folded = {name.casefold(): name for name in reversed(names)}
    near = difflib.get_close_matches(wanted.casefold(), folded, n=3)
    return f"; did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""
