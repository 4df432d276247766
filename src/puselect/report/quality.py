"""Checks on the data and the search: what to know before relying on a result."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from puselect.arrays import BoolArray, IntArray
from puselect.checks.leaks import find_leaks
from puselect.checks.spread import SpreadCode, label_spread
from puselect.columns.twins import find_twins
from puselect.fscpu.dependence import find_dependence
from puselect.fscpu.selector import FSCPU
from puselect.fscpu.settings import Settings
from puselect.phrases import counted, shortened
from puselect.report.selection import NOTE, WARNING, Finding
from puselect.selectors.base import PUSelector
from puselect.selectors.groups import representatives
from puselect.tables.errors import LeakNote
from puselect.tables.fates import leak_text

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


def find_problems(
    selector: PUSelector, table: NDArray[Any] | None, positive: BoolArray | None, names: Sequence[str]
) -> Iterator[Finding]:
    """Yield all findings; without the table, only those about the selector."""
    if table is not None:
        yield from _columns(table, names)
        yield from _interchangeable(table, selector.support_, names)
    if table is not None and positive is not None and positive.any():
        yield from _labels(positive)
        found = None if selector.has_row_groups_ else find_dependence(table, positive)
        if found is not None:
            yield warning(Code.DEPENDENT_ROWS, "Rows depend on each other", found.text)
        yield from _spread(table[:, selector.support_], positive)
        yield from _places(selector, table, positive)
    yield from _choice(selector)
    yield from _search(selector)


def warning(code: Code, title: str, text: str) -> Finding:
    """Return a finding that may make the result wrong."""
    return Finding(WARNING, title, text, code.value)


def note(code: Code, title: str, text: str) -> Finding:
    """Return a finding that is good to know."""
    return Finding(NOTE, title, text, code.value)


def _columns(table: NDArray[Any], names: Sequence[str]) -> Iterator[Finding]:
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


def _twins(table: NDArray[Any], names: Sequence[str], known: set[str]) -> list[str]:
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


def _is_tied(column: NDArray[Any]) -> bool:
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


def find_leaking_columns(table: NDArray[Any], positive: BoolArray, names: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding if columns of a plain array may give the labels away."""
    rows = np.concatenate([_thinned(np.flatnonzero(part), table.shape[1]) for part in (positive, ~positive)])
    leaks = find_leaks(table[rows], positive[rows])
    if leaks:
        yield leak_warning([
            LeakNote(names[leak.column], leak, (f"{leak.low:g}", f"{leak.high:g}")) for leak in leaks
        ])


def leak_warning(leaks: Sequence[LeakNote]) -> Finding:
    """Return the finding on columns that may give the labels away."""
    return warning(
        Code.LEAK,
        f"Possible leak: {counted(len(leaks), 'column')}",
        f"{shortened([leak_text(leak) for leak in leaks], '; ')}. Derived from the label, recorded after it, or the truth "
        "itself? Drop what would not be known for a new row (drop, --drop).",
    )


def _spread(columns: NDArray[Any], positive: BoolArray) -> Iterator[Finding]:
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


def _interchangeable(table: NDArray[Any], support: BoolArray, names: Sequence[str]) -> Iterator[Finding]:
    """Yield groups of columns that say the same, with those that are selected."""
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


def _places(selector: PUSelector, table: NDArray[Any], positive: BoolArray) -> Iterator[Finding]:
    """Yield whether the labelled rows are where the clusters are."""
    clusterings = getattr(selector, "clusterings_", None)
    if clusterings is None:
        return
    columns = table[:, selector.support_]
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


def _choice(selector: PUSelector) -> Iterator[Finding]:
    n_selected, n_features = int(selector.support_.sum()), len(selector.support_)
    if n_selected > n_features / 2 + 0.5:
        yield note(
            Code.MANY_SELECTED,
            f"{n_selected} of {n_features} features selected",
            "More than half of the features are kept, so being selected says little. Ask for fewer.",
        )
    scores = None if hasattr(selector, "probabilities_") else getattr(selector, "scores_", None)
    if scores is not None and 0 < n_selected < n_features:
        last = scores[selector.support_].min()
        level = int((scores == last).sum())
        if (scores[~selector.support_] == last).any():
            yield note(
                Code.TIED_SCORES,
                f"{counted(level, 'feature')} tied for the last place",
                "Their scores are equal; which of them are selected was drawn at random, from the seed.",
            )
    if selector.fit_settings_["random_state"] is None:
        yield note(Code.NO_SEED, "No seed", "The next run may differ. Set random_state or --seed.")


def _search(selector: PUSelector) -> Iterator[Finding]:
    if getattr(selector, "timed_out_", False):
        yield note(
            Code.TIMED_OUT,
            f"Ended by the time limit of {selector.fit_settings_['max_time']:g} s",
            "The features are the best found in that time. With a checkpoint (--checkpoint), run again to go on.",
        )
    if not hasattr(selector, "history_"):
        return
    if follows_effects(selector):
        yield from _effects(selector)
    elif selector.settled_ < 1:
        yield warning(
            Code.UNSETTLED,
            f"Undecided: {1 - selector.settled_:.0%} of the features",
            "Their probabilities ended between 0.1 and 0.9, so their ranks are uncertain. Raise max_iter (--max-iter), "
            "or select a number of features that the data can distinguish.",
        )
    share = selector.n_degenerate_ / max(selector.n_evaluations_, 1)
    if share > MANY_DEGENERATE:
        yield warning(
            Code.DEGENERATE,
            f"Degenerate clusterings: {share:.0%}",
            "They have empty or flat clusters (duplicated rows, few distinct values, or too many clusters). "
            "Try fewer clusters (n_clusters) or covariance_type='diag'.",
        )


def _effects(selector: PUSelector) -> Iterator[Finding]:
    """Yield how clear the choice is, and whether single columns agree."""
    n_near, n_selected = count_near_cut(selector), len(selected_features(selector))
    if n_near:
        yield (warning if 2 * n_near > n_selected else note)(
            Code.NEAR_CUT,
            f"Near the cut: {n_near} of {n_selected} selected features",
            f"{'Its score is' if n_near == 1 else 'Their scores are'} less than one standard error above the cut, so "
            "others may do as well. If it matters which, use more steps (max_iter, --max-iter) or label more rows.",
        )
    evidence = selector.evidence_
    if evidence is not None and max(evidence.labelled_weight, evidence.cotrained_weight) < LITTLE_WEIGHT:
        yield note(
            Code.NO_EVIDENCE,
            "No evidence in single columns",
            "What they say about the labels is no more than noise, so the ranking is that of the search. Check the "
            "suitability (--suitability, check_suitability).",
        )


def follows_effects(selector: PUSelector) -> bool:
    """Return whether the search estimated the effect of each feature; otherwise it was the paper's."""
    return isinstance(selector, FSCPU) and Settings.of(selector.fit_settings_).follows_effects


def count_near_cut(selector: PUSelector) -> int:
    """Return how many selected features have a score of less than one standard error above the cut."""
    return int((selector.probabilities_[selected_features(selector)] < ONE_ERROR_ABOVE).sum())


def selected_features(selector: PUSelector) -> IntArray:
    """Return the selected columns, one of each group."""
    support = selector.support_
    return np.flatnonzero(support & representatives(getattr(selector, "groups_", {}), support))


def _thinned(rows: NDArray[Any], n_columns: int) -> NDArray[Any]:
    """Return evenly spaced rows, few enough for all columns to be sorted in about a second."""
    most = max(CHECKED_CELLS // n_columns, FEWEST_CHECKED)
    return rows[:: -(-len(rows) // most)] if len(rows) > most else rows
