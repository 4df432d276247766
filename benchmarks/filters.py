"""FSR of two filters that look at one column at a time: chi-squared, and the evidence that tilts the default start.

    python benchmarks/filters.py
"""

import numpy as np
from sklearn.feature_selection import chi2

from puselect.datasets import make_pu_clusters
from puselect.objective.evidence import column_evidence
from puselect.scaling import scale_columns

CONDITIONS = ("10/8/1", "10/8/2", "10/1/1", "10/1/2", "2/8/2", "2/1/1", "40/outlier", "10/outlier")


def main() -> None:
    for n_irrelevant in (25, 175, 475):
        print(f"25 of {25 + n_irrelevant}: condition, chi-squared, Lepage (5 data sets)")
        for condition in CONDITIONS:
            found = []
            for seed in range(5):
                X, y, relevant = make_pu_clusters(condition, n_irrelevant=n_irrelevant, random_state=seed)
                X = scale_columns(X)
                scores = (chi2(X, y)[0], column_evidence(X, y == 1))
                found.append([relevant[np.argsort(-score)[:25]].mean() for score in scores])
            print(f"  {condition:12s} {np.mean(found, axis=0).round(2)}", flush=True)


if __name__ == "__main__":
    main()
