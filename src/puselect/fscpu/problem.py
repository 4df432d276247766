"""The problem that a search works on: the scaled table, the labels, the budget, the evidence of its columns."""

import warnings
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering import Engine, make_engine
from puselect.clustering.base import Labels
from puselect.columns.evidence import Evidence, rank_evidence
from puselect.columns.inspection import CheckedRanks
from puselect.columns.ranks import column_ranks
from puselect.columns.separation import Separation
from puselect.draws import Stream, generator
from puselect.exceptions import FewLabelsWarning, PickedRowsWarning
from puselect.fscpu.settings import Settings
from puselect.objective.information import PairInformation
from puselect.row_groups import draw_groups
from puselect.scaling import Scaling, fit_scaling
from puselect.selectors.budget import Budget
from puselect.selectors.groups import group_evidence
from puselect.sparse_table import SparseTable

EVIDENCE_ROWS, EVIDENCE_VALUES = 10_000, 50_000_000  # unlabelled rows that columns are compared on
OUT_OF_QUESTION = -100.0  # evidence of a feature that is not searched, in standard errors
RELATED = 2.0  # evidence of a group with another column that says something about the class
FEW_PICKED_BY, PICKED_BY = 3, 0.1  # features, or their share, by which rows may have been picked
FEWEST_FOR_INFORMATION = 25  # labelled rows; docs/paper/methods.md has the figures


class ChoiceCode(StrEnum):
    """The basis of the number of features."""

    CHOSEN = "chosen"
    NOTHING = "nothing_beyond_chance"
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True)
class Choice:
    """The number of features, decided before the search."""

    code: ChoiceCode
    n_features: int
    """Of those the search decides on."""
    n_enough: int
    """The smallest size from which on the separation is within one standard error of the best."""
    beyond: IntArray
    """Those related to the labels, or the best guess: indices of columns, the smallest p-value first."""
    false_share: FloatArray
    """Estimated share of false features among the first 1, 2, ... by p-value; never falling."""
    p_value: float
    at_least: int
    at_most: int
    sizes: tuple[int, ...]
    """Numbers of features, kept ones among them, that `separation` has a value for."""
    separation: Separation
    seconds: float
    """Time of the choice; the path takes about as long."""


class RowSample(NamedTuple):
    """Some rows of a table as it came: the labelled and checked ones, and random others."""

    rows: IntArray
    values: Any
    """Of all columns; an array or a sparse matrix."""


@dataclass(frozen=True)
class Problem:
    """A scaled table, its labels, and the budget of features."""

    table: AnyArray | SparseTable
    """Scaled according to the settings, shape (n_rows, n_features)."""
    positive: BoolArray
    """Labelled positives, shape (n_rows,)."""
    budget: Budget
    entropy: int
    """Seed of all random numbers."""
    is_seeded: bool
    """Whether the seed was given; a checkpoint may bring its own otherwise."""
    max_samples: int | None
    """Rows per step, None for all."""
    scaling: Scaling | None
    """How the table was scaled; None if it was not."""
    choice: Choice | None = None
    """How many features are beyond chance, where the number was to be found."""
    row_groups: IntArray | None = None
    """Number of the group of each row; None if rows are independent."""
    negative: BoolArray | None = None
    """Rows that were checked and are negative, shape (n_rows,); None if there are none."""
    row_sample: RowSample | None = None
    """For the model of rows; None until `with_row_sample`."""
    evidence: Evidence | None = None
    """Of every column; None until `with_evidence`, and where the settings ask for none."""

    @classmethod
    def of(
        cls, settings: Settings, X: Any, positive: BoolArray, budget: Budget, entropy: int, is_seeded: bool
    ) -> Self:
        """Scale the table according to the settings."""
        max_samples = settings.rows_per_step(X.shape[0])
        if issparse(X):
            scaling = None if settings.scale is None else fit_scaling(settings.scale, X)
            return cls(SparseTable.of(X, scaling), positive, budget, entropy, is_seeded, max_samples, scaling)
        if settings.scale is None:
            return cls(X, positive, budget, entropy, is_seeded, max_samples, None)
        is_exact = settings.engine == "reference" or settings.clusterer is not None
        n_threads = settings.threads_for(X.shape)
        scaling = fit_scaling(settings.scale, X, n_threads)
        table = scaling.scale(X, np.float64 if is_exact else np.float32, n_threads)
        return cls(table, positive, budget, entropy, is_seeded, max_samples, scaling)

    @property
    def known(self) -> Labels:
        """Labels as engines take them: True or 1 for labelled positives, -1 for checked negatives."""
        return self.positive if self.negative is None else self.positive.astype(np.int8) - self.negative

    @property
    def counted(self) -> Labels:
        """Labels as searches count them: 2 for the rows that co-training found, if it compared all rows."""
        if self.evidence is None or self.evidence.found is None:
            return self.known
        known = self.known.astype(np.int8)
        known[self.evidence.found] = 2
        return known

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything that changes the search, to recognise a checkpoint."""
        checked = () if self.negative is None else (self.negative,)
        return self.table, self.positive, *checked, *self.budget, self.entropy if self.is_seeded else None


def with_negatives(problem: Problem, negative: BoolArray) -> Problem:
    """Return the problem with its checked negatives, unless rows were picked for inspection by many features.

    The likeliest rows, or those that an inspector found suspicious, are unlike other negatives in what marks the class.
    """
    whole, columns = replace(problem, negative=negative), problem.budget.columns
    rows = some_rows(whole, generator(problem.entropy, Stream.INSPECTION))
    known = whole.known[rows]
    ranks = column_ranks(taken_rows(whole, rows)[:, columns])
    picked_by = columns[CheckedRanks(ranks, np.flatnonzero(known > 0), np.flatnonzero(known < 0)).suspected]
    n_picked_by = len(picked_by if problem.budget.leader is None else np.unique(problem.budget.leader[picked_by]))
    if n_picked_by <= max(FEW_PICKED_BY, PICKED_BY * len(problem.budget.units)):
        return whole
    warnings.warn(
        f"{int(negative.sum())} checked negatives are not used: rows were picked for inspection by {n_picked_by} "
        "features, so that they are unlike other negatives; they are still no candidates",
        PickedRowsWarning,
        stacklevel=4,
    )
    return problem


def problem_engine(settings: Settings, *problems: Problem) -> Engine:
    """Return the engine, bound to the table that the problems share and to the labels of each."""
    problem = problems[0]
    budget, n_labelled = problem.budget, int(problem.positive.sum())
    return make_engine(
        settings.engine,
        problem.table,
        np.stack([each.counted for each in problems]),
        settings.mixture if settings.clusterer is None else settings.clusterer,
        n_jobs=settings.n_jobs,
        max_samples=problem.max_samples,
        n_selected=int(budget.kept.sum() + np.ceil(budget.share * len(budget.free))),
        n_masks=(settings.search.population_size, settings.most_steps(budget.share, len(budget.free), n_labelled)),
    )


def pair_information(settings: Settings, problem: Problem) -> PairInformation | None:
    """Return the second criterion, where the settings ask for it."""
    if settings.criterion != "cluster+mi":
        return None
    if isinstance(problem.table, SparseTable):
        raise ValueError("criterion='cluster+mi' needs a dense table, got a sparse X")
    n_labelled = int(problem.positive.sum())
    if n_labelled < FEWEST_FOR_INFORMATION:
        warnings.warn(
            f"criterion='cluster+mi' with {n_labelled} labelled positives: its mutual information is mostly bias with "
            f"fewer than {FEWEST_FOR_INFORMATION}, and may select worse than chance; use the default criterion",
            FewLabelsWarning,
            stacklevel=4,
        )
    # Where steps are sampled, a sample is enough: it has all labelled rows, which are the scarce ones.
    rng = generator(problem.entropy, Stream.EVIDENCE)
    rows = slice(None) if problem.max_samples is None else some_rows(problem, rng)
    return PairInformation.of(problem.table[rows], problem.positive[rows])


def with_row_sample(problem: Problem, table: Any) -> Problem:
    """Return the problem with some rows of its table as it came, which need not be kept."""
    rows = some_rows(problem, generator(problem.entropy, Stream.ROW_SAMPLE))
    return replace(problem, row_sample=RowSample(rows, table[rows]))


def with_evidence(settings: Settings, problem: Problem) -> Problem:
    """Return the problem with the evidence of each column, if the settings ask for it; 0 for those never selected."""
    if settings.criterion != "cluster+evidence" or not len(problem.budget.free):
        return problem
    rng, columns = generator(problem.entropy, Stream.EVIDENCE), problem.budget.columns
    rows = some_rows(problem, rng)
    table = taken_rows(problem, rows)
    part = table if len(columns) == table.shape[1] else table[:, columns]
    ranks = column_ranks(part, n_threads=settings.threads_for(part.shape))
    negative = None if problem.negative is None else problem.negative[rows]
    evidence = rank_evidence(ranks, problem.positive[rows], rng, negative)
    if len(rows) < len(problem.positive):  # few rows of a step would be among those compared
        evidence = evidence._replace(found=None)
    return replace(problem, evidence=evidence.widened(columns, problem.table.shape[1]))


def free_z_scores(budget: Budget, evidence: Evidence) -> FloatArray:
    """Return the evidence for each free feature in standard errors; that for a group is its best feature's.

    One that only says which rows were inspected is out of the question, unless all others are selected.
    """
    found = evidence if budget.leader is None else group_evidence(evidence, budget.leader)
    if found.picked is None:
        return found.z_scores[budget.free]
    is_out = found.picked & (found.z_scores < RELATED)
    return np.where(is_out, OUT_OF_QUESTION, found.z_scores)[budget.free]


def taken_rows(problem: Problem, rows: IntArray) -> AnyArray | SparseTable:
    """Return rows of the table, scaled; without a copy if they are all of it, in order."""
    if len(rows) < len(problem.positive):
        return problem.table[rows]
    return problem.table


def some_rows(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Return all rows, or the labelled and checked ones and random others: as many as single columns need."""
    is_sparse = isinstance(problem.table, SparseTable)
    most = EVIDENCE_ROWS if is_sparse else min(EVIDENCE_ROWS, EVIDENCE_VALUES // problem.table.shape[1] + 1)
    is_known = problem.known != 0
    if most >= len(is_known) - int(is_known.sum()):
        return np.arange(len(is_known))
    return draw_groups(is_known, problem.row_groups, rng, most)
