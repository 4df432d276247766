"""How well one comparison of two masks tells which has more relevant features: the signal that a search lives on.

For two masks of 25 features, one with three more relevant ones, the share of comparisons that the better one wins. From
the same start, 10 % or 2 % labelled; 0.5 is chance.

    python benchmarks/mask_signal.py
    python benchmarks/mask_signal.py --set n_clusters=10 --set smoothing=0.0
"""

import argparse
import ast

import numpy as np

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.engines import make_engine
from puselect.objective.cluster import ClusterObjective
from puselect.scaling import fit_scaling
from puselect.selectors.settings import Settings

CONDITIONS = ("10/8/2", "10/1/1", "2/8/2", "2/1/1")
LEVELS = (8, 14, 19, 22)
MORE, N_SELECTED = 3, 25


def masks_with(n_relevant: int, relevant: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    masks = np.zeros((n, len(relevant)), dtype=bool)
    for mask in masks:
        mask[rng.choice(np.flatnonzero(relevant), n_relevant, replace=False)] = True
        mask[rng.choice(np.flatnonzero(~relevant), N_SELECTED - n_relevant, replace=False)] = True
    return masks


def win_share(condition: str, level: int, selector: FSCPU, seed: int, n: int) -> float:
    X, y, relevant = make_pu_clusters(condition, random_state=seed)
    settings = Settings.of(selector.get_params(deep=False)).for_labels(int(y.sum()))
    table = X if settings.scale is None else fit_scaling(settings.scale, X).scale(X, np.float32)
    engine = make_engine("cpu", table, y == 1, settings.mixture)
    objective = ClusterObjective(engine, selector.cluster_choice, selector.smoothing)
    rng = np.random.default_rng(seed)
    seeds, targets = rng.integers(2**31, size=n), np.zeros(n, dtype=int)
    fewer, more = (
        objective(masks_with(k, relevant, n, rng), seeds, targets)[:, 0] for k in (level, level + MORE)
    )
    return float(np.mean(more > fewer) + np.mean(more == fewer) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--first-seed", type=int, default=1000)
    args = parser.parse_args()
    settings = {name: ast.literal_eval(value) for name, value in (text.split("=") for text in args.set)}
    selector = FSCPU(**settings)
    table = [
        [np.mean([win_share(c, k, selector, args.first_seed + i, args.pairs) for i in range(2)]) for k in LEVELS]
        for c in CONDITIONS
    ]
    for condition, row in zip(CONDITIONS, table, strict=True):
        wins = "   ".join(f"{k} or {k + MORE}: {share:.2f}" for k, share in zip(LEVELS, row, strict=True))
        print(f"{condition:8s} {wins}")
    print(f"mean     {np.mean(table):.3f}   {settings or 'default'}")


if __name__ == "__main__":
    main()
