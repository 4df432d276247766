"""Folders of studies, damaged, and reported or resumed."""

import gzip
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hypothesis.strategies as st
from damage import Draw, chance, damage_bytes, damage_tree, to_bytes
from outcome import attempt, require

from puselect_paper.report import report_study
from puselect_paper.studies import Study, run_study
from puselect_paper.studies.journal import NAME
from puselect_paper.studies.runner import STUDY_FILE

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-studies-"))
DATA = {"n_negative": 40, "n_positive": 20, "n_relevant": 3, "n_irrelevant": 3}
DEFINITION = {
    "title": "Small", "seeds": 2,
    "data": [{"title": "FSR", "measure": "recall", "condition": ["40/8/1", "40/1/2"], **DATA}],
    "method": ["kbest", {"name": "fscpu", "id": "short", "settings": {"max_iter": 2}}, "random"],
}  # fmt: skip


@cache
def saved() -> tuple[bytes, bytes]:
    """Return the two files of a study."""
    folder = FOLDER / "real"
    run_study(Study.from_definition(DEFINITION), folder)
    return (folder / STUDY_FILE).read_bytes(), (folder / NAME).read_bytes()


def example(draw: Draw) -> str:
    """Damage a folder; report on it, or run the rest of the study."""
    definition, journal = saved()
    folder = FOLDER / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if draw(st.booleans()):
        definition = _damaged(draw, definition)
    else:
        journal = _damaged_journal(draw, journal)
    (folder / STUDY_FILE).write_bytes(definition)
    (folder / NAME).write_bytes(journal)
    if chance(draw, 6):
        extra = gzip.compress(journal)
        (folder / "results-more.jsonl.gz").write_bytes(damage_bytes(draw, extra) if draw(st.booleans()) else extra)
    figures = chance(draw, 30)  # they take a second
    if not chance(draw, 10):
        page, error = attempt(lambda: report(folder, figures), (ValueError,))
        require(error is not None or (page and page.is_file()), "no report")
        return "clear error" if error is not None else "report"
    study = Study.from_definition(DEFINITION)
    _, error = attempt(lambda: run_study(study, folder), (ValueError, OSError), deliberate=False)
    if error is not None:
        return "clear error"
    attempt(lambda: report(folder, figures), ())
    return "resumed"


def report(folder: Path, figures: bool) -> Path:
    """Write the report, with its figures or without."""
    if figures:
        return report_study(folder)
    with patch("puselect_paper.report.reporting.draw_all", lambda drawings, folder: []):
        return report_study(folder)


def _damaged(draw: Draw, content: bytes) -> bytes:
    if not chance(draw, 3):
        return to_bytes(damage_tree(draw, json.loads(content)))
    return damage_bytes(draw, content)


def _damaged_journal(draw: Draw, journal: bytes) -> bytes:
    if chance(draw, 3):
        return damage_bytes(draw, journal)
    rows: list[Any] = [json.loads(line) for line in journal.splitlines()]
    place = draw(st.integers(0, len(rows) - 1))
    rows[place] = damage_tree(draw, rows[place])
    return b"".join(to_bytes(row) + b"\n" for row in rows)
