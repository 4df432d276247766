"""Draw how the probabilities of the features converge: relevant ones red, irrelevant ones blue.

    python examples/convergence.py docs/convergence.svg
"""

import sys

import matplotlib.pyplot as plt

from puselect import FSCPU
from puselect.datasets import make_pu_clusters

X, y, relevant = make_pu_clusters("10/8/2", random_state=0)
selector = FSCPU(n_features_to_select=25, random_state=0).fit(X, y)
evaluations = selector.history_.step * selector.population_size

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(evaluations, selector.history_.theta[:, ~relevant], color="tab:blue", linewidth=0.8, alpha=0.7)
axes.plot(evaluations, selector.history_.theta[:, relevant], color="tab:red", linewidth=0.8, alpha=0.7)
axes.set_xlabel("clusterings")
axes.set_ylabel("probability of a feature")
axes.set_title("25 relevant features (red), 25 irrelevant ones (blue); 50 labelled rows of 4500", fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "convergence.svg")
found = int(relevant[selector.support_].sum())
print(f"found {found} of {relevant.sum()} relevant features with {evaluations[-1]} clusterings")
