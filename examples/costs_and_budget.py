"""
Costs and budgets
=================

If columns have costs, give the cost of each and a budget instead of a number of features.
"""

from puselect import FSCPU, Preparer, plots
from puselect.datasets import make_fraud_export

table, relevant = make_fraud_export(n_rows=6000, random_state=0)
y = table.pop("known_fraud") == "yes"
preparer = Preparer(missing_codes=[-9], drop_duplicates=0.99, drop=["transaction_id", "is_fraud", "case_number"])
X = preparer.fit_transform(table, y)

# %%
# Suppose that amounts have to be bought from somebody else at a price of 4, and that all other columns are at hand
# for 1. Costs go by the names of your own columns.

costs = {name: 4.0 if name.startswith("amount") else 1.0 for name in table.columns}

for budget in (4, 12):
    selector = FSCPU(feature_costs=costs, groups=preparer.groups_, budget=budget, random_state=0).fit(X, y)
    bought = selector.selected_columns_
    print(f"budget {budget:2}: spent {sum(costs[name] for name in bought):2.0f} on {len(bought)}: {', '.join(bought)}")

# %%
# The ranking with the larger budget: red features are selected, the bars are the probabilities of the search.

axes = plots.ranking(selector, most=15)
axes.figure.set_size_inches(7, 4)

# %%
# Some columns are always available, others must not be used. Those that are kept count towards the budget.

kept = {"always_keep": ["amount_1"], "never_select": ["count_2"]}
selector = FSCPU(feature_costs=costs, groups=preparer.groups_, budget=8, random_state=0, **kept).fit(X, y)
print(", ".join(selector.selected_columns_))
