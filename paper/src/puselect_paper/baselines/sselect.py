"""sSelect: columns that vary smoothly over a graph of neighbouring rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import entr

from puselect.arrays import BoolArray, FloatArray
from puselect.parameters import check_choice, check_number
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.neighbour_graph import Edges, adjacency, neighbour_edges

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
        Threads for the neighbour search.
    random_state : int, RandomState or None, default=None
        Breaks ties between features.

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
    >>> from puselect_paper.baselines import SSelect
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

    def _score(self, task: RankingTask) -> FloatArray:
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
