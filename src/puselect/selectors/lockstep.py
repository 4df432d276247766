"""Searches that share an engine: all their masks of a step in one call."""

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines import Engine
from puselect.exceptions import InterruptedSearchWarning
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation
from puselect.search import Search, run_searches
from puselect.search.deadline import Deadline
from puselect.search.progress import LOG_SECONDS, Throttle, logger
from puselect.selectors.cluster_search import Searched, cluster_session
from puselect.selectors.problem import Problem, cluster_objective, pair_information, problem_evidence
from puselect.selectors.session import SAVE_SECONDS, Session
from puselect.selectors.settings import Settings

MOST_THREADS = 5  # more of them wait for each other: for Python's lock, and for memory


class Lockstep:
    """Searches on tables of one shape that share an engine.

    Parameters
    ----------
    objective : ClusterObjective
        With an engine that is bound to one table per session, in their order.
    sessions : sequence of Session
        With the same free features.
    """

    def __init__(self, objective: ClusterObjective, sessions: Sequence[Session]) -> None:
        self.objective = objective
        self.sessions = sessions
        repair = sessions[0].search.repair
        for target, session in enumerate(sessions):
            session.search.target = target
            if session.search.repair == repair:
                session.search.repair = repair  # the same object: they are repaired together

    def run(self) -> None:
        """Run all searches until each of them is over, resuming and saving those that have a checkpoint."""
        for session in self.sessions:
            session.open_checkpoint()
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
            for session in self.sessions:
                session.interrupted = True
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
        table = self.objective.engine.cluster(wide, seeds, targets)
        for target in targets[table.degenerate]:
            self.sessions[target].objective.n_degenerate += 1
        return self.objective.criteria(table, wide, seeds, targets)


def search_together(
    settings: Sequence[Settings],
    problems: Sequence[Problem],
    deadlines: Sequence[Deadline],
    engine: Engine,
) -> list[Searched]:
    """Search for the features of all problems in lockstep.

    Parameters
    ----------
    settings, problems, deadlines
        One of each for every search; the settings may differ in what concerns the search itself only.
    engine : Engine
        Bound to the tables or label vectors of the problems, in their order.
    """
    parts = [pair_information(*each) for each in zip(settings, problems, strict=True)]
    n_threads = min(max(effective_n_jobs(own.n_jobs) for own in settings), MOST_THREADS)
    with ThreadPoolExecutor(n_threads) as pool:
        evidence = list(pool.map(problem_evidence, settings, problems, deadlines))
    sessions = [
        cluster_session(own, problem, cluster_objective(own, engine, part), found, deadline)
        for own, problem, part, found, deadline in zip(settings, problems, parts, evidence, deadlines, strict=True)
    ]
    tables = [part.tables for part in parts if part is not None]
    information = PairInformation(np.concatenate(tables)) if tables else None
    Lockstep(cluster_objective(settings[0], engine, information), sessions).run()
    return [Searched(*each) for each in zip(sessions, evidence, strict=True)]
