"""The tables and figures in docs/paper/reproduction.md are those that the raw results make."""

import gzip
import json
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import whole_job

from puselect.cli.options import split_names
from puselect_paper.cli import data_filter, preset_methods
from puselect_paper.report import collect, study_tables
from puselect_paper.report.coverage import coverage_of, sum_of
from puselect_paper.report.paper import Figure, paper_figures, short
from puselect_paper.report.tables import to_markdown
from puselect_paper.studies import load_run, load_study
from puselect_paper.studies.journal import Row

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"


@cache
def results_of(study):
    return collect(*load_run(RESULTS / study))


@cache
def tables_of(study):
    return study_tables(results_of(study))


@cache
def page():
    return (ROOT / "docs" / "paper" / "reproduction.md").read_text(encoding="utf-8")


def rows_of(text):
    return {line for line in text.splitlines() if line.startswith("|")}


@pytest.mark.parametrize(("study", "title", "section"), [("table1", "FSR", "Table 1"), ("table3", "AUC", "Table 3")])
def test_tables_show_rows_of_their_raw_results(study, title, section):
    (table,) = (table for table in tables_of(study) if table.title.startswith(title))
    shown = rows_of(page().partition(f"## {section}")[2].partition("\n## ")[0])
    assert len(shown) > 15
    assert not shown - rows_of(to_markdown(table))


def test_open_data_have_the_counts_of_the_paper():
    (table,) = tables_of("table2")
    counts = [[cell.text for cell in line[2:]] for line in table.lines]
    assert len(counts) == 10 and counts[::2] == counts[1::2]


def test_the_hypotheses_that_hold_are_those_of_the_raw_results():
    (table,) = (table for table in tables_of("table1") if table.title.startswith("The paper's hypotheses"))
    holds = {
        column: [cell.text.endswith(", holds") for cell in cells]
        for column, *cells in zip(table.header[0], *table.lines, strict=True)
    }
    assert holds["FSCPU as published"] == holds["FSCPU as published, in the paper"] == [True] * 4
    assert holds["FSCPU-MI as published"] == [True, False, True, False]


def _covered(study, metric):
    """Return how many cells were run in full, shortened or not, and how many lie within and outside two errors."""
    return tuple(sum_of(coverage_of(*_figures(study, metric), metric).values()))


def _figures(study, metric):
    """Return the methods of a study and their figures by id and column, for the paper's cells."""
    (block,) = results_of(study).blocks
    column = "condition" if metric == "fsr" else "name"
    figures = {}
    for result in block.results:
        values = result.numbers("fsr") if metric == "fsr" else [v["lightgbm"] for v in result.by_seed("auc").values()]
        figures[result.method.id, result.place.point[column]] = Figure.of(values)
    return block.methods(), figures


def test_coverage_is_counted_from_raw_results():
    assert _covered("table1", "fsr") == (100, 10, 0, 80, 30)
    assert _covered("table3", "auc") == (33, 0, 3, 28, 5)


def test_the_page_of_methods_has_the_means_of_table_1():
    methods, figures = _figures("table1", "fsr")
    printed = paper_figures("fsr")
    text = (ROOT / "docs" / "paper" / "methods.md").read_text(encoding="utf-8")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows_of(text)]
    for method in methods:
        cells = [method.label]
        for source, name in ((figures, method.id), (printed, method.paper)):
            for with_clusters in (True, False):
                of_method = [(c, figure.mean) for (id, c), figure in source.items() if id == name]
                means = [mean for c, mean in of_method if ("outlier" not in c) == with_clusters]
                cells.append(short(np.mean(means), 2) if means else "")
        assert cells in lines


def test_times_of_whole_jobs_are_rebuilt():
    rows = json.loads((ROOT / "benchmarks" / "results" / "whole_job.json").read_text())
    page = (ROOT / "docs" / "internals" / "benchmarks.md").read_text(encoding="utf-8")
    assert not set(whole_job.table_lines(rows)) - rows_of(page)


def commands_of_files():
    """Return the command in the second column by each file that the first names."""
    lines = page().partition("## Raw results")[2].splitlines()
    pairs = [line.strip("|").split("|")[:2] for line in lines if line.startswith("| `")]
    return {name: command.strip().strip("`") for names, command in pairs for name in re.findall("`(.*?)`", names)}


def cells_of(command):
    """Return the keys of the cells that ``puselect reproduce`` with these arguments runs."""
    study, *rest = shlex.split(command.removeprefix("puselect reproduce "))
    given = {}
    for name, value in zip(rest[::2], rest[1::2], strict=True):
        given.setdefault(name, []).append(value)
    methods = [*split_names(given.get("--methods")), *preset_methods(given.get("--preset", [None])[0])]
    n_seeds = int(given["--seeds"][0]) if "--seeds" in given else None
    is_wanted = data_filter(given.get("--only", ()))
    return {cell.key for cell in load_study(study).cells(methods, n_seeds) if is_wanted(cell)}


def test_each_raw_file_is_named_beside_what_makes_it():
    named = commands_of_files()
    for path in RESULTS.rglob("*.jsonl*"):
        assert any(path.relative_to(RESULTS).match(pattern) for pattern in named), path


@pytest.mark.parametrize("study", ["table1", "table2", "table3", "splits", "figure1"])
def test_commands_make_the_cells_of_their_raw_files(study):
    for name, command in commands_of_files().items():
        if name.startswith(f"{study}/"):
            lines = gzip.decompress((RESULTS / name).read_bytes()).splitlines()
            keys = {Row.from_json(line).cell.key for line in lines}
            assert not keys - cells_of(command), name


def test_raw_results_name_no_folder_of_the_machine_that_made_them():
    for path in RESULTS.rglob("*.jsonl*"):
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        assert not re.search(rb'[" ]/[a-z]+/', text)
