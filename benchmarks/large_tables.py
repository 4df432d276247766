"""Large tables: evidence of single columns from all rows, or from a sample of 10,000.

    python benchmarks/large_tables.py --seeds 5000-5007 --jobs 16
    python benchmarks/large_tables.py --bins --seeds 5000   # ranks in bins against exact ones, all rows: CPU, agreement

Cases: RT-IoT2022 (21,344 rows to learn from, 23 of them labelled, 13 of 67 columns; AUC, mean of three models), and
200,000 rows with 1000 positives: one positive and one negative cluster, correlated noise, 100 labels; two and eight,
Gaussian noise, 30 labels (FSR of 25 of 50). "start" is what evidence alone selects. Seeds 0 to 999 were used for
tuning; report others. Each fit is appended to --out as a line of JSON; what is in there already is not repeated.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from journal import Row, markdown, mean_and_error, measure_missing, seed_range

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.engines.row_blocks import RowBlocks
from puselect.evaluation import downstream_auc
from puselect.labels import draw_rows
from puselect.objective.column_ranks import LEPAGE, NORMAL
from puselect.objective.evidence import gather_evidence
from puselect.objective.vast_evidence import vast_evidence
from puselect.scaling import fit_scaling
from puselect.selectors import all_rows
from puselect_paper.studies.open_data import split_open_data

RARE = {"rare 1+1": ("10/1/1", "correlated", 100), "rare 2+8": ("10/8/2", "gaussian", 30)}
CASES = ("rt-iot", *RARE)
KINDS = {"sample": float("inf"), "all rows": all_rows.FEWEST_ROWS}
"""Rows above which all are looked at."""
MODELS = ("logistic", "random-forest", "extra-trees")
N_ROWS, N_POSITIVE = 200_000, 1000

Cell = tuple[str, str, int]


def measure(cell: Cell) -> Row:
    case, kind, seed = cell
    all_rows.FEWEST_ROWS = KINDS[kind]
    warnings.simplefilter("ignore")
    row: Row = {"case": case, "evidence": kind, "seed": seed}
    return row | (rt_iot(seed) if case == "rt-iot" else rare(*RARE[case], seed))


def fitted(X: Any, y: Any, k: int, seed: int) -> tuple[FSCPU, np.ndarray, Row]:
    """Return a fit, the columns that evidence alone selects, and what it cost."""
    begin = time.process_time()
    found = FSCPU(k, engine="cpu", random_state=seed).fit(X, y)
    start = np.isin(np.arange(X.shape[1]), np.argsort(-found.evidence_.support)[:k])
    return found, start, {"cpu_seconds": time.process_time() - begin, "n_found": found.evidence_.n_found}


def rt_iot(seed: int) -> Row:
    data = split_open_data("rt_iot2022", seed)
    found, start, row = fitted(data.X_train, data.y_train, 13, seed)

    def auc(support: np.ndarray) -> float:
        parts = data.X_train[:, support], data.y_train, data.X_test[:, support], data.y_test
        return float(np.mean([downstream_auc(model, *parts, seed) for model in MODELS]))

    return row | {"end": auc(found.support_), "start": auc(start)}


def rare_table(condition: str, noise: str, n_labelled: int, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    sizes = {"n_negative": N_ROWS - N_POSITIVE, "n_positive": N_POSITIVE}
    X, _, relevant, classes = make_pu_clusters(condition, **sizes, noise=noise, random_state=seed, return_classes=True)
    y = np.zeros(N_ROWS, dtype=int)
    y[np.random.default_rng(seed).permutation(np.flatnonzero(classes == 1))[:n_labelled]] = 1
    return X.astype(np.float32), y, relevant


def rare(condition: str, noise: str, n_labelled: int, seed: int) -> Row:
    X, y, relevant = rare_table(condition, noise, n_labelled, seed)
    found, start, row = fitted(X, y, 25, seed)
    return row | {"end": float(relevant[found.support_].mean()), "start": float(relevant[start].mean())}


def compare_bins(seed: int) -> None:
    """Print the CPU time of evidence from ranks in bins and from exact ranks, and how well they agree."""
    for case, parameters in RARE.items():
        X, y, _ = rare_table(*parameters, seed)
        table, positive = fit_scaling("auto", X).scale(X, np.float32), y == 1
        sample = draw_rows(positive, np.random.default_rng(seed), max_others=10_000)
        marks = [time.process_time()]
        ours = vast_evidence(RowBlocks(table), positive, np.arange(50), sample, 0.5, np.random.default_rng(seed))
        marks.append(time.process_time())
        exact = [gather_evidence(table, positive, 0.5, np.random.default_rng(seed), kind) for kind in (LEPAGE, NORMAL)]
        marks.append(time.process_time())
        pairs = zip((ours, ours.tails), exact, strict=True)
        alike = [np.corrcoef(a.support, b.support)[0, 1] for a, b in pairs]
        found = [(a.n_found, b.n_found) for a, b in zip((ours, ours.tails), exact, strict=True)]
        bins, ranks = np.diff(marks)
        print(f"{case}: bins {bins:.1f} s, exact {ranks:.1f} s, correlations {alike[0]:.3f} and {alike[1]:.3f}, "
              f"rows found {found[0]} and {found[1]}")  # fmt: skip


def summary(rows: list[Row]) -> str:
    """Return a Markdown table by case: the end and the start with both kinds of evidence, and the gain in pairs."""
    header = ["case", "sample", "all rows", "in pairs", "start, sample", "start, all rows", "CPU, s"]
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == case]
        of_kind = [{row["seed"]: row for row in own if row["evidence"] == kind} for kind in KINDS]
        both = [seed for seed in of_kind[0] if seed in of_kind[1]]
        gains = np.array([of_kind[1][seed]["end"] - of_kind[0][seed]["end"] for seed in both])
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0
        cells = [[mean_and_error(kind[seed][what] for seed in both) for kind in of_kind] for what in ("end", "start")]
        seconds = [f"{np.mean([kind[seed]['cpu_seconds'] for seed in both]):.0f}" for kind in of_kind]
        lines.append([case, *cells[0], f"{gains.mean():+.3f} ± {error:.3f}", *cells[1], " and ".join(seconds)])
    return markdown(header, lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--cases", nargs="+", default=CASES, choices=CASES)
    add("--seeds", type=seed_range, default=range(5000, 5008), metavar="A-B")
    add("--jobs", type=int, default=1)
    add("--bins", action="store_true", help="compare ranks in bins with exact ones instead")
    add("--out", type=Path, default=Path("build/large_tables.jsonl"))
    args = parser.parse_args(arguments)
    if args.bins:
        return compare_bins(args.seeds[0])
    cells = [(case, kind, seed) for seed in args.seeds for case in args.cases for kind in KINDS]
    rows = measure_missing(cells, measure, lambda row: (row["case"], row["evidence"], row["seed"]), args.out, args.jobs)
    print(summary(rows))


if __name__ == "__main__":
    main()
