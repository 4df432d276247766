"""Fitting many FSCPU at once: on a GPU their searches run in lockstep, all masks of a step in one call."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines import gpu_engine_class, gpu_is_there
from puselect.engines.base import ClusterTable, Engine, FinalFit
from puselect.engines.precision import check_range
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation
from puselect.search import Search, run_searches
from puselect.search.progress import LOG_SECONDS, InterruptedSearchWarning, Throttle, logger
from puselect.selectors.binding import Problem, cluster_session
from puselect.selectors.fscpu import FSCPU
from puselect.selectors.session import SAVE_SECONDS, Session
from puselect.selectors.settings import mixture_spec

MUST_AGREE = ("cluster_choice", "smoothing", "criterion", "scale")


class OneTarget:
    """One label vector of a shared engine, as an engine of its own."""

    def __init__(self, engine: Engine, target: int) -> None:
        self.engine = engine
        self.target = target

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering; see `Engine.cluster`."""
        return self.engine.cluster(masks, seeds, np.full(len(masks), self.target))

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        """Return the counts of several clusterings of a mask and their mixtures; see `Engine.fit_final`."""
        return self.engine.fit_final(mask, seeds, self.target, n_mixtures)


class Lockstep:
    """Searches on tables of one shape that share an engine.

    Parameters
    ----------
    engine : Engine
        Bound to one label vector per session, in their order.
    sessions : sequence of Session
    """

    def __init__(self, engine: Engine, sessions: Sequence[Session]) -> None:
        self.engine = engine
        self.sessions = sessions
        own = [session.objective for session in sessions]
        parts = [objective.information for objective in own if isinstance(objective, ClusterObjective)]
        tables = [part.tables for part in parts if part is not None]
        first = sessions[0].selector
        information = PairInformation(np.concatenate(tables)) if tables else None
        self.objective = ClusterObjective(engine, first.cluster_choice, first.smoothing, information)
        repair = sessions[0].search.repair
        for target, session in enumerate(sessions):
            session.search.target = target
            if session.search.repair == repair:
                session.search.repair = repair  # the same object: they are repaired together

    def run(self) -> None:
        """Run all searches until each of them is over, resuming and saving those that have a checkpoint."""
        for session in self.sessions:
            session.resume()
        searches = [session.search for session in self.sessions]
        due, due_line = Throttle(SAVE_SECONDS * len(searches)), Throttle(LOG_SECONDS)

        def after_step() -> bool:
            if due():
                self._save()
            if due_line():
                n_over = sum(map(self._is_over, searches))
                logger.info("step %d, %d of %d searches over", max(s.step for s in searches), n_over, len(searches))
            return False

        try:
            run_searches(searches, self._evaluate, self._is_over, after_step)
            self._save()  # between steps only: in the middle of one the generators have moved on already
        except KeyboardInterrupt:
            warnings.warn(
                f"interrupted after step {max(s.step for s in searches)}; the features selected are the best so far",
                InterruptedSearchWarning,
                stacklevel=4,
            )

    def _save(self) -> None:
        for session in self.sessions:
            session.save()

    def _is_over(self, search: Search) -> bool:
        session = self.sessions[search.target]
        return not session.budget.leaves_a_choice or session.is_over(search)

    def _evaluate(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        wide = self.sessions[0].budget.widen(masks)
        table = self.engine.cluster(wide, seeds, targets)
        for target in targets[table.degenerate]:
            self.sessions[target].objective.n_degenerate += 1
        return self.objective.criteria(table, wide, targets)


def fit_many(selectors: Sequence[FSCPU], tables: Sequence[ArrayLike], labels: Sequence[ArrayLike]) -> list[FSCPU]:
    """Fit each selector to its table, as ``selector.fit(X, y)`` would, all of them at once where a GPU does it.

    Parameters
    ----------
    selectors : sequence of FSCPU
        With equal settings for mixtures and score; seeds, learning rates and numbers of steps may differ.
    tables : sequence of array-like of shape (n_rows, n_features)
        Of one shape. Tables of different shapes, or no GPU: the selectors are fitted one after another.
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
    if not can_run_together(chosen, tables):
        return [selector.fit(X, y) for selector, X, y in zip(chosen, tables, labels, strict=True)]
    problems = [selector._problem(X, y) for selector, X, y in zip(chosen, tables, labels, strict=True)]
    fit_together(chosen, problems, shared_engine(chosen[0], problems))
    return chosen


def fit_together(selectors: Sequence[FSCPU], problems: Sequence[Problem], engine: Engine) -> None:
    """Fit all selectors with one engine that is bound to their tables, in their order."""
    sessions = [
        cluster_session(selector, problem, OneTarget(engine, i))
        for i, (selector, problem) in enumerate(zip(selectors, problems, strict=True))
    ]
    Lockstep(engine, sessions).run()
    for selector, session in zip(selectors, sessions, strict=True):
        selector._keep_result(session)
        selector.clusterings_ = None  # one compiled engine per search would cost more than the search


def can_run_together(selectors: Sequence[FSCPU], tables: Sequence[Any]) -> bool:
    """Return whether one engine can serve all these searches."""
    if not selectors or any(s.clusterer is not None or s.engine not in ("auto", "gpu") for s in selectors):
        return False
    alike = all(settings(selector) == settings(selectors[0]) for selector in selectors)
    shapes = {np.shape(table) for table in tables}
    wanted = any(selector.engine == "gpu" for selector in selectors)
    return alike and len(shapes) == 1 and (wanted or gpu_is_there())


def settings(selector: FSCPU) -> tuple[Any, ...]:
    """Return what selectors in lockstep must have in common."""
    free = (repr(selector.always_keep), repr(selector.never_select))
    return (mixture_spec(selector), selector.max_samples, free, *(getattr(selector, name) for name in MUST_AGREE))


def shared_engine(selector: FSCPU, problems: Sequence[Problem]) -> Engine:
    """Return a GPU engine bound to the tables of all problems."""
    engine_class = gpu_engine_class()
    X = np.stack([problem.table for problem in problems])
    check_range("gpu", X)
    positive = np.stack([problem.positive for problem in problems])
    engine: Engine = engine_class(X, positive, mixture_spec(selector), max_samples=problems[0].limit)
    return engine
