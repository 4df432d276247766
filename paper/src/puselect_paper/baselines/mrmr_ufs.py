"""MRMR-UFS: one column from each spectral cluster of columns."""

from typing import Any

import numpy as np
from sklearn.metrics import mutual_info_score

from puselect.arrays import FloatArray, IntArray
from puselect.objective.information import equal_width_codes
from puselect.parameters import check_choice, check_number
from puselect.selectors.base import descending_order
from puselect.selectors.ranking import RankingSelector, RankingTask, scores_of_order
from puselect_paper.baselines.spectral import SpectralClusters, spectral_clusters


class MRMRUFS(RankingSelector):
    """MRMR-UFS2: one column from each cluster of columns, the most informative about clusters of rows first.

    Purely unsupervised: the labels are validated and then ignored. Rows and columns are each clustered spectrally; the
    clusters of rows serve as classes. One column of each cluster is selected, best first; then the remaining columns
    are clustered again, until enough are selected.

    The whole method is reconstructed from its abstract. A cluster of columns is represented by the column nearest to
    its centre in the spectral embedding, which comes closest to the published figures;
    ``representative="relevance"`` takes the column with most information about the clusters of rows. Both columns of
    a cluster of two are equally near to its centre; such ties are broken at random, not by column order.
    Information is measured on bins of equal width.

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
    representative : {"centre", "relevance"}, default="centre"
        Which column represents its cluster.
    n_bins : int, default=5
        Bins of a column when its information is measured.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Threads for the neighbour search.
    random_state : int, RandomState or None, default=None
        Seed of the clusterings; also breaks ties.

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
    >>> from puselect_paper.baselines import MRMRUFS
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
        representative: str = "centre",
        n_bins: int = 5,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.n_feature_clusters = n_feature_clusters
        self.n_row_clusters = n_row_clusters
        self.representative = representative
        self.n_bins = n_bins
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: RankingTask) -> FloatArray:
        check_number("n_neighbors", self.n_neighbors, 1, integer=True)
        check_number("n_bins", self.n_bins, 2, integer=True)
        check_choice("representative", self.representative, ("centre", "relevance"))
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

    def _n_clusters(self, name: str, task: RankingTask) -> int:
        """Return a number of clusters as wanted; by default that of the features to select."""
        wanted = getattr(self, name)
        if wanted is None:
            return task.n_select
        check_number(name, wanted, 1, integer=True)
        return int(wanted)

    def _representatives(self, groups: SpectralClusters, relevance: FloatArray, rng: np.random.Generator) -> IntArray:
        """Return the index of one column of each cluster; chance decides between equals."""
        worth = relevance if self.representative == "relevance" else -groups.distances
        order = np.lexsort((rng.random(len(worth)), -np.round(worth, 9), groups.labels))
        return order[np.unique(groups.labels[order], return_index=True)[1]]
