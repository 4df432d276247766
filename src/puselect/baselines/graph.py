"""Methods that look at a graph of neighbouring rows: sSelect and MRMR-UFS."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import entr
from sklearn.metrics import mutual_info_score

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.baselines.neighbours import Clusters, Edges, adjacency, neighbour_edges, spectral_clusters
from puselect.objective.information import equal_width_codes
from puselect.selectors.base import check_choice, check_number, descending_order
from puselect.selectors.ranking import RankingSelector, Task, scores_of_order

FLAT = 1e-20  # a variance at or below this, of values in [0, 1], is rounding


class SSelect(RankingSelector):
    """sSelect: columns that vary smoothly over a graph of neighbours and agree with the labels.

    Each column is cut at its mean into two clusters of rows. Its cost is `trade_off` times the normalised cut of the
    graph (the Laplacian score) plus 1 - `trade_off` times one minus the normalised mutual information between these
    clusters and the labels.

    The method was made for labels of several classes; two parts are reconstructed. What the labels are with positives
    only: by default the positive rows alone, so that the second term is 0 if they all lie on one side of the mean and
    1 otherwise; this is the reading under which the published figures do not depend on the share of labelled rows. And
    the width of the kernel, which was not published and decides the outcome: the default comes closest to the
    published figures, a wider one (or weight="binary") finds fewer relevant features.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_neighbors : int, default=5
        Neighbours of a row in the graph.
    trade_off : float, default=0.1
        Share of the cut in the cost; the paper's lambda.
    weight : {"heat", "binary"}, default="heat"
        Weight of an edge: exp(-distance² / (2 sigma2)), or 1.
    sigma2 : float, default=0.005
        Width of the heat kernel, on columns scaled to [0, 1].
    labels : {"positive", "all"}, default="positive"
        Whether only labelled rows are compared with the clusters, or all, unlabelled ones as a class of their own.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Processors for the search of neighbours.
    random_state : int, RandomState or None, default=None
        Orders features of equal score.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Minus the cost; -3, below all others, for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.

    References
    ----------
    Z. Zhao and H. Liu, "Semi-supervised Feature Selection via Spectral Analysis", SDM 2007.

    Examples
    --------
    >>> from puselect.baselines import SSelect
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", n_relevant=10, n_irrelevant=10, random_state=0)
    >>> selector = SSelect(n_features_to_select=10).fit(X, y)
    >>> selector.transform(X).shape
    (4500, 10)
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 5,
        trade_off: float = 0.1,
        weight: str = "heat",
        sigma2: float = 0.005,
        labels: str = "positive",
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.trade_off = trade_off
        self.weight = weight
        self.sigma2 = sigma2
        self.labels = labels
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_neighbors", self.n_neighbors, 1, integer=True)
        check_number("trade_off", self.trade_off, 0, 1)
        check_choice("weight", self.weight, ("heat", "binary"))
        check_number("sigma2", self.sigma2, 0, open_low=True)
        check_choice("labels", self.labels, ("positive", "all"))
        edges = neighbour_edges(task.X, self.n_neighbors, self.n_jobs)
        weights = heat_weights(edges, self.sigma2) if self.weight == "heat" else np.ones(len(edges.first))
        graph = adjacency(edges, weights, len(task.X))
        centred = centre_columns(task.X, graph)
        compared = task.positive if self.labels == "positive" else np.ones(len(task.X), dtype=bool)
        match = normalised_information(centred[compared] >= 0, task.positive[compared])
        cost = self.trade_off * normalised_cut(centred, graph) + (1 - self.trade_off) * (1 - match)
        return np.where(np.ptp(task.X, axis=0) > 0, -cost, -3.0)


def heat_weights(edges: Edges, sigma2: float) -> FloatArray:
    """Return exp(-distance² / (2 sigma2)) per edge, as multiples of the largest: a narrow kernel leaves some."""
    return np.asarray(np.exp((edges.squared.min() - edges.squared) / (2 * sigma2)))


def centre_columns(X: NDArray[np.float64], graph: csr_array) -> FloatArray:
    """Return the columns minus their means weighted by degree, orthogonal to the trivial eigenvector."""
    degrees = graph.sum(axis=1)
    return np.asarray(X - degrees @ X / degrees.sum())


def normalised_cut(centred: FloatArray, graph: csr_array) -> FloatArray:
    """Return g'(D - W)g / g'Dg per column g, in [0, 2]; 2 where the graph sees no variation."""
    degrees = graph.sum(axis=1)
    variation = degrees @ centred**2
    smooth = np.einsum("ij,ij->j", centred, graph @ centred)
    varies = variation > FLAT * degrees.sum()
    return np.where(varies, np.maximum(1 - smooth / np.where(varies, variation, 1.0), 0.0), 2.0)


def normalised_information(sides: BoolArray, labels: BoolArray) -> FloatArray:
    """Return I(c; l) over the mean of H(c) and H(l), for each column c of `sides`; 1 where both are constant."""
    n_rows = len(labels)
    both = sides[labels].sum(axis=0)
    upper, labelled = sides.sum(axis=0), int(labels.sum())
    counts = np.stack([both, upper - both, labelled - both, n_rows - upper - labelled + both])
    joint = entr(counts / n_rows).sum(axis=0)
    entropies = _binary_entropy(upper / n_rows) + _binary_entropy(np.array(labelled / n_rows))
    information = 2 * np.maximum(entropies - joint, 0.0)
    return np.where(entropies > 0, information / np.where(entropies > 0, entropies, 1.0), 1.0)


def _binary_entropy(share: NDArray[np.float64]) -> FloatArray:
    return np.asarray(entr(share) + entr(1 - share))


class MRMRUFS(RankingSelector):
    """MRMR-UFS2: one column from each cluster of columns, the most informative about clusters of rows first.

    Purely unsupervised: the labels are checked and then ignored. Rows and columns are each clustered spectrally; the
    clusters of rows serve as classes. Representatives of the clusters of columns are taken, best first, then the
    others are clustered anew, until enough are found.

    The whole method is reconstructed from its abstract. What represents a cluster of columns: by default the one
    nearest to the centre in the spectral embedding, which comes closest to the published figures; rule="relevance"
    takes the one with most information about the clusters of rows. Both columns of a cluster of two are equally near
    to its centre: here chance decides, where the order of columns would favour those that come first. Information is
    measured on bins of equal width.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_neighbors : int, default=5
        Neighbours in the graphs of rows and of columns.
    n_feature_clusters : int, optional
        Clusters of columns, K1. By default as many as features are selected.
    n_row_clusters : int, optional
        Clusters of rows, K2. By default as many as features are selected.
    rule : {"centre", "relevance"}, default="centre"
        Which column represents its cluster.
    n_bins : int, default=5
        Bins of a column when its information is measured.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Processors for the search of neighbours.
    random_state : int, RandomState or None, default=None
        Seed of the clusterings and of the order of equals.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        From the position in the list, higher is better; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature. Beyond the selected ones, by relevance.
    relevance_ : ndarray of float, shape (n_features,)
        Information about the clusters of rows, in nats.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.

    References
    ----------
    B. Khozaei and M. Eftekhari, "Unsupervised Feature Selection Based on Spectral Clustering with Maximum Relevancy
    and Minimum Redundancy Approach", International Journal of Pattern Recognition and Artificial Intelligence
    35(11), 2021.

    Examples
    --------
    >>> from puselect.baselines import MRMRUFS
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", n_relevant=10, n_irrelevant=10, random_state=0)
    >>> selector = MRMRUFS(n_features_to_select=10, random_state=0).fit(X, y)
    >>> int(selector.get_support().sum())
    10
    """

    relevance_: FloatArray

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 5,
        n_feature_clusters: int | None = None,
        n_row_clusters: int | None = None,
        rule: str = "centre",
        n_bins: int = 5,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.n_feature_clusters = n_feature_clusters
        self.n_row_clusters = n_row_clusters
        self.rule = rule
        self.n_bins = n_bins
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_neighbors", self.n_neighbors, 1, integer=True)
        check_number("n_bins", self.n_bins, 2, integer=True)
        check_choice("rule", self.rule, ("centre", "relevance"))
        n_groups = self._n_clusters("n_feature_clusters", task)
        n_classes = self._n_clusters("n_row_clusters", task)
        classes = spectral_clusters(task.X, n_classes, self.n_neighbors, task.seed, self.n_jobs).labels
        codes = equal_width_codes(task.X, self.n_bins)
        self.relevance_ = np.array([mutual_info_score(classes, column) for column in codes.T])
        left = np.flatnonzero(np.ptp(task.X, axis=0) > 0)
        taken: list[int] = []
        while len(taken) < task.n_select and len(left) > 0:
            groups = spectral_clusters(task.X.T[left], n_groups, self.n_neighbors, task.seed, self.n_jobs)
            best = left[self._representatives(groups, self.relevance_[left], task.rng)]
            taken.extend(best[descending_order(self.relevance_[best], task.rng)])
            left = np.setdiff1d(left, best)
        others = left[descending_order(self.relevance_[left], task.rng)]
        return scores_of_order(np.append(taken, others).astype(np.intp), task.X.shape[1])

    def _n_clusters(self, name: str, task: Task) -> int:
        """Return a number of clusters as wanted; by default that of the features to select."""
        wanted = getattr(self, name)
        if wanted is None:
            return task.n_select
        check_number(name, wanted, 1, integer=True)
        return int(wanted)

    def _representatives(self, groups: Clusters, relevance: FloatArray, rng: np.random.Generator) -> IntArray:
        """Return the index of one column of each cluster; chance decides between equals."""
        worth = relevance if self.rule == "relevance" else -groups.distances
        order = np.lexsort((rng.random(len(worth)), -np.round(worth, 9), groups.labels))
        return order[np.unique(groups.labels[order], return_index=True)[1]]
