"""Are the same features selected from tables that were rounded to half precision after scaling?

    python benchmarks/half_precision.py
"""

import argparse

import numpy as np

from puselect import FSCPU
from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.scaling import fit_scaling

FIRST_SEED = 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=2, help="of each condition")
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    n_same, n_other, gap, cells = 0, 0, 0.0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + options.datasets):
        for condition in CONDITIONS:
            X, y, _ = make_pu_clusters(condition, random_state=seed)
            table = fit_scaling("auto", X).scale(X, np.float32)
            whole, half = (
                FSCPU(25, scale=None, engine="cpu", max_iter=options.steps, random_state=seed).fit(part, y)
                for part in (table, table.astype(np.float16).astype(np.float32))
            )
            differ = int((whole.support_ & ~half.support_).sum())
            n_same, n_other, cells = n_same + (differ == 0), n_other + differ, cells + 1
            gap = max(gap, float(np.abs(whole.probabilities_ - half.probabilities_).max()))
    print(f"same selection in {n_same} of {cells}, {n_other} features differ, probabilities by up to {gap:.2f}")


if __name__ == "__main__":
    main()
