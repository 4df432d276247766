"""Binding FSCPU's parameters to a table: the engine, the objective, the first probabilities."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines import Engine, make_engine
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation
from puselect.scaling import ColumnRanges, scale_columns
from puselect.search.start import column_evidence, tilted_start
from puselect.selectors.budget import Budget
from puselect.selectors.session import Session
from puselect.selectors.settings import mixture_spec, row_limit


class Problem(NamedTuple):
    """What an FSCPU with its parameters makes of a table."""

    table: NDArray[Any]
    """Scaled where wanted."""
    positive: BoolArray
    budget: Budget
    limit: int | None
    """Rows looked at in a step, None for all."""
    entropy: int
    ranges: ColumnRanges | None
    """How the table was scaled."""


def scaled_problem(selector: Any, X: NDArray[Any], positive: BoolArray, budget: Budget, entropy: int) -> Problem:
    """Return the problem that the selector's engine works on."""
    exact = selector.engine == "reference" or selector.clusterer is not None
    table = scale_columns(X, np.float64 if exact else np.float32) if selector.scale is not None else np.asarray(X)
    ranges = ColumnRanges.of(X) if selector.scale is not None else None
    return Problem(table, positive, budget, row_limit(selector, len(X)), entropy, ranges)


def problem_engine(selector: Any, problem: Problem) -> Engine:
    """Return the selector's engine, bound to the problem's table and labels."""
    return make_engine(
        selector.engine,
        problem.table,
        problem.positive,
        mixture_spec(selector) if selector.clusterer is None else selector.clusterer,
        n_jobs=selector.n_jobs,
        max_samples=problem.limit,
    )


def cluster_session(selector: Any, problem: Problem, engine: Engine) -> Session:
    """Return the search that an FSCPU with these parameters does with this engine."""
    table, positive, budget, limit, entropy, _ = problem
    information = PairInformation.of(table, positive) if selector.criterion == "cluster+mi" else None
    objective = ClusterObjective(engine, selector.cluster_choice, selector.smoothing, information)
    theta = first_probabilities(selector.start_evidence, table, positive, budget, limit, entropy)
    return Session(selector, objective, budget, theta, table, positive, entropy)


def first_probabilities(
    strength: float, table: NDArray[Any], positive: BoolArray, budget: Budget, limit: int | None, entropy: int
) -> FloatArray:
    """Return the paper's flat start, or one that follows what single columns tell about the labels."""
    if strength == 0 or not budget.leaves_a_choice:
        return np.full(len(budget.free), budget.start)
    rows = some_rows(positive, limit, np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(1,))))
    evidence = column_evidence(table[rows][:, budget.free], positive[rows])
    return tilted_start(evidence, budget.costs, budget.limit, strength)


def some_rows(positive: BoolArray, limit: int | None, rng: np.random.Generator) -> IntArray:
    """Return all rows, or the labelled ones and random others when there are more than `limit`."""
    if limit is None:
        return np.arange(len(positive))
    others = rng.choice(np.flatnonzero(~positive), min(limit, int((~positive).sum())), replace=False)
    return np.concatenate([np.flatnonzero(positive), others])
