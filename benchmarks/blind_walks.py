"""ES-MCRFS without forests: every mask is worth the share of unlabelled rows, as if all rows were called unlabelled.

    python benchmarks/blind_walks.py --out docs/results/blind_walks.jsonl

Forests take nearly all of the method's time, and on the paper's artificial data hardly ever do better than that
(`forest_reward.py`). If a run without them selects what a run with them did, they have no say, and the paper's 6000
walks can be had in seconds. FSR by condition, number of walks and seed, the seeds of Table 1.
"""

import argparse
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from journal import Row, markdown, measure_missing, seed_range

from puselect.arrays import BoolArray
from puselect.datasets import make_pu_clusters
from puselect_paper.baselines import ESMCRFS, es_mcrfs
from puselect_paper.report.paper import Figure, paper_figures

CONDITIONS = tuple(condition for method, condition in paper_figures("fsr") if method == "es-mcrfs")
WALKS = (500, 6000)


class ShareReward(es_mcrfs.ForestReward):
    """The same for all masks but the empty one."""

    def __call__(self, mask: BoolArray) -> float:
        """Return the share of unlabelled rows among those that a forest would be scored on."""
        return float(np.mean(~self.positive[self.scored])) if mask.any() else 0.0


class Cell(NamedTuple):
    """One run on one data set."""

    condition: str
    walks: int
    seed: int


def measure(cell: Cell) -> Row:
    """Fit one cell."""
    X, y, relevant = make_pu_clusters(cell.condition, random_state=cell.seed)
    with patch.object(es_mcrfs, "ForestReward", ShareReward):
        selector = ESMCRFS(int(relevant.sum()), max_iter=cell.walks, random_state=cell.seed).fit(X, y)
    chosen = selector.get_support()
    return cell._asdict() | {"fsr": float(relevant[chosen].mean()), "selected": np.flatnonzero(chosen).tolist()}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def summary(rows: list[Row]) -> str:
    """Return FSR by number of walks and condition, mean ± standard deviation."""
    conditions = list(dict.fromkeys(row["condition"] for row in rows))
    lines = []
    for walks in dict.fromkeys(row["walks"] for row in rows):
        fsr = {c: [row["fsr"] for row in rows if (row["walks"], row["condition"]) == (walks, c)] for c in conditions}
        n = len(fsr[conditions[0]])
        lines.append([f"without forests, {walks} walks ({n})", *(Figure.of(fsr[c]).text(2) for c in conditions)])
    lines.append(["paper", *(paper_figures("fsr")["es-mcrfs", c].text(2) for c in conditions)])
    return markdown(["ES-MCRFS", *conditions], lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conditions", nargs="+", default=CONDITIONS)
    parser.add_argument("--walks", nargs="+", type=int, default=WALKS)
    parser.add_argument("--seeds", type=seed_range, default=range(5), metavar="A-B", help="default: 0-4")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("build/blind_walks.jsonl"))
    args = parser.parse_args(arguments)
    cells = [Cell(c, walks, seed) for walks in args.walks for c in args.conditions for seed in args.seeds]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
