"""Findings: what to know about the table, the labels and the search before relying on a result."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

import numpy as np

from puselect.arrays import AnyArray, BoolArray
from puselect.checks.leaks import find_leaks
from puselect.columns.twins import find_twins
from puselect.fscpu.dependence import find_dependence
from puselect.phrases import counted, shortened
from puselect.report.selection import NOTE, WARNING, Finding
from puselect.selectors.result import FitResult, SearchResult
from puselect.tables import errors
from puselect.tables.column_outcomes import leak_text

FEW_LABELS = 20
FEWEST_COMPARED, MOST_COMPARED = 20, 2000
CHECKED_CELLS = 2_000_000
FEWEST_CHECKED = 1000
MOST_SUSPECTS = 20
MOST_PLACED = 20_000  # rows whose clusters are looked up; shares of them need no more


class Code(StrEnum):
    """What a finding is about."""

    DEPENDENT_ROWS = "dependent-rows"
    FEW_LABELS = "few-labels"
    PICKED_BY = "picked-by"
    LEAK = "leak"
    INTERCHANGEABLE = "interchangeable"
    REMOTE_LABELS = "remote-labels"
    SUSPECTED_LABELS = "suspected-labels"
    POSITIVE_EVERYWHERE = "positive-everywhere"
    TIMED_OUT = "timed-out"
    UNSETTLED = "unsettled"
    IDENTIFIER = "identifier"
    CATEGORY_CODES = "category-codes"
    MISSING_CODE = "missing-code"
    FILLED = "filled"
    UNREAD = "unread-values"
    ROWS_SAMPLED = "rows-sampled"


def find_problems(result: FitResult, table: AnyArray | None, positive: BoolArray | None) -> Iterator[Finding]:
    """Yield all findings; without the table, only those about the fit."""
    if table is not None:
        yield from _interchangeable(table, result)
    if table is not None and positive is not None and 0 < positive.sum() < len(positive):
        n_labelled = int(positive.sum())
        if n_labelled < FEW_LABELS:
            title = f"Only {counted(n_labelled, 'labelled row')}"
            text = f"With fewer than {FEW_LABELS}, features may be selected by chance. Label more rows."
            yield warning(Code.FEW_LABELS, title, text)
        found = None if result.has_row_groups else find_dependence(table, positive)
        if found is not None:
            yield warning(Code.DEPENDENT_ROWS, "Rows depend on each other", found.text)
        yield from _places(result, table, positive)
    yield from _picked(result)
    if result.search is not None:
        yield from _search(result, result.search)


def suspect_rows(names: Sequence[object], row_name: str) -> Iterator[Finding]:
    """Yield which labels may be wrong; `names` are those of their rows."""
    if names:
        yield warning(
            Code.SUSPECTED_LABELS,
            f"{counted(len(names), 'known positive')} to check",
            f"They look like ordinary rows: wrong labels, or positives of another kind. By {row_name or 'row number'}: "
            f"{shortened(names, most=MOST_SUSPECTS)}.",
        )


TABLE_FINDINGS: dict[type, tuple[str, Code, str, str]] = {
    errors.LeakNote: (
        WARNING, Code.LEAK, "Possible leak: {columns}",
        "{items}. Derived from the label, recorded after it, or the truth itself? Drop what would not be known for a "
        "new row (drop, --drop).",
    ),
    errors.IdentifierNote: (
        NOTE, Code.IDENTIFIER, "Identifiers? {columns}",
        "Whole numbers that all differ: {items}. Drop what names the rows (drop, --id, --drop).",
    ),
    errors.CategoryNote: (
        NOTE, Code.CATEGORY_CODES, "Numbers that may be codes: {columns}",
        "By the name of the column: {items}. If they are, read them as categories (categories, --categories).",
    ),
    errors.CodeNote: (
        NOTE, Code.MISSING_CODE, "Codes for missing, or mistakes?",
        "Far from all other values: {items}. If that means missing, say so (missing_codes, --missing).",
    ),
    errors.FilledNote: (NOTE, Code.FILLED, "Filled in", "With the median of the column: {items}."),
    errors.UnreadNote: (NOTE, Code.UNREAD, "Values not read: {columns}", "{items}. They count as missing."),
    errors.SampleNote: (NOTE, Code.ROWS_SAMPLED, "A sample of the rows was read", "{items}."),
}  # fmt: skip
"""Level, code, title and text for each kind of note."""


def table_findings(notes: Sequence[errors.Note]) -> tuple[Finding, ...]:
    """Return notes on a table as findings; twins that are in use are found by `find_problems`.

    Examples
    --------
    >>> [(found.code, found.title) for found in table_findings([errors.IdentifierNote("customer")])]
    [('identifier', 'Identifiers? 1 column')]
    """
    findings = []
    for kind, (level, code, title, text) in TABLE_FINDINGS.items():
        items = [_item(note) for note in notes if isinstance(note, kind)]
        if items:
            words = {"columns": counted(len(items), "column"), "items": shortened(items, "; ")}
            findings.append(Finding(level, title.format(**words), text.format(**words), code.value))
    return tuple(findings)


def note_lines(notes: Sequence[errors.Note]) -> list[str]:
    """Return notes on a table in words, for the terminal."""
    twins = [
        f"interchangeable (rank correlation {note.correlation:.3f}): {shortened(note.names)}; see --drop-duplicates"
        for note in notes
        if isinstance(note, errors.TwinNote)
    ]
    return [f"{finding.title}. {finding.text}".replace("?.", "?") for finding in table_findings(notes)] + twins


def _item(note: errors.Note) -> str:
    """Return what is to be known of a column, or of the rows."""
    match note:
        case errors.LeakNote():
            return leak_text(note)
        case errors.CodeNote(name, value, count):
            return f"{value} in {name} ({counted(count, 'row')}; --missing={name}={value})"
        case errors.FilledNote(hole, counts):
            return f"{hole} values of {shortened([f'{name} ({count:,})' for name, count in counts.items()])}"
        case errors.SampleNote(n_read, n_rows, n_labelled, limit):
            why = "asked for" if limit == "rows" else "the memory limit"
            return f"{n_read:,} of {n_rows:,}: all {n_labelled:,} labelled ones and a random sample of others ({why})"
        case errors.CategoryNote(name):
            return f"--categories={name}"
        case errors.IdentifierNote(name):
            return name
        case _:
            return str(note)


def warning(code: Code, title: str, text: str) -> Finding:
    """Return a finding that may make the result wrong."""
    return Finding(WARNING, title, text, code.value)


def note(code: Code, title: str, text: str) -> Finding:
    """Return a finding that is good to know."""
    return Finding(NOTE, title, text, code.value)


def array_leaks(table: AnyArray, positive: BoolArray, names: Sequence[str]) -> list[errors.LeakNote]:
    """Return the columns of a plain array that may give the labels away."""
    rows = np.concatenate([_thinned(np.flatnonzero(part), table.shape[1]) for part in (positive, ~positive)])
    leaks = find_leaks(table[rows], positive[rows])
    return [errors.LeakNote(names[leak.column], leak, (f"{leak.low:g}", f"{leak.high:g}")) for leak in leaks]


def _picked(result: FitResult) -> Iterator[Finding]:
    """Yield the columns by which rows were picked for inspection."""
    if names := result.picked:
        yield warning(
            Code.PICKED_BY,
            f"How rows were picked: {counted(len(names), 'column')}",
            f"{shortened(names)} {'tells' if len(names) == 1 else 'tell'} which rows were inspected, not which were "
            "positive: inspected rows differ from the others, but positives do not differ from checked negatives.",
        )


def _interchangeable(table: AnyArray, result: FitResult) -> Iterator[Finding]:
    """Yield groups of features that say the same, of which some are selected; categories are left out."""
    grouped = [column for columns in result.groups.values() for column in columns]
    single, support = np.setdiff1d(np.arange(len(result.names)), grouped), result.support
    if len(single) > MOST_COMPARED or len(table) < FEWEST_COMPARED:
        return
    groups = [single[list(group.columns)] for group in find_twins(table[:, single])]
    groups = [columns for columns in groups if support[columns].any()]
    if groups:
        shown = [
            " = ".join(f"{result.names[j]}{'' if support[j] else ' (not selected)'}" for j in columns)
            for columns in groups
        ]
        yield note(
            Code.INTERCHANGEABLE,
            f"Interchangeable: {counted(sum(map(len, groups)), 'feature')}",
            f"Copies, or as good as that: {shortened(shown, '; ')}. They split the evidence; keep one of each.",
        )


def _places(result: FitResult, table: AnyArray, positive: BoolArray) -> Iterator[Finding]:
    """Yield whether the labelled rows are where the clusters are."""
    clusterings = result.clusterings
    if clusterings is None:
        return
    columns = table[:, result.support]
    others = _thinned(np.flatnonzero(~positive), max(columns.shape[1], CHECKED_CELLS // MOST_PLACED))
    reach = np.quantile(clusterings.remoteness(columns[others]), 0.99) if len(others) else np.inf
    n_known = int(positive.sum())
    n_far = int((clusterings.remoteness(columns[positive]) > reach).sum())
    if n_far > 0.1 * n_known:
        yield warning(
            Code.REMOTE_LABELS,
            f"Far from every cluster: {n_far:,} of {n_known:,} known positives",
            "They are further out than almost all unlabelled rows: outliers, wrong labels, or positives without "
            "clusters, for which this method cannot find features.",
        )
    votes = clusterings.votes(columns[others])
    if len(votes) and votes.mean() > 0.5:
        yield warning(
            Code.POSITIVE_EVERYWHERE,
            "The clusters of the known positives hold most other rows, too",
            "Either most other rows are positive, too, or these clusters do not tell.",
        )


def _search(result: FitResult, search: SearchResult) -> Iterator[Finding]:
    if search.timed_out:
        yield warning(
            Code.TIMED_OUT,
            f"Ended by the time limit of {result.settings['max_time']:g} s",
            "These are the best features found in that time. With a checkpoint, run again to go on.",
        )
    if search.settled < 1 and not search.follows_effects:
        yield warning(
            Code.UNSETTLED,
            f"Undecided: {round((1 - search.settled) * len(search.searched))} of {len(search.searched)} features",
            "Their probabilities ended between 0.1 and 0.9, so their ranks are uncertain. Raise max_iter (--max-iter).",
        )


def _thinned(rows: AnyArray, n_columns: int) -> AnyArray:
    """Return evenly spaced rows, few enough for all columns to be sorted in about a second."""
    most = max(CHECKED_CELLS // n_columns, FEWEST_CHECKED)
    return rows[:: -(-len(rows) // most)] if len(rows) > most else rows
