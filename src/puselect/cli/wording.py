"""Errors and notes about tables in words."""

import difflib
import shlex
from collections.abc import Sequence

from puselect.phrases import counted, shortened
from puselect.tables import errors
from puselect.tables.column_outcomes import reason
from puselect.tables.errors import LeftOut

ANOTHER_ID = ": correct them, name another column with --id COL, or number the rows with --id none"


def error_text(error: errors.TableError) -> str:
    """Return what is wrong with a table and what to do about it."""
    match error:
        case errors.FileError():
            return file_text(error)
        case errors.LabelError():
            return label_text(error)
        case errors.CostsError():
            return costs_text(error)
        case errors.AnswersError():
            return answers_text(error)
        case errors.RaggedLineError(path, line, separators=(own, usual)):
            fields = f"line {line} has its fields between {own!r}, the header between {usual!r}"
            return f"{path}: {fields}; use one, as in sed '{line},$ s/[{own}]/{usual}/g' FILE > NEW"
        case errors.RaggedLineError(path, line, n_fields, n_columns):
            return (
                f"{path}: line {line} has {counted(n_fields, 'field')}, expected {n_columns}; "
                "quote fields that contain the separator, or fix the line"
            )
        case errors.RepeatedNameError(None, names):
            return f"one-hot encoding makes more than one column named {quoted(names)}; rename the original columns"
        case errors.RepeatedNameError(path, names):
            return f"{path} has more than one column named {quoted(names)}; column names must be unique"
        case errors.UnknownColumnError(path, "selection", names, columns):
            return f"{path} has no column {quoted(names)}, which the selection needs{nearest(names[0], columns)}"
        case errors.UnknownColumnError(path, role, names, columns):
            return f"--{role}: {path} has no column {quoted(names)}{suggestion(names[0], columns)}"
        case errors.KeepError(name, None):
            return f"--keep: {name!r} is the label, truth, identifier, row group or a dropped column, not a feature"
        case errors.IdError(name, "missing", n_rows=n_rows):
            return f"--id: {counted(n_rows, 'row')} without a value of {name!r}; every row needs its own{ANOTHER_ID}"
        case errors.IdError(name, _, value, n_shared):
            shared = f"{counted(n_shared, 'value')} of {name!r} in more than one row"
            return f"--id: {shared}, such as {value!r}; every row needs its own{ANOTHER_ID}"
        case errors.KeepError(name, LeftOut() as left_out):
            return f"--keep: {name!r} cannot be used: {reason_text(left_out)}"
        case errors.TooFewFeaturesError(n_features, left_out):
            reasons = "; ".join(f"{column.name}: {reason_text(column)}" for column in left_out[:5])
            lacking = f" (left out: {reasons})" if reasons else ""
            return f"at least 2 usable features are needed, got {n_features}{lacking}; add columns, or see --prepare"
        case errors.TooManyLabelledError(n_labelled, max_rows):
            return f"{n_labelled} rows are labelled, but only {max_rows} may be read; raise --max-rows or --max-memory"
        case errors.MissingValuesError(hole, counts):
            most_first = sorted(counts.items(), key=lambda item: -item[1])
            named = shortened([f"{name} ({count})" for name, count in most_first])
            columns = f"{counted(len(counts), 'column')} with {hole} values: {named}"
            return f"{columns}; fill them with --prepare, or leave the columns out with --drop"
        case errors.AmbiguousNumberError():
            return str(error).replace("decimal=", "--decimal=")
        case _:
            return str(error)


def answers_text(error: errors.AnswersError) -> str:
    """Return what is wrong with a file of answers: the count and the first three rows."""
    named = ", ".join(error.rows[:3]) + (", ..." if len(error.rows) > 3 else "")
    words = {"path": error.path, "rows": counted(len(error.rows), "row"), "named": named, "detail": error.detail}
    return ANSWERS_TEXTS[error.fault].format(**words)


FILE_TEXTS: dict[errors.FileFault, str] = {
    "empty": "{path} is empty; the first line must hold the column names",
    "empty header": "{path}: the first line is empty; it must hold the column names",
    "header": "{path}: cannot read the column names ({detail}); check quotes and line ends",
    "json": "{path} looks like JSON; supported are CSV, TSV, Parquet and Arrow",
    "archive": "{path} is a spreadsheet or an archive; export the table as CSV first",
    "binary": "{path} is not a text file; supported are CSV, TSV, Parquet and Arrow",
    "encoding": "{path} is not UTF-8 text (byte {detail}); convert it first, as in iconv -f latin1 -t utf-8",
    "gzip": "{path}: damaged gzip file ({detail})",
    "damaged": "cannot read {path}: {detail}",
    "nested": "{path}: column {detail!r} has a type nested too deeply; drop it from the file",
    "schema": "{path} has other columns, or other types of columns, than {detail}; all files must have the same",
    "unpacked size": "{path} is larger than {size} when decompressed; decompress it first, or raise --max-memory",
    "stream size": "{path} is longer than {size}; save it to a file first",
    "rows": "{path} has too few rows ({detail}); at least 2 are needed",
    "output format": "cannot tell the format of {path}; its name must end in {detail}",
}


def file_text(error: errors.FileError) -> str:
    """Return why a file cannot be read as a table."""
    limit = size(error.detail) if error.fault in ("unpacked size", "stream size") else ""
    return FILE_TEXTS[error.fault].format(path=error.path, detail=error.detail, size=limit)


LABEL_TEXTS: dict[errors.LabelFault, str] = {
    "empty": "the label column {label!r} is empty; mark known positives, for example with 1",
    "type": "the label column {label!r} is of type {value}; numbers, text or booleans are needed",
    "all positive": "all rows have {label} = {value}; add rows of which it is not known whether they are positive",
    "none positive": "no row is labelled positive: {label} has {values}; mark known positives with 1",
    "ambiguous": "cannot tell which value of {label!r} marks positives: {values}; use --positive VALUE",
    "unknown negative": "--negative: no row has {label} = {value}; it has {values}{near}",
    "unknown value": "--positive: no row has {label} = {value}; it has {values}{near}",
}


def label_text(error: errors.LabelError) -> str:
    """Return why the positives cannot be told from a label column."""
    near = nearest(str(error.positive), [str(value) for value, _ in error.counts if value is not None])
    values = value_list(error.counts)
    return LABEL_TEXTS[error.fault].format(label=error.label, value=error.positive, values=values, near=near)


ANSWERS_TEXTS: dict[errors.AnswersFault, str] = {
    "unknown": "--labels: {path} has answers for {rows} that the table does not have: {named}",
    "repeated": "--labels: {path} has more than one line for {rows}, by {detail}: {named}",
    "spelling": "--labels: {path} has answers that are neither {detail} for {rows}: {named}; see --negative",
    "both ways": "--labels: {path} contradicts earlier labels of {rows}: {named}; correct the one that is wrong",
    "too many": "{path!r} has {rows} that were checked and are negative ({named}), but only {detail} unlabelled; "
    "where most rows are labelled, a method for known classes is better",
}


COSTS_TEXTS: dict[errors.CostsFault, str] = {
    "empty": "{path} is empty; expected lines of name,cost",
    "line": "{path} must hold lines of name,cost{detail}",
    "json": '{path} must hold an object such as {{"age": 1, "scan": 250.0}}{detail}',
    "missing": "{path} has no cost for {names}; add them, or a line *,1 for all others",
    "unknown": "{path} has a cost for {names}, which is no column: delete the line, or correct the name{near}",
}


def costs_text(error: errors.CostsError) -> str:
    """Return why a file of costs cannot be used."""
    detail = f" ({error.detail})" if error.detail else ""
    names, near = shortened(error.names), suggestion("".join(error.names[:1]), error.columns)
    text = COSTS_TEXTS[error.fault].format(path=error.path, detail=detail, names=names, near=near)
    return f"--costs: {text}"


HINTS = {"text": "use it with --prepare", "dates": "use it with --prepare", "identifier": "use it with --use",
         "sparse": "use it with --use", "units": "or leave it out with --drop"}


def reason_text(column: LeftOut) -> str:
    """Return why a column is not used, and the option that changes it."""
    hint = HINTS.get(column.reason, "") if column.max_categories is None else "see --max-categories"
    if column.reason == "mixed":
        hint = f"if it means missing, add --missing={shlex.quote(f'{column.name}={column.detail}')}"
    return reason(column) + (f" ({hint})" if hint else "")


def size(n_bytes: str) -> str:
    """Return a number of bytes in GB or MB.

    Examples
    --------
    >>> size("8500000000"), size("2000000")
    ('8.5 GB', '2 MB')
    """
    number = int(n_bytes)
    return f"{number / 1e9:.3g} GB" if number >= 1e9 else f"{number / 1e6:.3g} MB"


def quoted(names: Sequence[str]) -> str:
    """Return the first names in quotes."""
    return shortened([repr(name) for name in names])


def value_list(counts: errors.ValueCounts) -> str:
    """Return values with their counts, the most frequent first.

    Examples
    --------
    >>> value_list([("ham", 90), (None, 10)])
    "'ham' (90 rows), missing (10 rows)"
    """
    ordered = sorted(counts, key=lambda pair: -pair[1])
    named = [("missing" if value is None else repr(value), count) for value, count in ordered]
    return shortened([f"{name} ({counted(count, 'row')})" for name, count in named])


def suggestion(wanted: str, names: Sequence[str]) -> str:
    """Return a continuation of the message with similar names, or with those there are.

    Examples
    --------
    >>> suggestion("lable", ["label", "age"])
    "; did you mean 'label'?"
    >>> suggestion("x", ["label", "age"])
    '; it has label, age'
    """
    return nearest(wanted, names) or f"; it has {shortened(names)}"


def nearest(wanted: str, names: Sequence[str]) -> str:
    """Return a continuation of the message with similar names, or nothing.

    Examples
    --------
    >>> nearest("Lable", ["label", "age"]), nearest("x", ["label", "age"])
    ("; did you mean 'label'?", '')
    """
    folded = {name.casefold(): name for name in reversed(names)}
    near = difflib.get_close_matches(wanted.casefold(), folded, n=3)
    return f"; did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""
