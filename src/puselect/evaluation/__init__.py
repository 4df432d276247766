"""Scores of selected features."""

from puselect.evaluation.hidden import corrected_auc, corrected_figures, corrected_precision, lee_liu
from puselect.evaluation.models import DOWNSTREAM, downstream_auc, downstream_scores, feature_recall

__all__ = [
    "DOWNSTREAM",
    "corrected_auc",
    "corrected_figures",
    "corrected_precision",
    "downstream_auc",
    "downstream_scores",
    "feature_recall",
    "lee_liu",
]
