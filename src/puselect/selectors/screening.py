"""Searching wide tables: only the features with most evidence are searched, and the others are looked at again.

The cost of a step does not depend on the number of columns, but what a step tells about each of them does: the search
decides on a pool of features, a few times as many as are wanted. Halfway it clusters the rows on the best features so
far; a feature outside of the pool that differs in the rows found so is moved into it, since it had no part in finding
them.
"""

from dataclasses import dataclass

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.blocks import map_blocks
from puselect.engines import Engine
from puselect.objective.column_ranks import BLOCK, LEPAGE
from puselect.objective.evidence import NO_DIFFERENCE_ROOT, Evidence
from puselect.objective.sparse_ranks import column_ranks
from puselect.search import EffectSearch
from puselect.search.deadline import Deadline
from puselect.selectors.budget import Budget
from puselect.selectors.clusterings import cluster_candidates
from puselect.selectors.problem import Problem, some_rows, taken_rows
from puselect.selectors.session import Exchange
from puselect.selectors.settings import Settings
from puselect.selectors.timely import timely_rows
from puselect.sparse_table import SparseTable

LEAST_POOL, POOL_PER_SELECTED = 400, 8
LOOK_CLUSTERINGS = 4
MOST_ENTRANTS = 0.25  # share of the pool that may be replaced


def pool_size(settings: Settings, budget: Budget) -> int:
    """Return how many features are searched: all of them unless there are many to choose from, and no groups."""
    has_evidence = settings.criterion == "cluster+evidence" and settings.follows_effects
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


@dataclass(frozen=True)
class SecondLook:
    """Looks for features outside of the pool that differ in the rows that the best features so far find."""

    settings: Settings
    problem: Problem
    engine: Engine
    evidence: Evidence
    optimizer: EffectSearch
    step: int
    """After which step of the search."""
    deadline: Deadline

    @property
    def features(self) -> IntArray:
        """All that may be selected."""
        return self.problem.budget.free

    def costs_of(self, features: IntArray) -> FloatArray:
        """Return what features cost."""
        return np.asarray(self.problem.budget.costs[np.searchsorted(self.features, features)])

    def tails_of(self, features: IntArray) -> FloatArray:
        """Return the support of features from the tails of their columns."""
        tails = self.evidence.tails
        return (self.evidence if tails is None else tails).support[features]

    def __call__(self, free: IntArray, scores: FloatArray, selected: BoolArray) -> Exchange:
        """Return the features to exchange, given the free ones, their scores and the mask of those selected so far."""
        outside = np.setdiff1d(self.features[self.problem.budget.affordable], free)
        statistic = self._statistic(outside, selected)
        chance = 2 * np.log(max(len(outside), 2))  # exceeded by one of them by chance
        n_entrants = min(int(MOST_ENTRANTS * len(free)), int((statistic > chance).sum()))
        best = np.argsort(-statistic, kind="stable")[:n_entrants]
        weight = self.evidence.cotrained_weight
        support = weight * (np.sqrt(statistic[best]) - NO_DIFFERENCE_ROOT)
        leaving = np.argsort(scores, kind="stable")[:n_entrants]
        return Exchange(leaving, outside[best], support)

    def _statistic(self, columns: IntArray, selected: BoolArray) -> FloatArray:
        """Return the statistic of columns for the labelled rows and the candidates in positive clusters."""
        problem = self.problem
        rng = np.random.default_rng(np.random.SeedSequence(problem.entropy, spawn_key=(2,)))
        seeds = rng.integers(2**31, size=LOOK_CLUSTERINGS)
        rows = some_rows(problem, rng)
        rows = timely_rows(self.settings, problem.table, problem.positive, rows, columns, self.deadline, rng)
        table, positive = taken_rows(problem, rows), problem.positive[rows]
        found = cluster_candidates(self.settings, problem, self.engine, selected, seeds, table[:, selected], positive)
        if found is None or not len(columns):
            return np.zeros(len(columns))
        both = np.concatenate([np.flatnonzero(positive), found.rows[: self.evidence.n_found]])
        return blocked_statistic(table, columns, both, self.settings.threads_for(table.shape))


def blocked_statistic(
    table: AnyArray | SparseTable, columns: IntArray, rows: IntArray, n_threads: int = 1
) -> FloatArray:
    """Return the statistic of columns for a set of rows, a block of columns at a time."""

    def of_block(block: slice) -> FloatArray:
        return column_ranks(table[:, columns[block]], LEPAGE).statistic(rows)

    size = len(columns) if isinstance(table, SparseTable) else BLOCK  # taking columns out of a sparse table is slow
    return np.concatenate(map_blocks(of_block, len(columns), size, n_threads))
