"""Growth of time and memory, limits on time, sparse tables, clusters of workers.

    python benchmarks/scale.py --board growth                 # CPU time of a step by rows, columns, selected, labels
    python benchmarks/scale.py --board time --limit 10        # wall time of a warm fit with max_time
    python benchmarks/scale.py --board sparse                 # 100,000 x 3,000, 1 % filled: time and memory
    python benchmarks/scale.py --board vast --rows 20000000   # Parquet larger than each worker's memory, one killed

The board `time` reads real tables from $PUSELECT_DATA; `vast` needs the extras cli and dask, and disk for the files in
--folder, which are kept.
"""

import argparse
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import wide
from memory import MEGABYTE, peak_memory
from scipy.optimize import nnls
from scipy.sparse import random_array

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.fscpu.settings import ROWS_PER_STEP
from puselect.search.progress import watching

N_CLUSTERS = 10  # of the default
N_COLUMNS, N_RELEVANT, ROWS_PER_FILE = 50, 25, 1_000_000
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


def highest_resident() -> float:
    """Return the most memory that this process had, in megabytes; `ru_maxrss` would count that of its parent, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def make_files(folder: Path, n_rows: int) -> str:
    """Write files of a million rows each that are not there yet; return their pattern."""
    import polars as pl

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(-(-n_rows // ROWS_PER_FILE)):
        path = folder / f"rows-{number:03}.parquet"
        size = min(ROWS_PER_FILE, n_rows - number * ROWS_PER_FILE)
        if not path.exists():
            X, y, _ = make_pu_clusters(
                "10/8/2", n_negative=size - size // 200, n_positive=size // 200, shuffle=False, random_state=number
            )
            y[np.cumsum(y) > 100] = 0  # a hundred labels in each file
            names = [f"c{j:02}" for j in range(X.shape[1])]
            pl.DataFrame(X.astype(np.float32), schema=names).with_columns(pl.Series("y", y)).write_parquet(path)
    return str(folder / "rows-*.parquet")


def vast(folder: Path, n_rows: int, memory: str, steps: int) -> None:
    """Search files on two workers with all rows, kill one of them in the middle, and compare with this process."""
    from distributed import Client, LocalCluster

    from puselect.cli.dask import RemoteFiles

    pattern = make_files(folder, n_rows)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=memory, dashboard_address=None)
    with cluster, Client(cluster) as client:

        def kill_a_worker(step: object) -> None:
            if getattr(step, "number", 0) == 2:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

        begin = time.perf_counter()
        with peak_memory() as peak, watching(kill_a_worker):
            table, y = RemoteFiles(pattern, "y", None, (), cluster.scheduler_address).open(client)
            found = FSCPU(N_RELEVANT, engine="dask", max_samples=None, max_iter=steps, random_state=0).fit(table, y)
        seconds = time.perf_counter() - begin
        highest = client.run(highest_resident)
    whole, in_clusters = n_rows * N_COLUMNS * 8 / MEGABYTE, found.clusterings_.size.sum(axis=1)
    print(f"{n_rows:,} x {N_COLUMNS} ({whole:,.0f} MB of float64), {steps} steps of all rows, two workers of {memory}, "
          f"one killed: {seconds:.0f} s; workers' peaks {', '.join(f'{p:,.0f}' for p in highest.values())} MB, this "
          f"process {peak[0]:,.0f} MB more; rows in the clusters {in_clusters.min():,.0f} to {in_clusters.max():,.0f}; "
          f"{found.support_[:N_RELEVANT].sum()} of 25 relevant")  # fmt: skip
    if n_rows <= ROWS_PER_FILE:
        import polars as pl

        X = pl.scan_parquet(pattern).drop("y").collect().to_numpy()
        same = FSCPU(N_RELEVANT, engine="cpu", max_samples=None, max_iter=steps, random_state=0)
        values = same.fit(X, y).history_.value
        n_other = int((same.support_ != found.support_).sum()) // 2
        print(f"in this process: {n_other} other features, largest difference of values "
              f"{np.abs(values / found.history_.value - 1).max():.2g} of the value, of the objective "
              f"{abs(same.objective_ / found.objective_ - 1):.2g}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=("growth", "time", "sparse", "vast"), default="growth")
    add("--rows", type=int, help="default: 100,000 for sparse, 1,000,000 for vast")
    add("--limit", type=float, default=10.0, help="seconds")
    add("--memory", default="1GB", help="of a worker")
    add("--steps", type=int, help="default: as many as the search needs; 4 for vast")
    add("--folder", type=Path, default=Path("build/vast"))
    args = parser.parse_args()
    if args.board == "growth":
        growth()
    elif args.board == "time":
        limited(args.limit)
    elif args.board == "sparse":
        sparse(args.rows or 100_000, args.steps)
    else:
        vast(args.folder, args.rows or ROWS_PER_FILE, args.memory, args.steps or 4)


if __name__ == "__main__":
    main()
