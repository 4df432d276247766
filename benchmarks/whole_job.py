"""Processor seconds of selecting half of the features: the paper's method in scikit-learn and here, and our default.

    python benchmarks/whole_job.py --out benchmarks/results/whole_job.json

Everything on one thread. The published method is 6000 mixture fits; a few are timed, with random masks of half of the
columns, and multiplied. "Like for like" compares the same fit in scikit-learn and here. The last column compares the
6000 fits with one search of the default, which is another algorithm: it says how long a user waits, not how good the
code is.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.clustering import make_engine
from puselect.datasets import make_pu_clusters
from puselect.evaluation.holdout import compile_kernels
from puselect.exceptions import FewLabelsWarning
from puselect.fscpu.settings import Settings
from puselect_paper.studies.open_data import n_selected, split_open_data

N_FITS = 6000
TABLES = {"Table 1": "", "Spam": "spambase", "Ionosphere": "ionosphere", "RT-IoT": "rt_iot2022"}


class Times(NamedTuple):
    """Processor seconds on one table."""

    table: str
    scikit_learn: float
    """Of one published fit."""
    published: float
    """Of the same fit here."""
    default: float
    """Of a whole search."""

    def line(self) -> str:
        """Return a line of the table."""
        theirs, ours = self.scikit_learn * N_FITS, self.published * N_FITS
        times = [_duration(theirs), _duration(ours), f"{theirs / ours:.1f}", _duration(self.default)]
        return f"| {' | '.join([self.table, *times, _two_digits(theirs / self.default)])} |"


HEADER = (
    "| data | scikit-learn, 6000 fits | here, 6000 fits | like for like | default search | 6000 fits over it |\n"
    "|---|---:|---:|---:|---:|---:|"
)


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the scaled training rows and the labels."""
    if not name:
        X, y, _ = make_pu_clusters("10/8/2", random_state=0)
        return (X - X.min(axis=0)) / np.ptp(X, axis=0), y
    split = split_open_data(name, 0)
    return split.X_train, split.y_train


def processor_seconds(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measure(table: str, n_fits: int) -> Times:
    """Time a few fits of each kind and one search."""
    X, y = load(TABLES[table])
    k = n_selected(X.shape[1], 0.5)
    rng = np.random.default_rng(0)
    masks = np.array([rng.permutation(X.shape[1]) < k for _ in range(n_fits)])
    engine = make_engine("cpu", X.astype(np.float32), y == 1, Settings.of(FSCPU.published().get_params()).mixture, 1)
    engine.cluster(masks[:1], np.zeros(1, dtype=int))
    compile_kernels("fscpu")
    theirs = processor_seconds(lambda: [GaussianMixture(10, random_state=0).fit(X[:, mask]) for mask in masks])
    ours = processor_seconds(lambda: engine.cluster(masks, np.zeros(n_fits, dtype=int)))
    search = processor_seconds(lambda: FSCPU(k, engine="cpu", n_jobs=1, random_state=0).fit(X, y))
    return Times(table, theirs / n_fits, ours / n_fits, search)


def table_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from HEADER.splitlines()
    yield from (Times(**row).line() for row in rows)


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def _two_digits(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):,.0f}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--fits", type=int, default=6)
    parser.add_argument("--out", type=Path, help="write the seconds as JSON")
    args = parser.parse_args(arguments)
    with threadpool_limits(1), warnings.catch_warnings():
        for kind in (ConvergenceWarning, FewLabelsWarning):
            warnings.simplefilter("ignore", kind)
        rows = [measure(table, args.fits)._asdict() for table in args.tables]
    print("\n".join(table_lines(rows)))
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
