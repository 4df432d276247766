"""Where cells are run: this process, processes of this machine, or a Dask cluster. All give the same results."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from joblib import Parallel, delayed, effective_n_jobs

from puselect.evaluation.holdout import without_interrupts
from puselect.fscpu.dask_table import load_distributed
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import Row
from puselect_paper.studies.measures import measure

Workers = Callable[[Sequence[Cell]], Iterator[Row]]
"""Takes cells, starts them in their order, and yields rows as they are finished."""

DIED = "the process that worked on this cell died: it was killed, or ran out of memory"

logger = logging.getLogger("puselect")


def local_workers(n_jobs: int | None = None, run: Callable[[Cell], Row] | None = None) -> Workers:
    """Return workers on this machine.

    Parameters
    ----------
    n_jobs : int, optional
        Processes, by joblib's rules; 1 runs the cells in this process.
    run : callable, optional
        Runs a cell; by default `measure`.
    """
    return lambda cells: _local_rows(list(cells), effective_n_jobs(n_jobs), run or measure)


def dask_workers(address: str) -> Workers:
    """Return the workers of a Dask cluster, by the address of its scheduler; needs the extra `dask`.

    The workers need the same version of this package and, for open data, PUSELECT_DATA.
    """
    distributed = load_distributed()

    def rows(cells: Sequence[Cell]) -> Iterator[Row]:
        with distributed.Client(address, set_as_default=False) as client, client.as_current():
            # the order of the cells is that of their priority; Dask tries a cell whose worker died again, three times
            futures = {client.submit(measure, cell, pure=False, priority=-i): cell for i, cell in enumerate(cells)}
            for future in distributed.as_completed(futures, raise_errors=False):
                if future.status == "finished":
                    yield future.result()
                else:
                    problem = future.exception() if future.status == "error" else None
                    is_dead = problem is None or type(problem).__name__ == "KilledWorker"
                    yield Row(futures[future], error=DIED if is_dead else repr(problem))
                future.release()

    return rows


def _local_rows(cells: list[Cell], n_jobs: int, run: Callable[[Cell], Row]) -> Iterator[Row]:
    """Yield rows as they are finished; if a worker dies, each cell that is left gets a process of its own."""
    left = {cell.key: cell for cell in cells}
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_jobs)
    try:
        with without_interrupts():
            rows = parallel(delayed(run)(cell) for cell in cells)
        for row in rows:
            del left[row.cell.key]
            yield row
    except BrokenProcessPool:
        logger.warning("a worker died; the %d cells that are left are run one after the other", len(left))
        for cell in left.values():
            yield _in_its_own_process(cell, run)


def _in_its_own_process(cell: Cell, run: Callable[[Cell], Row]) -> Row:
    """Return the row of a cell that may kill its process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(run, cell).result()
        except BrokenProcessPool:
            return Row(cell, error=DIED)
