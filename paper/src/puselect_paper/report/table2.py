"""Table 2: the open data sets, counted, beside what the paper printed."""

from puselect_paper.report.results import BlockResults
from puselect_paper.report.table3 import NAMES
from puselect_paper.report.tables import Entry, Table

PRINTED: dict[str, dict[str, int]] = {
    "instances": {"spambase": 4601, "ionosphere": 351, "rt_iot2022": 28458},
    "features": {"spambase": 57, "ionosphere": 34, "rt_iot2022": 67},
    "positive instances": {"spambase": 1813, "ionosphere": 126, "rt_iot2022": 1536},
    "labelled for training": {"spambase": 40, "ionosphere": 9, "rt_iot2022": 23},
    "positive for testing": {"spambase": 453, "ionosphere": 31, "rt_iot2022": 384},
}
"""The paper's Table 2, but for the number of classes (2, 2, 11): loaded, the data have two."""


def counts_table(results: BlockResults) -> Table:
    """Return our counts and the paper's, by data set; those that differ are marked."""
    ours = {str(result.place.point["name"]): dict(result.rows[0].values or {}) for result in results.results}
    lines = []
    for name, printed in PRINTED.items():
        counted = [
            Entry(f"{values[name]:,}", differs=values[name] != printed.get(data)) for data, values in ours.items()
        ]
        lines.append([Entry(name), Entry("ours", quiet=True), *counted])
        paper = [Entry(f"{printed[data]:,}" if data in printed else "", quiet=True) for data in ours]
        lines.append([Entry(), Entry("paper", quiet=True), *paper])
    return Table(results.block.title, [["", "", *(NAMES.get(name, name) for name in ours)]], lines)
