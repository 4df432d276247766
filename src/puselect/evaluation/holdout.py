"""Comparison of methods on one table: fit each on the whole table and on random splits, score the held-out rows."""

import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.datasets import make_pu_clusters
from puselect.evaluation.models import downstream_auc
from puselect.exceptions import InterruptedSearchWarning
from puselect.methods import METHODS, REGISTRY, YARDSTICKS
from puselect.row_groups import count_labels
from puselect.selectors.base import PUSelector
from puselect.selectors.diagnosis import column_medians, filled
from puselect.selectors.groups import Groups, best_features

TEST_SHARE = 0.25
FEWEST_LABELLED = 4
FEWEST_SPLITS = 2
N_RANDOM = 10


class Fitted(NamedTuple):
    """Selected features, the time it took, and the selector (None for all features or random ones)."""

    support: BoolArray
    seconds: float | None
    """None where several fits shared the time."""
    selector: PUSelector | None

    def ranked(self) -> list[int]:
        """Return the selected columns, best first; without a selector in their order."""
        columns: list[int] = np.flatnonzero(self.support).tolist()
        return columns if self.selector is None else sorted(columns, key=self.selector.ranking_.__getitem__)


def select_features(
    name: str, X: FloatArray, y: IntArray, k: int, seed: int, groups: Groups | None = None, **settings: Any
) -> Fitted:
    """Return the `k` features that a method or yardstick selects.

    Columns of a group are one feature. Methods that do not know groups rank columns, and a group has the rank of its
    best column.
    """
    if name == "all":
        return Fitted(np.ones(X.shape[1], dtype=bool), 0.0, None)
    if name == "random":
        order = np.random.default_rng(seed).permutation(X.shape[1])
        return Fitted(best_features(np.argsort(order), groups or {}, k), 0.0, None)
    selector = METHODS[name](k, random_state=seed, **settings)
    knows_groups = "groups" in selector.get_params(deep=False)
    if groups and knows_groups:
        selector.set_params(groups=dict(groups))
    compile_kernels(name)
    begin = time.perf_counter()
    selector.fit(X, y)
    seconds = round(time.perf_counter() - begin, 3)
    support = selector.get_support()
    if groups and not knows_groups:
        support = best_features(selector.ranking_, groups, k)
    return Fitted(np.asarray(support), seconds, selector)


@cache
def compile_kernels(method: str) -> None:
    """Fit a tiny table once per process, so that compiling or loading compiled code is not timed."""
    X, y, _ = make_pu_clusters("40/1/1", n_negative=150, n_positive=50, n_relevant=3, n_irrelevant=3, random_state=0)
    METHODS[method](3, random_state=0, **REGISTRY[method].quick).fit(X, y)


@dataclass(frozen=True)
class Holdout:
    """The table, and how methods are compared on it."""

    X: FloatArray
    """Shape (n_rows, n_features)."""
    y: IntArray
    """1 for labelled positives, 0 for unlabelled rows."""
    n_features_to_select: int
    truth: IntArray | None = None
    """True classes. Without them, held-out labels are predicted."""
    model: str = "logistic"
    """A name in `puselect.evaluation.DOWNSTREAM`."""
    n_splits: int = 20
    seed: int = 0
    groups: Groups = field(default_factory=dict)
    """Columns that are one feature, such as those of a category."""
    row_groups: IntArray | None = None
    """Number of each row's group; splits keep groups whole."""

    @property
    def score_name(self) -> str:
        """What the scores are."""
        if self.truth is not None:
            return f"AUC of a {self.model} model against the true classes of held-out rows"
        return f"AUC with which a {self.model} model tells held-out labelled rows from unlabelled ones"

    def splits(self) -> list[tuple[IntArray, IntArray]]:
        """Return training and test rows of every split, the same for all methods, stratified by class."""
        n_labels, noun = count_labels(self.y == 1, self.row_groups), "rows" if self.row_groups is None else "row groups"
        if n_labels < FEWEST_LABELLED:
            raise ValueError(f"splitting needs at least {FEWEST_LABELLED} labelled {noun}, got {n_labels}; label more")
        strata = self.y if self.truth is None else 2 * self.truth + self.y
        if np.unique(strata, return_counts=True)[1].min() < 2:  # such as a single labelled row whose truth is negative
            strata = self.y
        cut = StratifiedShuffleSplit(self.n_splits, test_size=TEST_SHARE, random_state=self.seed)
        if self.row_groups is None:
            return list(cut.split(self.X, strata))
        has_labels = np.bincount(self.row_groups, self.y) > 0
        is_train = [np.isin(self.row_groups, train) for train, _ in cut.split(has_labels, has_labels)]
        return [(np.flatnonzero(train), np.flatnonzero(~train)) for train in is_train]

    def fits(self, methods: Sequence[str]) -> list[tuple[str, int | None]]:
        """Return method and split (None: the whole table) of every fit, quick methods first for the sake of Ctrl-C."""
        names = sorted(compared(methods), key=lambda name: REGISTRY[name].seconds if name in REGISTRY else 0.0)
        return [(name, split) for name in names for split in (None, *range(self.n_splits))]


def compared(methods: Sequence[str]) -> list[str]:
    """Return the names of methods and yardsticks, once each."""
    return list(dict.fromkeys([*methods, *YARDSTICKS]))


class HoldoutResults(NamedTuple):
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


class Run(NamedTuple):
    """A method on the whole table or on one split."""

    method: str
    split: int | None
    selected: list[int]
    seconds: float
    score: float | None
    warnings: tuple[str, ...]


def compare_methods(
    table: Holdout, methods: Sequence[str], n_jobs: int = 1, tell: Callable[[Run], None] = lambda run: None
) -> HoldoutResults:
    """Run every method and yardstick on the whole table and on every split.

    Quick methods come first; Ctrl-C keeps the methods that are finished, or the splits that all have finished. The
    yardsticks are added to the methods. `n_jobs` is the number of processes, by joblib's rules; `tell` is called after
    every fit.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=150, n_positive=50, n_relevant=3, n_irrelevant=3,
    ...                            random_state=0)
    >>> found = compare_methods(Holdout(X, y, 3, n_splits=2), ["kbest"])
    >>> list(found.scores), len(found.selected["kbest"]), found.n_splits
    (['kbest', 'all', 'random', 'lowest-variance', 'lepage'], 3, 2)
    """
    runs: list[Run] = []
    try:
        for run in _runs(table, methods, n_jobs):
            runs.append(run)
            tell(run)
    except (KeyboardInterrupt, InterruptedSearchWarning) as error:
        if not any(name in methods for name in _finished(table, methods, runs)[0]):
            raise KeyboardInterrupt from error
    except BrokenProcessPool as error:
        raise MemoryError("a process that fitted a method died: it was killed, or ran out of memory") from error
    return _gather(table, methods, runs)


def _runs(table: Holdout, methods: Sequence[str], n_jobs: int) -> Iterator[Run]:
    """Yield runs as they are finished; libraries run on one thread."""
    splits = table.splits()
    with threadpool_limits(1), parallel_config("loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
        with without_interrupts():
            runs = parallel(delayed(fit_and_score)(table, splits, *fit) for fit in table.fits(methods))
        yield from runs


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes in this block that ignore Ctrl-C: this process hears it, and ends them.

    A program inherits the signals that are ignored. Otherwise every worker would print a traceback of its own.
    """
    if threading.current_thread() is not threading.main_thread():  # only that one may set handlers
        yield
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def fit_and_score(table: Holdout, splits: Sequence[tuple[IntArray, IntArray]], method: str, split: int | None) -> Run:
    """Fit a method on the whole table or on one split, and score what it selected."""
    train, test = (np.arange(len(table.y)), None) if split is None else splits[split]
    seed = table.seed if split is None else table.seed + split + 1
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("error", InterruptedSearchWarning)  # the best so far would be a false result
        fitted = select_features(
            method, table.X[train], table.y[train], table.n_features_to_select, seed, table.groups
        )
        score = None if test is None else _score(table, train, test, method, fitted.support, seed)
    texts = tuple(dict.fromkeys(str(warning.message) for warning in heard))
    return Run(method, split, fitted.ranked(), fitted.seconds or 0.0, score, texts)


def _score(
    table: Holdout, train: IntArray, test: IntArray, method: str, support: BoolArray, seed: int
) -> float:
    """Return the AUC of the selected columns; of random ones the mean over several sets, which differ a lot.

    Medians of the training rows stand in for missing values.
    """
    target = table.y if table.truth is None else table.truth
    X = filled(table.X, column_medians(table.X[train]))
    masks = [support]
    if method == "random":
        ranks = [np.random.default_rng([seed, i]).permutation(len(support)) for i in range(N_RANDOM)]
        masks = [best_features(ranking, table.groups, table.n_features_to_select) for ranking in ranks]
    scores = [
        downstream_auc(table.model, X[train][:, mask], table.y[train], X[test][:, mask], target[test], seed)
        for mask in masks
    ]
    return float(np.mean(scores))


def _finished(table: Holdout, methods: Sequence[str], runs: Sequence[Run]) -> tuple[list[str], list[int]]:
    """Return the methods to compare and the splits that all of them have finished.

    These are the methods that are done; if only yardsticks are, those that have finished two splits.
    """
    done: dict[str, set[int | None]] = {name: set() for name in compared(methods)}
    for run in runs:
        done[run.method].add(run.split)
    complete = [name for name, splits in done.items() if len(splits) == table.n_splits + 1]
    some = [name for name, splits in done.items() if None in splits and len(splits) > FEWEST_SPLITS]
    names = complete if any(name not in YARDSTICKS for name in complete) else some
    shared = set.intersection(*(done[name] for name in names)) if names else set()
    return names, sorted(split for split in shared if split is not None)


def _gather(table: Holdout, methods: Sequence[str], runs: Sequence[Run]) -> HoldoutResults:
    found = {(run.method, run.split): run for run in runs}
    names, splits = _finished(table, methods, runs)
    whole = {name: found[name, None] for name in names}
    cut = {name: [found[name, split] for split in splits] for name in names}
    said = {name: [text for run in (whole[name], *cut[name]) for text in run.warnings] for name in names}
    counts = {name: Counter(column for run in cut[name] for column in run.selected) for name in names}
    return HoldoutResults(
        selected={name: np.array(run.selected, dtype=np.intp) for name, run in whole.items()},
        seconds={name: float(np.mean([run.seconds for run in (whole[name], *cut[name])])) for name in names},
        scores={name: [run.score for run in cut[name] if run.score is not None] for name in names},
        n_splits=len(splits),
        warnings={name: tuple(dict.fromkeys(texts)) for name, texts in said.items() if texts},
        frequency={name: {column: n / len(splits) for column, n in counts[name].items()} for name in names},
        unfinished=tuple(name for name in compared(methods) if name not in names),
    )
