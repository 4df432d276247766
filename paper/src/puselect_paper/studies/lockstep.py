"""Searches of a study in lockstep on a GPU: all cells of one method on tables of one shape at once."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from puselect import FSCPU, fit_many
from puselect._version import versions
from puselect.clustering import gpu_engine_class
from puselect.evaluation.holdout import Fitted
from puselect.methods import METHODS
from puselect_paper.studies.cells import Assignment, Cell
from puselect_paper.studies.journal import Row
from puselect_paper.studies.measures import ASSIGNMENTS, failure, undisturbed
from puselect_paper.studies.workers import Workers

ENGINE = "gpu"
MOST_AT_ONCE = 200
SEARCHES = "searches"
"""The folder of the states of searches in progress."""


class Job(NamedTuple):
    """A cell, what it asks for, and the selector that is to answer."""

    cell: Cell
    task: Assignment
    selector: FSCPU


def lockstep_workers(folder: Path, others: Workers) -> Workers:
    """Return workers that run FSCPU's cells on a GPU, those of one method at once, and leave the rest to others.

    A run that is killed continues its searches from the states it left in the folder.

    Parameters
    ----------
    folder : Path
        The folder of the study.
    others : Workers
        For methods that do not use a GPU.
    """
    gpu_engine_class()  # an error now, not in every cell

    def rows(cells: Sequence[Cell]) -> Iterator[Row]:
        for group in groups([cell for cell in cells if uses_gpu(cell)]):
            yield from run_together(group, folder / SEARCHES)
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


def run_together(cells: Sequence[Cell], folder: Path) -> Iterator[Row]:
    """Yield the rows of cells that are searched at once, each with its share of the time."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    try:
        with undisturbed():
            jobs = [_job(cell, folder) for cell in cells]
            fit_many([job.selector for job in jobs], [job.task.X for job in jobs], [job.task.y for job in jobs])
    except Exception as problem:  # the next run tries them again
        yield from (failure(cell, problem, time.perf_counter() - begin) for cell in cells)
        return
    share = (time.perf_counter() - begin) / len(cells)
    for job in jobs:
        row = _row(job, share)
        yield row
        if row.finished:  # and on disk by now
            Path(str(job.selector.checkpoint)).unlink(missing_ok=True)
    with suppress(OSError):  # not empty
        folder.rmdir()


def _job(cell: Cell, folder: Path) -> Job:
    task = ASSIGNMENTS[cell.measure](cell)
    settings = {**cell.settings, "engine": ENGINE, "checkpoint": folder / f"{cell.key}.state"}
    return Job(cell, task, METHODS[cell.method](task.k, random_state=cell.seed, **settings))


def _row(job: Job, seconds: float) -> Row:
    begin = time.perf_counter()
    selection = Fitted(np.asarray(job.selector.get_support()), None, job.selector)
    try:
        with undisturbed():
            values = job.task.judge(selection)
    except Exception as problem:
        return failure(job.cell, problem, seconds + time.perf_counter() - begin)
    seconds += time.perf_counter() - begin
    return Row(job.cell, values, seconds=seconds, versions=versions("torch"), engine=ENGINE)
