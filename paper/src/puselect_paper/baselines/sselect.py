"""sSelect: columns that vary smoothly over a graph of neighbouring rows."""

import numpy as np
from scipy.sparse import csr_array

from puselect.arrays import FloatArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.neighbour_graph import Edges, adjacency, neighbour_edges

N_NEIGHBORS = 5
TRADE_OFF = 0.1  # share of the cut in the cost, the lambda of the article
FLAT = 1e-20  # a variance at or below this, of values in [0, 1], is rounding


class SSelect(RankingSelector):
    """sSelect: columns that vary smoothly over a graph of neighbours and agree with the labels.

    Each column is cut at its mean into two clusters of rows. Its cost is a tenth of the normalised cut of the graph
    (the Laplacian score) plus nine tenths of one minus the normalised mutual information between these clusters and
    the labels.

    The method was made for labels of several classes; two parts are reconstructed. With positives only, the positive
    rows alone are the labels, so that the second term is 0 if they all lie on one side of the mean and 1 otherwise;
    under this reading the published figures do not depend on the share of labelled rows. And the width of the kernel,
    which was not published and decides the outcome: the default comes closest to the published figures, a wider one
    finds fewer relevant features.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    sigma2 : float, default=0.005
        Width of the heat kernel, on columns scaled to [0, 1]: an edge weighs exp(-distance² / (2 sigma2)).

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Minus the cost; -3, below all others, for constant columns.

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
        n_features_to_select: int | float | None = None,
        *,
        sigma2: float = 0.005,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.sigma2 = sigma2

    def _score(self, task: RankingTask) -> FloatArray:
        check_number("sigma2", self.sigma2, 0, open_low=True)
        edges = neighbour_edges(task.X, N_NEIGHBORS)
        graph = adjacency(edges, heat_weights(edges, self.sigma2), len(task.X))
        centred = centre_columns(task.X, graph)
        n_above = (centred[task.positive] >= 0).sum(axis=0)
        is_split = (n_above > 0) & (n_above < task.positive.sum())
        cost = TRADE_OFF * normalised_cut(centred, graph) + (1 - TRADE_OFF) * is_split
        return np.where(np.ptp(task.X, axis=0) > 0, -cost, -3.0)


def heat_weights(edges: Edges, sigma2: float) -> FloatArray:
    """Return exp(-distance² / (2 sigma2)) per edge, as multiples of the largest: a narrow kernel leaves some."""
    return np.asarray(np.exp((edges.squared.min() - edges.squared) / (2 * sigma2)))


def centre_columns(X: FloatArray, graph: csr_array) -> FloatArray:
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
