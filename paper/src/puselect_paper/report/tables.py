"""Tables of a report, and their Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Entry(NamedTuple):
    """One field of a table."""

    text: str = ""
    best: bool = False
    """Among the best of its column."""
    differs: bool = False
    """More than two standard errors from the paper."""
    quiet: bool = False
    """Secondary: the paper's value, a count."""


@dataclass(frozen=True)
class Table:
    """Lines of fields under one or more lines of headings; the first `n_names` columns hold words."""

    title: str
    header: Sequence[Sequence[str]]
    lines: Sequence[Sequence[Entry]]
    note: str = ""
    n_names: int = 2


MARK = "≠"


def plain(entry: Entry) -> str:
    """Return the text of a field with its mark."""
    return f"{entry.text} {MARK}" if entry.differs else entry.text


def fit_width(table: Table, width: int, padding: int = 2) -> list[Table]:
    """Return the table in pieces of at most `width` characters, each with the columns of names.

    A table that does not fit in one piece loses the first of several columns of names, the group.
    """
    pieces = _pieces(table, width, padding)
    if len(pieces) == 1 or table.n_names == 1:
        return pieces
    header = [line[1:] for line in table.header]
    lines = [line[1:] for line in table.lines]
    return _pieces(Table(table.title, header, lines, table.note, table.n_names - 1), width, padding)


def _pieces(table: Table, width: int, padding: int) -> list[Table]:
    texts = [*table.header, *[[plain(entry) for entry in line] for line in table.lines]]
    widths = [max(len(line[i]) for line in texts) + padding for i in range(len(table.header[0]))]
    names = list(range(table.n_names))
    pieces: list[list[int]] = [[]]
    for column in range(table.n_names, len(widths)):
        if pieces[-1] and sum(widths[i] for i in [*names, *pieces[-1], column]) > width:
            pieces.append([])
        pieces[-1].append(column)
    return [_columns(table, [*names, *piece], last=piece is pieces[-1]) for piece in pieces]


def _columns(table: Table, columns: Sequence[int], last: bool) -> Table:
    header = [[line[i] for i in columns] for line in table.header]
    lines = [[line[i] for i in columns] for line in table.lines]
    return Table(table.title, header, lines, table.note if last else "", table.n_names)


def to_markdown(table: Table) -> str:
    """Return the table as Markdown; of several header lines, all but the first become rows."""
    first, *others = table.header
    aligned = ["---" if i < table.n_names else "---:" for i in range(len(first))]
    lines = [list(first), aligned, *[list(line) for line in others], *[_markdown_line(line) for line in table.lines]]
    text = "\n".join(f"| {' | '.join(_escape_bar(field) for field in line)} |" for line in lines)
    return "\n\n".join(part for part in (f"### {table.title}", text, table.note) if part)


def _markdown_line(line: Sequence[Entry]) -> list[str]:
    return [f"**{plain(entry)}**" if entry.best else plain(entry) for entry in line]


def _escape_bar(text: str) -> str:
    return text.replace("|", "\\|")
