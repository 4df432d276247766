"""What `bench.py --engine gpu` measures: sweeps against the device's floor, searches against their budgets."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from bench import Check, Measurement, make_shape, seconds

from puselect import FSCPU, fit_many
from puselect.clustering import gpu_engine_class
from puselect.datasets import CONDITIONS, make_pu_clusters

PUBLISHED_STEPS = 3000
SWEEP_SHAPES = ((100, 4500, 25), (8, 4500, 25), (8, 10_000, 34))  # masks, rows, columns
LARGE = (1_000_000, 200, 100)
FRESH = """
import time
from puselect.datasets import make_pu_clusters
from puselect import FSCPU
X, y, _ = make_pu_clusters("10/8/2", random_state=0)
for _ in range(2):
    begin = time.perf_counter()
    FSCPU(25, engine="gpu", random_state=0).fit(X, y)
    print(time.perf_counter() - begin)
"""


def table1_data(n_datasets: int) -> list[tuple[Any, ...]]:
    """Return the ten artificial conditions, so many data sets each."""
    return [make_pu_clusters(condition, random_state=seed) for condition in CONDITIONS for seed in range(n_datasets)]


def lockstep_seconds(selectors: Sequence[FSCPU], data: Sequence[tuple[Any, ...]]) -> float:
    """Return the time of fitting all selectors at once."""
    begin = time.perf_counter()
    fit_many(selectors, [X for X, _, _ in data], [y for _, y, _ in data])
    return time.perf_counter() - begin


def search_times(tell: Callable[[str], None]) -> list[Measurement]:
    """Time whole searches, warm."""
    tell("one search, fifty in lockstep ...")
    X, y, _ = make_pu_clusters("10/8/2", random_state=0)
    one = seconds(lambda: FSCPU(25, engine="gpu", random_state=0).fit(X, y), repeats=3)
    cpu = seconds(lambda: FSCPU(25, engine="cpu", random_state=0, n_jobs=-1).fit(X, y), repeats=3)
    data = table1_data(5)
    many = [FSCPU(25, engine="gpu", n_jobs=-1, random_state=i) for i in range(50)]
    fifty = seconds(lambda: fit_many(many, [X for X, _, _ in data], [y for _, y, _ in data]), repeats=3)
    tell("RT-IoT's shape, a million rows ...")
    shape = make_shape(21343, 67, 34, 23)
    iot = seconds(lambda: FSCPU(34, engine="gpu", random_state=0).fit(shape.X, shape.positive), repeats=2)
    return [
        Measurement("default search", "Table 1", one, "s"),
        Measurement("default search, CPU engine, all cores", "Table 1", cpu, "s"),
        Measurement("50 default searches in lockstep", "Table 1", fifty, "s"),
        Measurement("default search", "RT-IoT", iot, "s"),
        Measurement("default search", "{} x {}, k = {}".format(*LARGE), large_seconds(*LARGE), "s"),
        Measurement("first fit in a process, beyond the second", "Table 1", first_fit_seconds(), "s"),
    ]


def first_fit_seconds(n_processes: int = 5) -> float:
    """Return how much longer the first fit of a fresh process takes than its second, importing torch included.

    The median of some processes, after one that may have compiled: kernels, and the bytecode of all libraries, which an
    ordinary installation has, but not every image of a machine.
    """
    with TemporaryDirectory() as folder:
        changed = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}

        def beyond_second() -> float:
            done = subprocess.run(
                [sys.executable, "-c", FRESH], check=True, capture_output=True, text=True, env=os.environ | changed
            )
            first, second = map(float, done.stdout.split())
            return first - second

        beyond_second()
        return float(np.median([beyond_second() for _ in range(n_processes)]))


def large_seconds(n_rows: int, n_features: int, k: int) -> float:
    """Return the time of a default search on a large table of noise, which is scaled and ranked over all cores."""
    X = np.random.default_rng(0).random((n_rows, n_features), dtype=np.float32)
    y = np.arange(n_rows) < n_rows // 100
    begin = time.perf_counter()
    FSCPU(k, engine="gpu", n_jobs=-1, random_state=0).fit(X, y)
    return time.perf_counter() - begin


def published_step(n_first: int = 6, n_last: int = 46) -> Measurement:
    """Time one step of 50 published searches in lockstep, from `n_first` to `n_last`, after compiling."""
    data = table1_data(5)

    def spent(n_steps: int) -> float:
        searches = [FSCPU.published(25, engine="gpu", max_iter=n_steps, random_state=i) for i in range(50)]
        return lockstep_seconds(searches, data)

    spent(3)
    step = (spent(n_last) - spent(n_first)) / (n_last - n_first)
    return Measurement("a step of 50 published searches", "Table 1", 1e3 * step, "ms")


def run_gpu_bench(quick: bool, tell: Callable[[str], None]) -> tuple[list[Measurement], list[Check]]:
    """Measure the sweeps and the searches and hold them against their budgets."""
    gpu_engine_class()
    from gpu_sweeps import ceilings, device_name, sweep_times

    flops, bandwidth = ceilings()
    measured = [
        Measurement("float32 matrix product", device_name(), flops / 1e12, "TFLOP/s"),
        Measurement("copy", device_name(), bandwidth / 1e12, "TB/s"),
    ]
    for n_masks, n_rows, n_features in SWEEP_SHAPES[: 1 if quick else None]:
        where = f"{n_masks} masks, {n_rows} x {n_features}"
        tell(f"sweeps, {where} ...")
        for sweep in sweep_times(n_masks, n_rows, n_features):
            floor = max(sweep.flops / flops, sweep.bytes / bandwidth)
            measured.append(Measurement(sweep.name, where, 1e6 * sweep.seconds, "us"))
            measured.append(Measurement(f"{sweep.name}, over its floor", where, sweep.seconds / floor, "x"))
    searches = search_times(tell)
    tell("published searches ...")
    step = published_step()
    one, _, fifty, iot, large, first = (row.value for row in searches)
    return [*measured, *searches, step], [
        Check("one default search, Table 1 (s)", one, "<=", 3, 1),
        Check("50 default searches in lockstep (s)", fifty, "<=", 30, 10),
        Check("one default search, RT-IoT's shape (s)", iot, "<=", 5, 1),
        Check("one default search, a million rows (s)", large, "<=", 15, 8),
        Check("50 published searches, from a step (min)", step.value * PUBLISHED_STEPS / 6e4, "<=", 10, 5),
        Check("first fit in a process, beyond the second (s)", first, "<=", 4, 2),
    ]
