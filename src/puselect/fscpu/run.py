"""The one pipeline of FSCPU: evidence, search, ranking; alone with progress, or several problems in lockstep."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering import Engine
from puselect.columns.evidence import Evidence
from puselect.fscpu.auto_number import path_seconds
from puselect.fscpu.problem import Problem, free_support, pair_information, problem_evidence
from puselect.fscpu.search_run import Session, published_optimizer, run_together
from puselect.fscpu.settings import Settings
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation
from puselect.search import EffectSearch, Optimizer, Repair
from puselect.search.callbacks import FitCallbacks
from puselect.search.deadline import Deadline
from puselect.selectors.budget import Budget

LEAST_POOL, POOL_PER_SELECTED = 400, 4  # features of a wide table that are searched


class Searched(NamedTuple):
    """A search that is over, and the evidence that it started from."""

    session: Session
    evidence: Evidence | None


def search_alone(
    settings: Settings, problem: Problem, engine: Engine, callbacks: FitCallbacks, deadline: Deadline
) -> Searched:
    """Search for the features of a problem."""
    information, evidence = pair_information(settings, problem), problem_evidence(settings, problem)
    objective = cluster_objective(settings, engine, information)
    session = cluster_session(settings, problem, objective, evidence, deadline)
    session.run(callbacks)
    return Searched(session, evidence)


def search_together(
    settings: Sequence[Settings], problems: Sequence[Problem], deadlines: Sequence[Deadline], engine: Engine
) -> list[Searched]:
    """Search for the features of problems of one shape in lockstep: all masks of a step in one call of the engine.

    Parameters
    ----------
    settings, problems, deadlines
        One of each for every search; the settings may differ in what concerns the search itself only.
    engine : Engine
        Bound to the tables or label vectors of the problems, in their order.
    """
    parts = [pair_information(*each) for each in zip(settings, problems, strict=True)]
    evidence = [problem_evidence(*each) for each in zip(settings, problems, strict=True)]
    sessions = [
        cluster_session(own, problem, cluster_objective(own, engine, part), found, deadline, target)
        for target, (own, problem, part, found, deadline) in enumerate(
            zip(settings, problems, parts, evidence, deadlines, strict=True)
        )
    ]
    tables = [part.tables for part in parts if part is not None]
    objective = cluster_objective(settings[0], engine, PairInformation(np.concatenate(tables)) if tables else None)

    def evaluate(masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        wide = sessions[0].budget.widen(masks)
        table = engine.cluster(wide, seeds, targets)
        for target in targets[table.degenerate]:
            sessions[target].objective.n_degenerate += 1
        return objective.criteria(table, wide, targets)

    run_together(sessions, evaluate)
    return [Searched(*each) for each in zip(sessions, evidence, strict=True)]


def cluster_session(
    settings: Settings,
    problem: Problem,
    objective: ClusterObjective,
    evidence: Evidence | None,
    deadline: Deadline,
    target: int = 0,
) -> Session:
    """Return the search for the features of a problem."""
    budget, n_labelled = problem.budget, int(problem.positive.sum())
    if evidence is not None:
        budget = screened(budget, evidence.support, pool_size(settings, budget))
    max_iter = settings.most_steps(budget.start, n_labelled)
    optimizer: Optimizer
    if settings.follows_effects:
        support = np.zeros(len(budget.free)) if evidence is None else free_support(budget, evidence)
        repair = Repair(budget.costs, budget.limit)
        optimizer = EffectSearch(support, repair, settings.search.population_size, problem.entropy)
    else:
        optimizer = published_optimizer(settings.search.population_size, budget, problem.entropy)
    identity = (settings.identity, *problem.identity)
    deadline.set_aside(path_seconds(problem.choice))
    return Session(settings.search, objective, budget, optimizer, max_iter, identity, deadline, target)


def cluster_objective(settings: Settings, engine: Engine, information: PairInformation | None) -> ClusterObjective:
    """Return the objective that the search maximises."""
    return ClusterObjective(engine, settings.preset.cluster_choice, settings.preset.smoothing, information)


def pool_size(settings: Settings, budget: Budget) -> int:
    """Return how many features are searched: all of them unless there are many to choose from, and no groups."""
    has_evidence = settings.criterion == "cluster+evidence"
    if not has_evidence or settings.screen is None or budget.leader is not None or not budget.leaves_a_choice:
        return len(budget.free)
    n_wanted = int(np.ceil(budget.start * len(budget.free)))
    wanted = max(LEAST_POOL, POOL_PER_SELECTED * n_wanted) if settings.screen == "auto" else int(settings.screen)
    return min(max(wanted, n_wanted + 1), len(budget.free))


def screened(budget: Budget, support: FloatArray, n_pool: int) -> Budget:
    """Return the budget with only the `n_pool` features of largest support free, of those that fit it."""
    if n_pool >= len(budget.free):
        return budget
    affordable = np.flatnonzero(budget.affordable)
    best = affordable[np.argsort(-support[budget.free[affordable]], kind="stable")[:n_pool]]
    return budget.narrowed(np.sort(best))
