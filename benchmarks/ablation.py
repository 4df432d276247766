"""Variants of FSCPU as published that the paper leaves open: FSR on its artificial data, one fit a process.

    python benchmarks/ablation.py --jobs 16 --out build/ablation.jsonl
    python benchmarks/ablation.py --size small --max-iter 600 --seeds 5000-5007 --out build/ablation.jsonl
    python benchmarks/ablation.py --engine gpu --seeds 5000-5007 --variants published biased independent fixed

| variant | what is changed |
|---|---|
| published | nothing: both masks of a pair are clustered from the same random numbers |
| independent | each mask has random numbers of its own; the paper does not say which of the two it did |
| fixed | all masks of a search have the same random numbers, as with one `random_state` for all mixtures |
| k-means | scikit-learn's KMeans instead of the mixture (`clusterer=`) |
| diagonal | mixtures with diagonal covariances |
| biased | labels not missing at random: rows of the first positive cluster are labelled nine times as often |

Small tables have 800 + 200 rows and 10 of 20 relevant columns. A search has 1000 of the paper's 3000 steps unless told
otherwise; `python benchmarks/ablation.py --steps` prints the
FSR after so many steps from the probabilities that the studies keep. A run that was stopped goes on with its --out. On
a GPU all searches of a variant but k-means run in lockstep.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from journal import Row, measure_missing, seed_range
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.arrays import BoolArray, IntArray
from puselect.datasets import make_pu_clusters
from puselect.engines.base import ClusterTable, Engine, FinalFit
from puselect.search.callbacks import FitCallbacks
from puselect.search.deadline import Deadline
from puselect.selectors.cluster_search import Searched, cluster_session
from puselect.selectors.many import Task, fit_together, shared_engine
from puselect.selectors.problem import Problem, cluster_objective, problem_engine
from puselect.selectors.settings import Settings
from puselect_paper.studies.journal import read_rows

VARIANTS = ("published", "independent", "fixed", "k-means", "diagonal", "biased")
CONDITIONS = ("10/8/2", "40/1/2")
SIZES = {"paper": {}, "small": {"n_negative": 800, "n_positive": 200, "n_relevant": 10, "n_irrelevant": 10}}
STEPS = (100, 300, 600, 1000, 1500, 2000, 3000)
BIAS = 9


class OtherNumbers:
    """An engine whose masks have random numbers of their own, or all the same."""

    def __init__(self, engine: Engine, is_fixed: bool) -> None:
        self.engine = engine
        self.is_fixed = is_fixed

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Cluster the masks, each from another seed, or all from one."""
        own = [[0] if self.is_fixed else [int(seed), i] for i, seed in enumerate(seeds)]
        drawn = [np.random.SeedSequence(each).generate_state(1)[0] for each in own]
        return self.engine.cluster(masks, np.array(drawn, dtype=np.int64), targets)

    def fit_final(self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None) -> FinalFit:
        """Cluster the result."""
        return self.engine.fit_final(mask, seeds, target, n_mixtures)


class OtherStarts(FSCPU):
    """FSCPU whose masks of a pair do not share random numbers."""

    is_fixed = False

    def _fit_problem(
        self, settings: Settings, problem: Problem, callbacks: FitCallbacks, deadline: Deadline
    ) -> Self:
        engine = OtherNumbers(problem_engine(settings, problem), self.is_fixed)
        session = cluster_session(settings, problem, cluster_objective(settings, engine, None), None, deadline)
        session.run(callbacks)
        return self._keep_clusters(settings, problem, Searched(session, None), engine)


class FixedStarts(OtherStarts):
    """FSCPU whose masks all share one set of random numbers."""

    is_fixed = True


STARTS = {"independent": OtherStarts, "fixed": FixedStarts}


class Cell(NamedTuple):
    """One search on one data set."""

    variant: str
    size: str
    condition: str
    steps: int
    seed: int

    def draw(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the table, the labels and the relevant columns; variants of one seed share the table."""
        bias = {"label_bias": BIAS} if self.variant == "biased" else {}
        X, y, relevant = make_pu_clusters(self.condition, **SIZES[self.size], **bias, random_state=self.seed)
        return X, y, relevant

    def selector(self, k: int, engine: str = "cpu") -> FSCPU:
        """Return the selector."""
        changes: dict[str, Any] = {"max_iter": self.steps, "random_state": self.seed, "n_jobs": 1, "engine": engine}
        if self.variant == "k-means":
            changes |= {"clusterer": KMeans(10, n_init=1), "engine": "reference"}
        if self.variant == "diagonal":
            changes["covariance_type"] = "diag"
        return STARTS.get(self.variant, FSCPU).published(k, **changes)


def measure(cell: Cell) -> Row:
    """Fit one cell."""
    X, y, relevant = cell.draw()
    selector = cell.selector(int(relevant.sum()))
    begin = time.process_time()
    with threadpool_limits(1):
        selector.fit(X, y)
    seconds = round(time.process_time() - begin, 1)
    return cell._asdict() | {"fsr": float(relevant[selector.support_].mean()), "seconds": seconds}


def in_lockstep(cells: Sequence[Cell]) -> Callable[[Cell], Row]:
    """Return what measures a cell; all cells of its variant are fitted at once on a GPU when the first is asked for."""

    @cache
    def rows_of(variant: str) -> dict[Cell, Row]:
        own = [cell for cell in cells if cell.variant == variant]
        drawn = [cell.draw() for cell in own]
        begin = time.perf_counter()
        tasks = [
            Task.of(cell.selector(int(relevant.sum()), "gpu"), X, y)
            for cell, (X, y, relevant) in zip(own, drawn, strict=True)
        ]
        engine = shared_engine(tasks)
        start = STARTS.get(variant)
        fit_together(tasks, engine if start is None else OtherNumbers(engine, start.is_fixed))
        seconds = round((time.perf_counter() - begin) / len(own), 1)
        return {
            cell: cell._asdict()
            | {"fsr": float(relevant[task.selector.support_].mean()), "seconds": seconds, "engine": "gpu"}
            for cell, task, (_, _, relevant) in zip(own, tasks, drawn, strict=True)
        }

    return lambda cell: rows_of(cell.variant)[cell]


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def board(rows: list[Row], name: str, variants: Sequence[str], values: Callable[[str, str, str], list[float]]) -> str:
    """Return mean, standard error and number of the values by variant (lines), size and condition (columns)."""
    columns = list(dict.fromkeys((row["size"], row["condition"]) for row in rows))
    lines = [[name, *(f"{size} {condition}" for size, condition in columns)], ["---", *("---:" for _ in columns)]]
    for variant in [name for name in variants if any(row["variant"] == name for row in rows)]:
        fields = [variant]
        for size, condition in columns:
            own = values(variant, size, condition)
            error = f" ± {np.std(own, ddof=1) / len(own) ** 0.5:.3f}" if len(own) > 1 else ""
            fields.append(f"{np.mean(own):.3f}{error} ({len(own)})" if own else "—")
        lines.append(fields)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summary(rows: list[Row]) -> str:
    """Return mean FSR by variant, size and condition, and its difference from the published search in pairs."""
    fsr = {(row["variant"], row["size"], row["condition"], row["seed"]): float(row["fsr"]) for row in rows}
    seeds = sorted({row["seed"] for row in rows})

    def of(*group: str) -> list[float]:
        return [fsr[*group, seed] for seed in seeds if (*group, seed) in fsr]

    def differences(variant: str, *where: str) -> list[float]:
        pairs = [((variant, *where, seed), ("published", *where, seed)) for seed in seeds]
        return [fsr[one] - fsr[other] for one, other in pairs if one in fsr and other in fsr]

    return board(rows, "FSR", VARIANTS, of) + "\n\n" + board(rows, "less published", VARIANTS[1:], differences)


def recall_after(values: Row, steps: int, population_size: int) -> float | None:
    """Return the FSR of the features that were most probable after so many steps; None if the search was shorter."""
    if steps * population_size > values["evaluations"][-1]:
        return None
    record = int(np.searchsorted(values["evaluations"], steps * population_size, side="right")) - 1
    theta = np.array(values["theta"][max(record, 0)])
    chosen = np.argsort(-theta, kind="stable")[: len(values["relevant"])]
    return float(np.isin(chosen, values["relevant"]).mean())


def steps_table(folder: Path) -> str:
    """Return the FSR after some numbers of steps, by condition, from the kept probabilities of a study."""
    lines = [["method", "condition", *(str(steps) for steps in STEPS)], ["---", "---", *("---:" for _ in STEPS)]]
    rows = read_rows(folder)
    for method in ("fscpu-published", "fscpu-mi-published"):
        kept = [row for row in rows if row.cell.measure == "convergence" and row.cell.method == method and row.values]
        by_condition = {
            str(row.cell.data["condition"]): [recall_after(dict(row.values or {}), steps, 2) for steps in STEPS]
            for row in kept
        }
        for condition, values in by_condition.items():
            lines.append([method, condition, *("—" if value is None else f"{value:.2f}" for value in values)])
        clustered = [values for condition, values in by_condition.items() if "outlier" not in condition]
        if clustered:
            columns = list(zip(*clustered, strict=True))
            means = ["—" if None in column else f"{np.mean(column):.3f}" for column in columns]
            lines.append([method, "mean with clusters", *means])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--variants", nargs="+", choices=VARIANTS, default=VARIANTS)
    add("--size", choices=SIZES, default="paper")
    add("--conditions", nargs="+", default=CONDITIONS)
    add("--seeds", type=seed_range, default=range(5000, 5003), metavar="A-B", help="default: 5000-5002")
    add("--max-iter", type=int, default=1000)
    add("--jobs", type=int, default=1, help="processes")
    add("--engine", choices=("cpu", "gpu"), default="cpu")
    add("--out", type=Path, default=Path("build/ablation.jsonl"))
    add("--steps", action="store_true", help="no fits: FSR against the number of steps, from docs/results/figure1")
    args = parser.parse_args(arguments)
    if args.steps:
        print(steps_table(Path(__file__).parents[1] / "docs" / "results" / "figure1"))
        return
    cells = [
        Cell(variant, args.size, condition, args.max_iter, seed)
        for seed in args.seeds
        for variant in args.variants
        for condition in args.conditions
    ]
    ask = in_lockstep(cells) if args.engine == "gpu" else measure
    print(summary(measure_missing(cells, ask, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
