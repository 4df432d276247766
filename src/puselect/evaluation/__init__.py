"""Scores of selected features, and tests for comparing methods."""

from puselect.evaluation.models import DOWNSTREAM, bagged_trees, boosted_trees, downstream_auc, logistic_regression
from puselect.evaluation.recall import feature_recall
from puselect.evaluation.statistics import (
    PairedTest,
    compare_pairs,
    compare_with,
    critical_difference,
    holm,
    indistinguishable,
    mean_ranks,
)

__all__ = [
    "DOWNSTREAM",
    "PairedTest",
    "bagged_trees",
    "boosted_trees",
    "compare_pairs",
    "compare_with",
    "critical_difference",
    "downstream_auc",
    "feature_recall",
    "holm",
    "indistinguishable",
    "logistic_regression",
    "mean_ranks",
]
