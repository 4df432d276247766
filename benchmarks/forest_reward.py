"""What ES-MCRFS learns from: the accuracy of a forest on labelled against unlabelled rows, for masks of 25 columns.

    python benchmarks/forest_reward.py

The same random masks with the labels as they are and shuffled, and the mask of the relevant columns. "Share" is the
accuracy of calling every row unlabelled. About five minutes on one core.
"""

import argparse

import numpy as np
from threadpoolctl import threadpool_limits

from puselect.datasets import make_pu_clusters
from puselect.scaling import fit_scaling
from puselect.selectors.ranking import Task
from puselect_paper.baselines.es_mcrfs import ForestReward

CONDITIONS = ("40/8/1", "10/8/1", "40/outlier", "10/outlier")


def rewards(condition: str, seed: int, n_masks: int, n_trees: int, shuffled: bool) -> tuple[float, list[float], float]:
    """Return the share of unlabelled rows, the rewards of random masks, and that of the relevant columns."""
    X, y, relevant = make_pu_clusters(condition, random_state=seed)
    rng = np.random.default_rng(seed)
    masks = [rng.permutation(len(relevant)) < relevant.sum() for _ in range(n_masks)]
    positive = rng.permutation(y == 1) if shuffled else y == 1
    scaled = np.asarray(fit_scaling("minmax", X).scale(X, np.float64))
    task = Task(scaled, positive, int(relevant.sum()), np.random.default_rng(seed))
    reward = ForestReward(scaled, positive, n_trees, None, task)
    share = float(1 - positive[reward.scored].mean())
    return share, [reward(mask) for mask in masks], reward(relevant)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conditions", nargs="+", default=CONDITIONS)
    parser.add_argument("--masks", type=int, default=12)
    parser.add_argument("--trees", type=int, nargs="+", default=[50, 100])
    parser.add_argument("--seed", type=int, default=5000)
    args = parser.parse_args(arguments)
    print("| condition | labels | trees | share | random masks: lowest | highest | values | relevant columns |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with threadpool_limits(1):
        for condition in args.conditions:
            for shuffled in (False, True):
                for trees in args.trees:
                    share, random, best = rewards(condition, args.seed, args.masks, trees, shuffled)
                    spread = f"{min(random):.4f} | {max(random):.4f} | {len(set(random))}"
                    labels = "shuffled" if shuffled else "true"
                    print(f"| {condition} | {labels} | {trees} | {share:.4f} | {spread} | {best:.4f} |", flush=True)


if __name__ == "__main__":
    main()
