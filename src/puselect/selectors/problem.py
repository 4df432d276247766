"""What a search works on: the scaled table, the labels, the budget; and the engine and objective bound to them."""

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.engines import Engine, make_engine
from puselect.engines.partitions import PartitionedTable, fit_partitioned_scaling
from puselect.exceptions import FewLabelsWarning
from puselect.objective.cluster import ClusterObjective
from puselect.objective.column_ranks import LEPAGE, NORMAL, ColumnRanks
from puselect.objective.doubt import doubted
from puselect.objective.evidence import Evidence, rank_evidence
from puselect.objective.information import PairInformation
from puselect.objective.sparse_ranks import column_ranks
from puselect.row_groups import draw_groups
from puselect.scaling import Scaling, fit_scaling
from puselect.search.deadline import Deadline
from puselect.search.start import evidence_start
from puselect.selectors.base import descending_order
from puselect.selectors.budget import Budget
from puselect.selectors.groups import group_evidence, group_statistic
from puselect.selectors.settings import AUTO_SAMPLES, Settings
from puselect.selectors.timely import timely_rows
from puselect.sparse_table import SparseTable

MOST_KEPT = 2000  # columns whose ranks are kept: those of a wide table are screened, and would take its memory again
FEWEST_FOR_INFORMATION = 25  # labelled rows; docs/paper/methods.md has the figures

if TYPE_CHECKING:
    from puselect.selectors.choice import Choice


class KeptRanks(NamedTuple):
    """The ranks of some columns in all rows."""

    columns: IntArray
    ranks: ColumnRanks


@dataclass(frozen=True)
class Problem:
    """A table as the engine sees it, and what may be selected."""

    table: AnyArray | SparseTable | PartitionedTable
    """Scaled as the settings say, shape (n_rows, n_features)."""
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
    choice: "Choice | None" = None
    """How many features are beyond chance, where the number was to be found."""
    row_groups: IntArray | None = None
    """Number of the group of each row; None if rows are independent."""
    ranks: list[KeptRanks] = field(default_factory=list, init=False, compare=False, repr=False)
    """At most one: evidence and confirmation compare the same rows."""

    @classmethod
    def of(
        cls, settings: Settings, X: Any, positive: BoolArray, budget: Budget, entropy: int, is_seeded: bool
    ) -> Self:
        """Scale the table as the settings say."""
        max_samples = settings.rows_per_step(X.shape[0])
        if isinstance(X, PartitionedTable):
            scaling = None if settings.scale is None else fit_partitioned_scaling(settings.scale, X)
            return cls(X.scaled_by(scaling), positive, budget, entropy, is_seeded, None, scaling)
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
    def identity(self) -> tuple[object, ...]:
        """Everything that changes the search, to recognise a checkpoint."""
        table = self.table.identity if isinstance(self.table, PartitionedTable) else self.table
        return table, self.positive, *self.budget, self.entropy if self.is_seeded else None


def problem_engine(settings: Settings, problem: Problem) -> Engine:
    """Return the engine, bound to the table and the labels."""
    budget, n_labelled = problem.budget, int(problem.positive.sum())
    return make_engine(
        settings.engine,
        problem.table,
        problem.positive,
        settings.mixture if settings.clusterer is None else settings.clusterer,
        n_jobs=settings.n_jobs,
        max_samples=problem.max_samples,
        n_selected=int(budget.kept.sum() + np.ceil(budget.start * len(budget.free))),
        n_masks=(settings.search.population_size, settings.expected_steps(budget.start, len(budget.free), n_labelled)),
    )


def pair_information(settings: Settings, problem: Problem) -> PairInformation | None:
    """Return the second criterion, where the settings ask for it."""
    if settings.criterion != "cluster+mi":
        return None
    if isinstance(problem.table, SparseTable | PartitionedTable):
        raise ValueError("criterion='cluster+mi' needs a dense table in memory, got a sparse or partitioned X")
    n_labelled = int(problem.positive.sum())
    if n_labelled < FEWEST_FOR_INFORMATION:
        warnings.warn(
            f"criterion='cluster+mi' with {n_labelled} labelled positives: its mutual information is mostly bias with "
            f"fewer than {FEWEST_FOR_INFORMATION}, and may select worse than chance; use the default criterion",
            FewLabelsWarning,
            stacklevel=4,
        )
    # Where steps are sampled, a sample tells as much: the labelled rows, all of which it has, are what counts.
    rows = slice(None) if problem.max_samples is None else some_rows(problem, _evidence_rng(problem))
    return PairInformation.of(problem.table[rows], problem.positive[rows])


def cluster_objective(settings: Settings, engine: Engine, information: PairInformation | None) -> ClusterObjective:
    """Return the objective that the search maximises."""
    return ClusterObjective(
        engine, settings.cluster_choice, settings.smoothing, information, draws_chance=settings.follows_effects
    )


def first_probabilities(settings: Settings, problem: Problem) -> FloatArray:
    """Return the paper's flat start, or one that follows what single columns tell about the labels."""
    budget = problem.budget
    if settings.start_evidence == 0 or not budget.leaves_a_choice:
        return np.full(len(budget.free), budget.start)
    rows = some_rows(problem, _evidence_rng(problem))
    if budget.leader is None:
        evidence = _lepage(taken_rows(problem, rows)[:, budget.free], problem.positive[rows])
    else:
        columns = _lepage(taken_rows(problem, rows), problem.positive[rows])
        evidence = group_statistic(columns, budget.leader)[budget.free]
    return evidence_start(evidence, budget.costs, budget.limit, settings.start_evidence)


def problem_evidence(settings: Settings, problem: Problem, deadline: Deadline) -> Evidence | None:
    """Return what every column says about the labels, where the settings ask for it; 0 for those never selected."""
    if settings.criterion != "cluster+evidence" or not len(problem.budget.free):
        return None
    from puselect.engines.cpu.blas import one_blas_thread  # compiled code is loaded only when it is used

    with one_blas_thread:  # its results are to be the same for any number of threads
        return _gathered_evidence(settings, problem, deadline)


def _gathered_evidence(settings: Settings, problem: Problem, deadline: Deadline) -> Evidence:
    rng, columns = _evidence_rng(problem), problem.budget.columns
    rows = some_rows(problem, rng)
    rows = timely_rows(settings, problem.table, problem.positive, rows, columns, deadline, rng, times=2)
    ranks = ranks_in(settings, problem, taken_rows(problem, rows), columns)
    positive, kinds = problem.positive[rows], (ranks, ranks.scored_by(NORMAL))
    gathered = [rank_evidence(kind, positive, problem.budget.start, rng) for kind in kinds]
    found, tails = doubted(gathered, kinds, positive, problem.budget.start, rng)
    return found._replace(tails=tails).widened(columns, problem.table.shape[1])


def ranks_in(settings: Settings, problem: Problem, table: Any, columns: IntArray) -> ColumnRanks:
    """Return the ranks of columns of some rows of the problem's table (`LEPAGE`), kept if these are all rows."""
    is_kept = table is problem.table and len(columns) <= MOST_KEPT
    if is_kept and problem.ranks and np.array_equal(problem.ranks[0].columns, columns):
        return problem.ranks[0].ranks
    part = table if len(columns) == table.shape[1] else table[:, columns]
    ranks = column_ranks(part, LEPAGE, settings.threads_for(part.shape))
    if is_kept:
        problem.ranks[:] = [KeptRanks(columns, ranks)]
    return ranks


def free_support(budget: Budget, evidence: Evidence) -> FloatArray:
    """Return the evidence for each free feature in standard errors; that for a group is its best feature's."""
    found = evidence if budget.leader is None else group_evidence(evidence, budget.leader)
    return found.support[budget.free]


def free_tails(budget: Budget, evidence: Evidence) -> FloatArray:
    """Return what `free_support` does, by the tails of columns where they were looked at."""
    return free_support(budget, evidence if evidence.tails is None else evidence.tails)


def start_order(budget: Budget, evidence: Evidence, entropy: int) -> IntArray:
    """Return the free features in the order in which evidence alone would select them."""
    return descending_order(free_support(budget, evidence), np.random.default_rng([entropy, 0]))


def _lepage(table: AnyArray | SparseTable, positive: BoolArray) -> FloatArray:
    return column_ranks(table, LEPAGE).statistic(np.flatnonzero(positive))


def _evidence_rng(problem: Problem) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(problem.entropy, spawn_key=(1,)))


def taken_rows(problem: Problem, rows: IntArray) -> Any:
    """Return rows of the table, scaled; without a copy if they are all of it, in order."""
    is_here = not isinstance(problem.table, PartitionedTable)
    return problem.table if is_here and len(rows) == len(problem.positive) else problem.table[rows]


def some_rows(problem: Problem, rng: np.random.Generator, times: int = 1) -> IntArray:
    """Return all rows, or the labelled ones and at most `times` `max_samples` random others.

    Where a step uses all rows of a large table, single columns still need no more than a sample: the same one, whether
    the table is in memory or in partitions.
    """
    most = times * (AUTO_SAMPLES if problem.max_samples is None else problem.max_samples)
    if most >= len(problem.positive) - int(problem.positive.sum()):
        return np.arange(len(problem.positive))
    return draw_groups(problem.positive, problem.row_groups, rng, most)
