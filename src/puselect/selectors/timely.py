"""Rows for the statistics of single columns, as many as there is time for."""

import time

import numpy as np

from puselect.arrays import AnyArray, BoolArray, IntArray
from puselect.engines.partitions import PartitionedTable
from puselect.objective.column_ranks import ColumnRanks
from puselect.row_groups import draw_groups
from puselect.search.deadline import Deadline
from puselect.search.progress import log_line
from puselect.selectors.settings import MANY_VALUES, Settings
from puselect.sparse_table import SparseTable

PROBED = 256  # columns that are ranked to see how long all would take
FEWEST_OTHERS = 500  # unlabelled rows
LAPS_TO_COME = 4  # a step, and three rounds of final clusterings


def timely_rows(
    settings: Settings,
    table: AnyArray | SparseTable | PartitionedTable,
    positive: BoolArray,
    rows: IntArray,
    columns: IntArray,
    deadline: Deadline,
    rng: np.random.Generator,
    times: int = 1,
    row_groups: IntArray | None = None,
) -> IntArray:
    """Return the rows, or fewer unlabelled ones if ranking columns of all of them would take longer than is left.

    They are ranked so many `times`. The ranks get half of the time left then. All rows are used wherever there is time
    for them, so that a fit that is over before the limit is not changed by it.
    """
    is_small = len(rows) * len(columns) < MANY_VALUES
    if deadline.end == float("inf") or is_small or isinstance(table, SparseTable | PartitionedTable):
        return rows
    left = deadline.left - LAPS_TO_COME * deadline.lap_seconds
    part, n_threads = table[:, columns[:PROBED]][rows], settings.threads_for((len(rows), len(columns)))
    share = part.shape[1] / len(columns) / times
    seconds = ranking_seconds(part, n_threads) / share
    if seconds > left:  # again: the first time may have been spent compiling
        seconds = min(seconds, ranking_seconds(part, n_threads) / share)
    n_others = max(FEWEST_OTHERS, int(len(rows) * left / 2 / seconds))
    if seconds <= left or n_others >= len(rows):
        return rows
    deadline.has_cut = True
    fewer = draw_groups(positive, row_groups, rng, n_others)
    log_line(f"single columns are compared on {len(fewer)} of {len(rows)} rows to be in time", settings.search.verbose)
    return fewer


def ranking_seconds(part: AnyArray, n_threads: int) -> float:
    """Return how long the ranks of some columns take."""
    begin = time.monotonic()
    ColumnRanks(part, n_threads=n_threads)
    return time.monotonic() - begin
