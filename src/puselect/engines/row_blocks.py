"""A table in memory for what is computed of tables in partitions: maps over blocks of rows, and sums."""

from collections.abc import Callable
from typing import Any

import numpy as np

from puselect.arrays import AnyArray, IntArray
from puselect.blocks import map_blocks
from puselect.engines.partitions import added

ROWS = 2**14


class RowBlocks:
    """A scaled table in memory that is looked at in blocks of rows; see `PartitionedTable`.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_columns)
    n_threads : int
    """

    def __init__(self, table: AnyArray, n_threads: int = 1) -> None:
        self.table = table
        self.n_threads = n_threads

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: IntArray) -> AnyArray:
        return np.asarray(self.table[rows])

    def sums(self, function: Callable[..., Any], *arguments: Any, rows: IntArray | None = None) -> Any:
        """Return the sum over blocks of ``function(lines, *arguments)``, with the block's own of `rows` as the last."""

        def of_block(block: slice) -> Any:
            lines = np.ascontiguousarray(self.table[block].T, dtype=np.float32)
            if rows is None:
                return function(lines, *arguments)
            first, end = np.searchsorted(rows, [block.start, block.stop])
            return function(lines, *arguments, rows[first:end] - block.start)

        def of_blocks(part: slice) -> Any:
            each = map_blocks(lambda block: of_block(_shifted(block, part.start)), part.stop - part.start, ROWS)
            return added(each)

        return added(map_blocks(of_blocks, len(self.table), 8 * ROWS, self.n_threads))


def _shifted(block: slice, by: int) -> slice:
    return slice(block.start + by, block.stop + by)
