"""Who does the work: this process, processes of this machine, or a Dask cluster. All give the same results."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from puselect.studies.cells import Cell
from puselect.studies.journal import Row
from puselect.studies.measures import measure

Workers = Callable[[Sequence[Cell]], Iterator[Row]]
"""Takes cells, the first of them first, and gives back rows as they are finished."""

MOST_BROKEN_POOLS = 3
DIED = "the process that worked on this cell died: it was killed, or ran out of memory"

logger = logging.getLogger("puselect")


def local_workers(n_jobs: int | None = None) -> Workers:
    """Return workers on this machine; joblib's rules for `n_jobs` apply, 1 works in this process."""
    return lambda cells: _local_rows(list(cells), effective_n_jobs(n_jobs))


def dask_workers(address: str) -> Workers:
    """Return the workers of a Dask cluster, by the address of its scheduler; needs the extra `dask`.

    The workers need the same version of this package and, for open data, PUSELECT_DATA.
    """
    try:
        import distributed
    except ImportError as error:
        raise ImportError("a Dask cluster needs the extra 'dask': pip install 'puselect[dask]'") from error
    connect: Any = distributed.Client
    as_completed: Any = distributed.as_completed

    def rows(cells: Sequence[Cell]) -> Iterator[Row]:
        with connect(address, set_as_default=False) as client, client.as_current():
            yield from _dask_rows(client, as_completed, cells)

    return rows


def _local_rows(cells: list[Cell], n_jobs: int) -> Iterator[Row]:
    """Give rows as they come; if a worker dies the cells that are left go to new ones."""
    left = {cell.key: cell for cell in cells}
    for _ in range(MOST_BROKEN_POOLS):
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_jobs)
        try:
            for row in parallel(delayed(measure)(cell) for cell in list(left.values())):
                del left[row.cell.key]
                yield row
            return
        except BrokenProcessPool:
            logger.warning("a worker died; %d cells go to new ones", len(left))
    for cell in left.values():
        yield _in_its_own_process(cell)


def _in_its_own_process(cell: Cell) -> Row:
    """Return the row of a cell that may kill its process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(measure, cell).result()
        except BrokenProcessPool:
            return Row(cell, error=DIED)


def _dask_rows(client: Any, as_completed: Any, cells: Sequence[Cell]) -> Iterator[Row]:
    """Give rows as they come; Dask itself tries a cell again whose worker died, three times."""
    futures = {
        client.submit(measure, cell, pure=False, priority=-number): cell
        for number, cell in enumerate(cells)
    }
    for future in as_completed(futures, raise_errors=False):
        yield future.result() if future.status == "finished" else Row(futures[future], error=_why(future))
        future.release()


def _why(future: Any) -> str:
    problem = future.exception() if future.status == "error" else None
    return DIED if problem is None or type(problem).__name__ == "KilledWorker" else repr(problem)
