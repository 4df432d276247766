"""Findings about how a table was read and prepared."""

from collections.abc import Iterator, Sequence

from puselect.phrases import counted, shortened
from puselect.report.quality import Code, leak_warning, note
from puselect.report.selection import Finding
from puselect.tables.errors import CodeNote, FilledNote, IdentifierNote, LeakNote, Note, SampleNote, SpikeNote


def table_findings(notes: Sequence[Note]) -> tuple[Finding, ...]:
    """Return notes on a table as findings; twins that are in use are found by `find_problems`.

    Examples
    --------
    >>> [(found.code, found.title) for found in table_findings([SpikeNote("age", "41", 0.2)])]
    [('spike', 'Filled in before? 1 column')]
    """
    found = (_leaks(notes), _identifiers(notes), _codes(notes), _spikes(notes), _filled(notes), _sample(notes))
    return tuple(finding for part in found for finding in part)


def _leaks(notes: Sequence[Note]) -> Iterator[Finding]:
    leaks = [found for found in notes if isinstance(found, LeakNote)]
    if leaks:
        yield leak_warning(leaks)


def _identifiers(notes: Sequence[Note]) -> Iterator[Finding]:
    for found in notes:
        if isinstance(found, IdentifierNote):
            yield note(
                Code.IDENTIFIER,
                f"An identifier? {found.name}",
                "Its values are whole numbers that all differ. If it names the rows, drop it (drop, --id).",
            )


def _codes(notes: Sequence[Note]) -> Iterator[Finding]:
    codes = [f"{found.value} in {found.name}" for found in notes if isinstance(found, CodeNote)]
    if codes:
        yield note(
            Code.MISSING_CODE,
            f"Codes for missing? {counted(len(codes), 'column')}",
            f"Far from all other values, and repeated: {shortened(codes)}. If that means missing, say so "
            "(missing_codes, --missing).",
        )


def _spikes(notes: Sequence[Note]) -> Iterator[Finding]:
    spikes = [f"{found.name} ({found.share:.0%})" for found in notes if isinstance(found, SpikeNote)]
    if spikes:
        yield note(
            Code.SPIKE,
            f"Filled in before? {counted(len(spikes), 'column')}",
            f"One value is far more frequent than any other: {shortened(spikes)}. If it stands for missing values, the "
            "original table is better.",
        )


def _filled(notes: Sequence[Note]) -> Iterator[Finding]:
    for found in notes:
        if isinstance(found, FilledNote):
            counts = [f"{name} ({count:,})" for name, count in found.counts.items()]
            yield note(
                Code.FILLED,
                f"Filled in: {counted(sum(found.counts.values()), f'{found.hole} value')}",
                f"With the median of the column: {shortened(counts)}.",
            )


def _sample(notes: Sequence[Note]) -> Iterator[Finding]:
    for found in notes:
        if isinstance(found, SampleNote):
            why = "asked for" if found.limit == "rows" else "the memory limit"
            yield note(
                Code.ROWS_SAMPLED,
                f"{found.n_read:,} of {found.n_rows:,} rows were read",
                f"All {found.n_labelled:,} labelled ones and a random sample of the others ({why}).",
            )
