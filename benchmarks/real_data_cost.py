"""Seconds and peak memory of each method on the training splits of Spambase, Ionosphere and RT-IoT2022.

    python benchmarks/real_data_cost.py kbest lasso semi-jmi mrmr sselect mrmr-ufs jsfs fscpu
    python benchmarks/real_data_cost.py dt-rfe --data spam --limit 600

Three quarters of the rows, as many positives labelled as in the paper, half of the columns selected. Every fit runs in
a fresh process, after a small one that compiles and is not timed; a warning from anywhere ends it as an error.
Memory is that of the whole process, read from Linux's /proc: before the fit, with libraries and data, and its peak.
"""

import argparse
import multiprocessing
import time
import warnings
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from baselines import METHODS as BASELINES
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from puselect.datasets import hide_labels, make_pu_clusters
from puselect.methods import METHODS as REGISTRY
from puselect_paper.datasets import load_ionosphere, load_rt_iot2022, load_spambase

DATA = {"spam": load_spambase, "ionosphere": load_ionosphere, "rt-iot": load_rt_iot2022}
METHODS: dict[str, Callable[..., Any]] = {
    **REGISTRY,
    "es-mcrfs-short": BASELINES["es-mcrfs-short"],
    "lgbm-opt-short": partial(REGISTRY["lgbm-opt"], max_iter=100),
}
NOTHING_TO_COMPILE = {"dt-rfe", "es-mcrfs", "es-mcrfs-short", "lgbm-opt", "lgbm-opt-short"}


def training_split(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns and the positive-unlabelled labels of three quarters of the rows."""
    bunch = DATA[data]()
    X, _, classes, _ = train_test_split(bunch.data, bunch.target, test_size=0.25, stratify=bunch.target, random_state=0)
    return X, hide_labels(classes, bunch.label_rate, random_state=0)


def megabytes(field: str) -> float:
    """Return VmRSS, the memory held now, or VmHWM, the most held since the last reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024


def warm_up(name: str) -> None:
    """Compile what the method needs, on a few rows."""
    if name not in NOTHING_TO_COMPILE:
        X, y, _ = make_pu_clusters("40/8/2", random_state=0)
        METHODS[name](25, random_state=0).fit(X[::10], y[::10])


def measure(name: str, data: str, results: Connection) -> None:
    """Fit once and send what it cost, in words."""
    X, y = training_split(data)
    with threadpool_limits(1):
        warm_up(name)
        warnings.simplefilter("error")
        Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
        before = megabytes("VmRSS")
        begun = time.perf_counter()
        try:
            METHODS[name](random_state=0).fit(X, y)
        except Warning as warning:
            results.send(f"{type(warning).__name__}: {warning}")
            return
        seconds = time.perf_counter() - begun
    results.send(f"{seconds:8.2f} s {before:6.0f} MB before {megabytes('VmHWM'):6.0f} MB peak   no warning")


def in_fresh_process(name: str, data: str, limit: float) -> str:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=measure, args=(name, data, sender))
    process.start()
    sender.close()
    try:
        return str(receiver.recv()) if receiver.poll(limit) else f"not finished after {limit:.0f} s"
    except EOFError:
        return "failed"
    finally:
        process.terminate()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="+", choices=METHODS, metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--limit", type=float, default=600, help="seconds for one fit (default: %(default)s)")
    arguments = parser.parse_args()
    for data in arguments.data:
        X, y = training_split(data)
        print(f"\n{data}: {X.shape[0]} rows, {X.shape[1]} columns, {y.sum()} labelled", flush=True)
        for name in arguments.methods:
            print(f"{name:18}{in_fresh_process(name, data, arguments.limit)}", flush=True)


if __name__ == "__main__":
    main()
