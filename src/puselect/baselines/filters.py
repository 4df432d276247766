"""Filters: statistics of one column at a time."""

import numpy as np
from sklearn.feature_selection import chi2

from puselect.arrays import FloatArray
from puselect.columns.evidence import column_evidence
from puselect.selectors.ranking import RankingSelector, RankingTask


class KBest(RankingSelector):
    """Select the features of largest chi-squared statistic: `SelectKBest(chi2)` of scikit-learn.

    The sum of a scaled column over the labelled rows is compared with that expected from their share of the rows.
    Parameters and attributes are those of `RankingSelector`.

    References
    ----------
    H. Liu and R. Setiono, "Chi2: Feature Selection and Discretization of Numeric Attributes", ICTAI 1995.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(KBest(25).fit(X, y).support_[relevant].sum())
    22
    """

    def _score_columns(self, task: RankingTask) -> FloatArray:
        return np.asarray(chi2(task.X, task.positive)[0])


class Lepage(RankingSelector):
    """Select the features in which labelled rows differ most from all rows, in location or spread.

    Not from the paper. A comparison with FSCPU shows the gain from clusters of several columns. Parameters and
    attributes are those of `RankingSelector`.

    References
    ----------
    Y. Lepage, "A Combination of Wilcoxon's and Ansari-Bradley's Statistics", Biometrika 58, 1971.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(Lepage(25).fit(X, y).support_[relevant].sum())
    25
    """

    def _score_columns(self, task: RankingTask) -> FloatArray:
        return column_evidence(task.X, task.positive)


class LowestVariance(RankingSelector):
    """Select the min-max scaled features of lowest standard deviation, without any look at the labels.

    Not from the paper. It finds every relevant feature of the paper's artificial data, because the irrelevant ones are
    uniform and clusters are narrower: a method has to do better elsewhere to show that it works. The score is 1 minus
    the standard deviation. Parameters and attributes are those of `RankingSelector`.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(LowestVariance(25).fit(X, y).support_[relevant].sum())
    25
    """

    def _score_columns(self, task: RankingTask) -> FloatArray:
        return np.asarray(1 - task.X.std(axis=0))
