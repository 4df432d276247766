"""Wide tables: seconds, memory and quality of the default beside what users would pick instead.

    python benchmarks/wide.py                                          # real tables, gene-like ones, 25 of 500
    python benchmarks/wide.py --cases isolet/12 pcmac/66 --methods fscpu semi-jmi forest --seeds 5000-5009 --jobs 16
    python benchmarks/wide.py --cases gaussian/500 gaussian/2000 uniform/10000 --methods fscpu lepage lowest-variance
    python benchmarks/wide.py --cases pcmac/66 --methods fscpu:max_time=10

Cases are NAME/K for a table ``$PUSELECT_DATA/wide/NAME.npz`` (AUC by the protocol of docs/internals/real-tables.md),
genes/COLUMNS/K for 200 rows of gene-like columns, and LAW/COLUMNS for 25 relevant of so many columns, 4500 rows, 50
labels (FSR: the share of relevant columns selected). Seeds 0 to 999 were used for tuning; report others.

Each fit is appended to --out as a line of JSON; what is in there already is not repeated. Times are of one fit in a
process of its own with --threads threads, after a fit on a small table has compiled the kernels; memory is what the fit
needed beyond what there was.
"""

import argparse
import ast
import os
import time
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, markdown, mean_and_error, measure_missing, seed_range
from memory import peak_memory
from sklearn.feature_selection import SelectKBest, SelectorMixin, f_classif, mutual_info_classif
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from puselect import FSCPU, METHODS
from puselect.datasets import make_pu_clusters
from puselect.evaluation import downstream_auc

MODELS = ("logistic", "random-forest", "extra-trees")
CASES = ["isolet/12", "isolet/62", "madelon/20", "pcmac/66", "genes/1500/30", "genes/1500/150", "genes/10000/200",
         "uniform/500", "gaussian/500"]  # fmt: skip
METHOD_NAMES = ["fscpu", "semi-jmi", "fastcan", "forest", "lepage", "select-k-best", "mutual-information"]
CONDITIONS = ("10/8/2", "10/1/1")  # alternate with the seed
N_RELEVANT_GENES, N_PATHWAYS = 60, 30


class Data(NamedTuple):
    """A table to select from, and what tells how good a selection is."""

    X: np.ndarray
    y: np.ndarray
    k: int
    relevant: np.ndarray | None = None
    X_test: np.ndarray | None = None
    y_test: np.ndarray | None = None


def real_table(name: str, k: int, seed: int) -> Data:
    """Return a split of a table in the folder `wide`."""
    with np.load(Path(os.environ["PUSELECT_DATA"]) / "wide" / f"{name}.npz") as file:
        X, classes = file["X"].astype(np.float64), file["y"].ravel() == 1
    rng = np.random.default_rng([2027, seed])
    rows = np.arange(len(classes))
    train, test = train_test_split(rows, test_size=0.3, stratify=classes, random_state=int(rng.integers(2**31)))
    positives = rng.permutation(train[classes[train]])
    y = np.zeros(len(classes), dtype=np.int64)
    y[positives[: max(10, round(0.05 * len(positives)))]] = 1
    varying = np.ptp(X[train], axis=0) > 0
    return Data(X[train][:, varying], y[train], k, None, X[test][:, varying], classes[test].astype(np.int64))


def gene_table(n_columns: int, k: int, seed: int) -> Data:
    """Return 200 rows of skewed columns that pathways share; 60 columns follow one of three kinds of the 60 positives.

    Pathways give columns that depend on each other, exp() the long tails of expression levels.
    """
    rng = np.random.default_rng([7, seed])
    kind = np.repeat([0, 1, 2, 3], [140, 20, 20, 20])
    loadings = rng.normal(size=(N_PATHWAYS, n_columns)) * (rng.random((N_PATHWAYS, n_columns)) < 0.1)
    level = rng.normal(size=(200, N_PATHWAYS)) @ loadings + rng.normal(size=(200, n_columns))
    relevant = rng.permutation(n_columns) < N_RELEVANT_GENES
    shift = np.vstack([np.zeros(N_RELEVANT_GENES), rng.normal(0, 1.5, (3, N_RELEVANT_GENES))])
    level[:, relevant] += shift[kind]
    y = np.zeros(200, dtype=np.int64)
    y[rng.permutation(np.flatnonzero(kind))[:20]] = 1
    order = rng.permutation(200)
    return Data(np.exp(0.5 * level)[order], y[order], k, relevant)


def law_table(law: str, n_columns: int, seed: int) -> Data:
    condition = CONDITIONS[seed % len(CONDITIONS)]
    X, y, relevant = make_pu_clusters(condition, noise=law, n_irrelevant=n_columns - 25, random_state=seed)
    return Data(X, y, 25, relevant)


def draw(case: str, seed: int) -> Data:
    name, *numbers = case.split("/")
    if name == "genes":
        return gene_table(int(numbers[0]), int(numbers[1]), seed)
    if (Path(os.environ.get("PUSELECT_DATA", "")) / "wide" / f"{name}.npz").is_file():
        return real_table(name, int(numbers[0]), seed)
    return law_table(name, int(numbers[0]), seed)


def make_selector(method: str, data: Data, seed: int, threads: int) -> SelectorMixin:
    """Return a selector: one of ours, such as "fscpu:max_time=10", or what scikit-learn offers."""
    name, _, rest = method.partition(":")
    pairs = (part.partition("=") for part in rest.split(",") if part)
    changes = {key: ast.literal_eval(value) for key, _, value in pairs}
    if name == "select-k-best":
        return SelectKBest(f_classif, k=data.k)
    if name == "mutual-information":
        return SelectKBest(lambda X, y: mutual_info_classif(X, y, random_state=seed), k=data.k)
    if name == "fscpu":
        changes = {"n_jobs": threads, **changes}
    return METHODS[name](data.k, random_state=seed, **changes)


def fit_one(cell: tuple[str, str, int], threads: int) -> Row:
    case, method, seed = cell
    data = draw(case, seed)
    selector = make_selector(method, data, seed, threads)
    if method.startswith("fscpu"):
        rng = np.random.default_rng(0)
        FSCPU(4, max_iter=1, random_state=0).fit(rng.random((60, 8)), np.arange(60) < 12)
    with threadpool_limits(threads):
        begin, work = time.perf_counter(), time.process_time()
        with peak_memory() as peak:
            selector.fit(data.X, data.y)
        seconds, work = time.perf_counter() - begin, time.process_time() - work
        support = selector.get_support()
        row: Row = {"case": case, "method": method, "seed": seed, "seconds": seconds, "cpu_seconds": work}
        row["more_mb"] = peak[0]
        if data.relevant is not None:
            row["fsr"] = float(data.relevant[support].sum() / min(data.relevant.sum(), data.k))
        else:
            train, test = data.X[:, support], data.X_test[:, support]  # type: ignore[index]
            row["auc"] = float(np.mean([downstream_auc(m, train, data.y, test, data.y_test, seed) for m in MODELS]))
    return row


def cell_of(row: Row) -> tuple[str, str, int]:
    return row["case"], row["method"], row["seed"]


def quality(row: Row) -> float:
    return float(row["auc"] if "auc" in row else row["fsr"])


def compared(rows: list[Row], value: Callable[[Row], float] = quality) -> str:
    """Return a Markdown table of a value with a line per case and a column per method."""
    methods = list(dict.fromkeys(row["method"] for row in rows))

    def line(case: str) -> list[str]:
        own = [row for row in rows if row["case"] == case]
        return [case, *(mean_and_error(value(row) for row in own if row["method"] == method) for method in methods)]

    return markdown(["case", *methods], map(line, dict.fromkeys(row["case"] for row in rows)))


def paired(rows: list[Row], others: list[str]) -> str:
    """Return a Markdown table of how much better the default is than other methods on the same splits."""
    quality = {(row["case"], row["method"], row["seed"]): row.get("auc", row.get("fsr")) for row in rows}

    def line(case: str) -> list[str]:
        seeds = [row["seed"] for row in rows if row["case"] == case and row["method"] == "fscpu"]
        values = np.array([[quality[case, method, seed] for seed in seeds] for method in ("fscpu", *others)])
        gains = values[0] - values[1:]
        errors = gains.std(axis=1, ddof=1) / np.sqrt(len(seeds))
        shown = (f"{own.mean():+.4f} ± {error:.4f}" for own, error in zip(gains, errors, strict=True))
        return [case, str(len(seeds)), *shown]

    return markdown(["case", "splits", *others], map(line, dict.fromkeys(row["case"] for row in rows)))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--cases", nargs="+", default=CASES)
    add("--methods", nargs="+", default=METHOD_NAMES, metavar="NAME[:KEY=VALUE,...]")
    add("--seeds", type=seed_range, default=range(5000, 5010), metavar="A-B")
    add("--jobs", type=int, default=1, help="processes")
    add("--threads", type=int, default=2, help="of one fit")
    add("--out", type=Path, default=Path("build/wide.jsonl"))
    args = parser.parse_args(arguments)
    wanted = [(case, name, seed) for case in args.cases for seed in args.seeds for name in args.methods]
    # each fit in a process of its own, whose memory nothing else has used
    rows = measure_missing(wanted, partial(fit_one, threads=args.threads), cell_of, args.out, args.jobs, 1)
    values = {"AUC or FSR": quality, "CPU, s": itemgetter("cpu_seconds"), "MB more": itemgetter("more_mb")}
    for name, value in values.items():
        print(f"{name}:\n\n{compared(rows, value)}\n")
    others = [name for name in args.methods if name != "fscpu"]
    if "fscpu" in args.methods and others and len(args.seeds) > 1:
        print(f"fscpu less each of them:\n\n{paired(rows, others)}")


if __name__ == "__main__":
    main()
