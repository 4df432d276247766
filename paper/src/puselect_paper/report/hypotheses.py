"""The paper's four hypotheses on artificial data, as differences of mean FSR between its conditions.

The paper says that FSCPU does well if (1) positives agglomerate, (2) few are labelled, (3) they have several modes, and
(4) negatives do not dominate the clustering, and reads this off its Table 1 by eye. Here each is a contrast of
conditions with a standard error from the deviations over data sets, and holds if it lies two standard errors on its
side.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from puselect_paper.report.paper import Figure, paper_figures, short
from puselect_paper.report.tables import Entry, Table
from puselect_paper.studies.rows import ROWS
from puselect_paper.studies.study import StudyMethod

Row = Mapping[str, Figure]
"""FSR of one method by condition."""

PUBLISHED = ("fscpu-published", "fscpu-mi-published")
CONVENTIONAL = ("kbest", "lasso", "dt-rfe", "semi-jmi")
"""Methods of the paper that use labels and beat chance with 40 % of them; those whose FSR can fall."""
NOTE = (
    "Difference of mean FSR ± its standard error. 1: conditions with clusters minus those without; holds if above "
    "zero. 2: the change from 40 to 10 % labelled, with clusters, minus the mean change of K-Best, Lasso, DT-RFE and "
    "semi-JMI in the same table; holds if above zero. 3: two positive clusters minus one; holds if not different from "
    "zero. 4: one negative cluster minus eight; holds if below zero. All by two standard errors."
)


class Contrast(NamedTuple):
    """A difference of means and its standard error."""

    value: float
    error: float


class Hypothesis(NamedTuple):
    """A claim of the paper."""

    claim: str
    sign: Callable[[Sequence[str]], int]
    """Of a condition with clusters, split at its slashes: 1 or -1 by the side of the contrast it is on."""
    holds: Callable[[float], bool]
    """Takes the contrast in standard errors."""
    is_relative: bool = False
    """Whether the same contrast of the conventional methods is subtracted."""


HYPOTHESES = (
    Hypothesis("1. positives agglomerate", lambda parts: 1 if len(parts) == 3 else -1, lambda z: z > 2),
    Hypothesis("2. few labels", lambda parts: 1 if parts[0] == "10" else -1, lambda z: z > 2, is_relative=True),
    Hypothesis("3. several modes", lambda parts: 1 if parts[2] == "2" else -1, lambda z: abs(z) <= 2),
    Hypothesis("4. negatives do not dominate", lambda parts: 1 if parts[1] == "1" else -1, lambda z: z < -2),
)


def hypothesis_table(methods: Sequence[StudyMethod], figures: Mapping[tuple[str, str], Figure]) -> Table | None:
    """Return the paper's claims beside what they are in the rerun; None if no search was run in all its conditions."""
    paper = _rows(paper_figures("fsr"))
    ours = _rows({(id, column): figure for (id, column), figure in figures.items() if column in paper[PUBLISHED[0]]})
    columns = [(f"{ROWS[name].label}, in the paper", name, paper) for name in PUBLISHED]
    columns += [(method.label, method.id, ours) for method in methods if method.name.startswith("fscpu")]
    complete = [column for column in columns if len(column[2].get(column[1], ())) == len(paper[PUBLISHED[0]])]
    if len(complete) <= len(PUBLISHED):
        return None
    lines = [
        [Entry(hypothesis.claim), *(_entry(hypothesis, rows[name], rows) for _, name, rows in complete)]
        for hypothesis in HYPOTHESES
    ]
    header = [["", *(label for label, _, _ in complete)]]
    return Table("The paper's hypotheses", header, lines, NOTE, n_names=1)


def contrast(hypothesis: Hypothesis, row: Row) -> Contrast:
    """Return the contrast of a method; only the first hypothesis looks at conditions without clusters."""
    is_first = hypothesis is HYPOTHESES[0]
    signs = {
        condition: hypothesis.sign(condition.split("/"))
        for condition in row
        if is_first or len(condition.split("/")) == 3
    }
    counts = {side: list(signs.values()).count(side) for side in (1, -1)}
    weights = {condition: sign / counts[sign] for condition, sign in signs.items()}
    value = math.fsum(weight * row[condition].mean for condition, weight in weights.items())
    variance = math.fsum(weight**2 * row[condition].sd ** 2 / row[condition].n for condition, weight in weights.items())
    return Contrast(value, math.sqrt(variance))


def _entry(hypothesis: Hypothesis, row: Row, others: Mapping[str, Row]) -> Entry:
    ours = contrast(hypothesis, row)
    if hypothesis.is_relative:
        theirs = [contrast(hypothesis, others[name]) for name in CONVENTIONAL if name in others]
        if not theirs:
            return Entry("—", quiet=True)
        error = math.hypot(ours.error, math.hypot(*(each.error for each in theirs)) / len(theirs))
        ours = Contrast(ours.value - math.fsum(each.value for each in theirs) / len(theirs), error)
    is_true = hypothesis.holds(ours.value / max(ours.error, 1e-9))
    sign = "+" if round(ours.value, 2) > 0 else ""
    return Entry(f"{sign}{short(ours.value, 2)} ± {short(ours.error, 2)}, {'holds' if is_true else 'does not hold'}")


def _rows(figures: Mapping[tuple[str, str], Figure]) -> dict[str, dict[str, Figure]]:
    rows: dict[str, dict[str, Figure]] = {}
    for (name, condition), figure in figures.items():
        rows.setdefault(name, {})[condition] = figure
    return rows
