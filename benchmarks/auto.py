"""Whether `AutoSelector` chooses well: against each method it could have taken, and against our default.

    python benchmarks/auto.py                         # FSR in the ten conditions of Table 1, half of the features
    python benchmarks/auto.py --board worlds          # the same with other laws of noise
    python benchmarks/auto.py --board real            # AUC on Spam, Ionosphere and RT-IoT, 10, 20, 50 % of the features
    python benchmarks/auto.py --methods auto fscpu dt-rfe --conditions 40/outlier 10/outlier   # slow methods by name

Seeds 0 to 40 were used for tuning. By default seeds 5000 to 5009 are reported; on real tables they are those of splits,
which depend on the seed alone and are shared by all methods. Each fit is appended to --out as a line of JSON; what is
in there already is not repeated. --jobs runs several processes with one thread each.
"""

import argparse
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from journal import Row, measure_missing, seed_range
from scipy.stats import ttest_1samp
from threadpoolctl import threadpool_limits

from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.evaluation import feature_recall
from puselect.evaluation.holdout import compile_kernels
from puselect.methods import METHODS
from puselect_paper.report.paper import paper_figures
from puselect_paper.statistics import corrected_resampled_t_test, holm, mean_ranks
from puselect_paper.studies.open_data import judge, n_selected
from puselect_paper.studies.real_tables import TEST_SHARE, split_real_table
from puselect_paper.studies.rows import is_installed

AUTO, DEFAULT = "auto", "fscpu"
# dt-rfe takes a minute or two a fit and has to be named
METHODS_COMPARED = (
    AUTO, DEFAULT, "fscpu-mi", "semi-jmi", "forest", "pu-bagging", "l1-logistic", "lepage", "fastcan", "kbest", "lasso",
    "mrmr", "jsfs", "sselect", "mrmr-ufs",
)  # fmt: skip
MODELS = ("logistic", "random-forest", "extra-trees")
REAL = "real"
SIGNIFICANT = 0.05
BOARDS: dict[str, list[tuple[str, str, float]]] = {
    "table1": [("uniform", name, 0.5) for name in CONDITIONS],
    "worlds": [(law, name, 0.5) for law in ("gaussian", "heavy", "permuted") for name in CONDITIONS],
    "real": [(REAL, name, share) for name in ("spambase", "ionosphere", "rt_iot2022") for share in (0.1, 0.2, 0.5)],
}


class Cell(NamedTuple):
    """One fit to be done."""

    law: str
    """Of the irrelevant columns, or `REAL`."""
    condition: str
    """Or the name of a real table."""
    share: float
    """Of the features, to be selected."""
    method: str
    seed: int


def measure(cell: Cell) -> Row:
    """Select features and return the recall of the relevant ones, or the mean AUC of three models on test rows."""
    compile_kernels(DEFAULT)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if cell.law == REAL:
            split = split_real_table(cell.condition, cell.seed)
            found, seconds = fit(cell, split.X_train, split.y_train)
            auc = judge(found.support_, split, MODELS, cell.seed)
            value = float(np.mean(list(auc.values())))
        else:
            X, y, relevant = make_pu_clusters(cell.condition, noise=cell.law, random_state=cell.seed)
            found, seconds = fit(cell, X, y)
            value = feature_recall(found.support_, relevant)
    return cell._asdict() | {"code": getattr(found, "method_", cell.method), "value": value, "seconds": seconds}


def fit(cell: Cell, X: np.ndarray, y: np.ndarray) -> tuple[Any, float]:
    """Return the fitted selector and its processor time."""
    begin = time.process_time()
    selector = METHODS[cell.method](n_selected(X.shape[1], cell.share), random_state=cell.seed).fit(X, y)
    return selector, time.process_time() - begin


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


Column = tuple[str, str, float]
Board = dict[Column, dict[str, np.ndarray]]


def board_of(rows: list[Row]) -> Board:
    """Return the values of each method by column, in the order of the seeds."""
    board: dict[Column, dict[str, list[float]]] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        column = board.setdefault((row["law"], row["condition"], row["share"]), {})
        column.setdefault(row["method"], []).append(row["value"])
    return {column: {method: np.array(of) for method, of in values.items()} for column, values in board.items()}


def p_value(column: Column, difference: np.ndarray) -> float:
    """Return the two-sided p-value of no difference: splits of one table share rows, artificial tables do not."""
    if len(difference) < 2:
        return 1.0
    if column[0] == REAL:
        return corrected_resampled_t_test(difference, TEST_SHARE)
    return float(ttest_1samp(difference, 0).pvalue) if difference.std() > 0 else float(difference.mean() == 0)


def summary(rows: list[Row]) -> str:
    """Return the table of means, mean ranks, and how `AutoSelector` compares with the best and with the default."""
    board = board_of(rows)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    ranks = np.mean([mean_ranks(np.column_stack([of[m] for m in methods])) for of in board.values()], axis=0)
    names = [f"{condition} {share:.0%}" if law == REAL else f"{law} {condition}" for law, condition, share in board]
    lines = [["", *names, "mean", "mean rank", "seconds"], ["---", *["---:"] * (len(names) + 3)]]
    for i in np.argsort(ranks, kind="stable"):
        means = [of[methods[i]].mean() for of in board.values()]
        seconds = np.mean([row["seconds"] for row in rows if row["method"] == methods[i]])
        shown = [f"{value:.3f}" for value in (*means, float(np.mean(means)))]
        lines.append([methods[i], *shown, f"{ranks[i]:.2f}", f"{seconds:.1f}"])
    published = paper_figures("fsr")
    if any(name in [data for _, data in published] and law == "uniform" for law, name, _ in board):
        best = [max(figure.mean for (_, data), figure in published.items() if data == name) for _, name, _ in board]
        lines.append(["best published", *(f"{value:.2f}" for value in best), f"{np.mean(best):.3f}", "", ""])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([text, *(against(board, rival) for rival in ("", DEFAULT)), taken(rows)])


def against(board: Board, rival: str) -> str:
    """Return the columns in which `AutoSelector` is significantly below a rival, by default the best of each column."""
    others = {
        column: rival or max((m for m in of if m != AUTO), key=lambda m: of[m].mean()) for column, of in board.items()
    }
    differences = {column: of[AUTO] - of[others[column]] for column, of in board.items() if AUTO in of}
    adjusted = holm([p_value(column, values) for column, values in differences.items()])
    below = [
        f"{column[1]} {column[2]:.0%}: {values.mean():+.3f} against {others[column]} (p = {p:.3f})"
        for (column, values), p in zip(differences.items(), adjusted, strict=True)
        if p < SIGNIFICANT and values.mean() < 0
    ]
    mean = np.mean([values.mean() for values in differences.values()])
    start = f"auto minus {rival or 'the best of each column'}: {mean:+.4f} on average"
    return f"{start}; significantly below (Holm, {len(adjusted)} columns): {'; '.join(below) or 'nowhere'}."


def taken(rows: list[Row]) -> str:
    """Return how often each method was taken."""
    counts = Counter(row["code"] for row in rows if row["method"] == AUTO)
    return f"Taken: {', '.join(f'{method} {n}' for method, n in counts.most_common())}."


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="table1")
    add("--seeds", type=seed_range, default=range(5000, 5010), metavar="A-B", help="default: 5000-5009")
    add("--methods", nargs="+", default=[name for name in METHODS_COMPARED if is_installed(name)])
    add("--conditions", nargs="+", help="only these; also names of real tables")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/auto.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(law, condition, share, method, seed)
        for method in args.methods  # the slowest first, so that processes end together
        for law, condition, share in BOARDS[args.board]
        for seed in args.seeds
        if not args.conditions or condition in args.conditions
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
