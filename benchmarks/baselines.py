"""FSR of the methods FSCPU is compared with, over the ten artificial conditions, beside the paper's Table 1.

    python benchmarks/baselines.py kbest lasso semi-jmi mrmr mrmr-published dt-rfe --datasets 5 --jobs 1

FSR is the share of the relevant columns among as many selected ones. Seed i makes data set i and the method's chance.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from puselect import baselines
from puselect.datasets.synthetic import CONDITIONS, make_pu_clusters
from puselect_paper import baselines as slow
from puselect_paper.report.paper import Figure, paper_figures


class ColumnOrder:
    """Stands in for a generator of random numbers, so that of equal columns the first one wins."""

    @staticmethod
    def random(n: int) -> np.ndarray:
        return np.arange(n)


class FirstColumnMRMRUFS(slow.MRMRUFS):
    """MRMR-UFS in which the order of columns decides between equals, as it does without care."""

    def _representatives(self, groups: Any, relevance: Any, rng: Any) -> Any:
        return super()._representatives(groups, relevance, ColumnOrder())


class SignedJSFS(slow.JSFS):
    """JSFS that takes the largest weights with their sign, so that strongly negative ones come last."""

    def _score(self, task: Any) -> Any:
        super()._score(task)
        return self.coef_


class ShuffledSemiJMI(baselines.SemiJMI):
    """semi-JMI on shuffled labels: what its information prefers when there is none."""

    def fit(self, X: Any, y: Any) -> "ShuffledSemiJMI":
        return super().fit(X, np.random.default_rng(self.random_state).permutation(y))


METHODS: dict[str, Callable[..., Any]] = {
    "kbest": baselines.KBest,
    "lasso": baselines.LassoRank,
    "dt-rfe": baselines.DTRFE,
    "semi-jmi": baselines.SemiJMI,
    "semi-jmi-shuffled": ShuffledSemiJMI,
    "mrmr": baselines.MRMR,
    "mrmr-equal-width": partial(baselines.MRMR, discretize="equal-width"),
    "mrmr-published": slow.PublishedMRMR,
    "sselect": slow.SSelect,
    "sselect-narrow": partial(slow.SSelect, sigma2=0.001),
    "sselect-wide": partial(slow.SSelect, sigma2=0.05),
    "sselect-binary": partial(slow.SSelect, weight="binary"),
    "sselect-all": partial(slow.SSelect, labels="all", sigma2=0.01),
    "mrmr-ufs": slow.MRMRUFS,
    "mrmr-ufs-first-column": FirstColumnMRMRUFS,
    "jsfs": slow.JSFS,
    "jsfs-spread": partial(slow.JSFS, unlabelled_as="propagated", prior=0.1),
    "jsfs-signed": SignedJSFS,
    "es-mcrfs": slow.ESMCRFS,
    "es-mcrfs-short": partial(slow.ESMCRFS, max_iter=500, n_estimators=50),
}
# Run with the relevant columns first, as the paper seems to have done.
COLUMN_ORDER_DECIDES = {"mrmr-published", "mrmr-ufs-first-column"}
PAPER_ROW = {
    "mrmr-equal-width": "mrmr",
    "mrmr-published": "mrmr",
    "sselect-narrow": "sselect",
    "sselect-wide": "sselect",
    "sselect-binary": "sselect",
    "sselect-all": "sselect",
    "mrmr-ufs-first-column": "mrmr-ufs",
    "jsfs-spread": "jsfs",
    "jsfs-signed": "jsfs",
    "es-mcrfs-short": "es-mcrfs",
}
TOLERANCE = 0.05


def fsr(name: str, condition: str, seed: int) -> float:
    """Return the share of the relevant columns that the method finds."""
    shuffle = name not in COLUMN_ORDER_DECIDES
    X, y, relevant = make_pu_clusters(condition, shuffle=shuffle, random_state=seed)
    selector = METHODS[name](int(relevant.sum()), random_state=seed).fit(X, y)
    return float((selector.get_support() & relevant).sum() / relevant.sum())


def agrees(ours: Figure, paper: Figure) -> bool:
    """Return whether the means differ by at most two standard errors or by the tolerance."""
    error = np.sqrt(ours.sd**2 / ours.n + paper.sd**2 / paper.n)
    return bool(abs(ours.mean - paper.mean) <= max(2 * error, TOLERANCE) + 1e-9)


def print_table(name: str, figures: dict[str, Figure], paper: dict[tuple[str, str], Figure], seconds: float) -> None:
    print(f"\n{name}, {seconds:.1f} s a fit on average, data included")
    print(f"{'condition':12}{'ours':>14}{'paper':>14}{'difference':>12}")
    for condition, ours in figures.items():
        row = f"{condition:12}{f'{ours.mean:.2f} ± {ours.sd:.2f}':>14}"
        theirs = paper.get((PAPER_ROW.get(name, name), condition))
        if theirs is not None:
            mark = "" if agrees(ours, theirs) else "  *"
            row += f"{f'{theirs.mean:.2f} ± {theirs.sd:.2f}':>14}{ours.mean - theirs.mean:>+12.3f}{mark}"
        print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="+", choices=METHODS, metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--datasets", type=int, default=5, help="data sets per condition (default: %(default)s)")
    parser.add_argument("--conditions", nargs="+", default=CONDITIONS, metavar="CONDITION", help="default: the ten")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    arguments = parser.parse_args()
    paper = paper_figures("fsr")
    seeds = range(arguments.datasets)
    print(f"FSR, mean ± sd of {len(seeds)} data sets; * more than 2 standard errors and {TOLERANCE} from the paper")
    for name in arguments.methods:
        begun = time.perf_counter()
        cells = [(name, condition, seed) for condition in arguments.conditions for seed in seeds]
        values = np.array(Parallel(arguments.jobs)(delayed(fsr)(*cell) for cell in cells)).reshape(-1, len(seeds))
        seconds = (time.perf_counter() - begun) / len(cells)
        figures = {
            condition: Figure(float(row.mean()), float(row.std(ddof=min(1, len(row) - 1))), len(row))
            for condition, row in zip(arguments.conditions, values, strict=True)
        }
        print_table(name, figures, paper, seconds)


if __name__ == "__main__":
    main()
