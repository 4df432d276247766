"""Errors and notes about a table. Errors are sentences that say what to type; notes carry fields."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from puselect.checks.leaks import Leak
from puselect.phrases import shortened

LeftOutReason = Literal[
    "empty", "sparse", "constant", "text", "mixed", "units", "dates", "type", "identifier", "copy", "drop"
]
Hole = Literal["missing", "infinite"]
MANY_LOST = 0.05  # share of the values of a column, beyond that in the fit


class TableError(ValueError):
    """A table, or a file that belongs to it, that cannot be used."""


def ambiguous_number(column: str, value: str) -> TableError:
    """Return the question whether a number such as 1,299 is a thousand.

    Examples
    --------
    >>> print(ambiguous_number("paid", "1,299"))
    is 1,299 in column 'paid' 1299 or 1.299? Add --decimal=. for 1299 or --decimal=, for 1.299 (decimal in Python)
    """
    mark, other = (",", ".") if "," in value else (".", ",")
    whole, fraction = value.replace(mark, ""), value.replace(mark, other)
    answers = f"--decimal={other} for {whole} or --decimal={mark} for {fraction} (decimal in Python)"
    return TableError(f"is {value} in column {column!r} {whole} or {fraction}? Add {answers}")


def quoted(names: Sequence[str]) -> str:
    """Return the first names in quotes."""
    return shortened([repr(name) for name in names])


def nearest(wanted: str, names: Sequence[str], otherwise: str = "") -> str:
    """Return a continuation of the message with similar names, or something else if there are none.

    Examples
    --------
    >>> nearest("Lable", ["label", "age"]), nearest("x", ["label", "age"])
    ("; did you mean 'label'?", '')
    """
    folded = {name.casefold(): name for name in reversed(names)}
    near = difflib.get_close_matches(wanted.casefold(), folded, n=3)
    return f"; did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else otherwise


def suggestion(wanted: str, names: Sequence[str]) -> str:
    """Return a continuation of the message with similar names, or with those there are."""
    return nearest(wanted, names, f"; it has {shortened(names)}")


class LeftOut(NamedTuple):
    """A column that is not used as a feature."""

    name: str
    reason: LeftOutReason
    text: str
    """The reason in words."""
    hint: str = ""
    """What to type to use it."""

    def __str__(self) -> str:
        return f"{self.text} ({self.hint})" if self.hint else self.text


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
