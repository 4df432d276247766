"""Errors and notes about a table, with fields. The command line puts them into words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from puselect.checks.leaks import Leak

FileFault = Literal[
    "empty", "empty header", "header", "json", "archive", "binary", "encoding", "gzip", "damaged", "unpacked size",
    "stream size", "schema", "nested", "rows", "output format",
]
LabelFault = Literal[
    "empty", "type", "all positive", "none positive", "ambiguous", "unknown value", "unknown negative"
]
AnswersFault = Literal["unknown", "repeated", "spelling", "both ways", "too many"]
CostsFault = Literal["empty", "line", "json", "missing", "unknown"]
LeftOutReason = Literal[
    "empty", "sparse", "constant", "text", "mixed", "units", "dates", "type", "identifier", "copy", "drop"
]
IdFault = Literal["missing", "repeated"]
Role = Literal["label", "truth", "id", "row-group", "drop", "keep", "use", "categories", "missing", "selection"]
Hole = Literal["missing", "infinite"]
MANY_LOST = 0.05  # share of the values of a column, beyond that in the fit

ValueCounts = Sequence[tuple[object, int]]
"""Values of a column with the number of their rows; None stands for missing ones."""


class LeftOut(NamedTuple):
    """A column that is not used as a feature."""

    name: str
    reason: LeftOutReason
    detail: str = ""
    """The value of a constant column, the type of a column of neither numbers, text nor dates, the column that a copy
    is a copy of, the units of amounts, or a text among numbers."""
    n_values: int | None = None
    """Number of different values of a text or date column, of values in a sparse one, of texts among numbers."""
    max_categories: int | None = None
    """The limit on `n_values`, where the column was to be encoded and exceeds it."""


class TableError(ValueError):
    """A table, or a file that belongs to it, that cannot be used."""

    def __str__(self) -> str:
        return repr(self)


@dataclass(eq=False)
class FileError(TableError):
    """A file that is not a table, or cannot become one."""

    path: str | Path
    fault: FileFault
    detail: str = ""
    """The reader's own message, the offset of the first wrong byte, the limit in bytes, a column, the number of rows,
    or the output formats."""


@dataclass(eq=False)
class RaggedLineError(TableError):
    """A line with more or fewer fields than the header."""

    path: str | Path
    line: int
    n_fields: int
    n_columns: int
    separators: tuple[str, str] | None = None
    """That of the line and that of the file, if another separator gives it the right number of fields."""


@dataclass(eq=False)
class RepeatedNameError(TableError):
    """Columns with the same name, in the file or after one-hot encoding."""

    path: str | Path | None
    """None if encoding made them."""
    names: Sequence[str]


@dataclass(eq=False)
class UnknownColumnError(TableError):
    """Columns that the table does not have."""

    path: str | Path
    role: Role
    names: Sequence[str]
    columns: Sequence[str]
    """Those it has."""


@dataclass(eq=False)
class KeepError(TableError):
    """A column to keep that cannot be a feature."""

    name: str
    left_out: LeftOut | None
    """None if it is the label, the truth or dropped."""


@dataclass(eq=False)
class IdError(TableError):
    """A column that does not name every row once."""

    name: str
    fault: IdFault
    value: str = ""
    """A name that several rows share."""
    n_rows: int = 0
    """How many rows have no name, or how many names are shared."""


@dataclass(eq=False)
class TooFewFeaturesError(TableError):
    """Fewer than two usable features."""

    n_features: int
    left_out: Sequence[LeftOut]


@dataclass(eq=False)
class TooManyLabelledError(TableError):
    """More labelled rows than the limit on all rows."""

    n_labelled: int
    max_rows: int


@dataclass(eq=False)
class LabelError(TableError):
    """A label column from which the positives cannot be told."""

    label: str
    fault: LabelFault
    counts: ValueCounts = ()
    positive: object = None
    """The value asked for or found, or the type of the column."""


@dataclass(eq=False)
class AnswersError(TableError):
    """Labels of rows, in the table or in a file of answers, that cannot be used."""

    path: str | Path
    """The file of answers, or the label column."""
    fault: AnswersFault
    rows: Sequence[str]
    """The names of the rows, with the answers if these are at fault."""
    detail: str = ""
    """The column of names, the answers that are understood, or the number of unlabelled rows."""


@dataclass(eq=False)
class MissingValuesError(TableError):
    """Missing or infinite values, with no way given to fill them."""

    hole: Hole
    counts: Mapping[str, int]


@dataclass(eq=False)
class AmbiguousNumberError(TableError):
    """A number that is another one if its mark separates thousands."""

    column: str
    value: str
    mark: str

    def __str__(self) -> str:
        other = "." if self.mark == "," else ","
        whole, fraction = self.value.replace(self.mark, ""), self.value.replace(self.mark, other)
        return (
            f"is {self.value} in column {self.column!r} {whole} or {fraction}? Say so by the decimal mark: "
            f"decimal={other} for {whole}, decimal={self.mark} for {fraction}"
        )


@dataclass(eq=False)
class CostsError(TableError):
    """A file of feature costs that cannot be used."""

    path: Path
    fault: CostsFault
    detail: str = ""
    names: Sequence[str] = ()
    """Columns without a cost, or costs without a column."""
    columns: Sequence[str] = ()
    """Of the table."""


@dataclass(frozen=True)
class IdentifierNote:
    """A column of different whole numbers may be an identifier."""

    name: str


@dataclass(frozen=True)
class CategoryNote:
    """A column of whole numbers that, by its name, may be categories."""

    name: str


@dataclass(frozen=True)
class LeakNote:
    """A column that may give the label away."""

    name: str
    leak: Leak
    bounds: tuple[str, ...] = ()
    """The bounds of the leak as they are in the table; none if any value counts."""
    companions: tuple[str, ...] = ()
    """Columns whose names begin with that of this one, such as its date: probably recorded with it."""


@dataclass(frozen=True)
class TwinNote:
    """Columns that say the same."""

    names: tuple[str, ...]
    correlation: float
    """The lowest absolute rank correlation with the first."""


@dataclass(frozen=True)
class CodeNote:
    """A value that may stand for missing, or is a mistake."""

    name: str
    value: str
    count: int


@dataclass(frozen=True)
class FilledNote:
    """Missing or infinite values were filled with the median."""

    hole: Hole
    counts: Mapping[str, int]


@dataclass(frozen=True)
class UnreadNote:
    """Values of a column that are missing, cannot be read, or, in another table, were never seen in the fit."""

    name: str
    fault: str
    n_rows: int
    n_missing: int
    n_unread: int
    examples: tuple[str, ...] = ()
    usual: float = 0.0
    """Share of the values that were missing or unread in the fit."""

    @property
    def is_many(self) -> bool:
        """Whether more values than in the fit are lost, enough for a warning."""
        return self.n_missing + self.n_unread > (self.usual + MANY_LOST) * self.n_rows

    def __str__(self) -> str:
        unread = f"{self.fault}, such as {', '.join(map(repr, self.examples))}"
        found = (self.n_unread, unread), (self.n_missing, "are missing")
        return f"{self.name!r}: {'; '.join(f'{n} of {self.n_rows} values {what}' for n, what in found if n)}"


@dataclass(frozen=True)
class SampleNote:
    """Only a sample of the rows was read."""

    n_read: int
    n_rows: int
    n_labelled: int
    limit: Literal["rows", "memory"]


Note = IdentifierNote | CategoryNote | FilledNote | SampleNote | LeakNote | TwinNote | CodeNote | UnreadNote
"""Something worth knowing about a table that was read."""
