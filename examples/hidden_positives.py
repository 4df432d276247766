"""
Finding hidden positives
========================

21 of 212 malignant tumours are known. Which of the other 548 rows should be examined next? Those in the clusters of the
known positives.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from puselect import FSCPU, plots
from puselect.datasets import hide_labels

data = load_breast_cancer()
malignant = data.target == 0
known = hide_labels(malignant, 0.1, random_state=0)
X, y = data.data, known

selector = FSCPU(n_features_to_select=6, random_state=0).fit(X, y)
candidates = selector.candidate_positives(X, y)

# %%
# Candidates have a lift: how many times as often as an average row they are positive. Here the true classes are known,
# so it can be checked.

n_hidden = int(malignant.sum() - known.sum())
print(f"{n_hidden} hidden positives among {(known == 0).sum()} unlabelled rows")
print(selector.prior_)
for first in (50, 100, 200):
    rows = candidates.rows[:first]
    print(f"first {len(rows):3} rows: {malignant[rows].sum():3} of them malignant")

# %%
# Rows in two principal components of the selected features.

axes = plots.clusters(selector, X, y)

# %%
# New rows can be examined as well: here the first ten of the table.

new = selector.candidate_positives(X[:10])
print("rows to examine:", np.sort(new.rows).tolist())
