"""Searching again with random halves of the labels, in lockstep on one engine: how sure each feature is."""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from puselect.arrays import AnyArray, BoolArray
from puselect.draws import Stream, generator
from puselect.engines import make_engine
from puselect.engines.partitions import PartitionedTable
from puselect.exceptions import FewLabelsWarning
from puselect.row_groups import count_labels, split_rows
from puselect.search.deadline import Deadline
from puselect.selectors.base import check_number, descending_order
from puselect.selectors.frequencies import Stability, summarise_selections
from puselect.selectors.problem import Problem
from puselect.selectors.run import pool_size, search_together
from puselect.selectors.session import Session
from puselect.selectors.settings import Settings
from puselect.selectors.twins import FEWEST_ROWS, MOST_CELLS, find_twins
from puselect.sparse_table import SparseTable, as_dense

SHARE_OF_STEPS = 4  # a repeated search takes a quarter of the steps, on half of the rows
FEWEST_STEPS = 20
ALIKE = 0.9  # rank correlation from which two features are twins


class Repeat(NamedTuple):
    """A repeated search and what it selects."""

    session: Session
    selected: BoolArray


def repeat_search(
    settings: Settings, problem: Problem, n_searches: int, n_steps: int, deadline: Deadline
) -> Stability | None:
    """Search again with random halves of the labels, and return how often each feature is selected.

    Every search has labels of its own, in whole row groups, and random numbers; labelled rows that are left out count
    as unlabelled. Each of their steps uses half as many rows, drawn anew, and there are a quarter as many steps: eight
    searches cost a little more than the first.

    Parameters
    ----------
    settings, problem
        Of the search that is repeated.
    n_searches : int
    n_steps : int
        Steps of the first search.
    deadline : Deadline

    Returns
    -------
    stability : Stability or None
        None if a single row or row group is labelled, with a warning, and if the deadline or Ctrl-C ended a search.
    """
    if count_labels(problem.positive, problem.row_groups) < 2:
        warnings.warn("stability needs two labelled rows or row groups, got 1", FewLabelsWarning, stacklevel=4)
        return None
    steps = max(FEWEST_STEPS, n_steps // SHARE_OF_STEPS)
    search = replace(settings.search, max_iter=steps, checkpoint=None, verbose=0)
    repeats = search_halves(replace(settings, search=search), halves(problem, n_searches), deadline)
    if any(each.session.interrupted or each.session.timed_out for each in repeats):
        return None
    selected = np.array([each.selected for each in repeats])
    return summarise_selections(selected, tuple(group.columns for group in find_twins(_columns(problem), ALIKE)))


def check_repeats(n_searches: int, table: Any) -> None:
    """Raise a ValueError unless so many searches can be done."""
    check_number("n_searches", n_searches, 1, 10_000, integer=True)
    if n_searches > 1 and isinstance(table, PartitionedTable):
        raise ValueError(f"n_searches must be 1 for a table in partitions, got {n_searches}")


def halves(problem: Problem, n_searches: int) -> list[Problem]:
    """Return the problem with random halves of its labels, each with half as many rows per step."""
    rng = generator(problem.entropy, Stream.HALVES)
    labelled, n_rows = np.flatnonzero(problem.positive), len(problem.positive)
    n_used = half(n_rows if problem.max_samples is None else min(problem.max_samples, n_rows))
    found = []
    for _ in range(n_searches):
        kept = split_rows(labelled, 2, problem.row_groups, rng)[0]
        positive = np.isin(np.arange(n_rows), kept)
        entropy = int(rng.integers(2**63 - 1))
        found.append(replace(problem, positive=positive, entropy=entropy, max_samples=n_used, is_seeded=True))
    return found


def half(n: int) -> int:
    """Return half of a number, rounded up."""
    return (n + 1) // 2


def search_halves(settings: Settings, problems: list[Problem], deadline: Deadline) -> list[Repeat]:
    """Run the searches: in lockstep, or one after another where each has features of its own to search."""
    seconds = None if deadline.end == float("inf") else deadline.left
    first = problems[0]
    lots = [problems]
    if pool_size(settings, first.budget) < len(first.budget.free):
        lots = [[problem] for problem in problems]
    repeats: list[Repeat] = []
    for lot in lots:
        engine = make_engine(
            settings.engine,
            first.table,
            np.stack([problem.positive for problem in lot]),
            settings.mixture if settings.clusterer is None else settings.clusterer,
            n_jobs=settings.n_jobs,
            max_samples=first.max_samples,
        )
        ends = [Deadline(seconds) for _ in lot]
        searched = search_together([settings] * len(lot), lot, ends, engine)
        repeats += [Repeat(session, selection(session)) for session, _ in searched]
    return repeats


def selection(session: Session) -> BoolArray:
    """Return the features that a search selects."""
    search = session.search
    order = descending_order(search.optimizer.scores, np.random.default_rng([search.optimizer.seed, search.step]))
    return session.budget.take_within(order)


def _columns(problem: Problem) -> AnyArray:
    """Return the table, or evenly spaced rows of a sparse one."""
    if not isinstance(problem.table, SparseTable):
        return np.asarray(problem.table)
    n_rows, n_columns = problem.table.shape
    n_compared = min(n_rows, max(FEWEST_ROWS, MOST_CELLS // n_columns))
    return as_dense(problem.table[np.linspace(0, n_rows - 1, n_compared).astype(int)])
