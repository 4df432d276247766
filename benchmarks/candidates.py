"""How many candidate positives are hidden positives, and how many of those are candidates.

    python benchmarks/candidates.py
"""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_breast_cancer

from puselect import FSCPU
from puselect.datasets import CONDITIONS, hide_labels, make_pu_clusters
from puselect_paper.datasets import load_ionosphere, load_spambase

Problem = tuple[str, np.ndarray, np.ndarray, np.ndarray, int]


def problems() -> Iterator[Problem]:
    """Yield name, table, classes, labels and number of features: the paper's conditions, then real tables."""
    for condition in CONDITIONS:
        for seed in range(2):
            X, y, _, classes = make_pu_clusters(condition, random_state=seed, return_classes=True)
            yield f"{condition} {seed}", X, classes == 1, y, 25
    spam, ionosphere, cancer = load_spambase(), load_ionosphere(), load_breast_cancer()
    for name, X, classes, rate, k in (
        ("spambase", spam.data, spam.target == 1, 0.03, 15),
        ("ionosphere", ionosphere.data, ionosphere.target == 1, 0.1, 10),
        ("breast cancer", cancer.data, cancer.target == 0, 0.2, 8),
    ):
        for seed in range(3):
            y = hide_labels(classes, rate, pos_label=True, random_state=seed)
            yield f"{name} {seed}", np.asarray(X), np.asarray(classes), y, k


def main() -> None:
    print("problem: candidates, precision, recall, mean confidence; the same of those with confidence >= .5")
    for name, X, positive, y, k in problems():
        rows, _, sure = FSCPU(k, random_state=0).fit(X, y).candidate_positives(X, y)
        confidence = np.full(len(rows), np.nan) if sure is None else sure
        hidden = positive & (y == 0)
        figures = []
        for part in (rows, rows[confidence >= 0.5]):
            mean = confidence[: len(part)].mean() if len(part) else np.nan
            precision = hidden[part].mean() if len(part) else np.nan
            figures.append(f"{len(part):5d} {precision:.2f} {hidden[part].sum() / hidden.sum():.2f} {mean:.2f}")
        print(f"{name:16s} {figures[0]}   {figures[1]}", flush=True)


if __name__ == "__main__":
    main()
