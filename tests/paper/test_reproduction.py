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

import ablation
import blind_walks
import disagreements
import whole_job

from puselect.cli.options import split_names
from puselect_paper.cli import data_filter, preset_methods
from puselect_paper.report import collect, study_tables
from puselect_paper.report.coverage import coverage_of, sum_of
from puselect_paper.report.hypotheses import Contrast
from puselect_paper.report.paper import Figure, differs, paper_figures, short
from puselect_paper.report.tables import to_markdown
from puselect_paper.studies import load_run, load_study
from puselect_paper.studies.journal import Row, read_rows

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
PUBLISHED = ("fscpu-published", "fscpu-mi-published")
BEFORE = {"Table 1": (90, 9, 11, 75, 24, 60), "Table 3": (24, 0, 12, 20, 4, 21), "panels of Figure 1": (10, 0, 10)}


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


def told(text):
    """Whether a sentence is on the page, whatever its line breaks."""
    return " ".join(text.split()) in " ".join(page().split())


@pytest.mark.parametrize(
    ("study", "titles"),
    [
        ("table1", ("FSR", "The paper's hypotheses")),
        ("table2", ("Open data sets",)),
        ("table3", ("AUC",)),
        ("splits", ("FSCPU, our default against",)),
    ],
)
def test_tables_are_rebuilt_from_their_raw_results(study, titles):
    for start in titles:
        chosen = [table for table in tables_of(study) if table.title.startswith(start)]
        assert chosen, start
        for table in chosen:
            missing = rows_of(to_markdown(table)) - rows_of(page())
            assert not missing


def splits_table():
    """Return AUC of the three models on both data sets, and mean ranks, the best method first."""
    (block,) = results_of("splits").blocks
    ranks = next(table for table in tables_of("splits") if table.title.startswith("Mean ranks"))
    figures = {}
    for result in block.results:
        if result.place.point["share"] == 0.2:
            for model in result.place.point["models"]:
                auc = [values[model] for values in result.by_seed("auc").values()]
                figures[result.method.label, result.place.point["name"], model] = Figure.of(auc).text(3)
    models = ("lightgbm", "lightgbm-rf", "logistic")
    lines = [
        "| | Spam: LightGBM | forest | logistic | Ionosphere: LightGBM | forest | logistic | mean rank |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line in ranks.lines:
        label = line[0].text
        values = [figures[label, name, model] for name in ("spambase", "ionosphere") for model in models]
        lines.append(f"| {' | '.join([label, *values, line[-1].text])} |")
    return "\n".join(lines)


def test_paired_splits_are_rebuilt_from_their_raw_results():
    assert len(rows_of(splits_table())) == 22
    assert not rows_of(splits_table()) - rows_of(page())


def test_the_critical_difference_is_that_of_the_raw_results():
    ranks = next(table for table in tables_of("splits") if table.title.startswith("Mean ranks"))
    assert told(re.search(r"Ranks further apart than [\d.]+ differ at 5 %", ranks.note)[0])


def test_methods_of_nearly_the_best_rank_are_counted():
    ranks = next(table for table in tables_of("splits") if table.title.startswith("Mean ranks"))
    found = [line[0].text for line in ranks.lines if 6.6 <= float(line[-1].text) <= 7.6]
    assert told("Five methods lie between 6.6 and 7.6") and len(found) == 5
    assert ranks.lines[0][0].text == "all features" and told("None of them is ahead of using all features")


def test_on_ionosphere_alone_the_default_does_not_differ_from_random_features():
    table = next(t for t in tables_of("splits") if t.title.endswith("on each data set, 20 % of the features"))
    random = next(line for line in table.lines if line[0].text == "random features")
    assert table.header[0][2] == "Iono"
    assert told(f"random features ({random[2].text.replace(' (', ', p = ').rstrip(')')})")
    assert not random[2].best


def coverage_lines():
    """Return what of the paper was run before, and now."""
    now = {"Table 1": _covered("table1", "fsr"), "Table 3": _covered("table3", "auc"), "panels of Figure 1": _panels()}
    header = ("cells", "in full", "shortened", "not run", "within", "outside", "ours without counterpart")
    lines = [f"| | {' | '.join(header)} |", "|---|" + "---:|" * len(header)]
    for name, counts in now.items():
        for when, values in (("before", BEFORE[name]), ("now", counts)):
            fields = [f"{name}, {when}", sum(values[:3]), *values]
            lines.append(f"| {' | '.join(map(str, fields + [''] * (8 - len(fields))))} |")
    return "\n".join(lines)


def _covered(study, metric):
    methods, figures = _figures(study, metric)
    own = sum((method.paper, column) not in paper_figures(metric) for method in methods for id, column in figures
              if id == method.id)  # fmt: skip
    return (*sum_of(coverage_of(methods, figures, metric).values()), own)


def _figures(study, metric):
    """Return the methods of a study and their figures by id and column, for the paper's cells."""
    (block,) = results_of(study).blocks
    column = "condition" if metric == "fsr" else "name"
    figures = {}
    for result in block.results:
        values = result.numbers("fsr") if metric == "fsr" else [v["lightgbm"] for v in result.by_seed("auc").values()]
        figures[result.method.id, result.place.point[column]] = Figure.of(values)
    return block.methods(), figures


def _panels():
    """Return how many panels of the paper's Figure 1 and appendix were run in full, shortened, or not."""
    steps = {
        (row.cell.method, row.cell.data["condition"]): row.values["steps"]
        for row in read_rows(RESULTS / "figure1")
        if row.cell.measure == "convergence" and row.cell.method in PUBLISHED
    }
    full = sum(n == 3000 for n in steps.values())
    return (full, len(steps) - full, 20 - len(steps))


def test_coverage_is_counted_from_raw_results():
    assert not rows_of(coverage_lines()) - rows_of(page())


def _pooled(figures):
    """Return the mean of independent figures and its standard error."""
    errors = [figure.sd**2 / figure.n for figure in figures]
    return Contrast(sum(figure.mean for figure in figures) / len(figures), sum(errors) ** 0.5 / len(figures))


def _gap(seeds, negatives=("/1/", "/8/")):
    """Return how far FSCPU as published lies below the paper where there are clusters, with data sets of some seeds."""
    printed = {
        condition: figure for (method, condition), figure in paper_figures("fsr").items()
        if method == "fscpu-published" and any(number in condition for number in negatives)
    }  # fmt: skip
    values = {condition: [] for condition in printed}
    for row in read_rows(RESULTS / "table1"):
        if row.cell.method == "fscpu-published" and row.cell.seed in seeds and row.cell.data["condition"] in values:
            values[row.cell.data["condition"]].append(row.values["fsr"])
    assert {len(fsr) for fsr in values.values()} == {len(seeds)}
    gap = _pooled(printed.values()).minus(_pooled([Figure.of(fsr) for fsr in values.values()]))
    return f"{short(gap.value, 3)} ± {short(gap.error, 3)}"


def test_published_fscpu_lies_below_the_paper_by_what_the_page_says():
    n = max(figure.n for (id, _), figure in _figures("table1", "fsr")[1].items() if id == "fscpu-published")
    every, first, others = (_gap(seeds) for seeds in (range(n), range(5), range(5, n)))
    assert told(f"{every} below the paper with {n} data sets a condition")
    assert told(f"{first} with the first five and {others} with the others")
    assert told(f"with eight negative clusters it is {_gap(range(n), ['/8/'])}, with one {_gap(range(n), ['/1/'])}")


def _span(method, conditions):
    means = [short(figure.mean, 2) for (id, c), figure in _figures("table1", "fsr")[1].items()
             if id == method and c in conditions]  # fmt: skip
    return f"{min(means, key=float)} to {max(means, key=float)}"


def test_ranges_in_the_text_are_those_of_the_raw_results():
    _, figures = _figures("table1", "fsr")
    every = {c for m, c in figures if m == "mrmr"}
    clusters = {c for c in every if "outlier" not in c}
    assert _span("fscpu-previous", clusters) == "1.00 to 1.00"
    assert told(f"mixtures fitted to convergence find {_span('fscpu-published', clusters)}")
    outliers = [short(figures[m, "40/outlier"].mean, 2) for m in ("fscpu", "fscpu-previous", "fscpu-mi")]
    assert told(f"{_span('fscpu', clusters)} with clusters, and {outliers[0]} instead of {outliers[1]} on outliers")
    assert told(f"are labelled ({outliers[0]} and {outliers[2]} with our default)")
    assert told(f"mRMR finds {_span('mrmr', every)} instead of {_span('mrmr-published', every)}")


def test_which_methods_agree_is_counted():
    rows = coverage_of(*_figures("table1", "fsr"), "fsr")
    assert [rows[name].within for name in ("lasso", "mrmr", "semi-jmi", "fscpu-published")] == [10] * 4
    assert [rows[name].within for name in ("kbest", "es-mcrfs", "dt-rfe")] == [8, 9, 9]
    assert told("K-Best in eight (in all ten over 30 data sets") and told("ES-MCRFS and DT-RFE in nine")


def test_the_papers_fscpu_mi_agrees_with_fscpu_alone():
    _, figures = _figures("table1", "fsr")
    printed = {condition: figure for (m, condition), figure in paper_figures("fsr").items() if m == PUBLISHED[1]}
    assert not any(differs(figures["fscpu-published", c], figure, "fsr") for c, figure in printed.items())
    assert told("agrees with our FSCPU without any mutual information in all ten")
    assert sum(differs(figures["fscpu-mi-published", c], f, "fsr") for c, f in printed.items()) == 6
    assert told("lies outside in six columns")


def _against_paper(method, condition, figure):
    """Return a mean, bold if it is further from the paper than .05 and than two standard errors."""
    text, paper = short(figure.mean, 2), paper_figures("fsr").get((method, condition))
    is_far = paper is not None and abs(figure.mean - paper.mean) > 0.05 and differs(figure, paper, "fsr")
    return f"**{text}**" if is_far else text


def test_methods_page_has_the_figures_of_table_1():
    _, figures = _figures("table1", "fsr")
    page = (ROOT / "docs" / "paper" / "methods.md").read_text(encoding="utf-8")
    rows = {"FSCPU, our default": "fscpu", "FSCPU-MI, our default": "fscpu-mi", "published FSCPU": "fscpu-published",
            "published FSCPU-MI": "fscpu-mi-published"}  # fmt: skip
    for label, method in rows.items():
        values = [_against_paper(id, c, figure) for (id, c), figure in figures.items() if id == method]
        counts = sorted({figure.n for (id, _), figure in figures.items() if id == method})
        n = "–".join(map(str, counts))
        assert f"| {label} | ours ({n}) | {' | '.join(values)} |" in page


def test_walks_without_forests_select_as_many_relevant_features_as_those_with():
    rows = [json.loads(line) for line in (RESULTS / "blind_walks.jsonl").read_text().splitlines()]
    methods = (ROOT / "docs" / "paper" / "methods.md").read_text(encoding="utf-8")
    assert not rows_of(blind_walks.summary(rows)) - rows_of(methods)
    blind = {(row["condition"], row["seed"]): row["fsr"] for row in rows if row["walks"] == 500}
    forests = {
        (row.cell.data["condition"], row.cell.seed): row.values["fsr"]
        for row in read_rows(RESULTS / "table1")
        if row.cell.method == "es-mcrfs"
    }
    assert len(forests) == 20
    assert all(blind[key] == fsr for key, fsr in forests.items())
    long = [row for row in rows if row["walks"] == 6000]
    for condition in blind_walks.CONDITIONS:
        figure = Figure.of([row["fsr"] for row in long if row["condition"] == condition])
        assert figure.n == 5 and not differs(figure, paper_figures("fsr")["es-mcrfs", condition], "fsr")


def test_shares_of_undecided_probabilities_are_those_of_the_raw_results():
    names = {"spambase": "Spam", "ionosphere": "Ionosphere", "rt_iot2022": "RT-IoT"}
    for method, label in zip(PUBLISHED, ("FSCPU", "FSCPU-MI"), strict=True):
        rows = [row for row in read_rows(RESULTS / "table3") if row.cell.method == method]
        shares = {}
        for name, title in names.items():
            undecided = [row.values["undecided"] for row in rows if row.cell.data["name"] == name]
            if undecided:
                shares[title] = f"{100 * np.mean(undecided):.0f} %"
        assert f"| {label} | {' | '.join(shares.get(title, 'not run') for title in names.values())} |" in page()


def test_recall_after_so_many_steps_is_rebuilt():
    assert not rows_of(ablation.steps_table(RESULTS / "figure1")) - rows_of(page())


def test_ablations_are_rebuilt():
    rows = [json.loads(line) for line in (RESULTS / "ablation.jsonl").read_text().splitlines()]
    assert not rows_of(ablation.summary(rows)) - rows_of(page())


def test_disagreements_are_rebuilt():
    rows = [json.loads(line) for line in (RESULTS / "disagreements.jsonl").read_text().splitlines()]
    assert not rows_of(disagreements.summary(rows)) - rows_of(page())
    auc = {name: [row["auc"] for row in rows if row["variant"] == name] for name in disagreements.VARIANTS}
    few = auc["lasso, weights above 1e-5"]
    assert told(f"the median of forty runs is {short(np.median(few), 3)}, and {sum(a > 0.97 for a in few)} of them lie")
    assert sum(a > 0.97 for a in auc["lasso"]) == 1


def test_times_of_whole_jobs_are_rebuilt():
    rows = json.loads((ROOT / "benchmarks" / "results" / "whole_job.json").read_text())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not set(whole_job.table_lines(rows)) - rows_of(readme)


def test_versions_of_libraries_are_those_of_the_raw_results():
    rows = [row for study in ("table1", "table3") for row in read_rows(RESULTS / study)]
    for library in ("scikit-learn", "lightgbm"):
        found = {row.versions[library] for row in rows if library in row.versions}
        line = next(line for line in page().splitlines() if line.startswith(f"| {library} |"))
        assert all(version in line for version in found)


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


def test_raw_results_stay_small():
    assert sum(path.stat().st_size for path in RESULTS.rglob("*") if path.is_file()) < 2_000_000


def test_raw_results_name_no_folder_of_the_machine_that_made_them():
    for path in RESULTS.rglob("*.jsonl*"):
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        assert not re.search(rb'[" ]/[a-z]+/', text)
