"""How near `estimate_prior` comes to the true share of positives among the unlabelled rows.

    python benchmarks/prior.py                        # artificial tables: five laws of noise, eight conditions
    python benchmarks/prior.py --board real           # real tables, whose classes overlap
    python benchmarks/prior.py --board labelled       # tables that are mostly labelled

Seeds 0 to 110 were used for tuning. By default seeds 5000 to 5004 are reported. Each estimate is appended to --out as
a line of JSON; what is in there already is not repeated. --jobs runs several processes with one thread each.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, markdown, measure_missing, seed_range
from threadpoolctl import threadpool_limits

from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.trust.prior import estimate_prior
from puselect_paper.studies.real_tables import load_real_table, split_real_table

LAWS = ("uniform", "gaussian", "correlated", "heavy", "permuted")
BOARDS: dict[str, list[tuple[str, str]]] = {
    "worlds": [(law, name) for law in LAWS for name in CONDITIONS if "outlier" not in name],
    "real": [("real", name) for name in ("spambase", "ionosphere", "rt_iot2022")],
    "labelled": [("labelled", name) for name in ("1000/100/100", "1000/20/180", "300/300/300")],
}
SHIFT = 1.5  # standard deviations between the classes, in three of eight columns


class Cell(NamedTuple):
    """One estimate."""

    law: str
    condition: str
    """Of artificial tables, a real table, or labelled, hidden and negative rows."""
    seed: int

    def draw(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the table, the labels and the share of positives among the unlabelled rows."""
        if self.law == "real":
            split, y = split_real_table(self.condition, self.seed), load_real_table(self.condition).y
            n_labelled, n_positive = int(split.y_train.sum()), y.sum() - split.y_test.sum()
            return split.X_train, split.y_train, float(n_positive - n_labelled) / (len(split.y_train) - n_labelled)
        if self.law == "labelled":
            labelled, hidden, negative = map(int, self.condition.split("/"))
            X = np.random.default_rng(self.seed).normal(size=(labelled + hidden + negative, 8))
            X[: labelled + hidden, :3] += SHIFT
            return X, (np.arange(len(X)) < labelled).astype(int), hidden / (hidden + negative)
        X, y, _, classes = make_pu_clusters(
            self.condition, noise=self.law, random_state=self.seed, return_classes=True
        )
        return X, y, float(np.mean(classes[y == 0] == 1))


def measure(cell: Cell) -> Row:
    X, y, truth = cell.draw()
    begin = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = estimate_prior(X, y, random_state=cell.seed)
    low, high = found.interval or (None, None)
    values = {"truth": truth, "code": found.code, "share": found.share, "low": low, "high": high}
    return cell._asdict() | values | {"seconds": time.process_time() - begin}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def line(name: str, rows: list[Row]) -> list[str]:
    """Return a line of the table: means over the tables."""
    told = [row for row in rows if row["share"] is not None]
    if not told:
        return [name, str(len(rows)), "0", *[""] * 6]
    means = [f"{np.mean([row[key] for row in told]):.3f}" for key in ("truth", "share", "low", "high")]
    holds = np.mean([row["low"] <= row["truth"] <= row["high"] for row in told])
    too_low = np.mean([row["high"] < row["truth"] for row in told])
    return [name, str(len(rows)), str(len(told)), *means, f"{holds:.2f}", f"{too_low:.2f}"]


def summary(rows: list[Row]) -> str:
    kind = "law" if rows[0]["law"] in LAWS else "condition"
    names = list(dict.fromkeys(row[kind] for row in rows))
    lines = [line(name, [row for row in rows if row[kind] == name]) for name in names]
    header = ["", "tables", "told", "truth", "estimate", "low", "high", "interval holds", "interval too low"]
    return markdown(header, [*lines, line("all", rows)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="worlds")
    add("--seeds", type=seed_range, default=range(5000, 5005), metavar="A-B", help="default: 5000-5004")
    add("--laws", nargs="+", help="only these")
    add("--conditions", nargs="+", help="only these")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/prior.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(law, condition, seed)
        for law, condition in BOARDS[args.board]
        for seed in args.seeds
        if (not args.laws or law in args.laws) and (not args.conditions or condition in args.conditions)
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
