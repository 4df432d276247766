"""MRMR-UFS: one column from each spectral cluster of columns."""

import numpy as np
from sklearn.metrics import mutual_info_score

from puselect.arrays import FloatArray, IntArray
from puselect.objective.information import equal_width_codes
from puselect.selectors.base import descending_order
from puselect.selectors.ranking import RankingSelector, RankingTask, scores_of_order
from puselect_paper.baselines.spectral import SpectralClusters, spectral_clusters

N_NEIGHBORS = 5
N_BINS = 5


class MRMRUFS(RankingSelector):
    """MRMR-UFS2: one column from each cluster of columns, the most informative about clusters of rows first.

    Purely unsupervised: the labels are validated and then ignored. Rows and columns are each clustered spectrally; the
    clusters of rows serve as classes. One column of each cluster is selected, best first; then the remaining columns
    are clustered again, until enough are selected.

    The whole method is reconstructed from its abstract. A cluster of columns is represented by the column nearest to
    its centre in the spectral embedding, which comes closest to the published figures. Both columns of a cluster of two
    are equally near to its centre; such ties are broken at random, not by column order. Information is measured on bins
    of equal width. There are as many clusters, of rows and of columns, as features to select. Parameters are those of
    `RankingSelector`.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        From the position in the list, higher is better; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature. Beyond the selected ones, by relevance.
    relevance_ : ndarray of float, shape (n_features,)
        Information about the clusters of rows, in nats.

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

    def _score(self, task: RankingTask) -> FloatArray:
        classes = spectral_clusters(task.X, task.n_select, N_NEIGHBORS, task.seed).labels
        codes = equal_width_codes(task.X, N_BINS)
        self.relevance_ = np.array([mutual_info_score(classes, column) for column in codes.T])
        left = np.flatnonzero(np.ptp(task.X, axis=0) > 0)
        taken: list[int] = []
        while len(taken) < task.n_select and len(left) > 0:
            groups = spectral_clusters(task.X.T[left], task.n_select, N_NEIGHBORS, task.seed)
            best = left[representatives(groups, task.rng)]
            taken.extend(best[descending_order(self.relevance_[best], task.rng)])
            left = np.setdiff1d(left, best)
        others = left[descending_order(self.relevance_[left], task.rng)]
        return scores_of_order(np.append(taken, others).astype(np.intp), task.X.shape[1])


def representatives(groups: SpectralClusters, rng: np.random.Generator) -> IntArray:
    """Return the index of the column nearest to the centre of each cluster; chance decides between equals."""
    order = np.lexsort((rng.random(len(groups.labels)), np.round(groups.distances, 9), groups.labels))
    return order[np.unique(groups.labels[order], return_index=True)[1]]
