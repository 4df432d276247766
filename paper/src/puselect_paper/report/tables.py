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
