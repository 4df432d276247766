"""Evidence from all rows of a large table, where that is possible and there is time for it."""

import time
from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import IntArray
from puselect.engines.partitions import PartitionedTable
from puselect.engines.row_blocks import RowBlocks
from puselect.labels import draw_rows
from puselect.objective.evidence import Evidence
from puselect.objective.vast_evidence import Summed, count_bins, vast_evidence
from puselect.scaling import RobustScaling
from puselect.search.deadline import Deadline
from puselect.search.progress import log_line
from puselect.selectors.settings import AUTO_SAMPLES, Settings
from puselect.sparse_table import SparseTable

if TYPE_CHECKING:
    from puselect.selectors.problem import Problem

FEWEST_ROWS = AUTO_SAMPLES  # above which rows are counted in bins
MOST_COLUMNS = 2048  # so that scores of all bins fit into memory
STEPS_OF_ROWS = 20  # steps' worth of rows that a sampled search looks at here
PASSES, READS = 20, 6  # that take as long as the evidence, if columns are only counted; reads of partitions


def evidence_of_all(
    settings: Settings, problem: "Problem", rng: np.random.Generator, deadline: Deadline
) -> Evidence | None:
    """Return what the columns of a large table say about the labels, from all rows, or from `STEPS_OF_ROWS` samples.

    None if the table is small, sparse, very wide or scaled in another way, or if there is no time; a sample tells then.
    """
    columns, table, positive = problem.budget.columns, problem.table, problem.positive
    is_small = len(positive) <= FEWEST_ROWS or isinstance(table, SparseTable)
    if is_small or len(columns) > MOST_COLUMNS or not isinstance(problem.scaling, RobustScaling):
        return None
    summed: Summed
    if isinstance(table, PartitionedTable):
        summed = table
    else:
        most = len(positive) if problem.max_samples is None else STEPS_OF_ROWS * problem.max_samples
        if most < len(positive):
            rows = np.sort(draw_rows(positive, rng, max_others=most))
            table, positive = table[rows], positive[rows]
        summed = RowBlocks(np.asarray(table), settings.threads_for(table.shape))
    if not has_time(summed, columns, deadline):
        deadline.has_cut = True
        log_line("single columns are compared on a sample of the rows to be in time", settings.search.verbose)
        return None
    sample = draw_rows(positive, rng, max_others=AUTO_SAMPLES)
    return vast_evidence(summed, positive, columns, sample, problem.budget.start, rng)


def has_time(table: Summed, columns: IntArray, deadline: Deadline) -> bool:
    """Return whether there is time to look at all rows, judged by one pass over them."""
    if deadline.end == float("inf"):
        return True
    begin = time.monotonic()
    table.sums(count_bins, columns)
    seconds = time.monotonic() - begin
    return seconds * (READS if isinstance(table, PartitionedTable) else PASSES) < deadline.left
