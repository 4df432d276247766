"""
How a search converges
======================

4500 rows, 50 features of which 25 are relevant, 50 labelled positives. Each line is the probability of one feature;
relevant ones are red, irrelevant ones blue.
"""

from puselect import FSCPU, plots
from puselect.datasets import make_pu_clusters

X, y, relevant = make_pu_clusters("10/8/2", random_state=0)
selector = FSCPU(n_features_to_select=25, random_state=0).fit(X, y)

axes = plots.convergence(selector, relevant)
axes.set_title("25 relevant features (red), 25 irrelevant ones (blue); 50 labelled rows of 4500", fontsize=9)
axes.figure.set_size_inches(7, 3.2)

found = int(relevant[selector.support_].sum())
n_clusterings = selector.n_evaluations_
print(f"found {found} of {relevant.sum()} relevant features with {n_clusterings} clusterings")
