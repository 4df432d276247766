import tomllib
from itertools import pairwise
from pathlib import Path

from puselect import METHODS, __version__
from puselect.methods import REGISTRY, YARDSTICKS
from puselect_paper.methods import METHODS as RECORDS
from puselect_paper.report.paper import paper_figures
from puselect_paper.studies.rows import ROWS, row_names

PAPER = {method for metric in ("fsr", "auc") for method, _ in paper_figures(metric)}


def test_the_entry_point_adds_the_records():
    assert all(REGISTRY[record.name] is record for record in RECORDS)


def test_both_packages_have_one_version():
    project = tomllib.loads((Path(__file__).parents[2] / "paper" / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == __version__


def test_every_method_of_the_papers_tables_is_there():
    assert len(PAPER) == 12
    assert set(METHODS) >= PAPER
    assert {row.paper for row in ROWS.values() if row.paper} == PAPER


def test_every_method_has_a_row_of_its_own():
    assert set(ROWS) == set(METHODS) - set(YARDSTICKS)
    assert len({row.label for row in ROWS.values()}) == len(ROWS)
    groups = [ROWS[name].group for name in ROWS]
    assert sum(a != b for a, b in pairwise(groups)) == len(set(groups)) - 1
    assert row_names() == [*ROWS, *YARDSTICKS]
