"""The labels of a table: which values mark positives and checked negatives, and answers from other files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from puselect.arrays import AnyArray, BoolArray
from puselect.phrases import counted, shortened
from puselect.tables.errors import TableError, nearest, quoted, suggestion
from puselect.tables.files import POLARS_ERRORS, open_source, read_rows
from puselect.tables.frames import pl

YES = {"1", "true", "yes", "y", "t", "positive", "pos", "labelled", "labeled"}
UNANSWERED = {"unlabelled", "unlabeled", "unknown", "u", "?", "na", ""}
CHECKED = {"0", "-1", "false", "no", "n", "f", "negative", "neg"}
NO = UNANSWERED | CHECKED
ROW = "row"

ValueCounts = Sequence[tuple[object, int]]
"""Values of a column with the number of their rows; None stands for missing ones."""


class Labels(NamedTuple):
    """The labels of the rows of a table."""

    value: object
    """That marks positives."""
    positive: BoolArray
    negative: BoolArray
    """Rows that were checked and are negative."""


def positive_rows(column: pl.Series) -> BoolArray:
    """Return which rows have the value that means yes."""
    return rows_with(column, choose_positive(value_counts(column), column.name))


def rows_with(column: pl.Series, value: object) -> BoolArray:
    """Return which rows have a value."""
    return np.asarray((column == value).fill_null(False).to_numpy())


def value_counts(column: pl.Series) -> ValueCounts:
    """Return the values of a label column with the number of their rows; missing ones, also NaN, are None."""
    about = f"the label column {column.name!r} is of type {column.dtype}"
    wrong_type = TableError(f"{about}; numbers, text or booleans are needed")
    if column.dtype.is_nested() or str(column.dtype) in ("Binary", "Object"):
        raise wrong_type
    known = column.fill_nan(None) if column.dtype.is_float() else column
    try:
        counts = known.value_counts().rows()
    except POLARS_ERRORS as error:  # a date that Python does not know
        raise wrong_type from error
    return [(value, count) for value, count in counts if count]


def choose_positive(counts: ValueCounts, label: str, wanted: str | None = None) -> object:
    """Return the value that marks a labelled positive, or raise a `TableError`.

    `wanted` is the value as the user writes it. By default it is the one value that means yes if all others mean no, or
    the only value if the other rows have none.
    """
    values = [value for value, _ in counts if value is not None]
    if not values:
        raise TableError(f"the label column {label!r} is empty; mark known positives, for example with 1")
    if wanted is None:
        found = _evident(values, is_alone=len(counts) == 1)
    else:
        exact = [value for value in values if str(value) == wanted]
        found = exact or [value for value in values if spelled(value) == spelled(wanted)]
    if len(found) == 1 < len(counts):
        return found[0]
    if len(found) == 1:
        add = "add rows of which it is not known whether they are positive"
        raise TableError(f"all rows have {label} = {found[0]}; {add}")
    if wanted is not None:
        raise _unknown_value("--positive", label, wanted, counts)
    if not found and len(values) == 1 < len(counts):
        raise TableError(f"no row is labelled positive: {label} has {value_list(counts)}; mark known positives with 1")
    which = f"cannot tell which value of {label!r} marks positives"
    raise TableError(f"{which}: {value_list(counts)}; use --positive VALUE")


def _unknown_value(option: str, label: str, wanted: str, counts: ValueCounts) -> TableError:
    near = nearest(wanted, [str(value) for value, _ in counts if value is not None])
    return TableError(f"{option}: no row has {label} = {wanted}; it has {value_list(counts)}{near}")


def value_list(counts: ValueCounts) -> str:
    """Return values with their counts, the most frequent first."""
    ordered = sorted(counts, key=lambda pair: -pair[1])
    named = [("missing" if value is None else repr(value), count) for value, count in ordered]
    return shortened([f"{name} ({counted(count, 'row')})" for name, count in named])


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


def read_labels(
    column: pl.Series, names: AnyArray, row_column: str, wanted: str | None, no: str | None, answers: Sequence[Path]
) -> Labels:
    """Return the labels of rows with these names, which stand in `row_column` of files of answers.

    `wanted` is the value of positives, by default the one that means yes. `no` is that of checked negatives, by default
    none in the column, and those that mean no in answers.
    """
    counts = value_counts(column)
    checked = [value for value, _ in counts if no is not None and spelled(value) == spelled(no)]
    if no is not None and not checked and not answers:
        raise _unknown_value("--negative", column.name, no, counts)
    value = choose_positive([pair for pair in counts if pair[0] not in checked], column.name, wanted)
    labels = Labels(value, rows_with(column, value), np.zeros(len(column), dtype=bool))
    for each in checked:
        np.logical_or(labels.negative, rows_with(column, each), out=labels.negative)
    for path in answers:
        _add_answers(labels, _read_answers(path, row_column, column.name), names, path, no)
    n_unlabelled = int((~labels.positive & ~labels.negative).sum())
    if n_unlabelled < max(1, labels.negative.sum()):
        rows, first = first_rows([str(name) for name in names[labels.negative]])
        few = f"were checked and are negative ({first}), but only {n_unlabelled} unlabelled"
        better = "where most rows are labelled, a method for known classes is better"
        raise TableError(f"{column.name!r} has {rows} that {few}; {better}")
    return labels


def _read_answers(path: Path, row_column: str, label: str) -> dict[str, str]:
    """Return the answer for each row of a file, by its name; rows without one are left out."""
    source = open_source(str(path), texts=[row_column, label])
    check_columns(path, source.columns, {"id": [row_column], "label": [label]})
    frame, _ = read_rows(source)
    texts = [frame[name].cast(str).fill_null("").str.strip_chars().to_list() for name in (row_column, label)]
    repeated = [name for name, count in Counter(texts[0]).items() if count > 1]
    _refuse(path, repeated, "has more than one line for", f", by {row_column}")
    return {name: text for name, text in zip(*texts, strict=True) if spelled(text) not in UNANSWERED}


def _add_answers(
    labels: Labels, answers: dict[str, str], names: AnyArray, path: Path, negative: str | None
) -> None:
    """Mark answered rows as positive or negative, in place."""
    is_number = names.dtype.kind in "iu"
    places = {str(name): place for place, name in enumerate(names.tolist())}
    keys = {name: spelled(name) if is_number else name for name in answers}
    unknown = [name for name in answers if keys[name] not in places]
    _refuse(path, unknown, "has answers for", " that the table does not have")
    yes, no = spelled(labels.value), CHECKED if negative is None else {spelled(negative)}
    said = {name: spelled(text) == yes for name, text in answers.items()}
    wrong = [f"{name} ({text!r})" for name, text in answers.items() if spelled(text) not in {yes, *no}]
    usual = negative or ("0" if yes == "1" else "no")
    _refuse(path, wrong, f"has answers that are neither {labels.value} nor {usual} for", after="; see --negative")
    rows = {True: labels.positive, False: labels.negative}
    both = [name for name, is_yes in said.items() if rows[not is_yes][places[keys[name]]]]
    _refuse(path, both, "contradicts earlier labels of", after="; correct the one that is wrong")
    for name, is_yes in said.items():
        rows[is_yes][places[keys[name]]] = True


def _refuse(path: Path, rows: Sequence[str], fault: str, which: str = "", after: str = "") -> None:
    """Raise an error about rows, if there are any, with their number and the first of them."""
    if rows:
        number, first = first_rows(rows)
        raise TableError(f"--labels: {path} {fault} {number}{which}: {first}{after}")


def first_rows(rows: Sequence[str]) -> tuple[str, str]:
    """Return the number of rows and the names of the first three, in words."""
    return counted(len(rows), "row"), ", ".join(rows[:3]) + (", ..." if len(rows) > 3 else "")


def check_columns(path: str | Path, columns: Sequence[str], named: Mapping[str, Sequence[str]]) -> None:
    """Raise an error if a file lacks a column that is named, by the option that names it ("" for the selection)."""
    for option, names in named.items():
        if unknown := [name for name in names if name not in columns]:
            role = f"--{option}: " if option else "the selection: "
            raise TableError(f"{role}{path} has no column {quoted(unknown)}{suggestion(unknown[0], columns)}")
