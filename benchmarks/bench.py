"""Measure speed and memory against scikit-learn in the same run; fails if a figure misses its budget.

Usage: python benchmarks/bench.py [--quick] [--engine cpu|gpu] [--out FILE]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.clustering import make_engine
from puselect.clustering.mixture import MixtureSpec
from puselect.clustering.reference import quiet_fit_predict
from puselect.datasets import make_pu_clusters
from puselect.fscpu.settings import Settings
from puselect.scaling import scale_columns

TABLE_1 = (4500, 50, 25, 50)  # rows, features, selected features, labelled positives
PUBLISHED_FITS = 6000
MEMORY_SCRIPT = """
import resource, sys, time
import numpy as np
from puselect import FSCPU
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
FSCPU(2, max_iter=2).fit(np.random.default_rng(0).random((50, 4)), np.arange(50) < 5)
n, d, k = map(int, sys.argv[1:])
X = np.random.default_rng(0).random((n, d))
y = np.arange(n) < n // 100
before = peak()
begin = time.perf_counter()
FSCPU(k, n_jobs=2, random_state=0).fit(X, y)
print(time.perf_counter() - begin, (peak() - before + X.nbytes) / X.nbytes)
"""
FIRST_CALL_SCRIPT = """
import time
begin = time.process_time()
import puselect
imported = time.process_time()
import numpy as np
selector = puselect.FSCPU(5, max_iter=2)
ready = time.process_time()
selector.fit(np.random.default_rng(0).random((200, 10)), np.arange(200) < 30)
print(imported - begin, ready - begin, time.process_time() - ready)
"""


class Measurement(NamedTuple):
    """One figure."""

    what: str
    value: float
    unit: str


class Check(NamedTuple):
    """One figure and its budget."""

    name: str
    value: float
    sign: str
    budget: float
    goal: float

    @property
    def passed(self) -> bool:
        """Whether the figure keeps its budget."""
        return self.value >= self.budget if self.sign == ">=" else self.value <= self.budget


class Shape(NamedTuple):
    """A table of some shape, scaled, with random masks."""

    X: NDArray[np.float64]
    positive: NDArray[np.bool_]
    masks: NDArray[np.bool_]


def make_shape(rows: int, features: int, selected: int, labelled: int, n_masks: int = 8) -> Shape:
    """Return artificial data under the paper's condition 8/2 in this shape, and masks of `selected` features."""
    n_positive = max(rows // 9, labelled)
    X, y, _ = make_pu_clusters(
        f"{100 * labelled / n_positive}/8/2",
        n_negative=rows - n_positive,
        n_positive=n_positive,
        n_relevant=features // 2,
        n_irrelevant=features - features // 2,
        random_state=0,
    )
    masks = np.zeros((n_masks, features), dtype=bool)
    for i, mask in enumerate(masks):
        mask[np.random.default_rng(i).choice(features, selected, replace=False)] = True
    return Shape(scale_columns(X), y == 1, masks)


def seconds(work: Callable[[], Any], repeats: int = 5) -> float:
    """Return the median time of several runs, after one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def evaluation_seconds(shape: Shape, spec: MixtureSpec, repeats: int = 5) -> float:
    """Return the time of one clustering on one thread."""
    engine = make_engine("cpu", shape.X, shape.positive, spec, n_jobs=1)
    seeds = np.zeros(len(shape.masks), dtype=int)
    return seconds(lambda: engine.cluster(shape.masks, seeds), repeats) / len(shape.masks)


def sklearn_fit(X: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Fit the paper's mixture with scikit-learn; return the sizes of the clusters."""
    mixture = GaussianMixture(10, covariance_type="full", random_state=seed)
    labels, _ = quiet_fit_predict(mixture, X, np.zeros(len(X), dtype=bool))
    return np.bincount(labels, minlength=10)


def sklearn_seconds(shape: Shape, n_fits: int) -> float:
    """Return the mean time of one published fit with scikit-learn, BLAS at one thread."""
    begin = time.perf_counter()
    for seed in range(n_fits):
        sklearn_fit(shape.X[:, shape.masks[seed % len(shape.masks)]], seed)
    return (time.perf_counter() - begin) / n_fits


def fit_ratios(shape: Shape, n_fits: int) -> list[Measurement]:
    """Compare one clustering of each preset with scikit-learn's."""
    theirs = sklearn_seconds(shape, n_fits)
    small = Shape(shape.X, shape.positive, shape.masks[:n_fits])
    ours = evaluation_seconds(shape, Settings.of(FSCPU().get_params()).mixture)
    published = evaluation_seconds(small, Settings.of(FSCPU.published().get_params()).mixture, repeats=1)
    return [
        Measurement("scikit-learn, published fit", 1e3 * theirs, "ms"),
        Measurement("published fit", 1e3 * published, "ms"),
        Measurement("default evaluation", 1e3 * ours, "ms"),
        Measurement("published fit, ratio", theirs / published, "x"),
        Measurement("default evaluation, ratio", theirs / ours, "x"),
        Measurement("published fit, rows with scikit-learn's label", same_labels(shape, n_fits), ""),
    ]


def same_labels(shape: Shape, n_fits: int) -> float:
    """Return the share of rows that the published fit puts where scikit-learn does, from the same seeds."""
    engine = make_engine("cpu", shape.X, shape.positive, Settings.of(FSCPU.published().get_params()).mixture)
    ours = engine.cluster(shape.masks[:n_fits], np.arange(n_fits)).size
    theirs = np.stack([sklearn_fit(shape.X[:, shape.masks[i]], i) for i in range(n_fits)])
    return float(1 - np.abs(ours - theirs).sum() / 2 / theirs.sum())


def search_ratio(n_fits: int) -> list[Measurement]:
    """Compare a whole default search with the paper's 6000 fits in scikit-learn, both on one core.

    On two cores the processes of scikit-learn slow each other down, and the ratio would count that.
    """
    X, y, _ = make_pu_clusters("10/8/2", random_state=0)
    theirs = sklearn_seconds(make_shape(*TABLE_1), n_fits) * PUBLISHED_FITS
    ours = seconds(lambda: FSCPU(25, random_state=0, n_jobs=1).fit(X, y), repeats=3)
    return [
        Measurement("scikit-learn, 6000 fits on one core (from a few)", theirs, "s"),
        Measurement("default search on one core", ours, "s"),
        Measurement("default search, ratio", theirs / ours, "x"),
    ]


def run_script(script: str, *arguments: object, **environment: str) -> list[float]:
    """Run Python code in a process of its own and return the numbers it prints."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def start_up() -> list[Measurement]:
    """Measure processor time of import and first call, with an empty cache of compiled code and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        _, _, cold = run_script(FIRST_CALL_SCRIPT, NUMBA_CACHE_DIR=cache)
        imported, ready, warm = run_script(FIRST_CALL_SCRIPT, NUMBA_CACHE_DIR=cache)
    return [
        Measurement("import puselect", imported, "s"),
        Measurement("import of FSCPU", ready, "s"),
        Measurement("first fit, nothing compiled yet", cold, "s"),
        Measurement("first fit of a later process", warm, "s"),
    ]


def memory(quick: bool) -> list[Measurement]:
    """Measure time and peak memory of a search on a large table."""
    n, d, k = (100_000, 100, 50) if quick else (1_000_000, 100, 50)
    spent, ratio = run_script(MEMORY_SCRIPT, n, d, k)
    return [
        Measurement(f"default search on two cores, {n} x {d}, k = {k}", spent, "s"),
        Measurement("peak memory over the matrix", ratio, "x"),
    ]


def run_cpu_bench(quick: bool, tell: Callable[[str], None]) -> tuple[list[Measurement], list[Check]]:
    """Measure everything on tables of the shape of Table 1; return the figures and the ratios that have budgets."""
    n_fits = 2 if quick else 4
    with threadpool_limits(1, user_api="blas"):
        tell("one clustering ...")
        measurements = fit_ratios(make_shape(*TABLE_1), n_fits)
        tell("a whole search ...")
        measurements += search_ratio(n_fits)
        tell("start-up, memory ...")
        measurements += start_up() + memory(quick)
    value = {row.what: row.value for row in measurements}
    budgets = {
        "default evaluation, ratio": (">=", 400, 1000),
        "published fit, ratio": (">=", 5, 10),
        "published fit, rows with scikit-learn's label": (">=", 0.99, 1.0),
        "default search, ratio": (">=", 400, 2000),
        "import puselect": ("<=", 1, 0),
        "first fit, nothing compiled yet": ("<=", 6, 0),
        "peak memory over the matrix": ("<=", 3, 1),
    }
    return measurements, [Check(name, value[name], *budget) for name, budget in budgets.items()]


def write_json(path: Path, measurements: list[Measurement], checks: list[Check]) -> None:
    """Write the figures and what they were measured on."""
    processor = platform.processor() or platform.machine()
    content = {
        "machine": f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "measurements": [row._asdict() for row in measurements],
        "checks": [{**check._asdict(), "passed": check.passed} for check in checks],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def show(measurements: list[Measurement], checks: list[Check]) -> None:
    """Print the figures, then those with a budget."""
    width = max(len(row.what) for row in measurements)
    for row in measurements:
        print(f"{row.what:{width}}  {row.value:10.4g} {row.unit}")
    print()
    width = max(len(check.name) for check in checks)
    for check in checks:
        budget = f"{check.sign} {check.budget:g}"
        print(f"{check.name:{width}}  {check.value:10.4g} {budget:>8}  goal {check.goal:<5g} ", end="")
        print("ok" if check.passed else "MISSED")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write; return 1 if a figure misses its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller shapes and fewer repeats, about a minute")
    parser.add_argument("--engine", choices=("cpu", "gpu"), default="cpu", help="which engine to measure")
    parser.add_argument("--out", type=Path, help="write the figures to this file, as JSON")
    options = parser.parse_args(arguments)
    if options.engine == "gpu":
        from bench_gpu import run_gpu_bench as run
    else:
        run = run_cpu_bench
    measurements, checks = run(options.quick, print)
    show(measurements, checks)
    if options.out is not None:
        write_json(options.out, measurements, checks)
    return 0 if all(check.passed for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
