"""Several methods on one table: what each selects, and what that is worth on rows held out, split by split."""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedShuffleSplit

from puselect.arrays import FloatArray, IntArray
from puselect.evaluation.models import downstream_auc
from puselect.methods import METHODS
from puselect.search.progress import InterruptedSearchWarning

ALL, RANDOM = "all features", "random"
TEST_SHARE = 0.25
FEWEST_LABELLED = 4
WHOLE_TABLE = -1


@dataclass(frozen=True)
class Trial:
    """What is compared, and how."""

    X: FloatArray
    y: IntArray
    """1 for labelled positives, 0 for unlabelled rows."""
    n_select: int
    truth: IntArray | None = None
    """True classes, if known; without them held-out labels are predicted."""
    model: str = "logistic"
    n_splits: int = 20
    seed: int = 0

    @property
    def score_name(self) -> str:
        """What the scores are."""
        if self.truth is not None:
            return f"AUC of a {self.model} model against the true classes of held-out rows"
        return f"AUC with which a {self.model} model tells held-out labelled rows from unlabelled ones"

    def splits(self) -> list[tuple[IntArray, IntArray]]:
        """Return training and test rows of every split, the same for all methods; classes keep their shares."""
        n_labelled = int(self.y.sum())
        if n_labelled < FEWEST_LABELLED:
            raise ValueError(f"splitting needs at least {FEWEST_LABELLED} labelled rows, got {n_labelled}; label more")
        strata = self.y if self.truth is None else 2 * self.truth + self.y
        if np.unique(strata, return_counts=True)[1].min() < 2:  # such as one labelled row that is negative in truth
            strata = self.y
        cut = StratifiedShuffleSplit(self.n_splits, test_size=TEST_SHARE, random_state=self.seed)
        return list(cut.split(self.X, strata))


class Cell(NamedTuple):
    """One method on one split, or on the whole table."""

    method: str
    split: int
    columns: IntArray
    """Selected, best first."""
    seconds: float
    score: float | None
    warnings: tuple[str, ...]


class Trials(NamedTuple):
    """All that was finished."""

    selected: Mapping[str, IntArray]
    """On the whole table, best first."""
    seconds: Mapping[str, float]
    """Mean of one fit."""
    scores: Mapping[str, list[float]]
    """One per finished split."""
    notes: tuple[str, ...]


def run_trials(trial: Trial, methods: Sequence[str], n_jobs: int, done: Callable[[str], None]) -> Trials:
    """Run every method on the whole table and on every split; Ctrl-C keeps the splits that are finished.

    Parameters
    ----------
    trial : Trial
    methods : sequence of str
        Names in `METHODS`; "all features" and "random" are added.
    n_jobs : int
        Processes.
    done : callable
        Called with the name of each finished piece.
    """
    names = [*dict.fromkeys(methods), ALL, RANDOM]
    splits = trial.splits()
    tasks = [(name, split) for split in range(WHOLE_TABLE, len(splits)) for name in names]
    cells: list[Cell] = []
    notes: tuple[str, ...] = ()
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    try:
        with mute_workers():
            results = run(delayed(run_cell)(trial, name, split, splits) for name, split in tasks)
        for cell in results:
            cells.append(cell)
            done(cell.method)
    except (KeyboardInterrupt, InterruptedSearchWarning) as error:
        n_whole = len(cells) // len(names) - 1
        if n_whole < 2:
            raise KeyboardInterrupt from error
        notes = (f"interrupted after {n_whole} of {len(splits)} splits; the comparison rests on these",)
        cells = cells[: (n_whole + 1) * len(names)]
    return gather(cells, names, notes)


@contextmanager
def mute_workers() -> Iterator[None]:
    """Let processes that are started in this block have no standard error: they die of Ctrl-C with many words.

    What goes wrong in their work comes back as an exception all the same.
    """
    usual, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(usual, 2)
        os.close(usual)
        os.close(nowhere)


def n_pieces(trial: Trial, methods: Sequence[str]) -> int:
    """Return how often `run_trials` calls `done`."""
    return (len(set(methods)) + 2) * (trial.n_splits + 1)


def run_cell(trial: Trial, method: str, split: int, splits: Sequence[tuple[IntArray, IntArray]]) -> Cell:
    """Select on the training rows and score on the test rows."""
    train, test = (np.arange(len(trial.y)), None) if split == WHOLE_TABLE else splits[split]
    seed = trial.seed + split + 1
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        # A selector takes Ctrl-C for the end of its search; here it ends everything.
        warnings.simplefilter("error", InterruptedSearchWarning)
        begin = time.perf_counter()
        columns = select(method, trial.X[train], trial.y[train], trial.n_select, seed)
        seconds = time.perf_counter() - begin
        score = None
        if test is not None:
            target = trial.y if trial.truth is None else trial.truth
            parts = (trial.X[np.ix_(train, columns)], trial.y[train], trial.X[np.ix_(test, columns)], target[test])
            score = downstream_auc(trial.model, *parts, random_state=seed)
    return Cell(method, split, columns, seconds, score, tuple({str(warning.message) for warning in heard}))


def select(method: str, X: FloatArray, y: IntArray, n_select: int, seed: int) -> IntArray:
    """Return the columns that a method selects, best first."""
    if method == ALL:
        return np.arange(X.shape[1])
    if method == RANDOM:
        return np.random.default_rng(seed).choice(X.shape[1], n_select, replace=False)
    selector: Any = METHODS[method](n_select, random_state=seed).fit(X, y)
    order = np.argsort(selector.ranking_)
    return np.asarray(order[selector.support_[order]])


def gather(cells: Sequence[Cell], names: Sequence[str], notes: tuple[str, ...]) -> Trials:
    """Put the cells together by method."""
    mine = {name: [cell for cell in cells if cell.method == name] for name in names}
    said = {f"{name}: {text}": None for name in names for cell in mine[name] for text in cell.warnings}
    return Trials(
        selected={name: mine[name][0].columns for name in names},
        seconds={name: float(np.mean([cell.seconds for cell in mine[name]])) for name in names},
        scores={name: [cell.score for cell in mine[name] if cell.score is not None] for name in names},
        notes=(*notes, *said),
    )
