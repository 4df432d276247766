"""Whether `check_suitability` tells data with clusters from data without: the ratio, real over shuffled labels.

    python benchmarks/suitability.py --datasets 3

Conditions that end in * have their labels shuffled beforehand: there is nothing to find in them.
"""

import argparse

import numpy as np

from puselect import FSCPU
from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.selectors.suitability import check_suitability


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--max-iter", type=int)
    parser.add_argument("--conditions", nargs="*", default=[*CONDITIONS, "10/8/2*", "40/1/1*"])
    options = parser.parse_args()
    for condition in options.conditions:
        ratios = []
        for seed in range(options.first_seed, options.first_seed + options.datasets):
            X, y, _ = make_pu_clusters(condition.strip("*"), random_state=seed)
            if condition.endswith("*"):
                y = np.random.default_rng([seed, 7]).permutation(y)
            selector = FSCPU(25, max_iter=options.max_iter, random_state=seed).fit(X, y)
            ratios.append(round(check_suitability(selector, X, y, random_state=seed).ratio, 2))
        print(f"{condition:12s} {ratios}", flush=True)


if __name__ == "__main__":
    main()
