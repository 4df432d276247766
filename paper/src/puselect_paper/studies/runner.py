"""Run the cells of a study that have no result yet, those of the slowest methods first."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from puselect.atomic import atomic_write, remove_scratch
from puselect.methods import REGISTRY
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import Journal, Row, read_rows
from puselect_paper.studies.study import Study, load_study, read_definition
from puselect_paper.studies.workers import Workers, local_workers

STUDY_FILE = "study.json"


class Progress(NamedTuple):
    """How far a run has come."""

    done: int
    """Cells finished or failed in this run."""
    total: int
    """Cells that had no result when the run began."""
    failed: int
    """Cells that failed in this run."""
    row: Row | None = None
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
    only: Callable[[Cell], bool] = lambda cell: True,
    workers: Workers | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """Run what is left of a study and write it to a folder.

    A run that is killed loses only the cells in progress; run again, it continues with the remaining ones.

    Parameters
    ----------
    study : Study
        From `load_study`.
    folder : Path
        Gets ``results.jsonl`` (see `puselect_paper.studies.journal`) and ``study.json``, a copy of the definition.
    methods : list of str
        Ids of the methods to run; all by default.
    n_seeds : int, optional
        How many seeds, instead of those of the study.
    only : callable
        Whether to run a cell; all by default.
    workers : Workers, optional
        By default this process.
    tell : callable
        Called with the progress at the start and after every cell.
    """
    cells = [cell for cell in study.cells(methods, n_seeds) if only(cell)]
    with Journal(folder) as journal:
        keep_definition(study, folder)
        finished = {row.cell.key for row in read_rows(folder) if row.finished}
        left = longest_first([cell for cell in cells if cell.key not in finished])
        tell(Progress(0, len(left), 0))
        failed: list[Row] = []
        for done, row in enumerate((workers or local_workers(1))(left), start=1):
            journal.append(row)
            failed += [] if row.finished else [row]
            tell(Progress(done, len(left), len(failed), row))
    return Outcome(len(left) - len(failed), len(cells) - len(left), failed)


def keep_definition(study: Study, folder: Path) -> None:
    """Write the definition next to the results, for the report; a folder holds one study, which may grow."""
    path = folder / STUDY_FILE
    held = read_definition(path).get("title") if path.exists() else study.title
    if held != study.title:
        raise ValueError(f"{folder} holds the study {held!r}; give another folder to {study.title!r}")
    remove_scratch(path)
    with atomic_write(path) as file:
        file.write(json.dumps(study.definition, indent=1, ensure_ascii=False).encode())


def load_run(folder: Path) -> tuple[Study, list[Row]]:
    """Return the study of a folder and the rows it has."""
    return load_study(str(folder / STUDY_FILE)), read_rows(folder)


def longest_first(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells, those of the slowest methods first, so that no long one is left over at the end."""
    return sorted(cells, key=lambda cell: -REGISTRY[cell.method].seconds if cell.method in REGISTRY else 0.0)
