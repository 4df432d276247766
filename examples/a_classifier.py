"""
Putting a classifier behind it
==============================

A selector is a step of a scikit-learn pipeline. Which classifier should follow it, with how many features, and how good
will it be? All of this can be answered with known positives only. The true classes of this artificial table are known,
so we can check the answers at the end.
"""

import tempfile

import numpy as np
from pulearn import ElkanotoPuClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from puselect import FSCPU, Preparer
from puselect.datasets import make_fraud_export
from puselect.evaluation import corrected_figures

# %%
# 6,000 payments, 60 of them known to be fraud. Set a third of the rows aside before anything is fitted.

table, _ = make_fraud_export(n_rows=6000, random_state=0)
y = (table.pop("known_fraud") == "yes").to_numpy().astype(int)
truth = table.pop("is_fraud").to_numpy()  # not known in practice
train, test = train_test_split(np.arange(len(y)), test_size=0.33, stratify=y, random_state=0)

# %%
# The pipeline: prepare the columns, select, classify. A linear model and a forest treat unlabelled rows as negatives,
# with balanced weights; Elkan and Noto's classifier (from the library pulearn) corrects a forest for the hidden
# positives.

forest = RandomForestClassifier(50, min_samples_leaf=3, random_state=0)
classifiers = {
    "linear": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)),
    "forest": RandomForestClassifier(50, min_samples_leaf=3, class_weight="balanced_subsample", random_state=0),
    "Elkan-Noto": make_pipeline(
        FunctionTransformer(np.asarray), ElkanotoPuClassifier(forest, hold_out_ratio=0.2, random_state=0)
    ),
}
steps = [
    ("prepare", Preparer(drop=["case_number"], missing_codes=[-9])),
    ("select", FSCPU(groups="prepared", random_state=0)),
    ("classify", classifiers["forest"]),
]
pipeline = Pipeline(steps, memory=tempfile.mkdtemp())  # a selection is made once for all classifiers

# %%
# A grid search over both. The score is the AUC with which held-out *known* positives are told from *unlabelled* rows.
# It is lower than the true AUC, because some unlabelled rows are positive, but it puts models in the same order.

grid = {
    "select": ["passthrough", FSCPU(6, groups="prepared", random_state=0), FSCPU(9, groups="prepared", random_state=0)],
    "classify": list(classifiers.values()),
}
splits = StratifiedShuffleSplit(3, test_size=0.25, random_state=0)  # take 20 if you have the time
search = GridSearchCV(pipeline, grid, scoring="roc_auc", cv=splits).fit(table.iloc[train], y[train])

names = {id(model): name for name, model in classifiers.items()}
results = search.cv_results_
for at in np.argsort(-results["mean_test_score"]):
    select, model = results["param_select"][at], results["param_classify"][at]
    size = "all" if select == "passthrough" else select.n_features_to_select
    score, deviation = results["mean_test_score"][at], results["std_test_score"][at]
    print(f"{names[id(model)]:10} {size!s:>3} features  {score:.3f} ± {deviation:.3f}")

# %%
# Every classifier is better with a selection than with all features. Differences within a standard deviation mean
# little; among equals, prefer the simpler model. The best one, fitted again on all training rows:

chosen = search.best_estimator_
print(", ".join(chosen["select"].selected_columns_))

# %%
# How good is it? On the rows set aside, the AUC as seen, the AUC corrected for the hidden positives, and the truth.
# The selector estimates the share of positives; the interval is that of the share, and 20 held-out labels add their
# own error.

scores = chosen.predict_proba(table.iloc[test])[:, 1]
labelled, unlabelled = scores[y[test] == 1], scores[y[test] == 0]
print(f"seen      {roc_auc_score(y[test], scores):.3f}")
corrected = corrected_figures(labelled, unlabelled, chosen["select"].prior_)
if corrected:
    print("corrected {:.3f} ({:.3f} to {:.3f})".format(*corrected["auc"]))
print(f"true      {roc_auc_score(truth[test], scores):.3f}")

# %%
# A decision: somebody can look at 50 payments a day. Take the 50 highest scores among rows that are not known yet.

unknown = test[y[test] == 0]
first = unknown[np.argsort(-unlabelled)[:50]]
print(f"{truth[first].sum()} of the first 50 are fraud; 50 random ones would hold {50 * truth[unknown].mean():.0f}")

# %%
# Scores are not probabilities: unlabelled rows were treated as negatives. `candidate_positives` of the selector gives
# calibrated ones where the labels allow it.

# sphinx_gallery_thumbnail_path = "images/report-compare.png"
