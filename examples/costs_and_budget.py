"""
Costs and budgets
=================

Measurements have prices. Instead of a number of features, give what each costs and what may be spent.
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
# Say that a "worst" value costs 4, because all cells of an image have to be measured for it, and any other costs 1.

costs = pd.Series(np.where(X.columns.str.startswith("worst"), 4.0, 1.0), index=X.columns)

for budget in (4, 12):
    selector = FSCPU(feature_costs=costs, budget=budget, random_state=0).fit(X, y)
    chosen = list(selector.get_feature_names_out())
    print(f"budget {budget:2}: spent {costs[chosen].sum():2.0f} on {len(chosen)}: {', '.join(chosen)}")

# %%
# How sure the last one is: red features are in, and a long bar means that the search would take the feature.

axes = plots.ranking(selector, most=15)
axes.figure.set_size_inches(7, 4)

# %%
# Some features are there anyway, others must not be used. Kept ones count towards the budget.

selector = FSCPU(
    feature_costs=costs, budget=8, always_keep=["mean radius"], never_select=["worst area"], random_state=0
).fit(X, y)
print(", ".join(selector.get_feature_names_out()))
