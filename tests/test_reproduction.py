"""The tables in docs/paper/reproduction.md are those that the raw results make."""

from pathlib import Path

import pytest

from puselect.studies import report_study

DOCS = Path(__file__).parents[1] / "docs"


def rows_of(text):
    return {line for line in text.splitlines() if line.startswith("|")}


@pytest.mark.parametrize("study", ["table1", "table3"])
def test_tables_are_rebuilt_from_their_raw_results(study, tmp_path):
    report_study(DOCS / "results" / study, tmp_path)
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    rebuilt = rows_of(report.split("### ")[1])
    assert len(rebuilt) > 20
    assert not rebuilt - rows_of((DOCS / "paper" / "reproduction.md").read_text(encoding="utf-8"))


def test_mean_ranks_are_rebuilt_from_their_raw_results(tmp_path):
    report_study(DOCS / "results" / "splits", tmp_path)
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    ranks = report.split("### Mean ranks")[1].split("###")[0]
    told = {line.split("|")[1].strip(): line.split("|")[-2].strip() for line in rows_of(ranks)}
    page = (DOCS / "paper" / "reproduction.md").read_text(encoding="utf-8").split("## Open data in paired splits")[1]
    shown = {line.split("|")[1].strip(): line.split("|")[-2].strip() for line in rows_of(page)}
    assert len(shown) >= 12
    for method, rank in shown.items():
        if method and method != "---":
            assert told[method].strip("*") == rank
