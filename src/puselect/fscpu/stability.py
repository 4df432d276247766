"""Stability of a selection: the search repeated on random halves of the labels, and how often features are selected."""

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.stats import beta
from scipy.stats import t as student

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.columns.twins import FEWEST_ROWS, MOST_CELLS, find_twins
from puselect.draws import Stream, generator
from puselect.exceptions import FewLabelsWarning
from puselect.fscpu.problem import Problem, problem_engine, with_evidence
from puselect.fscpu.run import pool_size, search_problems
from puselect.fscpu.search_run import SearchRun
from puselect.fscpu.settings import Settings
from puselect.row_groups import count_labels, split_rows
from puselect.search.progress import Deadline
from puselect.selectors.base import descending_order
from puselect.sparse_table import SparseTable, as_dense

SHARE_OF_STEPS = 4  # a repeated search takes a quarter of the steps, on half of the rows
FEWEST_STEPS = 20
ALIKE = 0.9  # rank correlation from which two features are twins
SURE = 0.95
TINY = 1e-9  # for a quantile that is replaced anyway
FEWEST_FOR_CORE = 8  # searches; docs/internals/trust.md has how often such features come back


class Index(NamedTuple):
    """Nogueira's stability of a set of selections, with its interval."""

    value: float
    """1 if all are the same, about 0 if they are random."""
    low: float
    high: float


@dataclass(frozen=True)
class Stability:
    """How often each feature is selected with random halves of the labels and of the rows."""

    n_searches: int
    frequency: tuple[float, ...]
    """Share of the searches that select each feature."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Clopper and Pearson's 95 % interval of each frequency."""
    twin_frequency: tuple[float, ...]
    """Share of the searches that select the feature or one of its twins."""
    twins: tuple[tuple[int, ...], ...]
    """Groups of interchangeable features: rank correlation with the first of .9 or more, up to sign."""
    index: float
    """Nogueira's, of the sets."""
    interval: tuple[float, ...]
    """Its 95 % interval."""
    core: tuple[int, ...] = ()
    """Features that all of eight searches or more of `FSCPU` have among the first third of those they select."""

    def __str__(self) -> str:
        low, high = self.interval
        sets = f"Over {self.n_searches} searches with halves of the labels"
        return f"{sets}, the stability of the set is {self.index:.2f} ({low:.2f} to {high:.2f}; 1: always the same)."


def summarise_selections(
    selected: BoolArray, twins: tuple[tuple[int, ...], ...] = (), first_third: BoolArray | None = None
) -> Stability:
    """Return the stability of selections, one per line; `first_third` are those of a third as many features."""
    frequency = selected.mean(axis=0)
    with_twins = frequency.copy()
    for group in twins:
        with_twins[list(group)] = selected[:, list(group)].any(axis=1).mean()
    bounds = clopper_pearson(selected.sum(axis=0), len(selected))
    of_feature, low, high, with_any = (tuple(part.tolist()) for part in (frequency, *bounds, with_twins))
    value, *interval = nogueira(selected)
    core: tuple[int, ...] = ()
    if first_third is not None and len(first_third) >= FEWEST_FOR_CORE:
        core = tuple(np.flatnonzero(first_third.all(axis=0)).tolist())
    return Stability(len(selected), of_feature, low, high, with_any, twins, value, tuple(interval), core)


def nogueira(selected: BoolArray) -> Index:
    """Return Nogueira's stability index of selections, one per line, and its 95 % interval.

    One minus the mean variance of the selection of a feature, over its value for random sets of that size
    (Nogueira et al. 2018, definition 4). The error is the jackknife's, and that of half an exchange of features in one
    of the sets, without which sets that happen to agree would seem to be certain; the quantile is Student's. The
    asymptotic interval of the paper holds the true index of eight selections in 87 to 90 % of cases only. Two
    selections give no error: the interval is the whole range.

    Examples
    --------
    >>> nogueira(np.array([[True, True, False, False]] * 4)).value
    1.0
    """
    n_sets, n_features = selected.shape
    value, mean = float(_agreement(selected.mean(axis=0), n_sets)), float(selected.mean())
    if mean in (0, 1):
        return Index(1.0, 1.0, 1.0)
    if n_sets < 3:
        return Index(value, -1.0, 1.0)
    without_one = (selected.sum(axis=0) - selected) / (n_sets - 1)
    parts = n_sets * value - (n_sets - 1) * _agreement(without_one, n_sets - 1)
    half_exchange = 1 / (n_sets * n_features * mean * (1 - mean))
    error = np.hypot(parts.std(ddof=1) / np.sqrt(n_sets), half_exchange)
    reach = student.ppf((1 + SURE) / 2, n_sets - 1) * error
    return Index(value, float(max(value - reach, -1.0)), float(min(value + reach, 1.0)))


def _agreement(share: FloatArray, n_sets: int) -> FloatArray:
    """Return the index from the share of `n_sets` sets that select each feature, features on the last axis."""
    mean = share.mean(axis=-1)
    chance = mean * (1 - mean)
    variance = (n_sets / (n_sets - 1) * share * (1 - share)).mean(axis=-1)
    return np.asarray(np.where(chance > 0, 1 - variance / np.where(chance > 0, chance, 1), 1.0))


def clopper_pearson(
    n_hits: FloatArray | IntArray, n: float, outside: float = 1 - SURE
) -> tuple[FloatArray, FloatArray]:
    """Return Clopper and Pearson's intervals for shares of `n`, which are `outside` with half of it on either side.

    `n_hits` need not be whole.

    Examples
    --------
    >>> low, high = clopper_pearson(np.array([0, 4, 8]), 8)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.16, 0.63], [0.37, 0.84, 1.0])
    """
    low = np.where(n_hits > 0, beta.ppf(outside / 2, np.maximum(n_hits, TINY), n - n_hits + 1), 0.0)
    high = np.where(n_hits < n, beta.ppf(1 - outside / 2, n_hits + 1, np.maximum(n - n_hits, TINY)), 1.0)
    return low, high


def repeat_search(
    settings: Settings, problem: Problem, n_searches: int, n_steps: int, deadline: Deadline
) -> Stability | None:
    """Search again with random halves of the labels, and return how often each feature is selected.

    Every search has labels of its own, in whole row groups, and random numbers; labelled rows that are left out count
    as unlabelled. Each of their steps uses half as many rows, drawn anew, and there are a quarter as many steps: eight
    searches cost a little more than the first, which took `n_steps`. None, with a warning, if a single row or row group
    is labelled, and if the deadline or Ctrl-C ended a search.
    """
    if count_labels(problem.positive, problem.row_groups) < 2:
        warnings.warn("stability needs two labelled rows or row groups, got 1", FewLabelsWarning, stacklevel=4)
        return None
    steps = max(FEWEST_STEPS, n_steps // SHARE_OF_STEPS)
    search = replace(settings.search, max_iter=steps, checkpoint=None, verbose=0)
    repeats = search_halves(replace(settings, search=search), halves(settings, problem, n_searches), deadline)
    if any(run.interrupted or run.timed_out for run, *_ in repeats):
        return None
    selected, first_third = (np.array(masks) for masks in list(zip(*repeats, strict=True))[1:])
    twins = tuple(group.columns for group in find_twins(_columns(problem), ALIKE))
    return summarise_selections(selected, twins, first_third)


def halves(settings: Settings, problem: Problem, n_searches: int) -> list[Problem]:
    """Return the problem with random halves of its labels, each with half as many rows per step."""
    rng = generator(problem.entropy, Stream.HALVES)
    labelled, n_rows = np.flatnonzero(problem.positive), len(problem.positive)
    n_used = (min(problem.max_samples or n_rows, n_rows) + 1) // 2
    found = []
    for _ in range(n_searches):
        kept = split_rows(labelled, 2, problem.row_groups, rng)[0]
        positive = np.isin(np.arange(n_rows), kept)
        entropy = int(rng.integers(2**63 - 1))
        half = replace(problem, positive=positive, entropy=entropy, max_samples=n_used, is_seeded=True)
        found.append(with_evidence(settings, half))
    return found


def search_halves(
    settings: Settings, problems: list[Problem], deadline: Deadline
) -> list[tuple[SearchRun, BoolArray, BoolArray]]:
    """Run the searches: in lockstep, or one after another where each has features of its own to search.

    Returns each search with the features that it selects, and those that it would select for a third of the budget.
    """
    seconds = None if deadline.end == float("inf") else deadline.left
    budget = problems[0].budget
    is_screened = pool_size(settings, budget) < len(budget.free)
    found = []
    for lot in [[problem] for problem in problems] if is_screened else [problems]:
        ends = [Deadline(seconds) for _ in lot]
        for run in search_problems([settings] * len(lot), lot, ends, problem_engine(settings, *lot)):
            optimizer = run.search.optimizer
            rng = np.random.default_rng([optimizer.seed, run.search.step])
            order = descending_order(optimizer.scores, rng)
            found.append((run, run.budget.take_within(order), run.budget.third.take_within(order)))
    return found


def _columns(problem: Problem) -> AnyArray:
    """Return the table, or evenly spaced rows of a sparse one."""
    if not isinstance(problem.table, SparseTable):
        return np.asarray(problem.table)
    n_rows, n_columns = problem.table.shape
    n_compared = min(n_rows, max(FEWEST_ROWS, MOST_CELLS // n_columns))
    return as_dense(problem.table[np.linspace(0, n_rows - 1, n_compared).astype(int)])
