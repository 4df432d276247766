"""PUET: extremely randomised trees grown by a risk that labelled positives, unlabelled rows and their prior give."""

import math

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.class_prior import known_prior


class PUET(RankingSelector):
    """Select the features that lower the risk most in extremely randomised trees for positive and unlabelled rows.

    Each node draws one cut on each of ⌈√D⌉ columns and keeps that of least risk (quadratic loss).

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    prior : float, optional
        Share of positives among all rows. By default estimated by `puselect.checks.prior.estimate_prior`.
    n_estimators : int, default=100
        Trees.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Mean over the trees of the risk that cuts on the feature save; -1 for constant columns.

    References
    ----------
    J. Wilton, A. M. Y. Koay, R. K. L. Ko, M. Xu and N. Ye, "Positive-Unlabeled Learning using Random Forests via
    Recursive Greedy Risk Minimization", NeurIPS 2022.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/outlier", n_negative=400, n_positive=100, n_relevant=4, n_irrelevant=4,
    ...                                   random_state=0)
    >>> selector = PUET(4, prior=0.2, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    4
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        prior: float | None = None,
        n_estimators: int = 100,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.prior = prior
        self.n_estimators = n_estimators

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        prior = known_prior(self.prior, task)
        trees = [saved_risk(task.X, task.positive, prior, task.rng) for _ in range(self.n_estimators)]
        return np.asarray(np.mean(trees, axis=0))


def node_risk(shares: FloatArray, prior: float) -> FloatArray:
    """Return the risk of nodes from their shares of all labelled rows (first line) and of all unlabelled ones (second).

    Examples
    --------
    >>> node_risk(np.array([[1.0, 0.5, 0.9], [1.0, 0.5, 0.1]]), 0.25)
    array([0.75 , 0.375, 0.   ])
    """
    labelled, both = np.asarray(shares)  # both: W_p + W_n
    v = np.divide(prior * labelled, both, out=np.ones_like(both), where=both > prior * labelled)
    return np.asarray(4 * both * v * (1 - v))


def saved_risk(X: FloatArray, positive: BoolArray, prior: float, rng: np.random.Generator) -> FloatArray:
    """Return the risk that each column saves in one tree."""
    weights = np.column_stack([positive / positive.sum(), ~positive / (~positive).sum()])
    saved, open_nodes = np.zeros(X.shape[1]), [np.arange(len(X))]
    while open_nodes:
        rows = open_nodes.pop()
        risk = float(node_risk(weights[rows].sum(axis=0), prior))
        cut = best_cut(X, rows, weights[rows], prior, rng) if risk > 0 else None  # none can save more
        if cut is not None:
            column, left, below = cut
            saved[column] += risk - below
            open_nodes += [rows[left], rows[~left]]
    return saved


def best_cut(
    X: FloatArray, rows: IntArray, weights: FloatArray, prior: float, rng: np.random.Generator
) -> tuple[int, BoolArray, float] | None:
    """Return column, rows on the left and risk of the best of ⌈√D⌉ random cuts; None if all columns are constant."""
    order, n_tried = rng.permutation(X.shape[1]), math.ceil(math.sqrt(X.shape[1]))
    for start in range(0, len(order), n_tried):  # the next ones if these are constant here
        columns = order[start : start + n_tried]
        values = X[rows[:, None], columns]
        low, high = values.min(axis=0), values.max(axis=0)
        columns, values = columns[low < high], values[:, low < high]
        if len(columns):
            low, high = low[low < high], high[low < high]
            left = values <= np.minimum(rng.uniform(low, high), np.nextafter(high, low))
            risks = cut_risks(left, weights, prior)
            best = int(np.argmin(risks))
            return int(columns[best]), left[:, best], float(risks[best])
    return None


def cut_risks(left: BoolArray, weights: FloatArray, prior: float) -> FloatArray:
    """Return the risk of both sides of each cut, a column of `left`."""
    inside = weights.T @ left
    outside = weights.T @ ~left
    return np.asarray(node_risk(inside, prior) + node_risk(outside, prior))
