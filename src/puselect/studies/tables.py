"""A table as such, and as Markdown and HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple


class Entry(NamedTuple):
    """One field of a table."""

    text: str = ""
    best: bool = False
    """Among the best of its column."""
    differs: bool = False
    """More than two standard errors from the paper."""
    quiet: bool = False
    """Beside the point: the paper's value, a unit."""


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
    """Return the table in pieces that are at most so many characters wide, each with the columns of names.

    Where it does not fit in one piece, the first of several columns of names, that of groups, is left out.
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
    """Return the table for Markdown, where only one line of headings is possible and others follow as lines."""
    first, *others = table.header
    aligned = ["---" if i < table.n_names else "---:" for i in range(len(first))]
    lines = [list(first), aligned, *[list(line) for line in others], *[_markdown_line(line) for line in table.lines]]
    text = "\n".join(f"| {' | '.join(_escape_bar(field) for field in line)} |" for line in lines)
    return "\n\n".join(part for part in (f"### {table.title}", text, table.note) if part)


def to_html(table: Table) -> str:
    """Return the table as a fragment of HTML."""
    head = "".join(f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in line)}</tr>" for line in table.header)
    body = "".join(f"<tr>{''.join(_html_field(e, i, table) for i, e in enumerate(line))}</tr>" for line in table.lines)
    note = f"<p class='note'>{escape(table.note)}</p>" if table.note else ""
    return (
        f"<figure class='table'><figcaption>{escape(table.title)}</figcaption><div class='scroll'><table>"
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div>{note}</figure>"
    )


def _markdown_line(line: Sequence[Entry]) -> list[str]:
    return [f"**{plain(entry)}**" if entry.best else plain(entry) for entry in line]


def _escape_bar(text: str) -> str:
    return text.replace("|", "\\|")


def _html_field(entry: Entry, column: int, table: Table) -> str:
    kinds = {"name": column < table.n_names, "best": entry.best, "differs": entry.differs, "quiet": entry.quiet}
    names = " ".join(kind for kind, holds in kinds.items() if holds)
    return f"<td class='{names}'>{escape(plain(entry))}</td>" if names else f"<td>{escape(plain(entry))}</td>"
