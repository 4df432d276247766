"""Scores of selected features."""

from puselect.evaluation.hidden import corrected_auc, corrected_figures, corrected_precision, lee_liu
from puselect.evaluation.models import (
    DOWNSTREAM,
    bagged_trees,
    boosted_trees,
    downstream_auc,
    downstream_scores,
    extra_trees,
    logistic_regression,
    random_forest,
)
from puselect.evaluation.recall import feature_recall

__all__ = [
    "DOWNSTREAM",
    "bagged_trees",
    "boosted_trees",
    "corrected_auc",
    "corrected_figures",
    "corrected_precision",
    "downstream_auc",
    "downstream_scores",
    "extra_trees",
    "feature_recall",
    "lee_liu",
    "logistic_regression",
    "random_forest",
]
