"""The measures by name, and measuring a cell."""

import platform
import time
import traceback
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from threadpoolctl import threadpool_limits

from puselect._version import __version__
from puselect.exceptions import InterruptedSearchWarning
from puselect.studies.artificial import measure_convergence, measure_objective, measure_recall
from puselect.studies.cells import Cell
from puselect.studies.journal import Row
from puselect.studies.open_data import measure_downstream
from puselect.studies.real_tables import measure_real_table

MEASURES: dict[str, Callable[[Cell], dict[str, Any]]] = {
    "recall": measure_recall,
    "convergence": measure_convergence,
    "objective": measure_objective,
    "downstream": measure_downstream,
    "real": measure_real_table,
}
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "lightgbm")


def measure(cell: Cell) -> Row:
    """Return the result of a cell, or the error that ended it."""
    begin = time.perf_counter()
    try:
        return perform(cell, MEASURES[cell.measure])
    except Exception as problem:  # one bad cell must not end a study; the next run tries it again
        if isinstance(problem.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from problem
        error = "".join(traceback.format_exception(problem)).strip()
        return Row(cell, error=error, seconds=time.perf_counter() - begin, versions=versions())


def perform(cell: Cell, values_of: Callable[[Cell], dict[str, Any]]) -> Row:
    """Return the result of a cell; BLAS runs on one thread."""
    begin = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings():
        # a search that Ctrl-C cut short keeps the best so far, with a warning; here that would be a false result
        warnings.simplefilter("error", InterruptedSearchWarning)
        values = values_of(cell)
    return Row(cell, values, seconds=time.perf_counter() - begin, versions=versions())


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that are installed."""
    found = {"python": platform.python_version(), "puselect": __version__}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
