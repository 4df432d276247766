"""
Comparing methods
=================

First by the relevant features they find, which are known in artificial data; then by a model on held-out rows.
"""

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from puselect import METHODS, Preparer
from puselect.datasets import make_fraud_export, make_pu_clusters
from puselect.evaluation import downstream_auc, feature_recall

names = ["fscpu", "semi-jmi", "lasso", "kbest"]

# %%
# The share of the 10 relevant features among 10 selected of 20, mean over two small data sets with 8 negative and 2
# positive clusters; first with 40, then with 10 percent of the 200 positives labelled. Chance gives .50.


def recall(name: str, condition: str, seed: int) -> float:
    X, y, relevant = make_pu_clusters(
        condition, n_negative=1600, n_positive=200, n_relevant=10, n_irrelevant=10, random_state=seed
    )
    return feature_recall(METHODS[name](10, random_state=seed).fit(X, y).support_, relevant)


for condition in ("40/8/2", "10/8/2"):
    means = {name: np.mean([recall(name, condition, seed) for seed in range(2)]) for name in names}
    print(condition, "  ".join(f"{name} {mean:.2f}" for name, mean in means.items()))

# %%
# ``docs/paper/methods.md`` compares all methods on the conditions of the paper, including those without clusters.
#
# A table of payments: select nine features on three quarters of the rows, train a model on them, and test it on the
# other quarter with the true classes. All methods use the same splits, so they can be compared pairwise.

table, _ = make_fraud_export(n_rows=6000, random_state=0)
known = (table.pop("known_fraud") == "yes").to_numpy().astype(int)
fraud = table.pop("is_fraud").to_numpy()
columns = Preparer(missing_codes=[-9], drop=["transaction_id", "case_number"]).fit_transform(table, known).to_numpy()

scores = []
for train, test in StratifiedShuffleSplit(3, test_size=0.25, random_state=0).split(columns, known):
    row = []
    for name in names:
        chosen = METHODS[name](9, random_state=0).fit(columns[train], known[train]).support_
        parts = columns[train][:, chosen], known[train], columns[test][:, chosen], fraud[test]
        row.append(downstream_auc("logistic", *parts))
    scores.append(row)

for name, mean, deviation in zip(names, np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1), strict=True):
    print(f"{name:10} AUC {mean:.3f} ± {deviation:.3f}")

# %%
# Three splits are too few to distinguish similar methods. ``puselect compare`` runs twenty on all cores, gives
# intervals that are corrected for overlapping splits, and writes a report.

# sphinx_gallery_thumbnail_path = "images/report-compare.png"
