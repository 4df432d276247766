"""The board of real tables: AUC and average precision, mean ranks, and tests of our default against all others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from puselect.arrays import FloatArray
from puselect.methods import METHODS
from puselect_paper.report.paper import DECIMALS, short
from puselect_paper.report.results import BlockResults
from puselect_paper.report.table1 import MISSING
from puselect_paper.report.table3 import NAMES, shares
from puselect_paper.report.tables import Entry, Table
from puselect_paper.statistics import PairedTest, compare_with, corrected_resampled_t_test, holm, mean_ranks
from puselect_paper.studies import open_data
from puselect_paper.studies.real_tables import TEST_SHARE
from puselect_paper.studies.study import StudyMethod

REFERENCE = "fscpu"
"""The method that others are tested against."""
SIGNIFICANT = 0.05
TOGETHER = "all"
FEWEST_CASES = 6  # tables or splits of open data for a test to mean something
FEWEST_SPLITS = 2
METRICS = {"auc": "AUC", "ap": "AP"}
"""In the rows of a journal -> in tables."""


class Board(NamedTuple):
    """One metric at one share of the features."""

    metric: str
    """A value of `METRICS`."""
    share: float
    methods: Sequence[StudyMethod]
    """Those with any result."""
    tables: Sequence[str]
    values: Mapping[tuple[str, str], Mapping[int, FloatArray]]
    """By id of the method and table: for every split the metric of each model."""

    @property
    def complete(self) -> list[StudyMethod]:
        """The methods with the most splits; those that were run on fewer cannot be ranked."""
        counts = [sum(len(self.of(method, table)) for table in self.tables) for method in self.methods]
        return [method for method, n in zip(self.methods, counts, strict=True) if n == max(counts)]

    def of(self, method: StudyMethod, table: str) -> Mapping[int, FloatArray]:
        """Return the metric of the models on the splits of a table."""
        return self.values.get((method.id, table), {})

    def mean(self, method: StudyMethod, table: str) -> float:
        """Return the mean over splits and models; nan if there is none."""
        values = list(self.of(method, table).values())
        return float(np.mean(values)) if values else float("nan")

    def ranks(self, methods: Sequence[StudyMethod]) -> FloatArray:
        """Return mean ranks: over the splits and models of a table, then over the tables."""
        by_table = []
        for table in self.tables:
            common = _common_splits([self.of(method, table) for method in methods])
            if common:
                cases = [np.concatenate([self.of(method, table)[split] for split in common]) for method in methods]
                by_table.append(mean_ranks(np.transpose(cases)))
        return np.asarray(np.mean(by_table, axis=0))


def board_tables(results: BlockResults) -> list[Table]:
    """Return the tables of a block that measured real tables, under its title."""
    found = next(row.values for result in results.results for row in result.rows if row.values)
    tables = []
    for metric in METRICS:
        if metric in found:
            boards = [board_of(results, share, metric) for share in shares(results)]
            tables += [*map(mean_table, boards), *comparisons(boards, TEST_SHARE)]
    prefix = f"{results.block.title}: " if results.block.title else ""
    return [replace(table, title=prefix + table.title) for table in tables]


def split_tables(results: BlockResults) -> list[Table]:
    """Return ranks and differences on open data, where they were split often enough for a test."""
    boards = [board_of(results, share) for share in shares(results)]
    n_splits = [len(board.of(method, table)) for board in boards for method in board.methods for table in board.tables]
    return comparisons(boards, open_data.TEST_SHARE) if max(n_splits) >= FEWEST_CASES else []


def comparisons(boards: Sequence[Board], test_share: float) -> list[Table]:
    """Return ranks of the methods by one metric at all shares, and tests of our default against the others."""
    tables = []
    methods = boards[0].methods
    ranked = [m for m in boards[0].complete if all(m in board.complete for board in boards)]
    if len(ranked) > 1:
        tables.append(rank_table(boards, ranked))
    for reference in (method for method in methods if method.id == REFERENCE):
        found = [difference_table(board, reference, test_share) for board in boards]
        tables += [table for table in found if table is not None]
        if reference in ranked and len(ranked) > 1 and len(boards[0].tables) >= FEWEST_CASES:
            tables.append(pooled_table(boards, ranked, reference))
    return tables


def board_of(results: BlockResults, share: float, metric: str = "auc") -> Board:
    """Return the values of a block at one share."""
    models = list(results.block.points[0]["models"])
    chosen = [result for result in results.results if result.place.point["share"] == share]
    found = {
        (result.method.id, str(result.place.point["name"])): {
            seed: np.array([values[model] for model in models]) for seed, values in result.by_seed(metric).items()
        }
        for result in chosen
    }
    methods = list({result.method.id: result.method for result in chosen}.values())
    order = dict.fromkeys(str(point["name"]) for point in results.block.points)
    tables = [name for name in order if any(table == name for _, table in found)]
    return Board(METRICS[metric], share, methods, tables, found)


def mean_table(board: Board) -> Table:
    """Return the mean by method and table, and the mean over the tables."""
    means = np.array([[board.mean(method, table) for table in board.tables] for method in board.methods])
    means = np.column_stack([means, means.mean(axis=1)])
    competing = np.array([[_competes(method) and method in board.complete] for method in board.methods])
    best = competing & (means == np.nanmax(np.where(competing, means, -1.0), axis=0))
    lines, group = [], None
    for method, values, marks in zip(board.methods, means, best, strict=True):
        counts = sorted({len(board.of(method, table)) for table in board.tables})
        name = [Entry(method.group if method.group != group else "", quiet=True), Entry(method.label)]
        fields = [
            MISSING if np.isnan(value) else Entry(short(value, DECIMALS["auc"]), best=bool(mark))
            for value, mark in zip(values, marks, strict=True)
        ]
        lines.append([*name, Entry(_span(counts), quiet=True), *fields])
        group = method.group
    note = (
        "Mean over splits and models. Highlighted: the best of each column; all features, random ones and methods that "
        "were run on fewer splits excepted."
    )
    header = [["", "", "splits", *(NAMES.get(table, table) for table in board.tables), "mean"]]
    return Table(f"{board.metric}, {_percent(board.share)} of the features", header, lines, note, n_names=3)


def rank_table(boards: Sequence[Board], methods: Sequence[StudyMethod]) -> Table:
    """Return mean ranks at every share and over all of them, the best method first."""
    ranks = {_percent(board.share): board.ranks(methods) for board in boards}
    if len(boards) > 1:
        ranks[TOGETHER] = np.mean(list(ranks.values()), axis=0)
    lines = [
        [Entry(methods[i].label), *(Entry(f"{r[i]:.2f}", best=bool(r[i] == r.min())) for r in ranks.values())]
        for i in np.argsort(list(ranks.values())[-1], kind="stable")
    ]
    note = f"Mean rank of {len(methods)}, 1 is best: over the splits and models of a table first, then over the tables."
    left_out = [method.label for method in boards[0].methods if method not in methods]
    if left_out:
        note += f" Not ranked, because run on fewer splits: {', '.join(left_out)}."
    header = [["", *ranks]]
    return Table(f"Mean ranks{_by(boards[0])}", header, lines, note, n_names=1)


def difference_table(board: Board, reference: StudyMethod, test_share: float) -> Table | None:
    """Return the paired differences on each table, with the corrected resampled t-test; None without enough splits."""
    others = [method for method in board.methods if method is not reference]
    columns = [_differences(board, reference, others, table, test_share) for table in board.tables]
    if not any(columns):
        return None
    lines = [[Entry(method.label), *(column.get(method.id, MISSING) for column in columns)] for method in others]
    note = (
        f"Mean {board.metric} of {reference.label} minus that of the method, over the splits both have; in brackets "
        "the p-value of the corrected resampled t-test (Nadeau and Bengio 2003), Holm-adjusted for the number of "
        "methods. Highlighted: different at 5 %."
    )
    header = [["", *(NAMES.get(table, table) for table in board.tables)]]
    title = f"{reference.label} against the others on each data set, {_percent(board.share)} of the features"
    return Table(title + _by(board), header, lines, note, n_names=1)


def pooled_table(boards: Sequence[Board], methods: Sequence[StudyMethod], reference: StudyMethod) -> Table:
    """Return Wilcoxon tests over the tables, at every share and of the mean over the shares."""
    means = [np.array([[board.mean(m, table) for m in methods] for table in board.tables]) for board in boards]
    groups = {_percent(board.share): values for board, values in zip(boards, means, strict=True)}
    if len(boards) > 1 and len({values.shape for values in means}) == 1:
        groups[TOGETHER] = np.mean(means, axis=0)
    column = list(methods).index(reference)
    tests = {name: compare_with(values, column) for name, values in groups.items()}
    lines = []
    for pairs in zip(*tests.values(), strict=True):  # one test for each group, of the same method
        entries = map(_pooled_entries, pairs, groups.values())
        lines.append([Entry(methods[pairs[0].second].label), *chain.from_iterable(entries)])
    note = (
        f"Over {len(boards[0].tables)} tables: median difference of the mean {boards[0].metric}, tables on which "
        f"{reference.label} is better, p-value of the Wilcoxon signed-rank test, and the same Holm-adjusted for the "
        "number of methods."
    )
    header = [["", *(text for name in tests for text in (name, "better", "p", "Holm"))]]
    title = f"{reference.label} against the others, over the tables{_by(boards[0])}"
    return Table(title, header, lines, note, n_names=1)


def _differences(
    board: Board, reference: StudyMethod, others: Sequence[StudyMethod], table: str, test_share: float
) -> dict[str, Entry]:
    """Return the mean difference to every method that has enough splits in common, and its p-value, by its id."""
    ours, found = board.of(reference, table), {}
    for method in others:
        theirs = board.of(method, table)
        common = _common_splits([ours, theirs])
        if len(common) >= FEWEST_SPLITS:
            found[method.id] = np.array([(ours[split] - theirs[split]).mean() for split in common])
    adjusted = holm([corrected_resampled_t_test(values, test_share) for values in found.values()])
    return {
        name: Entry(f"{_signed(float(values.mean()))} ({_p(p)})", best=bool(p < SIGNIFICANT))
        for (name, values), p in zip(found.items(), adjusted.tolist(), strict=True)
    }


def _pooled_entries(test: PairedTest, values: FloatArray) -> list[Entry]:
    better = str(int((values[:, test.first] > values[:, test.second]).sum()))
    adjusted = Entry(_p(test.adjusted), best=test.adjusted < SIGNIFICANT)
    return [Entry(_signed(test.median_difference)), Entry(better), Entry(_p(test.p_value)), adjusted]


def _common_splits(values: Sequence[Mapping[int, FloatArray]]) -> list[int]:
    return sorted(set.intersection(*(set(splits) for splits in values)))


def _competes(method: StudyMethod) -> bool:
    return method.name in METHODS and method.given != "classes"


def _by(board: Board) -> str:
    return "" if board.metric == METRICS["auc"] else f", by {board.metric}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + short(value, DECIMALS["auc"])


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else short(value, 3)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _span(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
