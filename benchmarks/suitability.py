"""Whether `check_suitability` tells data with clusters from data without, and whether its p-values are valid.

    python benchmarks/suitability.py                                          # verdicts in the ten conditions
    python benchmarks/suitability.py --board few                              # ten labelled rows
    python benchmarks/suitability.py --board shuffled --seeds 5000-5199       # p-values of shuffled labels
    python benchmarks/suitability.py --board shuffled --seeds 5000-5199 --no-early-stopping

Seeds 0 to 9 were used for tuning. By default seeds 5000 to 5009 are reported. Each check is appended to --out as a line
of JSON; what is in there already is not repeated. --jobs runs several processes with one thread each.
"""

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, measure_missing, seed_range
from scipy.stats import kstwo
from threadpoolctl import threadpool_limits

from puselect import check_suitability
from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.selectors.suitability import Verdict

LAWS = ("uniform", "gaussian", "correlated", "heavy")
TINY = 1e-9
SHAPES = ("8/1", "8/2", "1/1", "1/2", "outlier")
BOARDS: dict[str, list[tuple[str, str, bool]]] = {
    "worlds": [(law, name, False) for law in LAWS for name in CONDITIONS],
    "few": [(law, f"2/{shape}", False) for law in LAWS for shape in SHAPES],
    "shuffled": [("gaussian", "10/8/2", True), ("correlated", "40/1/2", True)],
}


class Cell(NamedTuple):
    """One check to be done."""

    law: str
    condition: str
    shuffled: bool
    early_stopping: bool
    seed: int


def measure(cell: Cell) -> Row:
    X, y, _ = make_pu_clusters(cell.condition, noise=cell.law, random_state=cell.seed)
    if cell.shuffled:
        y = np.random.default_rng([cell.seed, 1]).permutation(y)
    begin = time.process_time()
    with threadpool_limits(1):
        found = check_suitability(
            X, y, early_stopping=cell.early_stopping, engine="cpu", n_jobs=1, random_state=cell.seed
        )
    low, high = found.interval
    values = {"code": found.code, "p_value": found.p_value, "lift": found.lift, "low": low, "high": high}
    return cell._asdict() | values | {"n_shuffles": found.n_shuffles, "seconds": time.process_time() - begin}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def line(name: str, rows: list[Row]) -> str:
    codes = Counter(row["code"] for row in rows)
    p_values = np.array([row["p_value"] for row in rows])
    below = [f"{(p_values <= level).sum()}" for level in (0.05, 0.1, 0.5)]
    lift = f"{np.median([row['lift'] for row in rows]):.2f}"
    spent = [f"{np.mean([row[key] for row in rows]):.1f}" for key in ("n_shuffles", "seconds")]
    return f"| {' | '.join([name, str(len(rows)), *(str(codes[code]) for code in Verdict), *below, lift, *spent])} |"


def summary(rows: list[Row]) -> str:
    """Return a table with a line per condition."""
    header = ["", "tables", *Verdict, "p <= .05", "p <= .1", "p <= .5", "median lift", "shuffles", "seconds"]
    names = list(dict.fromkeys(row["condition"] for row in rows))
    parts = [line(name, [row for row in rows if row["condition"] == name]) for name in names]
    table = "\n".join([f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1), *parts, line("all", rows)])
    return f"{table}\n\n{uniformity(rows)}" if rows[0]["shuffled"] and not rows[0]["early_stopping"] else table


def uniformity(rows: list[Row]) -> str:
    """Return how far the distribution of the p-values is from one that is uniform on their possible values."""
    p_values, steps = np.array([row["p_value"] for row in rows]), rows[0]["n_shuffles"] + 1
    possible = np.arange(1, steps + 1) / steps
    distance = np.abs([(p_values <= each + TINY).mean() - each for each in possible]).max()
    return f"Kolmogorov-Smirnov distance from uniform: {distance:.3f}, p = {kstwo.sf(distance, len(rows)):.2f}."


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="worlds")
    add("--seeds", type=seed_range, default=range(5000, 5010), metavar="A-B", help="default: 5000-5009")
    add("--laws", nargs="+", help="only these")
    add("--conditions", nargs="+", help="only these")
    add("--no-early-stopping", action="store_true")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/suitability.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(law, condition, shuffled, not args.no_early_stopping, seed)
        for law, condition, shuffled in BOARDS[args.board]
        for seed in args.seeds
        if (not args.laws or law in args.laws) and (not args.conditions or condition in args.conditions)
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
