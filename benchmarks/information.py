"""How much faster mutual information of all pairs of columns is in one go than in a Python loop over pairs.

    OMP_NUM_THREADS=1 python benchmarks/information.py

The plain loop calls scikit-learn for every pair; the tight one counts with `bincount` and does nothing else.
"""

import argparse
import time
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from sklearn.metrics import mutual_info_score

from puselect.datasets.synthetic import make_pu_clusters
from puselect.objective.information import equal_width_codes, joint_information, pair_information

Array = np.ndarray[Any, Any]
N_BINS = 5


def tight_information(first: Array, second: Array) -> float:
    """Return the mutual information in nats of two columns of non-negative integers."""
    n_second = second.max() + 1
    counts = np.bincount(first * n_second + second, minlength=(first.max() + 1) * n_second)
    share = counts.reshape(-1, n_second) / len(first)
    independent = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    filled = share > 0
    return float((share[filled] * np.log(share[filled] / independent[filled])).sum())


def pairs_by_loop(codes: Array, information: Callable[[Array, Array], float]) -> Array:
    """Return I(X_i; X_j), one pair after the other."""
    table = np.empty((codes.shape[1],) * 2)
    for i, j in combinations_with_replacement(range(codes.shape[1]), 2):
        table[i, j] = table[j, i] = information(codes[:, i], codes[:, j])
    return table


def joint_by_loop(codes: Array, labels: Array, information: Callable[[Array, Array], float]) -> Array:
    """Return I((X_i, X_j); s), one pair after the other."""
    table = np.empty((codes.shape[1],) * 2)
    for i, j in combinations_with_replacement(range(codes.shape[1]), 2):
        table[i, j] = table[j, i] = information(codes[:, i] * N_BINS + codes[:, j], labels)
    return table


def timed(function: Callable[..., Array], *arguments: Any, repeats: int) -> tuple[Array, float]:
    """Return the result and the shortest of several times, in seconds."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        result = function(*arguments)
        times.append(time.perf_counter() - begun)
    return result, min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="best of so many (default: %(default)s)")
    repeats = parser.parse_args().repeats
    X, y, _ = make_pu_clusters("10/8/2", random_state=0)
    codes = equal_width_codes(X, N_BINS)
    wide = codes.astype(np.int64)  # what the loops want: no conversion in their time
    print(f"{X.shape[0]} rows, {X.shape[1]} columns, {N_BINS} bins")
    for name, at_once, by_loop, labels in (
        ("I(X_i; X_j)", pair_information, pairs_by_loop, ()),
        ("I((X_i, X_j); s)", joint_information, joint_by_loop, (y,)),
    ):
        table, seconds = timed(at_once, codes, *(label == 1 for label in labels), repeats=repeats)
        print(f"{name}: at once {1e3 * seconds:.1f} ms")
        for kind, information in (("plain", mutual_info_score), ("tight", tight_information)):
            slow, taken = timed(by_loop, wide, *labels, information, repeats=1 if kind == "plain" else repeats)
            apart = np.abs(table - slow).max()
            print(f"  {kind} loop {1e3 * taken:7.1f} ms: {taken / seconds:.0f} times slower, tables {apart:.0e} apart")


if __name__ == "__main__":
    main()
