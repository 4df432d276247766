"""Searches of a study in lockstep on a GPU: all cells of one method on tables of one shape at once."""

import json
import time
from collections.abc import Iterator, Sequence

import numpy as np
from joblib import Parallel, delayed

from puselect import FSCPU, fit_many
from puselect._version import versions
from puselect.clustering import gpu_engine_class
from puselect.evaluation.holdout import Fitted
from puselect.methods import METHODS
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import Row
from puselect_paper.studies.measures import ASSIGNMENTS, failure, undisturbed
from puselect_paper.studies.workers import Workers

ENGINE = "gpu"
MOST_AT_ONCE = 100


def lockstep_workers(others: Workers, n_jobs: int | None = None) -> Workers:
    """Return workers that run FSCPU's cells on a GPU, those of one method at once, and leave the rest to `others`.

    The selections of a batch are judged in `n_jobs` threads: models of trees and BLAS leave the interpreter lock alone.
    """
    gpu_engine_class()  # an error now, not in every cell

    def rows(cells: Sequence[Cell]) -> Iterator[Row]:
        for group in groups([cell for cell in cells if uses_gpu(cell)]):
            yield from run_together(group, n_jobs)
        rest = [cell for cell in cells if not uses_gpu(cell)]
        if rest:
            yield from others(rest)

    return rows


def uses_gpu(cell: Cell) -> bool:
    """Return whether the cell is a search that a GPU can do."""
    if cell.measure not in ASSIGNMENTS or cell.method not in METHODS:
        return False
    selector = METHODS[cell.method](1, random_state=cell.seed, **cell.settings)
    return isinstance(selector, FSCPU) and selector.clusterer is None


def groups(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Yield cells of one measure, method and open data set, at most so many that their tables fit into memory."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        key = json.dumps([cell.measure, cell.method, dict(cell.settings), cell.data.get("name")], sort_keys=True)
        found.setdefault(key, []).append(cell)
    for members in found.values():
        yield from (members[i : i + MOST_AT_ONCE] for i in range(0, len(members), MOST_AT_ONCE))


def run_together(cells: Sequence[Cell], n_jobs: int | None = None) -> Iterator[Row]:
    """Yield the rows of cells that are searched at once, each with its share of the time."""
    begin = time.perf_counter()
    try:
        with undisturbed():
            tasks = [ASSIGNMENTS[cell.measure](cell) for cell in cells]
            selectors = [
                METHODS[cell.method](task.k, **{**cell.settings, "engine": ENGINE, "random_state": cell.seed})
                for cell, task in zip(cells, tasks, strict=True)
            ]
            fit_many(selectors, [task.X for task in tasks], [task.y for task in tasks])
            share = (time.perf_counter() - begin) / len(cells)
            fitted = [Fitted(np.asarray(selector.get_support()), None, selector) for selector in selectors]
            judged = (delayed(task.judge)(selection) for task, selection in zip(tasks, fitted, strict=True))
            found = Parallel(n_jobs, prefer="threads")(judged)
    except Exception as problem:  # the next run tries them again
        yield from (failure(cell, problem, time.perf_counter() - begin) for cell in cells)
        return
    for cell, values in zip(cells, found, strict=True):
        yield Row(cell, values, seconds=share, versions=versions("torch"), engine=ENGINE)
