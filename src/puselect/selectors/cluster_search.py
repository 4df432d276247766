"""The search of FSCPU: what it may choose from and how it learns."""

from typing import NamedTuple

import numpy as np

from puselect.engines import Engine
from puselect.objective.cluster import ClusterObjective
from puselect.objective.evidence import Evidence
from puselect.search import Optimizer
from puselect.search.callbacks import FitCallbacks
from puselect.search.deadline import Deadline
from puselect.selectors.choice import path_seconds
from puselect.selectors.problem import (
    Problem,
    cluster_objective,
    first_probabilities,
    free_support,
    free_tails,
    pair_information,
    problem_evidence,
)
from puselect.selectors.screening import SecondLook, pool_size, screened
from puselect.selectors.session import Session, effect_optimizer, igo_optimizer
from puselect.selectors.settings import Settings


class Searched(NamedTuple):
    """A search that is over, and the evidence that it started from."""

    session: Session
    evidence: Evidence | None


def search_alone(
    settings: Settings, problem: Problem, engine: Engine, callbacks: FitCallbacks, deadline: Deadline
) -> Searched:
    """Search for the features of a problem."""
    objective = cluster_objective(settings, engine, pair_information(settings, problem))
    evidence = problem_evidence(settings, problem, deadline)
    session = cluster_session(settings, problem, objective, evidence, deadline)
    session.run(callbacks)
    return Searched(session, evidence)


def cluster_session(
    settings: Settings,
    problem: Problem,
    objective: ClusterObjective,
    evidence: Evidence | None,
    deadline: Deadline,
) -> Session:
    """Return the search for the features of a problem."""
    budget, n_labelled, entropy = problem.budget, int(problem.positive.sum()), problem.entropy
    optimizer: Optimizer
    look = None
    if settings.follows_effects:
        if evidence is not None:
            budget = screened(budget, evidence.support, pool_size(settings, budget))
        support = tails = np.zeros(len(budget.free))
        if evidence is not None:
            support, tails = free_support(budget, evidence), free_tails(budget, evidence)
        by_effect, max_iter = effect_optimizer(settings.search, budget, support, tails, n_labelled, entropy)
        optimizer = by_effect
        if evidence is not None and len(budget.free) < len(problem.budget.free):
            look = SecondLook(settings, problem, objective.engine, evidence, by_effect, max_iter // 2, deadline)
    else:
        theta = first_probabilities(settings, problem)
        optimizer, max_iter = igo_optimizer(settings.search, budget, theta, n_labelled, entropy)
    identity = (settings.identity, *problem.identity)
    deadline.set_aside(path_seconds(problem.choice))
    return Session(settings.search, objective, budget, optimizer, max_iter, entropy, identity, deadline, look)
