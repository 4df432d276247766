"""What boards share: cells measured once, each appended to a file as a line of JSON; ranges of seeds; tables."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

Row = dict[str, Any]


def measure_missing(
    cells: Sequence[Any], measure: Callable[[Any], Row], cell_of: Callable[[Row], Any], path: Path, jobs: int
) -> list[Row]:
    """Measure the cells that the file lacks, and return the results of all."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {cell_of(row): row for row in rows}
    missing = [cell for cell in cells if cell not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        work = Parallel(return_as="generator_unordered", batch_size=1)(delayed(measure)(cell) for cell in missing)
        for number, row in enumerate(work if jobs > 1 else map(measure, missing), 1):
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            done[cell_of(row)] = row
            print(f"{number} of {len(missing)}: {cell_of(row)}", file=sys.stderr)
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
