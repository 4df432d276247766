"""How much of the paper's tables a study has run, and how much of that agrees."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from puselect_paper.report.paper import Figure, differs, paper_figures
from puselect_paper.report.tables import Entry, Table
from puselect_paper.studies.rows import ROWS
from puselect_paper.studies.study import StudyMethod

NOTE = (
    "Cells of the paper's table. In full: with the paper's settings and at least as many runs; shortened: with less. "
    "Within and outside: of two standard errors of the difference. A method that was run both ways counts in full."
)

LABELS = {row.paper: row.label for row in ROWS.values() if row.paper}


class Coverage(NamedTuple):
    """Counts of cells of the paper."""

    full: int
    shortened: int
    missing: int
    within: int
    outside: int

    @property
    def total(self) -> int:
        """Cells that the paper has."""
        return self.full + self.shortened + self.missing


def coverage_of(
    methods: Sequence[StudyMethod], figures: Mapping[tuple[str, str], Figure], metric: str
) -> dict[str, Coverage]:
    """Return the coverage of each row of the paper, by its name there; ours go by id of the method and column."""
    printed = paper_figures(metric)
    found: dict[str, list[Coverage]] = {}
    for (row, column), paper in printed.items():
        candidates = [
            (bool(method.settings) or figure.n < paper.n, figure)
            for method in methods
            if method.paper == row and (figure := figures.get((method.id, column)))
        ]
        found.setdefault(row, []).append(_cell(candidates, paper, metric))
    return {row: sum_of(cells) for row, cells in found.items()}


def _cell(candidates: Sequence[tuple[bool, Figure]], paper: Figure, metric: str) -> Coverage:
    if not candidates:
        return Coverage(0, 0, 1, 0, 0)
    is_short, figure = min(candidates, key=lambda candidate: candidate[0])
    far = differs(figure, paper, metric)
    return Coverage(int(not is_short), int(is_short), 0, int(not far), int(far))


def coverage_table(
    methods: Sequence[StudyMethod], figures: Mapping[tuple[str, str], Figure], metric: str
) -> Table | None:
    """Return the coverage of each row and of all; None if nothing of the paper was run."""
    rows = coverage_of(methods, figures, metric)
    total = sum_of(rows.values())
    if total.missing == total.total:
        return None
    lines = [
        [Entry(LABELS.get(name, name)), *(Entry(str(count)) for count in (counts.total, *counts))]
        for name, counts in [*rows.items(), ("all", total)]
    ]
    header = [["", "cells", "in full", "shortened", "not run", "within", "outside"]]
    return Table("Coverage of the paper", header, lines, NOTE, n_names=1)


def sum_of(counts: Iterable[Coverage]) -> Coverage:
    """Return the sum of some counts."""
    return Coverage(*(sum(column) for column in zip(*counts, strict=True)))
