import json
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from study_files import SMALL, write_study
from typer.testing import CliRunner

from puselect import cli
from puselect_paper.report import collect, report_study, study_tables
from puselect_paper.report.paper import Figure, differs, paper_figures
from puselect_paper.report.reporting import Section, study_page
from puselect_paper.report.tables import Entry, Table, to_markdown
from puselect_paper.studies import load_run
from puselect_paper.studies.journal import Journal, Row
from puselect_paper.studies.runner import STUDY_FILE
from puselect_paper.studies.study import Study, load_study

runner = CliRunner()


def made_up(cell):
    """Values that a cell might have; better for FSCPU, and the same in every test."""
    rng = np.random.default_rng([cell.seed, *cell.key.encode()])
    level = {"fscpu": 0.95, "kbest": 0.82}.get(cell.method, 0.6)
    fsr = float(np.round(level + rng.uniform(-0.04, 0.04), 2))
    common = {"selected": [0, 1], "fit_seconds": 0.5}
    if cell.measure == "downstream":
        return {"auc": {m: level + rng.uniform(-0.02, 0.02) for m in cell.data["models"]}, **common}
    if cell.measure == "convergence":
        theta = np.linspace(0.5, rng.uniform(0, 1, 6), 9)
        path = {"evaluations": list(range(9)), "theta": theta.tolist(), "relevant": [0, 2]}
        return {"fsr": fsr, **path, **common}
    return {"fsr": fsr, **common}


def fill(folder, study, cells=None, values=made_up):
    with Journal(folder) as journal:
        for cell in study.cells() if cells is None else cells:
            journal.append(Row(cell, values(cell), seconds=1.0))
    (folder / STUDY_FILE).write_text(json.dumps(study.definition))
    return folder


def texts(table):
    return [[entry.text for entry in line] for line in table.lines]


class TestPaper:
    def test_all_numbers_are_there_and_two_standard_errors_decide_but_not_rounding(self):
        assert len(paper_figures("fsr")) == 11 * 10
        assert len(paper_figures("auc")) == 12 * 3
        paper = Figure(0.9, 0.1, 5)
        error = np.sqrt(0.1**2 / 5 + 0.1**2 / 5)
        assert not differs(Figure(0.9 - 2 * error, 0.1, 5), paper, "fsr")
        assert differs(Figure(0.9 - 2 * error - 0.006, 0.1, 5), paper, "fsr")
        assert not differs(Figure(0.604, 0.0, 30), Figure(0.6, 0.0, 5), "fsr")
        assert not differs(Figure.of([0.7]), paper, "fsr"), "a single value borrows the paper's deviation"
        assert differs(Figure.of([0.6]), paper, "fsr")


class TestTable1:
    def test_layout_is_the_papers_with_its_values_beneath_and_marks(self, tmp_path):
        study = load_study("table1")
        values = {"kbest": [0.80, 0.82, 0.84], "lasso": [0.40, 0.41, 0.42]}
        cells = [c for c in study.cells(values, n_seeds=3) if c.data["condition"] in ("40/8/1", "10/outlier")]
        fill(tmp_path, study, cells, lambda c: {"fsr": values[c.method][c.seed], "fit_seconds": 0.1})
        table, coverage = study_tables(collect(*load_run(tmp_path)))
        assert [line[3:] for line in table.header] == [
            ["✓"] * 8 + ["×"] * 2,
            ["40 %"] * 4 + ["10 %"] * 4 + ["40 %", "10 %"],
            ["8", "8", "1", "1", "8", "8", "1", "1", "-", "-"],
            ["1", "2", "1", "2", "1", "2", "1", "2", "-", "-"],
        ]
        assert texts(table) == [
            ["supervised", "K-Best", "ours (3)", ".82±.02", *["—"] * 8, ".82±.02"],
            ["", "", "paper", ".82±.10", ".78±.05", ".87±.04", ".86±.08", ".67±.08", ".66±.06", ".79±.07", ".76±.06",
             ".42±.05", ".35±.03"],
            ["", "Lasso", "ours (3)", ".41±.01", *["—"] * 8, ".41±.01"],
            ["", "", "paper", ".86±.05", ".86±.05", ".83±.03", ".84±.05", ".78±.07", ".78±.02", ".75±.05", ".76±.06",
             ".66±.07", ".62±.05"],
        ]  # fmt: skip
        marks = [[entry.differs for entry in line] for line in table.lines]
        assert [marks[0][3], marks[0][12], marks[2][3], marks[2][12]] == [False, True, True, True]
        assert [table.lines[i][3].best for i in (0, 2)] == [True, False]
        assert texts(coverage)[-1] == ["all", "110", "0", "4", "106", "1", "3"]

    def test_rows_that_are_no_part_of_the_study_are_left_out_and_counted(self, tmp_path):
        study = load_study(str(write_study(tmp_path)))
        fill(tmp_path / "out", study, study.cells(n_seeds=7))
        other = load_study("table1").cells(["kbest"], n_seeds=1)[0]
        with Journal(tmp_path / "out") as journal:
            journal.append(Row(other, {"fsr": 0.123}))
            journal.append(Row(study.cells(n_seeds=8)[7], error="ValueError: <too small>"))
        results = collect(*load_run(tmp_path / "out"))
        assert results.n_foreign == 1
        assert [row.cell.seed for row in results.failed] == [7]
        (table,) = study_tables(results)
        assert {line[2].text for line in table.lines if line[1].text} == {"ours (7)"}, "more seeds than it asks for"
        assert not any(".12" in text for line in texts(table) for text in line)
        page = report_study(tmp_path / "out").read_text()
        assert "1 cells failed" in page
        assert "ValueError: &lt;too small&gt;" in page

    def test_all_features_are_never_the_best(self, tmp_path):
        study = load_study(str(write_study(tmp_path, SMALL.replace('"random"', '"all"'))))
        fill(tmp_path / "out", study, None, lambda c: {"fsr": 1.0 if c.method == "all" else 0.5})
        (table,) = study_tables(collect(*load_run(tmp_path / "out")))
        best = {line[1].text: line[3].best for line in table.lines if line[1].text}
        assert best == {"K-Best": True, "FSCPU": True, "chance": False}


@pytest.fixture
def splits(tmp_path):
    """Two data sets, six splits, three methods, two models, two shares."""
    definition = {
        "title": "Splits",
        "seeds": 6,
        "method": [{"name": "kbest", "label": "K-Best"}, {"name": "fscpu", "label": "FSCPU"}, {"name": "random"}],
        "data": [{"measure": "downstream", "title": "AUC", "name": ["ionosphere", "spambase"], "share": [0.2, 0.5],
                  "models": ["lightgbm", "logistic"]}],
    }  # fmt: skip
    study = Study.from_definition(definition)
    return study, fill(tmp_path, study)


class TestTable3:
    def test_the_paper_stands_beside_its_own_setting_and_methods_in_the_tables_of_their_share(self, splits, tmp_path):
        _, folder = splits
        tables = {t.title: t for t in study_tables(collect(*load_run(folder)))}
        beside = {title for title, t in tables.items() if any(line[-1].text.startswith(".8") and "paper" in
                  [e.text for e in line] for line in t.lines)}  # fmt: skip
        assert beside == {"AUC: LightGBM, 50 % of the features"}
        assert tables["AUC: LightGBM, 50 % of the features"].header == [["", "", "", "Iono", "Spam"]]
        study, _ = splits
        cells = [cell for cell in study.cells() if (cell.method, cell.data["share"]) != ("kbest", 0.5)]
        tables = {t.title: t for t in study_tables(collect(*load_run(fill(tmp_path / "part", study, cells))))}
        for share, there in ((20, True), (50, False)):
            names = {line[1].text for line in tables[f"AUC: LightGBM, {share} % of the features"].lines}
            assert ("K-Best" in names) == there

    def test_methods_are_ranked_and_our_default_is_tested_where_there_are_splits_enough(self, splits, tmp_path):
        study, folder = splits
        tables = {t.title: t for t in study_tables(collect(*load_run(folder)))}
        assert texts(tables["Mean ranks"])[0] == ["FSCPU", "1.00", "1.00", "1.00"]
        differences = tables["FSCPU against the others on each data set, 50 % of the features"]
        assert [line[0].text for line in differences.lines] == ["K-Best", "random features"]
        assert all(entry.best for line in differences.lines for entry in line[1:])
        few = collect(*load_run(fill(tmp_path / "few", study, study.cells(n_seeds=5))))
        assert "Mean ranks" not in {table.title for table in study_tables(few)}


TABLE = Table(
    "A | B", [["", "x", "y"], ["", "1", "2"]], [[Entry("m|n"), Entry("<.5", best=True), Entry(".7", differs=True)]],
    "why", n_names=1,
)  # fmt: skip


class TestRendering:
    def test_markdown_and_html_are_escaped_and_marked(self):
        assert to_markdown(TABLE) == (
            "### A | B\n\n|  | x | y |\n| --- | ---: | ---: |\n|  | 1 | 2 |\n| m\\|n | **<.5** | .7 ≠ |\n\nwhy"
        )
        section = Section("one", "One", [], [TABLE], [], ["ValueError: <no>"])
        page = study_page("T", [section])
        cells = re.findall(r'<td class="(.*?)">(.*?)</td>', page)
        assert [(kind.strip(), text) for kind, text in cells] == [
            ("name", "m|n"), ("best", "&lt;.5"), ("differs", ".7 ≠")
        ]  # fmt: skip
        assert "ValueError: &lt;no&gt;" in page


class TestReport:
    def test_searches_are_drawn_and_stand_in_the_page(self, tmp_path):
        study = load_study("figure1")
        fill(tmp_path, study, [c for c in study.cells(n_seeds=2) if c.data["condition"].startswith("10/8/")])
        page = report_study(tmp_path).read_text()
        names = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
        assert names == {path.stem for path in (tmp_path / "figures").glob("*.png")}
        published = {"convergence-1-fscpu-published", "convergence-1-fscpu-mi-published"}
        assert names == published | {"convergence-2-fscpu", "convergence-2-fscpu-mi"}
        for name in names:
            ET.parse(tmp_path / "figures" / f"{name}.svg")
        svg = (tmp_path / "figures" / "convergence-2-fscpu.svg").read_text()
        assert (svg.count("stroke: #d1242f"), svg.count("stroke: #2f81f7")) == (4, 8), "relevant features are red"
        assert page.count("<svg") == len(names)
        assert "currentColor" in page
        assert not re.findall(r"(?:src|href)='?\"?https?://(?!www\.w3\.org|purl|creativecommons)", page)
        markdown = (tmp_path / "report.md").read_text()
        assert all((tmp_path / link).is_file() for link in re.findall(r"\]\((.*?)\)", markdown))

    def test_several_studies_make_one_report(self, tmp_path, splits):
        study, _ = splits
        fill(tmp_path / "all" / "one", study)
        fill(tmp_path / "all" / "two", load_study(str(write_study(tmp_path))))
        page = report_study(tmp_path / "all").read_text()
        assert re.findall(r'<section id="(.*?)">\s*<h2>(.*?)</h2>', page) == [("one", "Splits"), ("two", "Small study")]
        markdown = (tmp_path / "all" / "report.md").read_text()
        assert all((tmp_path / "all" / link).is_file() for link in re.findall(r"\]\((.*?)\)", markdown))

    def test_without_matplotlib_the_tables_are_there_and_the_extra_is_named(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        study = load_study("figure1")
        page = report_study(fill(tmp_path, study, study.cells(["fscpu"], n_seeds=1))).read_text()
        assert "FSCPU, our default" in page
        assert "pip install matplotlib" in page


class TestCommands:
    def test_reproduce_runs_a_study_and_reports(self, tmp_path, monkeypatch):
        monkeypatch.setattr("puselect_paper.cli.SECONDS_BETWEEN_LINES", -1)
        path, out = write_study(tmp_path), tmp_path / "out"
        arguments = ["reproduce", str(path), "--folder", str(out), "--jobs", "1"]
        arguments += ["--seeds", "2", "--methods", "kbest,random"]
        result = runner.invoke(cli.app, arguments)
        assert result.exit_code == 0, result.output
        assert "8 of 8 cells\n" in result.output
        assert "8 cells in" in result.output
        assert "K-Best" in result.output
        assert (out / "report.html").is_file()
        assert "0 cells in" in runner.invoke(cli.app, arguments).output

    def test_report_writes_the_same_again_from_the_journal(self, tmp_path):
        fill(tmp_path / "out", load_study(str(write_study(tmp_path))))
        first = report_study(tmp_path / "out").read_text()
        result = runner.invoke(cli.app, ["report-study", str(tmp_path / "out"), "--folder", str(tmp_path / "again")])
        assert result.exit_code == 0
        assert (tmp_path / "again" / "report.html").read_text() == first
        assert runner.invoke(cli.app, ["report-study", str(tmp_path / "out"), "--quiet"]).output == ""

    def test_wrong_calls_end_with_what_was_wanted(self, tmp_path):
        for arguments, words in (
            (["reproduce", "table9", "--folder", str(tmp_path)], "a study is one of figure1"),
            (["reproduce", "table1", "--methods", "x", "--folder", str(tmp_path)], "methods must be among kbest"),
            (["report-study", str(tmp_path / "nothing")], "must hold study.json"),
        ):
            result = runner.invoke(cli.app, arguments)
            assert result.exit_code == 2
            assert words in result.output

    def test_a_folder_in_use_and_damaged_results_are_one_clear_error(self, tmp_path):
        path, out = write_study(tmp_path), tmp_path / "out"
        with Journal(out):
            used = runner.invoke(cli.app, ["reproduce", str(path), "--folder", str(out), "--jobs", "1"])
        fill(out, load_study(str(path)))
        (out / "results.jsonl").write_text("[]\n")
        damaged = runner.invoke(cli.app, ["report-study", str(out)])
        for result, words in ((used, "error: another run"), (damaged, "line 1 of")):
            assert result.exit_code in (1, 2)
            assert words in result.stderr
            assert "bug" not in result.stderr

    def test_failed_cells_make_the_command_fail(self, tmp_path):
        path = write_study(tmp_path, SMALL.replace('"40/8/1", "40/1/2"', '"40/9000/1"'))
        result = runner.invoke(cli.app, ["reproduce", str(path), "--folder", str(tmp_path / "out"), "--jobs", "1"])
        assert result.exit_code == 1
        assert "9 cells failed" in result.output
        assert "1..400, got 9000" in result.output

    def test_quick_shortens_a_study(self, tmp_path):
        arguments = ["reproduce", "table1", "--quick", "--methods", "kbest", "--folder", str(tmp_path), "--jobs", "1"]
        result = runner.invoke(cli.app, arguments)
        assert "1 cells in" in result.output
