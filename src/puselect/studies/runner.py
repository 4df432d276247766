"""Running the cells of a study that have no result yet, the longest first."""

import json
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from puselect.atomic import atomic_write, remove_scratch
from puselect.studies.cells import Cell
from puselect.studies.cost import estimate_seconds, known_seconds
from puselect.studies.journal import Journal, Row, read_rows
from puselect.studies.study import Study, load_study, read_definition
from puselect.studies.workers import Workers, local_workers

STUDY_FILE = "study.json"

logger = logging.getLogger("puselect")


class Progress(NamedTuple):
    """How far a run has come."""

    done: int
    """Cells finished or failed in this run."""
    total: int
    """Cells that had no result when the run began."""
    failed: int
    """Cells that failed in this run."""
    seconds_left: float
    """An estimate."""
    row: Row | None
    """The row that has just been written; None at the start."""


class Outcome(NamedTuple):
    """How a run ended."""

    measured: int
    """Cells that were finished now."""
    skipped: int
    """Cells that had a result before."""
    failed: list[Row]
    """Cells that failed now; the next run tries them again."""


def run_study(
    study: Study,
    folder: Path,
    *,
    methods: Sequence[str] = (),
    n_seeds: int | None = None,
    workers: Workers | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """Run what is left of a study and write it to a folder.

    Killed at any moment, it loses the cells under way and no others; run again, it goes on with what is left.

    Parameters
    ----------
    study : Study
        From `load_study`.
    folder : Path
        Gets ``results.jsonl`` (see `puselect.studies.journal`) and ``study.json``, a copy of the definition.
    methods : list of str
        Ids of the methods to run; all by default.
    n_seeds : int, optional
        How many seeds, instead of those of the study.
    workers : Workers, optional
        By default this process.
    tell : callable
        Is told the progress after every cell.
    """
    cells = study.cells(methods, n_seeds)
    with Journal(folder) as journal:
        keep_definition(study, folder)
        rows = read_rows(folder)
        finished = {row.cell.key for row in rows if row.finished}
        left = longest_first([cell for cell in cells if cell.key not in finished], known_seconds(rows))
        failed: list[Row] = []
        clock = Clock(left)
        tell(Progress(0, len(left), 0, clock.seconds_left(), None))
        for done, row in enumerate((workers or local_workers(1))([cell for cell, _ in left]), start=1):
            journal.append(row)
            if not row.finished:
                failed.append(row)
            clock.tick(row)
            tell(Progress(done, len(left), len(failed), clock.seconds_left(), row))
    return Outcome(len(left) - len(failed), len(cells) - len(left), failed)


def keep_definition(study: Study, folder: Path) -> None:
    """Write the definition next to the results, for the report; a folder holds one study, which may grow."""
    path = folder / STUDY_FILE
    held = title_of(path) if path.exists() else None
    if held is not None and held != study.title:
        raise ValueError(f"{folder} holds the study {held!r}; give another folder to {study.title!r}")
    remove_scratch(path)
    with atomic_write(path) as file:
        file.write(json.dumps(study.definition, indent=1, ensure_ascii=False).encode())


def title_of(path: Path) -> str | None:
    """Return the title in a kept definition; None if the file is damaged and may be replaced."""
    try:
        return read_definition(path).get("title")
    except ValueError as error:
        logger.warning("%s is replaced: %s", path, error)
        return None


def load_run(folder: Path) -> tuple[Study, list[Row]]:
    """Return the study of a folder and the rows it has."""
    return load_study(str(folder / STUDY_FILE)), read_rows(folder)


def longest_first(cells: Sequence[Cell], known: dict[str, float]) -> list[tuple[Cell, float]]:
    """Return the cells with their estimated seconds, the longest first, so that none is left over at the end."""
    estimated = [(cell, estimate_seconds(cell, known)) for cell in cells]
    return sorted(estimated, key=lambda pair: -pair[1])


class Clock:
    """Tells the time left: what the estimates of the cells left sum up to, at the pace of those that are done."""

    def __init__(self, cells: Sequence[tuple[Cell, float]]) -> None:
        self.begin = time.monotonic()
        self.left = {cell.key: seconds for cell, seconds in cells}
        self.estimated = 0.0

    def tick(self, row: Row) -> None:
        """Take notice that a cell is done."""
        self.estimated += self.left.pop(row.cell.key)

    def seconds_left(self) -> float:
        """Return the time left; before the first cell is done, as if the estimates were true and work serial."""
        pace = (time.monotonic() - self.begin) / self.estimated if self.estimated else 1.0
        return sum(self.left.values()) * pace
