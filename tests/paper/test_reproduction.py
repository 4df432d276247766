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
from puselect_paper.report.paper import paper_figures, short
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


@pytest.mark.parametrize(("study", "counts"), [("table1", "110 100 10 0 80 30"), ("table3", "36 33 0 3 28 5")])
def test_coverage_is_counted_from_raw_results(study, counts):
    (table,) = (table for table in tables_of(study) if table.title.startswith("Coverage"))
    assert [entry.text for entry in table.lines[-1]] == ["all", *counts.split()]


def test_the_page_of_methods_has_the_means_of_table_1():
    (block,) = results_of("table1").blocks
    ours = {(each.method.id, each.place.point["condition"]): np.mean(each.numbers("fsr")) for each in block.results}
    printed = {key: figure.mean for key, figure in paper_figures("fsr").items()}
    text = (ROOT / "docs" / "paper" / "methods.md").read_text(encoding="utf-8")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows_of(text)]
    for method in block.methods():
        cells = [method.label]
        for source, name in ((ours, method.id), (printed, method.paper)):
            for with_clusters in (True, False):
                of_method = [(c, mean) for (id, c), mean in source.items() if id == name]
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
