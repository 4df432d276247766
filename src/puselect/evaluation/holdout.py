"""A study of one table in memory: every method on the whole table and on random splits of it."""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from puselect.arrays import FloatArray, IntArray
from puselect.exceptions import InterruptedSearchWarning
from puselect.methods import REGISTRY, YARDSTICKS
from puselect.selectors.groups import best_features
from puselect.studies.cells import Cell
from puselect.studies.journal import Row
from puselect.studies.measures import perform
from puselect.studies.open_data import Split, judge
from puselect.studies.runner import Progress, run_cells
from puselect.studies.selection import Selection, select_features
from puselect.studies.workers import local_workers

TEST_SHARE = 0.25
FEWEST_LABELLED = 4
FEWEST_SPLITS = 2
N_RANDOM = 10


@dataclass(frozen=True)
class TableStudy:
    """What is compared, and how.

    Parameters
    ----------
    X : ndarray of float, shape (n_rows, n_features)
    y : ndarray of int, shape (n_rows,)
        1 for labelled positives, 0 for unlabelled rows.
    n_features_to_select : int
    truth : ndarray of int, shape (n_rows,), optional
        True classes. Without them, held-out labels are predicted.
    model : str
        A name in `puselect.evaluation.DOWNSTREAM`.
    n_splits : int
    seed : int
    groups : dict of str to list of int
        Columns that are one feature, such as those of a category.
    """

    X: FloatArray
    y: IntArray
    n_features_to_select: int
    truth: IntArray | None = None
    model: str = "logistic"
    n_splits: int = 20
    seed: int = 0
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def score_name(self) -> str:
        """What the scores are."""
        if self.truth is not None:
            return f"AUC of a {self.model} model against the true classes of held-out rows"
        return f"AUC with which a {self.model} model tells held-out labelled rows from unlabelled ones"

    def splits(self) -> list[tuple[IntArray, IntArray]]:
        """Return training and test rows of every split, the same for all methods, stratified by class."""
        n_labelled = int(self.y.sum())
        if n_labelled < FEWEST_LABELLED:
            raise ValueError(f"splitting needs at least {FEWEST_LABELLED} labelled rows, got {n_labelled}; label more")
        strata = self.y if self.truth is None else 2 * self.truth + self.y
        if np.unique(strata, return_counts=True)[1].min() < 2:  # such as a single labelled row whose truth is negative
            strata = self.y
        cut = StratifiedShuffleSplit(self.n_splits, test_size=TEST_SHARE, random_state=self.seed)
        return list(cut.split(self.X, strata))

    def cells(self, methods: Sequence[str]) -> list[Cell]:
        """Return the cells of the methods and yardsticks, quick ones first, so that Ctrl-C leaves something."""
        data = {"n_features_to_select": self.n_features_to_select, "model": self.model}
        return [
            Cell("holdout", name, {}, {**data, "split": split}, self.seed if split is None else self.seed + split + 1)
            for name in sorted(compared(methods), key=_seconds)
            for split in (None, *range(self.n_splits))
        ]


def compared(methods: Sequence[str]) -> list[str]:
    """Return the names of methods and yardsticks, once each."""
    return list(dict.fromkeys([*methods, *YARDSTICKS]))


def _seconds(name: str) -> float:
    return REGISTRY[name].cost.seconds if name in REGISTRY else 0.0


class TableResults(NamedTuple):
    """What each method and yardstick selected, and how good that is; by name."""

    selected: Mapping[str, IntArray]
    """Columns selected on the whole table, best first."""
    seconds: Mapping[str, float]
    """Mean time of a fit."""
    scores: Mapping[str, list[float]]
    """One per finished split, the same splits for all."""
    n_splits: int
    """Splits that were finished; fewer than wanted after Ctrl-C."""
    warnings: Mapping[str, tuple[str, ...]]
    """What the methods warned of, each text once."""
    frequency: Mapping[str, Mapping[int, float]]
    """Share of the splits in which each column was selected; columns that never were are not listed."""
    unfinished: tuple[str, ...]
    """Methods that Ctrl-C left without a result."""


def compare_methods(
    study: TableStudy,
    methods: Sequence[str],
    n_jobs: int = 1,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> TableResults:
    """Run every method and yardstick on the whole table and on every split.

    Quick methods come first; Ctrl-C keeps the methods that are finished, or the splits that all have finished.

    Parameters
    ----------
    study : TableStudy
    methods : sequence of str
        Names in `METHODS`; the yardsticks are added.
    n_jobs : int
        Processes.
    tell : callable
        Called with the progress after every cell.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=150, n_positive=50, n_relevant=3, n_irrelevant=3,
    ...                            random_state=0)
    >>> found = compare_methods(TableStudy(X, y, 3, n_splits=2), ["kbest"])
    >>> list(found.scores), len(found.selected["kbest"]), found.n_splits
    (['kbest', 'all', 'random', 'lowest-variance', 'lepage'], 3, 2)
    """
    cells, rows = study.cells(methods), list[Row]()
    workers = local_workers(n_jobs, partial(measure_holdout, study, study.splits()))
    try:
        run_cells(cells, workers, partial(_keep, rows), tell)
    except (KeyboardInterrupt, InterruptedSearchWarning) as error:
        if not any(name in methods for name in _finished(cells, rows)[0]):
            raise KeyboardInterrupt from error
    return _gather(compared(methods), cells, rows)


def measure_holdout(study: TableStudy, splits: Sequence[tuple[IntArray, IntArray]], cell: Cell) -> Row:
    """Return the row of a cell; an error ends the comparison."""
    return perform(cell, partial(_holdout_values, study, splits))


def _holdout_values(study: TableStudy, splits: Sequence[tuple[IntArray, IntArray]], cell: Cell) -> dict[str, object]:
    split = cell.data["split"]
    train, test = (np.arange(len(study.y)), None) if split is None else splits[split]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("error", InterruptedSearchWarning)
        selection = select_features(
            cell, study.X[train], study.y[train], study.n_features_to_select, study.groups
        )
        values: dict[str, object] = {"selected": selection.ranked(), "fit_seconds": selection.seconds}
        if test is not None:
            target = study.y if study.truth is None else study.truth
            parts = Split(study.X[train], study.y[train], study.X[test], target[test])
            values["auc"] = _judged(study, parts, selection, cell)
    return {**values, "warnings": list(dict.fromkeys(str(warning.message) for warning in heard))}


def _keep(rows: list[Row], row: Row) -> None:
    if row.error is not None:  # its process was killed, several times: methods' own errors are raised
        raise MemoryError(row.error)
    rows.append(row)


def _finished(cells: Sequence[Cell], rows: Sequence[Row]) -> tuple[list[str], list[int]]:
    """Return the methods to compare and the splits that all of them have finished.

    These are the methods that are done; if only yardsticks are, those that have finished two splits.
    """
    wanted = {cell.data["split"] for cell in cells}
    done: dict[str, set[int | None]] = {cell.method: set() for cell in cells}
    for row in rows:
        done[row.cell.method].add(row.cell.data["split"])
    complete = [name for name, splits in done.items() if splits == wanted]
    some = [name for name, splits in done.items() if None in splits and len(splits) > FEWEST_SPLITS]
    names = complete if any(name not in YARDSTICKS for name in complete) else some
    shared = set.intersection(*(done[name] for name in names)) if names else set()
    return names, sorted(split for split in shared if split is not None)


def _judged(study: TableStudy, parts: Split, selection: Selection, cell: Cell) -> dict[str, float]:
    """Return the AUC of the selected columns; of random ones the mean over several sets, which differ a lot."""
    if cell.method != "random":
        return judge(selection, parts, [study.model], cell.seed)
    n_features, k = parts.X_train.shape[1], study.n_features_to_select
    ranks = [np.random.default_rng([cell.seed, i]).permutation(n_features) for i in range(N_RANDOM)]
    masks = [best_features(ranking, study.groups, k) for ranking in ranks]
    scores = [judge(selection._replace(support=mask), parts, [study.model], cell.seed) for mask in masks]
    return {study.model: float(np.mean([score[study.model] for score in scores]))}


def _gather(names: Sequence[str], cells: Sequence[Cell], rows: Sequence[Row]) -> TableResults:
    found = {(row.cell.method, row.cell.data["split"]): row.values or {} for row in rows}
    finished, splits = _finished(cells, rows)
    kept = [name for name in names if name in finished]
    mine = {name: [found[name, split] for split in (None, *splits)] for name in kept}
    said = {name: [text for values in mine[name] for text in values["warnings"]] for name in kept}
    counts = {name: Counter(column for values in mine[name][1:] for column in values["selected"]) for name in kept}
    return TableResults(
        selected={name: np.array(mine[name][0]["selected"], dtype=np.intp) for name in kept},
        seconds={name: float(np.mean([values["fit_seconds"] for values in mine[name]])) for name in kept},
        scores={name: [score for values in mine[name][1:] for score in values["auc"].values()] for name in kept},
        n_splits=len(splits),
        warnings={name: tuple(dict.fromkeys(texts)) for name, texts in said.items() if texts},
        frequency={
            name: {column: count / len(splits) for column, count in counts[name].items()} for name in kept
        },
        unfinished=tuple(name for name in names if name not in finished),
    )
