"""Suitability of a table: a test whether labelled rows form clusters, beyond chance and for held-out rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering import Engine, make_engine
from puselect.columns.evidence import rank_evidence
from puselect.columns.ranks import ColumnRanks, column_ranks
from puselect.draws import Stream, generator
from puselect.fscpu.dependence import warn_of_dependence
from puselect.fscpu.final_clusters import cluster_result
from puselect.fscpu.problem import Problem, some_rows
from puselect.fscpu.selector import FSCPU
from puselect.fscpu.settings import Settings
from puselect.fscpu.stability import clopper_pearson
from puselect.objective.score import best_clusters
from puselect.parameters import check_flag, check_number
from puselect.row_groups import count_labels, shuffle_labels, split_rows
from puselect.search.progress import Deadline
from puselect.selectors.base import RandomSeed
from puselect.selectors.groups import ColumnName, group_evidence
from puselect.sparse_table import as_dense

SHARES = (0.125, 0.25, 0.5)  # of the features; the best of them counts
WIDEST = 32  # features that are clustered, so that wide tables take no longer
N_CLUSTERINGS = 4
N_HELD_OUT = 12  # clusterings that held-out rows are placed in
N_FOLDS = 5
SHUFFLES_PER_FOLD = 2  # that take as long
FEWEST_LABELS = 5
ENOUGH_ABOVE = 5  # shuffles that reach the real labels before it is clear that they are nothing special
BY_CHANCE = 0.05
CLEAR, NEGLIGIBLE = 1.25, 1.5  # lift that is at least, or at most, needed


class Verdict(StrEnum):
    """Whether the labelled rows form clusters."""

    HOLDS = "holds"
    WEAK = "weak"
    """Beyond chance, but it is not sure that held-out labelled rows are clearly denser in the clusters."""
    DOES_NOT_HOLD = "does_not_hold"
    """They are not: a lift of 1.5 can be excluded."""
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True)
class Suitability:
    """How well the labelled rows cluster, compared with shuffled labels and with rows that were held out."""

    objective: float
    """Of the features that single columns point to."""
    null_objective: float
    """The same with shuffled labels, mean."""
    ratio: float
    """The first over the second."""
    n_shuffles: int
    """How many were needed."""
    code: str
    """A `Verdict`."""
    p_value: float
    """How often shuffled labels do as well."""
    lift: float
    """How much denser held-out labelled rows are in the positive clusters than unlabelled rows."""
    interval: tuple[float, ...]
    """Lower and upper bound of the lift, each with a confidence of 95 %."""
    n_features: int | None = None
    """How many features did best."""
    dependence: str = ""
    """A `Dependence` of rows that were taken as independent, which makes the p-value too low; empty if none is seen."""

    def __str__(self) -> str:
        return self.verdict

    @property
    def suits(self) -> bool:
        """Whether the verdict is "holds"."""
        return self.code == Verdict.HOLDS

    @property
    def is_decided(self) -> bool:
        """Whether there were shuffles enough to reach a p-value of .05, or to see that they do as well."""
        return BY_CHANCE * (self.n_shuffles + 1) >= 1 or self.p_value > ENOUGH_ABOVE / (self.n_shuffles + 1)

    @property
    def title(self) -> str:
        """The verdict in a few words."""
        how = {Verdict.HOLDS: "gather clearly", Verdict.WEAK: "gather weakly"}
        if self.code == Verdict.TOO_FEW_LABELS:
            return "It cannot be told whether known positives gather"
        by_chance = "gather no more than chance would have it" if self.p_value > BY_CHANCE else "hardly gather"
        return f"Known positives {how.get(Verdict(self.code), by_chance)}"

    @property
    def effect(self) -> str:
        """The size of the effect and the p-value, in a clause."""
        low, high = self.interval
        p_value, by_chance = f"(p = {self.p_value:.2g})", self.p_value > BY_CHANCE
        if self.code == Verdict.TOO_FEW_LABELS:
            shuffled = "shuffled labels do as well" if by_chance else "shuffled labels do worse"
            return f"{shuffled} {p_value}, but there are too few known positives to be sure"
        often = f"set aside in turn, they fall into the clusters of the rest {self.lift:.1f} times as often as others"
        shuffled = "and so do shuffled labels" if by_chance else "which shuffled labels do not"
        return f"{often} do ({low:.1f} to {high:.1f}), {shuffled} {p_value}"

    @property
    def verdict(self) -> str:
        """The verdict in a sentence, and what to do about it."""
        advice = {
            Verdict.WEAK: " Check the selection with another method.",
            Verdict.DOES_NOT_HOLD: " Do not rely on clusters; try another method.",
            Verdict.TOO_FEW_LABELS: " Label more rows.",
        }
        dependent = " Rows seem to depend on each other, so the p-value is too low." if self.dependence else ""
        return f"{self.title}: {self.effect}.{dependent}{advice.get(Verdict(self.code), '')}"


@dataclass(frozen=True)
class Trial:
    """The table of a check, ready for any labels."""

    problem: Problem
    """The rows and columns that are looked at, scaled already, with the groups of these rows."""
    ranks: ColumnRanks
    engine: Engine
    positive: BoolArray
    """Label vectors that the engine knows, shape (n_vectors, n_rows)."""
    sizes: tuple[int, ...]
    settings: Settings
    seeds: IntArray
    leader: IntArray
    """The column that stands for the feature of each."""

    def best(self, vector: int, rng: np.random.Generator) -> tuple[float, BoolArray]:
        """Return the objective of the best number of features for a label vector, and these features.

        Nothing but these labels is used to choose them, so that any two vectors can be compared.
        """
        order = self._order(self.positive[vector], rng)
        masks = np.stack([np.isin(self.leader, order[:size]) for size in self.sizes])
        repeated, seeds = np.repeat(masks, len(self.seeds), axis=0), np.tile(self.seeds, len(masks))
        found, preset = self.engine.cluster(repeated, seeds, np.full(len(seeds), vector)), self.settings.preset
        best = best_clusters(found.size, found.positive, preset.cluster_choice, preset.smoothing)
        scores = best.score.reshape(len(masks), -1).mean(axis=1)
        return float(scores.max()), masks[scores.argmax()]

    def _order(self, positive: BoolArray, rng: np.random.Generator) -> IntArray:
        strength = group_evidence(rank_evidence(self.ranks, positive, rng), self.leader).z_scores
        order = np.lexsort((rng.random(len(strength)), -strength))
        return np.asarray(order[self.leader[order] == order])

    def heldout(self, vector: int, rows: IntArray, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """Return how often each of the held-out rows is in positive clusters, and the same share of unlabelled rows.

        `vector` is the number of the label vector without these rows.
        """
        _, mask = self.best(vector, rng)
        seeds = rng.integers(2**31 - 1, size=N_HELD_OUT)
        _, found = cluster_result(self.settings, self.problem, self.engine, mask, seeds, vector)
        if found is None:
            return np.zeros(len(rows)), 0.0
        hits = found.votes(as_dense(self.problem.table[rows][:, mask]))
        n_there = ((found.size - found.labelled) * found.positive).sum(axis=1).mean() - hits.sum()
        return hits, float(n_there / (~self.problem.positive).sum())


def check_suitability(
    X: ArrayLike,
    y: ArrayLike,
    k: int | None = None,
    *,
    n_shuffles: int = 39,
    early_stopping: bool = True,
    max_time: float | None = None,
    pos_label: object = 1,
    neg_label: object = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    random_state: RandomSeed = 0,
    row_groups: ArrayLike | None = None,
    groups: Mapping[str, Sequence[ColumnName]] | Sequence[object] | str | None = None,
) -> Suitability:
    """Check whether the labelled rows form clusters, as the method assumes.

    The features that single columns point to are clustered, a few numbers of them, and the best objective counts. How
    often shuffled labels do as well is the p-value, exact if rows, or `row_groups`, are independent of each other. If
    five shuffles have done as well, no more are drawn (J. Besag and P. Clifford, "Sequential Monte Carlo p-values",
    Biometrika 78, 1991). The lift is how much denser labelled rows that are held out in turn are in the clusters that
    the others choose than unlabelled rows. If most of these are positive, a low lift proves nothing.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Of more than 10,000 unlabelled rows a sample is used.
    y : array-like of shape (n_rows,)
        `pos_label` marks labelled positives, anything else unlabelled rows.
    k : int, optional
        How many features to cluster. By default an eighth, a quarter and a half of them, at most 32.
    n_shuffles : int, default=39
        The most shuffles; the p-value is at least 1 / (n_shuffles + 1).
    early_stopping : bool, default=True
        Stop when it is clear that shuffled labels do as well.
    max_time : float, optional
        The most seconds that the check may take: it ends in time with fewer shuffles (see `Suitability.n_shuffles`),
        whose p-value is as valid, but larger.
    pos_label : object, default=1
    neg_label : object, optional
        Marks rows that were checked and are negative, which are left out.
    engine, n_jobs
        As in `FSCPU`.
    random_state : int, RandomState or None, default=0
    row_groups : array-like of shape (n_rows,), optional
        The group of each row, such as a patient or a day: groups of similar size exchange their labels, and are held
        out as a whole. Without them, a `DependentRowsWarning` is raised if rows seem to depend on each other.
    groups
        Columns that are one feature, as in `FSCPU`.

    Returns
    -------
    suitability : Suitability

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=800, n_positive=200, random_state=0)
    >>> check_suitability(X, y).code
    'holds'
    """
    check_number("n_shuffles", n_shuffles, 1, 10_000, integer=True)
    check_flag("early_stopping", early_stopping)
    selector = FSCPU(
        k, max_time=max_time, pos_label=pos_label, neg_label=neg_label, engine=engine, n_jobs=n_jobs,
        random_state=random_state, groups=groups,
    )  # fmt: skip
    settings, deadline = Settings.of(selector.get_params(deep=False)), Deadline(max_time)
    problem = selector._problem(settings, X, y, row_groups=row_groups)
    dependence = warn_of_dependence(problem.table, problem.positive, problem.row_groups)
    rng = generator(problem.entropy, Stream.SHUFFLES)
    trial, folds = make_trial(settings, problem, k, n_shuffles, rng)
    objective, mask = trial.best(0, rng)
    null: list[float] = []
    n_above, is_stopped = 0, False
    while len(null) < n_shuffles and not is_stopped:
        null.append(trial.best(len(null) + 1, rng)[0])
        n_above += null[-1] >= objective
        is_stopped = early_stopping and n_above == ENOUGH_ABOVE
        if deadline.is_too_close(SHUFFLES_PER_FOLD * N_FOLDS):
            break
    p_value = n_above / len(null) if is_stopped else (n_above + 1) / (len(null) + 1)
    lift, interval = heldout_lift(trial, folds, n_shuffles, rng)
    return Suitability(
        objective,
        float(np.mean(null)),
        objective / max(float(np.mean(null)), 1e-12),
        len(null),
        judge(count_labels(problem.positive, problem.row_groups), p_value, interval).value,
        p_value,
        lift,
        interval,
        len(np.unique(trial.leader[mask])),
        dependence or "",
    )


def make_trial(
    settings: Settings, problem: Problem, k: int | None, n_shuffles: int, rng: np.random.Generator
) -> tuple[Trial, list[IntArray]]:
    """Return the table with all label vectors, and the folds of labelled rows.

    The vectors are the real one, the shuffled ones, and for each fold the labels without it.
    """
    rows, columns = some_rows(problem, rng), problem.budget.columns
    rows = rows[problem.known[rows] >= 0]  # shuffled labels must not fall on checked negatives
    table, positive = problem.table[rows][:, columns], problem.positive[rows]
    labelled = np.flatnonzero(positive)
    groups = None if problem.row_groups is None else problem.row_groups[rows]
    folds = split_rows(labelled, N_FOLDS, groups, rng)
    shuffled = [shuffle_labels(positive, groups, rng) for _ in range(n_shuffles)]
    parts = [positive & ~np.isin(np.arange(len(positive)), fold) for fold in folds] if len(folds) > 1 else []
    vectors = np.array([positive, *shuffled, *parts])
    own = columns if problem.budget.leader is None else problem.budget.leader[columns]
    leader = np.searchsorted(columns, own)
    n_features = len(np.unique(leader))
    wanted = {max(1, min(WIDEST, round(share * n_features))) for share in SHARES} if k is None else {min(k, n_features)}
    made = make_engine(settings.engine, table, vectors, settings.mixture, n_jobs=settings.n_jobs)
    seeds = rng.integers(2**31 - 1, size=N_CLUSTERINGS)
    part = replace(problem, table=table, positive=positive, negative=None, scaling=None, row_groups=groups)
    return Trial(part, column_ranks(table), made, vectors, tuple(sorted(wanted)), settings, seeds, leader), folds


def heldout_lift(
    trial: Trial, folds: list[IntArray], n_shuffles: int, rng: np.random.Generator
) -> tuple[float, tuple[float, ...]]:
    """Return how much denser held-out labelled rows are in positive clusters than unlabelled rows, with its interval.

    Each end of the interval holds with 95 %, because each decides alone: the lower one that clusters hold, the upper
    one that they do not (D. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for
    assessing the equivalence of average bioavailability", 1987).
    """
    if len(folds) < 2:
        return 1.0, (0.0, float(len(trial.problem.positive)))
    found = [trial.heldout(1 + n_shuffles + i, fold, rng) for i, fold in enumerate(folds)]
    hits = np.concatenate([share for share, _ in found])
    others = np.average([share for _, share in found], weights=[len(fold) for fold in folds])
    others = max(float(others), 1 / len(trial.problem.positive))
    if trial.problem.row_groups is not None:  # of which each counts once
        own = trial.problem.row_groups[np.concatenate(folds)]
        hits = np.array([hits[own == group].mean() for group in np.unique(own)])
    low, high = mean_bounds(hits)
    return float(hits.mean()) / others, (low / others, high / others)


def mean_bounds(shares: FloatArray) -> tuple[float, float]:
    """Return bounds for the expected value of shares, one per row; each holds with 95 %.

    Those of Clopper and Pearson for as many rows that are in or out as would give a mean of this precision (E. Korn and
    B. Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated from
    survey data", 1998). A share of one half is more informative than a row that is in or out by chance.

    Examples
    --------
    >>> binary, even = np.repeat([0.0, 1.0], 10), np.tile([0.4, 0.6], 10)
    >>> [round(bound, 2) for bound in (*mean_bounds(binary), *mean_bounds(even))]
    [0.3, 0.7, 0.45, 0.55]
    """
    mean, n = float(shares.mean()), len(shares)
    variance = max(float(shares.var(ddof=1)), mean * (1 - mean) / N_HELD_OUT)
    effective = max(n * mean * (1 - mean) / variance if variance > 0 else n, n)
    low, high = clopper_pearson(np.array([mean * effective]), effective, 2 * BY_CHANCE)
    return float(low[0]), float(high[0])


def judge(n_labelled: int, p_value: float, interval: tuple[float, ...]) -> Verdict:
    """Return the verdict from the p-value and the interval of the lift."""
    low, high = interval
    if n_labelled < FEWEST_LABELS:
        return Verdict.TOO_FEW_LABELS
    if high < NEGLIGIBLE:
        return Verdict.DOES_NOT_HOLD
    if p_value > BY_CHANCE:
        return Verdict.TOO_FEW_LABELS
    return Verdict.HOLDS if low >= CLEAR else Verdict.WEAK
