"""JSFS: a sparse Bayesian classifier that weighs features and unlabelled rows at once."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.neighbour_graph import Edges, adjacency, neighbour_edges
from puselect_paper.baselines.sparse_bayes import SparseModel, fit_sparse_bayes

GAMMA = 1e-11  # strength of the graph prior, as published
MU = 9.95e-3  # weight of an unlabelled row relative to a labelled one, as published
N_NEIGHBORS = 5
SAME_CLASS = 10.0  # affinity of two rows labelled with the same class


class JSFS(RankingSelector):
    """Joint semi-supervised feature selection and classification with a sparse Bayesian model.

    A logistic classifier without intercept whose weights have automatic relevance priors and a graph prior; each
    unlabelled row has a reliability, also with a sparse prior. Weights and reliabilities are fitted in turn, their
    priors by type-II maximum likelihood; features and rows with a vanishing weight or reliability are dropped.
    Features are ranked by the absolute value of their weights.

    The update rules follow the model. Three parts are reconstructed:

    - The classes of unlabelled rows. The method propagates them from labelled rows of every class; with positives
      alone they are all negative.
    - The graph. Labelled rows are joined to each other, all others to their neighbours, and dropped rows stay in it.
      With the published strength it has no visible effect.
    - The order of dropped features. The last one dropped ranks first; of those dropped in the same sweep, the one
      with the smallest prior precision.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    max_iter : int, default=50
        Sweeps over weights, reliabilities and priors, at most.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Absolute weight; below 0 for dropped features, lowest for constant columns.
    coef_ : ndarray of float, shape (n_features,)
        Weights of the classifier, for columns scaled to [0, 1]; 0 for dropped features.
    n_iter_ : int
        Sweeps done.

    References
    ----------
    B. Jiang, X. Wu, K. Yu and H. Chen, "Joint Semi-Supervised Feature Selection and Classification through Bayesian
    Approach", AAAI 2019.

    Examples
    --------
    >>> from puselect_paper.baselines import JSFS
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/1/1", n_relevant=10, n_irrelevant=10, random_state=0)
    >>> selector = JSFS(n_features_to_select=10).fit(X, y)
    >>> bool(relevant[selector.scores_.argmax()])
    True
    """

    coef_: FloatArray
    n_iter_: int

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        max_iter: int = 50,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.max_iter = max_iter

    def _score(self, task: RankingTask) -> FloatArray:
        check_number("max_iter", self.max_iter, 1, integer=True)
        X, positive = task.X, task.positive
        varies = np.ptp(X, axis=0) > 0
        B = GAMMA * graph_penalty(X[:, varies], positive, neighbour_edges(X, N_NEIGHBORS))
        result = fit_sparse_bayes(X[:, varies], positive.astype(float), positive, B, MU, self.max_iter)
        self.n_iter_ = result.n_sweeps
        self.coef_ = np.zeros(len(varies))
        self.coef_[varies] = result.weights
        scores = np.full(len(varies), -3.0 - self.max_iter)
        scores[varies] = pruned_scores(result)
        return scores


def pruned_scores(result: SparseModel) -> FloatArray:
    """Return |w|; for a dropped feature minus the sweeps since then, and among those of one sweep by precision."""
    age = result.n_sweeps - result.dropped_at
    dropped = -(1 + age + result.alpha / (1 + result.alpha))
    return np.where(age >= 0, dropped, np.abs(result.weights))


def graph_penalty(X: FloatArray, positive: BoolArray, edges: Edges) -> FloatArray:
    """Return X' Lap X: labelled rows are joined to each other, other neighbours with weight 1."""
    weights = np.where(positive[edges.first] & positive[edges.second], 0.0, 1.0)
    graph = adjacency(edges, weights, len(X))
    penalty = X.T @ (graph.sum(axis=1)[:, None] * X - graph @ X)
    # The complete graph of the labelled rows, without writing it down.
    labelled = X[positive]
    total = labelled.sum(axis=0)
    penalty += SAME_CLASS * (len(labelled) * labelled.T @ labelled - np.outer(total, total))
    return np.asarray(penalty + penalty.T) / 2
