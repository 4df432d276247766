"""Growth of time and memory, limits on time, sparse tables.

    python benchmarks/scale.py --board growth                 # CPU time of a step by rows, columns, selected, labels
    python benchmarks/scale.py --board time --limit 10        # wall time of a warm fit with max_time
    python benchmarks/scale.py --board sparse                 # 100,000 x 3,000, 1 % filled: time and memory

The board `time` reads real tables from $PUSELECT_DATA.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import wide
from memory import MEGABYTE, peak_memory
from scipy.optimize import nnls
from scipy.sparse import random_array

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.fscpu.settings import ROWS_PER_STEP

N_CLUSTERS = 10  # of the default
N_RELEVANT = 25
WIDE_CASES = ("isolet/12", "isolet/62", "madelon/20", "pcmac/66", "genes/1500/30", "genes/1500/150", "genes/10000/200",
              "gaussian/500", "gaussian/2000", "gaussian/10000")  # fmt: skip


def compile_kernels() -> None:
    rng = np.random.default_rng(0)
    for k in (4, 60):
        FSCPU(k, max_iter=1, random_state=0).fit(rng.random((80, 100)), np.arange(80) < 12)


def step_seconds(n_rows: int, n_columns: int, k: int, n_labelled: int) -> tuple[float, float]:
    """Return CPU seconds of a step, and of everything that is done once, on random columns."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, n_columns), dtype=np.float32)
    y = np.arange(n_rows) < n_labelled
    X[y] *= rng.random(n_columns, dtype=np.float32)
    steps, seconds = [], []
    for most in (1, 10, 130):  # the first fit may compile
        begin = time.process_time()
        steps.append(FSCPU(k, max_iter=most, n_jobs=1, random_state=0).fit(X, y).n_iter_)
        seconds.append(time.process_time() - begin)
    step = (seconds[2] - seconds[1]) / (steps[2] - steps[1])
    return step, seconds[1] - steps[1] * step


def growth() -> None:
    """Print CPU times and what a model of operations makes of them."""
    compile_kernels()
    base = {"n_rows": 4000, "n_columns": 100, "k": 25, "n_labelled": 50}
    changes = [{}, {"n_rows": 1000}, {"n_rows": 2000}, {"n_rows": 8000}, {"n_rows": 40_000}, {"n_columns": 50},
               {"n_columns": 400}, {"n_columns": 1600}, {"k": 6}, {"k": 12}, {"k": 50}, {"k": 100, "n_columns": 400},
               {"n_labelled": 10}, {"n_labelled": 200}]  # fmt: skip
    print("| rows | columns | selected | labelled | ms a step | once, s | model, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    rows = []
    step_seconds(**base)
    for change in changes:
        case = {**base, **change}
        rows.append((case, *step_seconds(**case)))
    work = np.array([[1.0, *operations(case)] for case, _, _ in rows])
    measured = np.array([step for _, step, _ in rows])
    weight, _ = nnls(work / measured[:, None], np.ones(len(measured)))
    for (case, step, once), model in zip(rows, work @ weight, strict=True):
        cells = [f"{value:,}" for value in case.values()]
        print(f"| {' | '.join(cells)} | {1e3 * step:.1f} | {once:.2f} | {1e3 * model:.1f} |")
    fixed, square, line = 1e3 * weight[0], 1e9 * weight[1], 1e9 * weight[2]
    print(f"\nmodel: {fixed:.2f} ms + {square:.3f} ns x quadratic + {line:.3f} ns x linear")


def operations(case: dict[str, int]) -> tuple[float, float]:
    """Return what a step of eight masks multiplies, for covariances and for distances to centres."""
    n, k = min(case["n_rows"], ROWS_PER_STEP), case["k"]
    return 8.0 * n * N_CLUSTERS * k * k, 8.0 * n * N_CLUSTERS * k


def timed_tables() -> Iterator[tuple[str, Any, np.ndarray, int | str]]:
    """Give names, tables, labels and numbers of columns to select."""
    for name, n_negative, n_positive, n_irrelevant in (
        ("4,500 x 50", 4000, 500, 25), ("40,000 x 200", 36_000, 4000, 175)
    ):  # fmt: skip
        sizes = {"n_negative": n_negative, "n_positive": n_positive, "n_irrelevant": n_irrelevant}
        X, y, _ = make_pu_clusters("10/8/2", **sizes, random_state=5000)
        yield name, X, y, N_RELEVANT
        yield f"{name}, number found", X, y, "auto"
    for case in WIDE_CASES:
        data = wide.draw(case, 5000)
        yield case, data.X, data.y, data.k
    X = random_array((100_000, 3000), density=0.01, random_state=0, format="csr", dtype=np.float64)
    yield "100,000 x 3,000 sparse", X, np.arange(X.shape[0]) < 200, 30


def limited(limit: float) -> None:
    """Print the wall time of warm fits with a limit."""
    compile_kernels()
    header = ["table", "limit, s", "wall, s", "CPU, s", "search", "steps", "objective"]
    print("| " + " | ".join(header) + " |\n|---|---:|---:|---:|---|---:|---:|", flush=True)
    for name, X, y, k in timed_tables():
        FSCPU(k, max_iter=1, n_jobs=2, random_state=0).fit(X, y)
        begin, work = time.perf_counter(), time.process_time()
        found = FSCPU(k, max_time=limit, n_jobs=2, random_state=0).fit(X, y)
        seconds, work = time.perf_counter() - begin, time.process_time() - work
        over = "cut" if found.timed_out_ else "over before"
        print(f"| {name} | {limit:g} | {seconds:.1f} | {work:.1f} | {over} | {found.n_iter_} | "
              f"{found.objective_:.4f} |", flush=True)  # fmt: skip


def sparse(n_rows: int, max_iter: int | None) -> None:
    compile_kernels()
    X = random_array((n_rows, 3000), density=0.01, random_state=0, format="csr", dtype=np.float64)
    size = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / MEGABYTE
    wall, work = time.perf_counter(), time.process_time()
    with peak_memory() as peak:
        found = FSCPU(30, max_iter=max_iter, n_jobs=2, random_state=0).fit(X, np.arange(n_rows) < 200)
    wall, work = time.perf_counter() - wall, time.process_time() - work
    print(f"{n_rows:,} x 3,000, table {size:.0f} MB: {found.n_iter_} steps in {wall:.1f} s ({work:.1f} s of CPU), "
          f"{peak[0]:.0f} MB more, {peak[0] / size:.2f} times the table")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=("growth", "time", "sparse"), default="growth")
    add("--rows", type=int, default=100_000, help="of the board sparse")
    add("--limit", type=float, default=10.0, help="seconds")
    add("--steps", type=int, help="default: as many as the search needs")
    args = parser.parse_args()
    if args.board == "growth":
        growth()
    elif args.board == "time":
        limited(args.limit)
    else:
        sparse(args.rows, args.steps)


if __name__ == "__main__":
    main()
