"""Findings: what to know about the table, the labels and the search before relying on a result."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

import numpy as np
from scipy.stats import norm

from puselect.arrays import AnyArray, BoolArray
from puselect.checks.leaks import find_leaks
from puselect.checks.spread import SpreadCode, label_spread
from puselect.columns.twins import find_twins
from puselect.fscpu.dependence import find_dependence
from puselect.phrases import counted, shortened
from puselect.report.selection import NOTE, WARNING, Finding
from puselect.selectors.result import FitResult, SearchResult
from puselect.tables.column_outcomes import leak_text
from puselect.tables.errors import CodeNote, FilledNote, IdentifierNote, LeakNote, Note, SampleNote, SpikeNote

FEW_LABELS = 20
TIED = 0.95
FEWEST_COMPARED, MOST_COMPARED = 20, 2000
MANY_DEGENERATE = 0.25
LITTLE_WEIGHT = 0.05
ONE_CORNER = 5.0  # times: with labels at random, overlapping classes alone rarely look like that
ONE_ERROR_ABOVE = norm.cdf(1.0)  # probability of a feature whose score is one standard error above the cut
CHECKED_CELLS = 2_000_000
FEWEST_CHECKED = 1000
MOST_PLACED = 20_000  # rows whose clusters are looked up; shares of them need no more


class Code(StrEnum):
    """What a finding is about."""

    CONSTANT_COLUMNS = "constant-columns"
    DUPLICATE_COLUMNS = "duplicate-columns"
    TIED_COLUMNS = "tied-columns"
    DEPENDENT_ROWS = "dependent-rows"
    FEW_LABELS = "few-labels"
    UNEVEN_LABELS = "uneven-labels"
    LEAK = "leak"
    INTERCHANGEABLE = "interchangeable"
    REMOTE_LABELS = "remote-labels"
    POSITIVE_EVERYWHERE = "positive-everywhere"
    LABELS_OUTSIDE = "labels-outside"
    MANY_SELECTED = "many-selected"
    TIED_SCORES = "tied-scores"
    NO_SEED = "no-seed"
    TIMED_OUT = "timed-out"
    UNSETTLED = "unsettled"
    NEAR_CUT = "near-cut"
    NO_EVIDENCE = "no-evidence"
    DEGENERATE = "degenerate"
    IDENTIFIER = "identifier"
    MISSING_CODE = "missing-code"
    SPIKE = "spike"
    FILLED = "filled"
    ROWS_SAMPLED = "rows-sampled"


def find_problems(result: FitResult, table: AnyArray | None, positive: BoolArray | None) -> Iterator[Finding]:
    """Yield all findings; without the table, only those about the fit."""
    if table is not None:
        yield from _columns(table, result.names)
        yield from _interchangeable(table, result)
    if table is not None and positive is not None and positive.any():
        yield from _labels(positive)
        found = None if result.has_row_groups else find_dependence(table, positive)
        if found is not None:
            yield warning(Code.DEPENDENT_ROWS, "Rows depend on each other", found.text)
        yield from _spread(table[:, result.support], positive)
        yield from _places(result, table, positive)
    yield from _choice(result)
    if result.search is not None:
        yield from _search(result, result.search)


def table_findings(notes: Sequence[Note]) -> tuple[Finding, ...]:
    """Return notes on a table as findings; twins that are in use are found by `find_problems`.

    Examples
    --------
    >>> [(found.code, found.title) for found in table_findings([SpikeNote("age", "41", 0.2)])]
    [('spike', 'Filled in before? 1 column')]
    """
    parts = (_leaks, _identifiers, _codes, _spikes, _filled, _sampled)
    return tuple(finding for part in parts for finding in part(notes))


def warning(code: Code, title: str, text: str) -> Finding:
    """Return a finding that may make the result wrong."""
    return Finding(WARNING, title, text, code.value)


def note(code: Code, title: str, text: str) -> Finding:
    """Return a finding that is good to know."""
    return Finding(NOTE, title, text, code.value)


def _columns(table: AnyArray, names: Sequence[str]) -> Iterator[Finding]:
    constant = [names[j] for j in range(table.shape[1]) if table[:, j].min() == table[:, j].max()]
    if constant:
        yield warning(
            Code.CONSTANT_COLUMNS,
            f"Constant: {counted(len(constant), 'column')}",
            f"The same value in every row: {shortened(constant)}. Drop them.",
        )
    twins = _twins(table, names, set(constant))
    if twins:
        yield warning(
            Code.DUPLICATE_COLUMNS,
            f"Duplicated: {counted(len(twins), 'column')}",
            f"Equal to another column in every row: {shortened(twins)}. Copies split the evidence; keep one of each.",
        )
    part = _thinned(table, table.shape[1])
    tied = [name for name, column in zip(names, part.T, strict=True) if _is_tied(column)]
    if tied:
        yield note(
            Code.TIED_COLUMNS,
            f"Mostly one value: {counted(len(tied), 'column')}",
            f"At least {TIED:.0%} of the rows have the same value in {shortened(tied)}. Clustering learns little from "
            "such columns unless the other rows are the positives.",
        )


def _twins(table: AnyArray, names: Sequence[str], known: set[str]) -> list[str]:
    """Return columns equal to an earlier one, each with the earlier one in brackets."""
    first: dict[bytes, str] = {}
    twins = []
    for j, name in enumerate(names):
        if name in known:
            continue
        original = first.setdefault(np.ascontiguousarray(table[:, j]).tobytes(), name)
        if original is not name:
            twins.append(f"{name} (= {original})")
    return twins


def _is_tied(column: AnyArray) -> bool:
    count = np.unique(column, return_counts=True)[1]
    return len(count) > 1 and bool(count.max() >= TIED * count.sum())


def _labels(positive: BoolArray) -> Iterator[Finding]:
    n_labelled = int(positive.sum())
    if n_labelled < FEW_LABELS:
        yield warning(
            Code.FEW_LABELS,
            f"Only {counted(n_labelled, 'labelled row')}",
            f"With fewer than {FEW_LABELS}, single features may be selected by chance. Label more rows if you can, and "
            "compare several seeds.",
        )


def array_leaks(table: AnyArray, positive: BoolArray, names: Sequence[str]) -> list[LeakNote]:
    """Return the columns of a plain array that may give the labels away."""
    rows = np.concatenate([_thinned(np.flatnonzero(part), table.shape[1]) for part in (positive, ~positive)])
    leaks = find_leaks(table[rows], positive[rows])
    return [LeakNote(names[leak.column], leak, (f"{leak.low:g}", f"{leak.high:g}")) for leak in leaks]


def _spread(columns: AnyArray, positive: BoolArray) -> Iterator[Finding]:
    """Yield whether some clusters of positives are labelled less often than others."""
    if columns.shape[1] == 0 or positive.all():
        return
    found = label_spread(columns, positive, np.random.default_rng(0))
    if found.code == SpreadCode.UNEVEN:
        yield (warning if found.ratio >= ONE_CORNER else note)(
            Code.UNEVEN_LABELS,
            f"Labels are uneven: {found.ratio:.1f} times as rare in some clusters of positives",
            f"{found} If labels come from one corner, features that find only this kind of positives win.",
        )


def _interchangeable(table: AnyArray, result: FitResult) -> Iterator[Finding]:
    """Yield groups of columns that say the same, with those that are selected."""
    support, names = result.support, result.names
    if table.shape[1] > MOST_COMPARED or len(table) < FEWEST_COMPARED:
        return
    groups = [group.columns for group in find_twins(table) if support[list(group.columns)].any()]
    if groups:
        shown = [
            " = ".join(f"{names[j]}{'' if support[j] else ' (not selected)'}" for j in columns) for columns in groups
        ]
        yield note(
            Code.INTERCHANGEABLE,
            f"Interchangeable: {counted(sum(map(len, groups)), 'column')}",
            f"Their ranks agree almost perfectly, so any of them can stand for the others: {shortened(shown, '; ')}. "
            "Keep the one that is cheapest or easiest to explain.",
        )


def _places(result: FitResult, table: AnyArray, positive: BoolArray) -> Iterator[Finding]:
    """Yield whether the labelled rows are where the clusters are."""
    clusterings = result.clusterings
    if clusterings is None:
        return
    columns = table[:, result.support]
    others = _thinned(np.flatnonzero(~positive), max(columns.shape[1], CHECKED_CELLS // MOST_PLACED))
    reach = np.quantile(clusterings.remoteness(columns[others]), 0.99) if len(others) else np.inf
    far = float((clusterings.remoteness(columns[positive]) > reach).mean())
    if far > 0.1:
        yield warning(
            Code.REMOTE_LABELS,
            f"Far from every cluster: {far:.0%} of the labelled rows",
            "They are further out than 99% of the unlabelled rows: outliers, wrong labels, or positives without "
            "clusters. This method cannot reliably find features for the last.",
        )
    votes = clusterings.votes(columns[others])
    if len(votes) and votes.mean() > 0.5:
        yield warning(
            Code.POSITIVE_EVERYWHERE,
            f"Positive clusters contain {votes.mean():.0%} of the unlabelled rows",
            "Clusters that contain most of the table do not separate positives from the rest. The positives may not "
            "form clusters here.",
        )
    inside = float((clusterings.votes(columns[positive]) >= 0.5).mean())
    if inside < 0.5:
        yield warning(
            Code.LABELS_OUTSIDE,
            f"Outside the positive clusters: {1 - inside:.0%} of the labelled rows",
            "Most known positives are outside the positive clusters; the selection is based on the others.",
        )


def _choice(result: FitResult) -> Iterator[Finding]:
    n_selected, n_features = int(result.support.sum()), len(result.support)
    if n_selected > n_features / 2 + 0.5:
        yield note(
            Code.MANY_SELECTED,
            f"{n_selected} of {n_features} features selected",
            "More than half of the features are kept, so being selected says little. Ask for fewer.",
        )
    if result.search is None and 0 < n_selected < n_features:
        last = result.scores[result.support].min()
        level = int((result.scores == last).sum())
        if (result.scores[~result.support] == last).any():
            yield note(
                Code.TIED_SCORES,
                f"{counted(level, 'feature')} tied for the last place",
                "Their scores are equal; which of them are selected was drawn at random, from the seed.",
            )
    if result.settings["random_state"] is None:
        yield note(Code.NO_SEED, "No seed", "The next run may differ. Set random_state or --seed.")


def _search(result: FitResult, search: SearchResult) -> Iterator[Finding]:
    if search.timed_out:
        yield note(
            Code.TIMED_OUT,
            f"Ended by the time limit of {result.settings['max_time']:g} s",
            "The features are the best found in that time. With a checkpoint (--checkpoint), run again to go on.",
        )
    if search.follows_effects:
        yield from _effects(result)
    elif search.settled < 1:
        yield warning(
            Code.UNSETTLED,
            f"Undecided: {1 - search.settled:.0%} of the features",
            "Their probabilities ended between 0.1 and 0.9, so their ranks are uncertain. Raise max_iter (--max-iter), "
            "or select a number of features that the data can distinguish.",
        )
    share = search.n_degenerate / max(search.n_evaluations, 1)
    if share > MANY_DEGENERATE:
        yield warning(
            Code.DEGENERATE,
            f"Degenerate clusterings: {share:.0%}",
            "They have empty or flat clusters (duplicated rows, few distinct values, or too many clusters). "
            "Try fewer clusters (n_clusters) or covariance_type='diag'.",
        )


def _effects(result: FitResult) -> Iterator[Finding]:
    """Yield how clear the choice is, and whether single columns agree."""
    n_near, n_selected = count_near_cut(result), len(result.selected_units())
    if n_near:
        yield (warning if 2 * n_near > n_selected else note)(
            Code.NEAR_CUT,
            f"Near the cut: {n_near} of {n_selected} selected features",
            f"{'Its score is' if n_near == 1 else 'Their scores are'} less than one standard error above the cut, so "
            "others may do as well. If it matters which, use more steps (max_iter, --max-iter) or label more rows.",
        )
    evidence = result.evidence
    if evidence is not None and max(evidence.labelled_weight, evidence.cotrained_weight) < LITTLE_WEIGHT:
        yield note(
            Code.NO_EVIDENCE,
            "No evidence in single columns",
            "What they say about the labels is no more than noise, so the ranking is that of the search. Check the "
            "suitability (--suitability, check_suitability).",
        )


def count_near_cut(result: FitResult) -> int:
    """Return how many selected features have a score of less than one standard error above the cut."""
    return sum(bool(result.scores[unit.column] < ONE_ERROR_ABOVE) for unit in result.selected_units())


def _thinned(rows: AnyArray, n_columns: int) -> AnyArray:
    """Return evenly spaced rows, few enough for all columns to be sorted in about a second."""
    most = max(CHECKED_CELLS // n_columns, FEWEST_CHECKED)
    return rows[:: -(-len(rows) // most)] if len(rows) > most else rows


def _leaks(notes: Sequence[Note]) -> Iterator[Finding]:
    leaks = [found for found in notes if isinstance(found, LeakNote)]
    if leaks:
        yield warning(
            Code.LEAK,
            f"Possible leak: {counted(len(leaks), 'column')}",
            f"{shortened([leak_text(leak) for leak in leaks], '; ')}. Derived from the label, recorded after it, or "
            "the truth itself? Drop what would not be known for a new row (drop, --drop).",
        )


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


def _sampled(notes: Sequence[Note]) -> Iterator[Finding]:
    for found in notes:
        if isinstance(found, SampleNote):
            why = "asked for" if found.limit == "rows" else "the memory limit"
            yield note(
                Code.ROWS_SAMPLED,
                f"{found.n_read:,} of {found.n_rows:,} rows were read",
                f"All {found.n_labelled:,} labelled ones and a random sample of the others ({why}).",
            )
