"""Figures of a ranking of rows where negatives are not known: unlabelled rows hold hidden positives."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from puselect.arrays import FloatArray
from puselect.fscpu.row_model import ClassPrior, corrected_auc

__all__ = ["Bounds", "corrected_auc", "corrected_figures", "corrected_precision", "lee_liu"]


SURE = 1.96  # standard errors: 95 %


class Bounds(NamedTuple):
    """A figure, and its interval: what it is at the ends of the interval of the share of positives."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: FloatArray) -> "Bounds":
        """Take the figure at the share itself, at its lower and at its upper end."""
        return cls(float(values[0]), float(min(values)), float(max(values)))


def corrected_precision(recall: ArrayLike, predicted: ArrayLike, share: float) -> FloatArray:
    """Return the share of positives among unlabelled rows that are predicted positive: share * recall / predicted.

    Parameters
    ----------
    recall : array-like
        Share of the labelled rows, held out, that are predicted positive.
    predicted : array-like
        Share of the unlabelled rows that are; 0 gives 0.
    share : float
        Share of positives among the unlabelled rows.

    Examples
    --------
    >>> round(float(corrected_precision(0.8, 0.1, 0.1)), 3)
    0.8
    """
    return np.minimum(_ratio(share * np.asarray(recall, dtype=float), predicted), 1.0)


def lee_liu(recall: ArrayLike, predicted: ArrayLike) -> FloatArray:
    """Return recall^2 / P(predicted positive), which grows with precision times recall and needs no share of positives.

    W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", ICML 2003.

    Examples
    --------
    >>> float(lee_liu(0.8, 0.1).round(2))
    6.4
    """
    return _ratio(np.square(np.asarray(recall, dtype=float)), predicted)


def corrected_figures(
    labelled: ArrayLike, unlabelled: ArrayLike, prior: ClassPrior, checked: ArrayLike | None = None
) -> dict[str, Bounds] | None:
    """Return AUC and average precision of a score, corrected for hidden positives; None if their share is not known.

    With checked negatives the AUC is that of labelled positives against them, and needs no share.

    Parameters
    ----------
    labelled : array-like of shape (n_labelled,)
        Scores of labelled positives that were held out.
    unlabelled : array-like of shape (n_unlabelled,)
        Scores of unlabelled rows, held out as well.
    prior : ClassPrior
        The share of positives among the unlabelled rows, with its interval.
    checked : array-like of shape (n_checked,), optional
        Scores of two or more checked negatives that were held out.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> positives, negatives = rng.normal(2, 1, 700), rng.normal(0, 1, 900)
    >>> prior = ClassPrior("estimated", 0.1, (0.05, 0.15))
    >>> found = corrected_figures(positives[100:], np.append(positives[:100], negatives), prior)
    >>> [round(value, 2) for value in found["auc"]]  # the truth is .92
    [0.92, 0.9, 0.94]
    """
    exact = {} if checked is None else {"auc": checked_auc(labelled, checked)}
    if prior.share is None or prior.interval is None:
        return exact or None
    known, others = np.asarray(labelled, dtype=float), np.sort(np.asarray(unlabelled, dtype=float))
    auc = roc_auc_score(np.repeat([1, 0], [len(known), len(others)]), np.concatenate([known, others]))
    recall = np.arange(1, len(known) + 1) / len(known)
    predicted = 1 - np.searchsorted(others, -np.sort(-known)) / len(others)
    shares = (prior.share, *prior.interval)
    average = [corrected_precision(recall, np.maximum(predicted, share * recall), share).mean() for share in shares]
    return {
        "auc": Bounds.of(np.array([corrected_auc(float(auc), share) for share in shares])),
        "average_precision": Bounds.of(np.array(average)),
        **exact,
    }


def checked_auc(labelled: ArrayLike, checked: ArrayLike) -> Bounds:
    """Return the AUC of positives against negatives, and its 95 % interval, which is symmetric on the logit scale.

    E. DeLong, D. DeLong and D. Clarke-Pearson, "Comparing the Areas under Two or More Correlated Receiver Operating
    Characteristic Curves: A Nonparametric Approach", Biometrics 44 (1988).

    Examples
    --------
    >>> [round(value, 2) for value in checked_auc(np.arange(10, 40), np.arange(20))]
    [0.92, 0.81, 0.97]
    """
    positive, negative = np.asarray(labelled, dtype=float), np.asarray(checked, dtype=float)
    wins = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
    auc = float(wins.mean())
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / len(positive) + wins.mean(axis=0).var(ddof=1) / len(negative))
    margin = min(0.25, 1.5 / min(wins.shape))  # no rows on the wrong side prove little if there are few
    inside = np.clip(auc, margin, 1 - margin)
    low, high = expit(logit(inside) + np.array([-SURE, SURE]) * error / (inside * (1 - inside)))
    return Bounds(auc, min(float(low), auc), max(float(high), auc))


def _ratio(part: FloatArray, whole: ArrayLike) -> FloatArray:
    rows = np.asarray(whole, dtype=float)
    zeros = np.zeros(np.broadcast_shapes(part.shape, rows.shape))
    return np.asarray(np.divide(part, rows, out=zeros, where=rows > 0))
