"""The measures by name, and measuring a cell."""

import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from puselect._version import versions
from puselect.evaluation.holdout import select_features
from puselect.exceptions import InterruptedSearchWarning
from puselect_paper.studies.artificial import assign_artificial
from puselect_paper.studies.cells import Assignment, Cell, JSONObject
from puselect_paper.studies.journal import Row
from puselect_paper.studies.open_data import assign_downstream, measure_counts
from puselect_paper.studies.real_tables import assign_real_table

ASSIGNMENTS: dict[str, Callable[[Cell], Assignment]] = {
    "recall": assign_artificial,
    "convergence": assign_artificial,
    "downstream": assign_downstream,
    "real": assign_real_table,
}
MEASURES = (*ASSIGNMENTS, "counts")


def measure(cell: Cell) -> Row:
    """Return the result of a cell, or the error that ended it."""
    begin = time.perf_counter()
    try:
        with undisturbed():
            values = _values(cell)
    except Exception as problem:  # one bad cell must not end a study; the next run tries it again
        return failure(cell, problem, time.perf_counter() - begin)
    return Row(cell, values, seconds=time.perf_counter() - begin, versions=versions())


def _values(cell: Cell) -> JSONObject:
    if cell.measure == "counts":
        return measure_counts(cell)
    task = ASSIGNMENTS[cell.measure](cell)
    settings = {**task.settings, **cell.settings}
    return task.judge(select_features(cell.method, task.X, task.y, task.k, cell.seed, **settings))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Run BLAS on one thread, and make Ctrl-C an error.

    A search that Ctrl-C cut short keeps the best so far, with a warning; in a study that would be a false result.
    """
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("error", InterruptedSearchWarning)
        yield


def failure(cell: Cell, problem: Exception, seconds: float) -> Row:
    """Return the row of a cell that failed; one that Ctrl-C ended raises a KeyboardInterrupt."""
    if isinstance(problem.__context__, KeyboardInterrupt):
        raise KeyboardInterrupt from problem
    error = "".join(traceback.format_exception(problem)).strip()
    return Row(cell, error=error, seconds=seconds, versions=versions("lightgbm"))
