"""What the boards share: cells measured once, each appended to a file as a line of JSON, and ranges of seeds."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
