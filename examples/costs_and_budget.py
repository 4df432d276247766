"""
Costs and budgets
=================

If measurements have costs, give the cost of each feature and a budget instead of a number of features.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from puselect import FSCPU, plots
from puselect.datasets import hide_labels

data = load_breast_cancer(as_frame=True)
X = data.data
y = hide_labels(data.target, 0.1, pos_label=0, random_state=0)  # in this table 0 is malignant

# %%
# Suppose that a "worst" value costs 4, because all cells of an image have to be measured for it, and any other costs 1.

costs = pd.Series(np.where(X.columns.str.startswith("worst"), 4.0, 1.0), index=X.columns)

for budget in (4, 12):
    selector = FSCPU(feature_costs=costs, budget=budget, random_state=0).fit(X, y)
    chosen = list(selector.get_feature_names_out())
    print(f"budget {budget:2}: spent {costs[chosen].sum():2.0f} on {len(chosen)}: {', '.join(chosen)}")

# %%
# The ranking with the larger budget: red features are selected, the bars are the probabilities of the search.

axes = plots.ranking(selector, most=15)
axes.figure.set_size_inches(7, 4)

# %%
# Some features are always available, others must not be used. Features that are kept count towards the budget.

selector = FSCPU(
    feature_costs=costs, budget=8, always_keep=["mean radius"], never_select=["worst area"], random_state=0
).fit(X, y)
print(", ".join(selector.get_feature_names_out()))
