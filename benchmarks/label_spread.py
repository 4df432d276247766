"""How often `check_label_spread` says that labels come from one corner, with and without such a bias.

    python benchmarks/label_spread.py                       # biases 1 (none), 3 and 9 in conditions with two clusters
    python benchmarks/label_spread.py --board one           # one cluster of positives: there is no corner
    python benchmarks/label_spread.py --board real          # labels drawn at random from real classes, which overlap

Seeds 0 to 40 were used for tuning. By default seeds 5000 to 5019 are reported. Each check is appended to --out as a
line of JSON; what is in there already is not repeated. --jobs runs several processes with one thread each.
"""

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, measure_missing, seed_range
from threadpoolctl import threadpool_limits

from puselect.datasets import make_pu_clusters
from puselect.trust.spread import SpreadCode, check_label_spread
from puselect_paper.studies.real_tables import split_real_table

LAWS = ("uniform", "gaussian", "correlated", "heavy", "permuted")
TWO_CLUSTERS = ("10/8/2", "40/8/2", "10/1/2", "40/1/2")
REAL = ("spambase", "ionosphere", "rt_iot2022")
BOARDS: dict[str, list[tuple[str, str, float]]] = {
    "two": [(law, name, bias) for bias in (1.0, 3.0, 9.0) for law in LAWS for name in TWO_CLUSTERS],
    "one": [(law, name, 1.0) for law in LAWS for name in ("10/8/1", "40/1/1")],
    "real": [("real", name, 1.0) for name in REAL],
}


class Cell(NamedTuple):
    """One check to be done."""

    law: str
    condition: str
    bias: float
    seed: int


def measure(cell: Cell) -> Row:
    if cell.law == "real":
        split = split_real_table(cell.condition, cell.seed)
        X, y = split.X_train, split.y_train
    else:
        X, y, _ = make_pu_clusters(cell.condition, noise=cell.law, label_bias=cell.bias, random_state=cell.seed)
    begin = time.process_time()
    with threadpool_limits(1):
        found = check_label_spread(X, y, random_state=cell.seed)
    values = {"code": found.code, "p_value": found.p_value, "ratio": found.ratio, "n_labelled": found.n_labelled}
    return cell._asdict() | values | {"seconds": time.process_time() - begin}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def line(name: str, rows: list[Row]) -> str:
    codes = Counter(row["code"] for row in rows)
    shares = [f"{codes[code] / len(rows):.3f}" for code in SpreadCode]
    ratio, seconds = (f"{np.median([row[key] for row in rows]):.1f}" for key in ("ratio", "seconds"))
    return f"| {' | '.join([name, str(len(rows)), *shares, ratio, seconds])} |"


def summary(rows: list[Row]) -> str:
    """Return a table with a line per bias and condition."""
    header = ["bias, condition", "tables", *(code.replace("_", " ") for code in SpreadCode), "ratio", "seconds"]
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1)]
    for bias in dict.fromkeys(row["bias"] for row in rows):
        of_bias = [row for row in rows if row["bias"] == bias]
        for condition in dict.fromkeys(row["condition"] for row in of_bias):
            lines.append(line(f"{bias:g}, {condition}", [row for row in of_bias if row["condition"] == condition]))
        lines.append(line(f"all, {bias:g}", of_bias))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="two")
    add("--seeds", type=seed_range, default=range(5000, 5020), metavar="A-B", help="default: 5000-5019")
    add("--laws", nargs="+", help="only these")
    add("--conditions", nargs="+", help="only these")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/label_spread.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(law, condition, bias, seed)
        for law, condition, bias in BOARDS[args.board]
        for seed in args.seeds
        if (not args.laws or law in args.laws) and (not args.conditions or condition in args.conditions)
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
