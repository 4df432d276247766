"""What a reader should know about the data and the search before believing the result."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from puselect.arrays import BoolArray
from puselect.report.selection import Finding
from puselect.selectors.settings import row_limit

FEW_LABELS = 20
TIED = 0.95
LEAK = 0.99
MANY_DEGENERATE = 0.25
CHECKED_CELLS = 2_000_000
FEWEST_CHECKED = 1000
NAMED = 6
EVERYWHERE = "Positive clusters everywhere"


def find_problems(
    selector: Any, table: NDArray[Any] | None, positive: BoolArray | None, names: Sequence[str]
) -> Iterator[Finding]:
    """Yield what is worth knowing; without the table, what the selector alone can tell."""
    if table is not None:
        yield from _columns(table, names)
        yield from _rows(table)
    if table is not None and positive is not None and positive.any():
        yield from _labels(table, positive, names)
        yield from _places(selector, table, positive)
    yield from _choice(selector)
    yield from _search(selector)
    if table is not None:
        yield from _sampling(selector, len(table))


def warning(title: str, text: str) -> Finding:
    """Return something that may make the result wrong."""
    return Finding("warning", title, text)


def note(title: str, text: str) -> Finding:
    """Return something good to know."""
    return Finding("note", title, text)


def named(names: Sequence[str]) -> str:
    """Return a list in words, cut short: 'a, b and 3 more'."""
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"


def counted(number: int, noun: str) -> str:
    """Return 'one column' or '3 columns'."""
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"


def _columns(table: NDArray[Any], names: Sequence[str]) -> Iterator[Finding]:
    constant = [names[j] for j in range(table.shape[1]) if table[:, j].min() == table[:, j].max()]
    if constant:
        yield warning(
            f"Constant: {counted(len(constant), 'column')}",
            f"One value in all rows, so nothing can be learnt from: {named(constant)}. Leave them out.",
        )
    twins = _twins(table, names, set(constant))
    if twins:
        yield warning(
            f"Duplicated: {counted(len(twins), 'column')}",
            f"Equal to an earlier column, row by row: {named(twins)}. Copies share the credit; keep one of each.",
        )
    part = _thinned(table, table.shape[1])
    tied = [name for name, column in zip(names, part.T, strict=True) if _is_tied(column)]
    if tied:
        yield note(
            f"Mostly one value: {counted(len(tied), 'column')}",
            f"At least {TIED:.0%} of the rows share one value in {named(tied)}. Clusters see little in such columns, "
            "unless the positives are in the rest.",
        )


def _twins(table: NDArray[Any], names: Sequence[str], known: set[str]) -> list[str]:
    """Return columns that repeat an earlier one, each with its original in brackets."""
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


def _rows(table: NDArray[Any]) -> Iterator[Finding]:
    part = np.ascontiguousarray(_thinned(table, table.shape[1]))
    distinct = len(np.unique(part.view(np.dtype((np.void, part.itemsize * part.shape[1])))))
    share = 1 - distinct / len(part)
    if share > 0.01:
        yield warning(
            f"Repeated rows: {share:.0%}",
            "Rows that are there more than once look like a dense cluster. Remove copies unless they mean something.",
        )


def _labels(table: NDArray[Any], positive: BoolArray, names: Sequence[str]) -> Iterator[Finding]:
    n_labelled = int(positive.sum())
    if n_labelled < FEW_LABELS:
        yield warning(
            f"Only {counted(n_labelled, 'labelled row')}",
            f"Below {FEW_LABELS}, chance decides about single features. Label more rows if you can, and compare seeds.",
        )
    rows = np.concatenate([_thinned(np.flatnonzero(part), table.shape[1]) for part in (positive, ~positive)])
    share = [_separation(table[rows, j], positive[rows]) for j in range(table.shape[1])]
    leaks = [name for name, value in zip(names, share, strict=True) if value >= LEAK]
    if leaks and n_labelled >= 5:
        yield warning(
            f"Too good to be true: {counted(len(leaks), 'column')}",
            f"By itself {named(leaks)} tells labelled from unlabelled rows almost perfectly (AUC of {LEAK} or more). "
            "Is it made from the label, or only known after it?",
        )


def _separation(column: NDArray[Any], positive: BoolArray) -> float:
    """Return the AUC with which a column tells labelled rows from others, in either direction."""
    n, m = int(positive.sum()), int((~positive).sum())
    if not m:
        return 0.5
    auc = (rankdata(column)[positive].sum() - n * (n + 1) / 2) / (n * m)
    return float(max(auc, 1 - auc))


def _places(selector: Any, table: NDArray[Any], positive: BoolArray) -> Iterator[Finding]:
    """Yield whether labelled rows lie where the clusters are."""
    clusterings = getattr(selector, "clusterings_", None)
    if clusterings is None:
        return
    columns = table[:, selector.support_]
    others = _thinned(np.flatnonzero(~positive), columns.shape[1])
    reach = np.quantile(clusterings.remoteness(columns[others]), 0.99) if len(others) else np.inf
    far = float((clusterings.remoteness(columns[positive]) > reach).mean())
    if far > 0.1:
        yield warning(
            f"Far from every cluster: {far:.0%} of the labelled rows",
            "They lie further out than 99% of the unlabelled rows. Outliers, wrong labels, or positives that do not "
            "form clusters: this method finds the last only by luck.",
        )
    votes = clusterings.votes(columns[others])
    if len(votes) and votes.mean() > 0.5:
        yield warning(
            f"{EVERYWHERE}: {votes.mean():.0%} of the unlabelled rows",
            "Clusters that hold most of the table single nobody out. Perhaps the positives form no clusters here.",
        )
    inside = float((clusterings.votes(columns[positive]) >= 0.5).mean())
    if inside < 0.5:
        yield warning(
            f"Outside the positive clusters: {1 - inside:.0%} of the labelled rows",
            "Most known positives are not where the positive clusters are. The selection rests on the others.",
        )


def _choice(selector: Any) -> Iterator[Finding]:
    n_selected, n_features = int(selector.support_.sum()), len(selector.support_)
    if n_selected > n_features / 2 + 0.5:
        yield note(
            f"{n_selected} of {n_features} features selected",
            "More than half are kept, so that a wrong one costs little and a right one says little. Ask for fewer.",
        )
    scores = None if hasattr(selector, "probabilities_") else getattr(selector, "scores_", None)
    if scores is not None and 0 < n_selected < n_features:
        last = scores[selector.support_].min()
        level = int((scores == last).sum())
        if (scores[~selector.support_] == last).any():
            yield note(
                f"{counted(level, 'feature')} with the score of the last one selected",
                "Which of them are in was decided by lot, from the seed.",
            )
    if selector.random_state is None:
        yield note("No seed", "Random choices were not fixed: the next run may differ. Set random_state or --seed.")


def _search(selector: Any) -> Iterator[Finding]:
    if not hasattr(selector, "history_"):
        return
    if selector.settled_ < 1:
        yield warning(
            f"Undecided: {1 - selector.settled_:.0%} of the features",
            "Their probability ended between 0.1 and 0.9, so that their ranks are a guess. Raise max_iter "
            "(--max-iter), or ask for a number of features that the data can tell apart.",
        )
    n_masks = max(selector.n_iter_ * selector.population_size, 1)
    share = selector.n_degenerate_ / n_masks
    if share > MANY_DEGENERATE:
        yield warning(
            f"Degenerate clusterings: {share:.0%}",
            "Clusters came out empty or flat (duplicated rows, few distinct values, more clusters than the data have). "
            "Try fewer clusters (n_clusters) or covariance_type='diag'.",
        )


def _sampling(selector: Any, n_rows: int) -> Iterator[Finding]:
    limit = row_limit(selector, n_rows) if hasattr(selector, "max_samples") else None
    if limit is not None:
        yield note(
            f"{limit:,} of {n_rows:,} rows per step",
            "Each step of the search looked at a new sample: the labelled rows and random others. "
            "Cluster sizes are estimates for the whole table.",
        )


def _thinned(rows: NDArray[Any], n_columns: int) -> NDArray[Any]:
    """Return evenly spaced rows, so many that the cells of all columns can be sorted in about a second."""
    most = max(CHECKED_CELLS // n_columns, FEWEST_CHECKED)
    return rows[:: -(-len(rows) // most)] if len(rows) > most else rows
