"""Consensus: the mean log rank of FSCPU's default and of PU bagging."""

import numpy as np

from puselect.arrays import FloatArray
from puselect.baselines.trees import PUBagging
from puselect.fscpu.selector import FSCPU
from puselect.selectors.ranking import RankingSelector, RankingTask

PARTS = 2.0, 1.0  # of FSCPU and of PU bagging


class Consensus(RankingSelector):
    """Select the features of best mean log rank in FSCPU's default, which counts twice, and in PU bagging.

    Not from the paper. With logarithms the first ranks decide; the score is how far the mean log rank is below that of
    the last rank. Parameters and attributes are those of `RankingSelector`.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", n_negative=400, n_positive=100, random_state=0)
    >>> int(Consensus(25, random_state=0).fit(X, y).support_[relevant].sum())
    24
    """

    def _score_columns(self, task: RankingTask) -> FloatArray:
        n_columns, y = task.X.shape[1], task.positive.astype(int)
        if n_columns == 1:
            return np.zeros(1)
        k = min(task.n_select, n_columns)
        ranks = [part(k, random_state=task.seed).fit(task.X, y).ranking_ for part in (FSCPU, PUBagging)]
        return np.asarray(np.log(n_columns) - np.average(np.log(ranks), axis=0, weights=PARTS))
