"""Table 3: AUC of downstream models by method and data set; with more splits, ranks and tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect_paper.report.coverage import coverage_table
from puselect_paper.report.paper import DECIMALS, Figure, paper_figures, short
from puselect_paper.report.results import BlockResults
from puselect_paper.report.table1 import note, table_lines
from puselect_paper.report.tables import Entry, Table
from puselect_paper.statistics import PairedTest, compare_with, critical_difference, mean_ranks
from puselect_paper.studies.study import StudyMethod

NAMES = {"spambase": "Spam", "ionosphere": "Iono", "rt_iot2022": "RT-IoT"}
MODELS = {"lightgbm": "LightGBM", "lightgbm-rf": "LightGBM, forest", "logistic": "logistic regression"}
PAPER_SETTING = (0.5, "lightgbm")
TOGETHER = "mean of the models"
REFERENCE = "fscpu"
"""The method that others are tested against."""
FEWEST_CASES = 6
SIGNIFICANT = 0.05


class Cases(NamedTuple):
    """AUC of the methods that have a value in every case; a case is a split of a data set."""

    methods: Sequence[StudyMethod]
    values: Mapping[str, NDArray[np.float64]]
    """By model: shape (n_cases, n_methods). The entry `TOGETHER` is the mean over the models."""
    n_left_out: int
    """Methods without a value in some case."""

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(next(iter(self.values.values())))


def downstream_tables(results: BlockResults) -> list[Table]:
    """Return the tables of a block that measured downstream models: values, then ranks and tests."""
    tables = []
    for share in shares(results):
        tables += [auc_table(results, share, model) for model in models(results)]
        if (share, *models(results)) == PAPER_SETTING:  # the paper's procedure, and nothing else
            coverage = coverage_table(results.methods(), auc_figures(results, *PAPER_SETTING), "auc")
            tables += [coverage] if coverage else []
        cases = paired_cases(results, share)
        if comparable(cases):
            tables += [rank_table(cases, share), *wilcoxon_table(cases, share)]
    return tables


def shares(results: BlockResults) -> list[float]:
    """Return the shares of features that were selected."""
    return sorted({float(result.place.point["share"]) for result in results.results})


def models(results: BlockResults) -> list[str]:
    """Return the downstream models."""
    return list(results.block.points[0]["models"])


def comparable(cases: Cases) -> bool:
    """Return whether there are enough methods and cases for ranks to mean something."""
    return len(cases.methods) > 1 and cases.n_cases >= FEWEST_CASES


def auc_table(results: BlockResults, share: float, model: str) -> Table:
    """Return AUC by method and data set."""
    columns = list(dict.fromkeys(str(point["name"]) for point in results.block.points))
    figures = auc_figures(results, share, model)
    paper = paper_figures("auc") if (share, model) == PAPER_SETTING else {}
    lines = table_lines(results.methods(), columns, figures, "auc", paper)
    title = f"{results.block.title}: {MODELS.get(model, model)}, {100 * share:g} % of the features"
    return Table(title, [["", "", "", *(NAMES.get(name, name) for name in columns)]], lines, note(lines), n_names=3)


def auc_figures(results: BlockResults, share: float, model: str) -> dict[tuple[str, str], Figure]:
    """Return mean AUC and its deviation by id of the method and data set."""
    return {
        (result.method.id, str(result.place.point["name"])): Figure.of(
            [auc[model] for auc in result.by_seed("auc").values()]
        )
        for result in results.results
        if result.place.point["share"] == share
    }


def paired_cases(results: BlockResults, share: float) -> Cases:
    """Return the values of the methods that have the most cases, on the cases they all have."""
    values: dict[str, dict[tuple[str, int], Mapping[str, float]]] = {m.id: {} for m in results.methods()}
    for result in results.results:
        if result.place.point["share"] == share:
            name = str(result.place.point["name"])
            values[result.method.id] |= {(name, seed): auc for seed, auc in result.by_seed("auc").items()}
    most = max(len(cases) for cases in values.values())
    kept = [method for method in results.methods() if len(values[method.id]) == most]
    common = sorted(set.intersection(*(set(values[method.id]) for method in kept)))
    tables = {
        model: np.array([[values[method.id][case][model] for method in kept] for case in common])
        for model in models(results)
    }
    if len(tables) > 1:
        tables[TOGETHER] = np.mean(list(tables.values()), axis=0)
    return Cases(kept, tables, len(values) - len(kept))


def rank_table(cases: Cases, share: float) -> Table:
    """Return the mean rank of each method under each model, the best method first."""
    ranks = {model: mean_ranks(values) for model, values in cases.values.items()}
    last = list(ranks.values())[-1]
    lines = [
        [Entry(cases.methods[i].label), *(Entry(f"{r[i]:.2f}", best=bool(r[i] == r.min())) for r in ranks.values())]
        for i in np.argsort(last, kind="stable")
    ]
    difference = critical_difference(len(cases.methods), cases.n_cases)
    remark = (
        f"Mean rank over {cases.n_cases} cases (splits of data sets), 1 is best. Ranks further apart than "
        f"{difference:.2f} differ at 5 % by the Nemenyi test. Splits of one data set share rows: the test is lenient."
        + _left_out(cases)
    )
    header = [["", *(MODELS.get(model, model) for model in ranks)]]
    return Table(f"Mean ranks, {100 * share:g} % of the features", header, lines, remark, n_names=1)


def wilcoxon_table(cases: Cases, share: float) -> Iterator[Table]:
    """Yield the table of Wilcoxon tests of FSCPU, in the first of its settings, against each other method."""
    names = [method.name for method in cases.methods]
    if REFERENCE not in names:
        return
    reference = names.index(REFERENCE)
    tests = {model: compare_with(values, reference) for model, values in cases.values.items()}
    lines = []
    for number, first in enumerate(next(iter(tests.values()))):
        fields: list[Entry] = [Entry(cases.methods[first.second].label)]
        for pairs in tests.values():
            fields += _test_entries(pairs[number])
        lines.append(fields)
    label = cases.methods[reference].label
    remark = (
        f"Median of the paired differences, {label} minus the method, and the p-value of the Wilcoxon signed-rank "
        "test, Holm-adjusted for the number of methods. Highlighted: different at 5 %. Splits of one data set share "
        "rows, so the p-values are too small."
    )
    header = [["", *(text for model in tests for text in (MODELS.get(model, model), "p"))]]
    yield Table(f"{label} against the others, {100 * share:g} % of the features", header, lines, remark, n_names=1)


def _test_entries(test: PairedTest) -> list[Entry]:
    difference = short(test.median_difference, DECIMALS["auc"])
    sign = "+" if test.median_difference > 0 else ""
    p = "< .001" if test.adjusted < 0.001 else short(test.adjusted, 3)
    return [Entry(sign + difference), Entry(p, best=test.adjusted < SIGNIFICANT)]


def _left_out(cases: Cases) -> str:
    if not cases.n_left_out:
        return ""
    return f" Methods left out because they have no result in some case: {cases.n_left_out}."
