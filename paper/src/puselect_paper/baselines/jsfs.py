"""JSFS: a sparse Bayesian classifier that weighs features and unlabelled rows at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import BoolArray, FloatArray
from puselect.parameters import check_choice, check_max_time, check_number
from puselect.search.progress import Deadline
from puselect.selectors.base import descending_order
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.neighbour_graph import Edges, adjacency, neighbour_edges, normalised
from puselect_paper.baselines.sparse_bayes import SparseModel, fit_sparse_bayes

SAME_CLASS = 10.0  # affinity of two rows labelled with the same class
SPREAD = 0.99  # share of a row's propagated label that comes from its neighbours
SPREAD_STEPS = 1000


class JSFS(RankingSelector):
    """Joint semi-supervised feature selection and classification with a sparse Bayesian model.

    A logistic classifier without intercept whose weights have automatic relevance priors and a graph prior; each
    unlabelled row has a reliability, also with a sparse prior. Weights and reliabilities are fitted in turn, their
    priors by type-II maximum likelihood; features and rows with a vanishing weight or reliability are dropped.
    Features are ranked by the absolute value of their weights.

    The update rules follow the model. Three parts are reconstructed:

    - The classes of unlabelled rows. The method propagates them from labelled rows of every class; with positives
      alone they are all negative, or propagated from the positives (`unlabelled_as`).
    - The graph. Labelled rows are joined to each other, all others to their neighbours, and dropped rows stay in it.
      With the published `gamma` it has no visible effect.
    - The order of dropped features. The last one dropped ranks first; of those dropped in the same sweep, the one
      with the smallest prior precision.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    gamma : float, default=1e-11
        Strength of the graph prior.
    mu : float, default=9.95e-3
        Weight of an unlabelled row relative to a labelled one.
    n_neighbors : int, default=5
        Neighbours of a row in the graphs.
    unlabelled_as : {"negative", "propagated"}, default="negative"
        Classes of the unlabelled rows: all negative, or positive for the share `prior` of them that labels propagated
        over the neighbour graph reach best.
    prior : float, optional
        Share of positives among the unlabelled rows, for unlabelled_as="propagated".
    max_iter : int, default=50
        Sweeps over weights, reliabilities and priors, at most.
    max_time : float, optional
        The most seconds that graph and sweeps may take; one sweep is always done.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Threads for the neighbour search.
    random_state : int, RandomState or None, default=None
        Breaks ties between features and between rows.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Absolute weight; below 0 for dropped features, lowest for constant columns.
    coef_ : ndarray of float, shape (n_features,)
        Weights of the classifier, for columns scaled to [0, 1]; 0 for dropped features.
    n_iter_ : int
        Sweeps done.
    timed_out_ : bool
        Whether `max_time` ended the sweeps.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.

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
    timed_out_: bool

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        gamma: float = 1e-11,
        mu: float = 9.95e-3,
        n_neighbors: int = 5,
        unlabelled_as: str = "negative",
        prior: float | None = None,
        max_iter: int = 50,
        max_time: float | None = None,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.mu = mu
        self.n_neighbors = n_neighbors
        self.unlabelled_as = unlabelled_as
        self.prior = prior
        self.max_iter = max_iter
        self.max_time = max_time
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: RankingTask) -> FloatArray:
        self._check()
        deadline = Deadline(self.max_time)
        X, positive = task.X, task.positive
        edges = neighbour_edges(X, self.n_neighbors, self.n_jobs)
        y = positive.astype(np.float64)
        if self.unlabelled_as == "propagated":
            y[reached_rows(edges, positive, float(self.prior or 0), task.rng)] = 1
        varies = np.ptp(X, axis=0) > 0
        B = self.gamma * graph_penalty(X[:, varies], positive, edges)
        result = fit_sparse_bayes(X[:, varies], y, positive, B, self.mu, self.max_iter, deadline)
        self.n_iter_, self.timed_out_ = result.n_sweeps, result.timed_out
        self.coef_ = np.zeros(len(varies))
        self.coef_[varies] = result.weights
        scores = np.full(len(varies), -3.0 - self.max_iter)
        scores[varies] = pruned_scores(result)
        return scores

    def _check(self) -> None:
        check_number("gamma", self.gamma, 0)
        check_number("mu", self.mu, 0)
        check_number("n_neighbors", self.n_neighbors, 1, integer=True)
        check_choice("unlabelled_as", self.unlabelled_as, ("negative", "propagated"))
        if self.unlabelled_as == "propagated" or self.prior is not None:
            check_number("prior", self.prior, 0, 1)
        check_number("max_iter", self.max_iter, 1, integer=True)
        check_max_time(self.max_time)


def pruned_scores(result: SparseModel) -> FloatArray:
    """Return |w|; for a dropped feature minus the sweeps since then, and among those of one sweep by precision."""
    age = result.n_sweeps - result.dropped_at
    dropped = -(1 + age + result.alpha / (1 + result.alpha))
    return np.where(age >= 0, dropped, np.abs(result.weights))


def graph_penalty(X: NDArray[np.float64], positive: BoolArray, edges: Edges) -> FloatArray:
    """Return X' Lap X: labelled rows are joined to each other, other neighbours with weight 1."""
    weights = np.where(positive[edges.first] & positive[edges.second], 0.0, 1.0)
    graph = adjacency(edges, weights, len(X))
    penalty = X.T @ (graph.sum(axis=1)[:, None] * X - graph @ X)
    # The complete graph of the labelled rows, without writing it down.
    labelled = X[positive]
    total = labelled.sum(axis=0)
    penalty += SAME_CLASS * (len(labelled) * labelled.T @ labelled - np.outer(total, total))
    return np.asarray(penalty + penalty.T) / 2


def reached_rows(edges: Edges, positive: BoolArray, prior: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the share `prior` of the unlabelled rows with the largest F = (1 - a) (I - a Sn)^-1 s."""
    matrix = normalised(adjacency(edges, np.ones(len(edges.first)), len(positive)))
    start = (1 - SPREAD) * positive.astype(np.float64)
    reach = start
    for _ in range(SPREAD_STEPS):
        reach = SPREAD * (matrix @ reach) + start
    unlabelled = np.flatnonzero(~positive)
    order = descending_order(reach[unlabelled], rng)
    return unlabelled[order[: round(prior * len(unlabelled))]]
