"""Parts that boards share: cells measured once, each appended to a file as a line of JSON; ranges of seeds; tables."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Return the results of earlier runs; a last line that was cut off is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def measure_missing(
    cells: Sequence[Any],
    measure: Callable[[Any], Row],
    cell_of: Callable[[Row], Any],
    path: Path,
    jobs: int,
    tasks_per_process: int | None = None,
) -> list[Row]:
    """Measure the cells that the file lacks, in processes if there are several jobs; return the results of all."""
    done = {cell_of(row): row for row in read_rows(path)}
    missing = [cell for cell in cells if cell not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in done.values()))

    def keep(row: Row) -> None:
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        done[cell_of(row)] = row
        print(f"{cell_of(row)} is done", file=sys.stderr)

    if jobs == 1 and tasks_per_process is None:
        for cell in missing:
            keep(measure(cell))
    elif missing:
        with ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=tasks_per_process) as pool:
            for task in as_completed([pool.submit(measure, cell) for cell in missing]):
                keep(task.result())
    return [done[cell] for cell in cells]


def seed_range(text: str) -> range:
    """Return the seeds of "A-B", both included, or of a single number."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def mean_and_error(values: Iterable[float]) -> str:
    """Return the mean and its standard error.

    >>> mean_and_error([0.9, 1.0]), mean_and_error([0.5]), mean_and_error([])
    ('.950 ± .050', '.500', '')
    """
    array = np.array(list(values))
    if not len(array):
        return ""
    error = [array.std(ddof=1) / np.sqrt(len(array))] if len(array) > 1 else []
    return " ± ".join(f"{value:.3f}".removeprefix("0" if value < 1 else "") for value in (array.mean(), *error))


def markdown(header: list[str], lines: Iterable[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *lines))
