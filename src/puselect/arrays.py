"""Types of the arrays that go between modules, and work on a table block by block."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.integer[Any]]
AnyArray = NDArray[Any]


T = TypeVar("T")


def map_blocks(function: Callable[[slice], T], n_items: int, size: int, n_threads: int = 1) -> list[T]:
    """Return ``function(block)`` for blocks of `size` of the items, in order; the number of threads changes nothing.

    Examples
    --------
    >>> map_blocks(lambda block: (block.start, block.stop), 5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    blocks = [slice(first, min(first + size, n_items)) for first in range(0, n_items, size)]
    if n_threads == 1 or len(blocks) < 2:
        return [function(block) for block in blocks]
    pool = ThreadPoolExecutor(n_threads)
    try:
        return list(pool.map(function, blocks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for the blocks to come
