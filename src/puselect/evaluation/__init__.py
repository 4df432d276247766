"""Scores of selected features, and tests for comparing methods."""

from puselect.evaluation.models import (
    DOWNSTREAM,
    bagged_trees,
    boosted_trees,
    downstream_auc,
    extra_trees,
    logistic_regression,
    random_forest,
)
from puselect.evaluation.recall import feature_recall
from puselect.evaluation.statistics import (
    PairedTest,
    compare_pairs,
    compare_with,
    corrected_resampled_t_test,
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
    "corrected_resampled_t_test",
    "critical_difference",
    "downstream_auc",
    "extra_trees",
    "feature_recall",
    "holm",
    "indistinguishable",
    "logistic_regression",
    "mean_ranks",
    "random_forest",
]
