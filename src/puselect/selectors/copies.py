"""Columns that repeat what another says.

A search learns that a copy of a selected feature adds nothing. Single columns cannot know that: both say the same, and
both would be selected for it.
"""

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.labels import draw_rows
from puselect.selectors.budget import Budget
from puselect.selectors.problem import Problem
from puselect.selectors.twins import find_twins
from puselect.sparse_table import as_dense

ALIKE = 0.999  # absolute rank correlation; features that are only similar still add something
MOST_ROWS = 2000  # without a label
TIMES = 2  # as many features are compared as are selected: what comes after them would not be selected anyway


def copies_among(problem: Problem, budget: Budget, scores: FloatArray) -> BoolArray:
    """Return which of the free features are copies: of one that is always selected, or of one with a higher score.

    Those are compared that may be selected. Groups of columns are left alone.
    """
    order = np.argsort(-scores, kind="stable")
    n_selected = int(budget.take_within(order)[budget.free].sum())
    is_single = _is_single(budget)
    kept, first = np.flatnonzero(budget.kept & is_single), order[: TIMES * n_selected]
    first = first[is_single[budget.free[first]]]
    rng = np.random.default_rng(np.random.SeedSequence(problem.entropy, spawn_key=(8,)))
    rows = draw_rows(problem.positive, rng, max_others=MOST_ROWS)
    table = problem.table[rows][:, np.concatenate([kept, budget.free[first]])]
    is_copy = np.zeros(len(kept) + len(first), dtype=bool)
    for twins in find_twins(as_dense(table), ALIKE):
        is_copy[list(twins.columns[1:])] = True
    found = np.zeros(len(scores), dtype=bool)
    found[first] = is_copy[len(kept) :]
    return found


def _is_single(budget: Budget) -> BoolArray:
    """Return whether each column is a feature of its own."""
    if budget.leader is None:
        return np.ones(len(budget.kept), dtype=bool)
    return np.asarray(np.bincount(budget.leader, minlength=len(budget.kept))[budget.leader] == 1)
