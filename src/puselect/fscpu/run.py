"""The search of FSCPU: objective and optimizer; one problem with progress, or several in lockstep."""

from collections.abc import Sequence

import numpy as np

from puselect.arrays import FloatArray
from puselect.clustering import Engine
from puselect.fscpu.problem import Problem, free_z_scores, pair_information
from puselect.fscpu.search_run import SearchRun, published_optimizer, run_alone, run_together
from puselect.fscpu.settings import LEAST_POOL, POOL_PER_SELECTED, Settings
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation
from puselect.search import EffectSearch, Optimizer, Repair
from puselect.search.callbacks import FitCallbacks
from puselect.search.progress import Deadline
from puselect.selectors.budget import Budget


def search_problems(
    settings: Sequence[Settings],
    problems: Sequence[Problem],
    deadlines: Sequence[Deadline],
    engine: Engine,
    callbacks: FitCallbacks | None = None,
) -> list[SearchRun]:
    """Search for the features of problems of one shape in lockstep: all masks of a step in one call of the engine.

    Parameters
    ----------
    settings, problems, deadlines
        One of each for every search; the settings may differ in `SearchSettings` only. Problems have their evidence.
    engine : Engine
        Bound to the tables or label vectors of the problems, in their order.
    callbacks : FitCallbacks, optional
        Of a single search, which is then logged and observed step by step.
    """
    second = [pair_information(*each) for each in zip(settings, problems, strict=True)]
    tables = [part.tables for part in second if part is not None]
    information = PairInformation(np.concatenate(tables)) if tables else None
    preset = settings[0].preset
    agreement = np.array([0.0 if each.evidence is None else each.evidence.agreement for each in problems])
    objective = ClusterObjective(engine, preset.cluster_choice, preset.smoothing, information, agreement)
    parts = zip(settings, problems, deadlines, range(len(problems)), strict=True)
    runs = [search_run(objective, *each) for each in parts]
    if callbacks is None:
        run_together(runs)
    else:
        run_alone(runs[0], callbacks)
    return runs


def search_run(
    objective: ClusterObjective, settings: Settings, problem: Problem, deadline: Deadline, target: int
) -> SearchRun:
    """Return the search for the features of a problem, ready to be run."""
    budget, evidence, n_labelled = problem.budget, problem.evidence, int(problem.positive.sum())
    if evidence is not None:
        budget = screened(budget, evidence.z_scores, pool_size(settings, budget))
    optimizer: Optimizer
    if settings.follows_effects:
        z_scores = np.zeros(len(budget.free)) if evidence is None else free_z_scores(budget, evidence)
        repair = Repair(budget.costs, budget.limit)
        optimizer = EffectSearch(z_scores, repair, settings.search.population_size, problem.entropy)
    else:
        optimizer = published_optimizer(settings.search.population_size, budget, problem.entropy)
    max_iter = settings.most_steps(budget.share, len(budget.free), n_labelled)
    identity = (settings.identity, *problem.identity)
    deadline.set_aside(0.0 if problem.choice is None else problem.choice.seconds)
    return SearchRun(settings.search, objective, budget, optimizer, max_iter, identity, deadline, target)


def pool_size(settings: Settings, budget: Budget) -> int:
    """Return how many features are searched: all of them unless there are many to choose from, and no groups."""
    has_evidence = settings.criterion == "cluster+evidence"
    if not has_evidence or settings.screen is None or budget.leader is not None or not budget.leaves_a_choice:
        return len(budget.free)
    n_wanted = int(np.ceil(budget.share * len(budget.free)))
    wanted = max(LEAST_POOL, POOL_PER_SELECTED * n_wanted) if settings.screen == "auto" else int(settings.screen)
    return min(max(wanted, n_wanted + 1), len(budget.free))


def screened(budget: Budget, z_scores: FloatArray, n_pool: int) -> Budget:
    """Return the budget with only the `n_pool` features of most evidence free, of those that fit it."""
    if n_pool >= len(budget.free):
        return budget
    affordable = np.flatnonzero(budget.affordable)
    best = affordable[np.argsort(-z_scores[budget.free[affordable]], kind="stable")[:n_pool]]
    return budget.narrowed(np.sort(best))
