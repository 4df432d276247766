"""Fitting many FSCPU at once: on a GPU their searches run in lockstep, all masks of a step in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from puselect.clustering import Engine
from puselect.clustering.choice import gpu_engine_class, gpu_is_there
from puselect.clustering.mixture import check_range
from puselect.fscpu.problem import Problem
from puselect.fscpu.run import pool_size, search_problems
from puselect.fscpu.selector import FSCPU
from puselect.fscpu.settings import Settings
from puselect.search.callbacks import FitCallbacks
from puselect.search.progress import Deadline


@dataclass(frozen=True)
class PendingFit:
    """A selector with its settings and problem, ready to be fitted."""

    selector: FSCPU
    settings: Settings
    problem: Problem
    callbacks: FitCallbacks
    deadline: Deadline

    @classmethod
    def of(cls, selector: FSCPU, X: ArrayLike, y: ArrayLike) -> Self:
        """Check the parameters and the data."""
        settings = Settings.of(selector.get_params(deep=False))
        deadline = Deadline(settings.search.max_time)
        problem = selector._problem(settings, X, y)
        return cls(selector, settings, problem, FitCallbacks(selector, X, y), deadline)


def fit_many(selectors: Sequence[FSCPU], tables: Sequence[ArrayLike], labels: Sequence[ArrayLike]) -> list[FSCPU]:
    """Fit each selector to its table, as ``selector.fit(X, y)`` would.

    With a GPU all searches that are alike run at once, which is much faster for small tables; without one they run one
    after another.

    Parameters
    ----------
    selectors : sequence of FSCPU
        To be fitted at once, they may differ in seeds, limits and checkpoints only.
    tables : sequence of array-like of shape (n_rows, n_features)
        To be fitted at once, they must have one shape.
    labels : sequence of array-like of shape (n_rows,)
        One for each table.

    Returns
    -------
    selectors : list of FSCPU
        The same objects, fitted.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> data = [make_pu_clusters("40/3/1", n_negative=300, n_positive=60, random_state=seed) for seed in range(2)]
    >>> selectors = [FSCPU(25, max_iter=3, random_state=0) for _ in data]
    >>> fitted = fit_many(selectors, [X for X, _, _ in data], [y for _, y, _ in data])
    >>> [selector.n_iter_ for selector in fitted]
    [3, 3]
    """
    chosen = list(selectors)
    if len(chosen) != len(tables) or len(chosen) != len(labels):
        came = f"{len(chosen)}, {len(tables)} and {len(labels)}"
        raise ValueError(f"give as many tables and label vectors as selectors, got {came}")
    if not _may_use_gpu(chosen):
        return [selector.fit(X, y) for selector, X, y in zip(chosen, tables, labels, strict=True)]
    groups: list[list[PendingFit]] = []
    for task in [PendingFit.of(*each) for each in zip(chosen, tables, labels, strict=True)]:
        group = next((group for group in groups if are_alike(group[0], task)), None)
        if group is None:
            groups.append([task])
        else:
            group.append(task)
    for task, *others in groups:
        if others:
            fit_together([task, *others], shared_engine([task, *others]))
        else:
            task.selector._fit_problem(task.settings, task.problem, task.callbacks, task.deadline)
    return chosen


def fit_together(tasks: Sequence[PendingFit], engine: Engine) -> None:
    """Fit all selectors with one engine that is bound to their tables, in their order."""
    settings, problems, deadlines = zip(*((task.settings, task.problem, task.deadline) for task in tasks), strict=True)
    searched = search_problems(settings, problems, deadlines, engine)
    for target, (task, own) in enumerate(zip(tasks, searched, strict=True)):
        task.selector._keep_clusters(task.settings, task.problem, own, engine, target)


def are_alike(first: PendingFit, task: PendingFit) -> bool:
    """Return whether one engine can serve both searches: their settings differ in what the engine does not see."""
    budget, other = first.problem.budget, task.problem.budget
    mine = first.settings
    return (
        replace(task.settings, engine=mine.engine, n_jobs=mine.n_jobs, search=mine.search) == mine
        and np.array_equal(budget.kept, other.kept)
        and np.array_equal(budget.free, other.free)
        and task.selector.groups_ == first.selector.groups_
        and task.problem.table.shape == first.problem.table.shape
        and isinstance(task.problem.table, np.ndarray)
        and pool_size(task.settings, other) == len(other.free)
    )


def _may_use_gpu(selectors: Sequence[FSCPU]) -> bool:
    """Return whether all selectors may run on a GPU, and there is one or one of them insists."""
    if any(selector.clusterer is not None or selector.engine not in ("auto", "gpu") for selector in selectors):
        return False
    return any(selector.engine == "gpu" for selector in selectors) or gpu_is_there()


def shared_engine(tasks: Sequence[PendingFit]) -> Engine:
    """Return a GPU engine bound to the tables of all problems."""
    engine_class, first = gpu_engine_class(), tasks[0]
    X = np.stack([np.asarray(task.problem.table) for task in tasks])
    check_range("gpu", X)
    known = np.stack([task.problem.counted for task in tasks])
    return engine_class(X, known, first.settings.mixture, max_samples=first.problem.max_samples)
