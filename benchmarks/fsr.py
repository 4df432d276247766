"""Recall of the relevant features (FSR) of any preset, over the paper's conditions and harder ones.

    python benchmarks/fsr.py                                  # the ten conditions of the paper, 10 data sets each
    python benchmarks/fsr.py --board hard                     # few labels; 200 features; 500 features
    python benchmarks/fsr.py --preset published --conditions 40/8/1 --datasets 1
    python benchmarks/fsr.py --set max_iter=500 population_size=16 --first-seed 1000
"""

import argparse
import ast
import json
import time
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.evaluation import feature_recall
from puselect.methods import METHODS, label_of

N_RELEVANT = 25
FILTERS = ("lowest-variance", "lepage")  # what the search has to beat
SHAPES = ("8/1", "8/2", "1/1", "1/2")
HARD = {
    "2 % labelled, 25 of 50": [(f"2/{shape}", 25) for shape in SHAPES],
    "10 % labelled, 25 of 200": [(f"10/{shape}", 175) for shape in SHAPES],
    "10 % labelled, 25 of 500": [(f"10/{shape}", 475) for shape in SHAPES],
}
PAPER = {  # FSCPU, Table 1
    "40/8/1": 0.91, "40/8/2": 0.90, "40/1/1": 0.75, "40/1/2": 0.82, "10/8/1": 0.92,
    "10/8/2": 0.89, "10/1/1": 0.78, "10/1/2": 0.78, "40/outlier": 0.56, "10/outlier": 0.51,
}  # fmt: skip


def one_search(condition: str, n_irrelevant: int, seed: int, preset: str, settings: dict) -> dict:
    """Fit one data set and return how much was found, in how many steps and seconds."""
    X, y, relevant = make_pu_clusters(condition, n_irrelevant=n_irrelevant, random_state=seed)
    filters = {name: METHODS[name](N_RELEVANT, random_state=seed).fit(X, y).support_ for name in FILTERS}
    make = FSCPU.published if preset == "published" else FSCPU
    selector = make(N_RELEVANT, random_state=seed, **settings)
    begin = time.perf_counter()
    selector.fit(X, y)
    return {
        "condition": condition,
        "n_features": X.shape[1],
        "seed": seed,
        "fsr": feature_recall(selector.support_, relevant),
        "filters": {name: feature_recall(support, relevant) for name, support in filters.items()},
        "seconds": time.perf_counter() - begin,
        "evaluations": selector.n_iter_ * selector.population_size,
        "settled": selector.settled_,
        "objective": selector.objective_,
    }


def line(rows: list[dict], name: str, paper: float | None = None) -> str:
    fsr = np.array([row["fsr"] for row in rows])
    error = fsr.std(ddof=1) / np.sqrt(len(fsr)) if len(fsr) > 1 else float("nan")
    mean = {key: np.mean([row[key] for row in rows]) for key in ("evaluations", "seconds", "settled")}
    others = {label_of(name): np.mean([row["filters"][name] for row in rows]) for name in FILTERS}
    others["random"] = np.mean([N_RELEVANT / row["n_features"] for row in rows])
    others |= {"paper": paper} if paper is not None else {}
    beside = "".join(f"   {label} {value:.2f}" for label, value in others.items())
    return (
        f"{name:28s} {fsr.mean():.3f} ± {error:.3f}   min {fsr.min():.2f}   {mean['evaluations']:7.0f} evaluations "
        f"{mean['seconds']:6.1f} s   settled {mean['settled']:.2f}{beside}"
    )


def run_board(title: str, cells: list[tuple[str, int]], seeds: range, args: argparse.Namespace) -> list[dict]:
    print(f"\n{title}", flush=True)
    one_search(*cells[0], 0, args.preset, {**args.set, "max_iter": 1})  # compiles, outside the clock
    tasks = [(*cell, seed) for cell in cells for seed in seeds]
    rows = Parallel(n_jobs=args.jobs, batch_size=1)(
        delayed(one_search)(*task, args.preset, args.set) for task in tasks
    )
    for condition, n_irrelevant in cells:
        n_features = N_RELEVANT + n_irrelevant
        cell = [row for row in rows if (row["condition"], row["n_features"]) == (condition, n_features)]
        paper = PAPER.get(condition) if n_irrelevant == 25 else None
        print(line(cell, f"{condition}, {N_RELEVANT} of {n_features}", paper))
    print(line([row for row in rows if "outlier" not in row["condition"]], "mean with clusters"), flush=True)
    return rows


def setting(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", choices=["paper", "hard"], default="paper")
    parser.add_argument("--preset", choices=["default", "published"], default="default")
    parser.add_argument("--conditions", nargs="*", help="only these of the board")
    parser.add_argument("--features", type=int, nargs="*", help="only cells with this many features")
    parser.add_argument("--datasets", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="data sets fitted side by side")
    parser.add_argument("--set", type=setting, nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--out", type=Path, help="append the raw results here, one JSON object a line")
    args = parser.parse_args()
    args.set = dict(args.set)
    boards = HARD if args.board == "hard" else {"the conditions of the paper": [(c, 25) for c in CONDITIONS]}
    if args.conditions:
        boards = {title: [cell for cell in cells if cell[0] in args.conditions] for title, cells in boards.items()}
    if args.features:
        boards = {t: [cell for cell in cells if cell[1] + 25 in args.features] for t, cells in boards.items()}
    seeds = range(args.first_seed, args.first_seed + args.datasets)
    rows = []
    with threadpool_limits(1):
        for title, cells in boards.items():
            if cells:
                rows += run_board(title, cells, seeds, args)
    if args.out:
        with args.out.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
