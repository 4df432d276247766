"""Searches on a GPU against their budgets, for `bench.py --engine gpu`."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from bench import Check, Measurement, make_shape, seconds

from puselect import FSCPU, fit_many
from puselect.clustering import gpu_engine_class
from puselect.datasets import CONDITIONS, make_pu_clusters

PUBLISHED_STEPS = 3000
LARGE = (1_000_000, 200, 100)


def table1_data(n_datasets: int) -> list[tuple[Any, ...]]:
    """Return the ten artificial conditions, so many data sets each."""
    return [make_pu_clusters(condition, random_state=seed) for condition in CONDITIONS for seed in range(n_datasets)]


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
        Measurement("default search, Table 1", one, "s"),
        Measurement("default search, Table 1, CPU engine, all cores", cpu, "s"),
        Measurement("50 default searches in lockstep", fifty, "s"),
        Measurement("default search, RT-IoT's shape", iot, "s"),
        Measurement("default search, {} x {}, k = {}".format(*LARGE), large_seconds(*LARGE), "s"),
    ]


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
        begin = time.perf_counter()
        fit_many(searches, [X for X, _, _ in data], [y for _, y, _ in data])
        return time.perf_counter() - begin

    spent(3)
    step = (spent(n_last) - spent(n_first)) / (n_last - n_first)
    return Measurement("a step of 50 published searches", 1e3 * step, "ms")


def run_gpu_bench(quick: bool, tell: Callable[[str], None]) -> tuple[list[Measurement], list[Check]]:
    """Measure searches and hold them against their budgets."""
    gpu_engine_class()  # an error where there is no GPU
    searches = search_times(tell)
    tell("published searches ...")
    step = published_step()
    one, _, fifty, iot, large = (row.value for row in searches)
    return [*searches, step], [
        Check("one default search, Table 1 (s)", one, "<=", 3, 1),
        Check("50 default searches in lockstep (s)", fifty, "<=", 30, 10),
        Check("one default search, RT-IoT's shape (s)", iot, "<=", 5, 1),
        Check("one default search, a million rows (s)", large, "<=", 15, 8),
        Check("50 published searches, from a step (min)", step.value * PUBLISHED_STEPS / 6e4, "<=", 10, 5),
    ]
