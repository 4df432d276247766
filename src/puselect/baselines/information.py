"""Greedy selection by mutual information: mRMR and semi-JMI."""

from collections.abc import Callable

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.objective.information import PairRows, equal_width_codes
from puselect.selectors.ranking import RankingSelector, RankingTask, scores_of_order

QUOTIENT_FLOOR = 1e-4  # bits, added to the redundancy so that no quotient is infinite


class MRMR(RankingSelector):
    """Add the feature with most information about the labels and least about the chosen features (mRMR).

    Columns are cut one standard deviation below and above the mean, as the authors do. A feature's worth is its
    relevance divided by its mean redundancy with the chosen ones. The score is the number of features for the one added
    first, down to 1; 0 for constant columns. Beyond the selected ones, features are ranked by their worth as the next
    one. Parameters and attributes are those of `RankingSelector`.

    References
    ----------
    H. Peng, F. Long and C. Ding, "Feature Selection Based on Mutual Information: Criteria of Max-Dependency,
    Max-Relevance, and Min-Redundancy", IEEE Trans. Pattern Analysis and Machine Intelligence 27, 2005.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(MRMR(25).fit(X, y).support_[relevant].sum())
    19
    """

    def _score(self, task: RankingTask) -> FloatArray:
        return mrmr_scores(task, three_state_codes(task.X), lambda relevance: task.rng.permutation(len(relevance)))


class SemiJMI(RankingSelector):
    """Add the feature whose pairs with the chosen ones have most information about the labels (JMI).

    Features j are added by the largest sum over chosen features i of I(X_i, X_j; s). Unlabelled rows count as
    negatives, which the authors show to be the better surrogate if there are no labelled negatives. Columns are cut
    into five bins of equal width: the FSCPU paper does not state their number, but five give its results. Parameters
    and attributes are those of `MRMR`.

    References
    ----------
    K. Sechidis and G. Brown, "Simple Strategies for Semi-Supervised Feature Selection", Machine Learning 107, 2018.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(SemiJMI(25).fit(X, y).support_[relevant].sum())
    24
    """

    def _score(self, task: RankingTask) -> FloatArray:
        columns = task.rng.permutation(np.flatnonzero(task.X.any(axis=0)))
        if not len(columns):  # they vary by less than a float can tell
            return np.zeros(task.X.shape[1])
        codes = equal_width_codes(task.X[:, columns])
        alone = PairRows(np.column_stack([codes, task.positive]), task.positive).information(len(columns))[:-1]
        pairs = PairRows(codes, task.positive)
        order = forward_order(alone, pairs.joint_information, lambda sums, n: sums, task.n_select)
        return scores_of_order(columns[order], task.X.shape[1])


def mrmr_scores(task: RankingTask, codes: IntArray, tie_order: Callable[[FloatArray], IntArray]) -> FloatArray:
    """Return scores of discretised columns; of equal ones, the first in `tie_order` of their relevance is added."""
    n_features = codes.shape[1]
    pairs = PairRows(np.column_stack([codes, task.positive]), task.positive)
    information = pairs.information(n_features)[:-1] / np.log(2)  # on the labels, which come last; in bits
    columns = tie_order(information)
    columns = columns[task.X[:, columns].any(axis=0)]  # scaled: a constant column is all zeros
    relevance = information[columns]

    def worth(sums: FloatArray, n: int) -> FloatArray:
        return np.asarray(relevance / (sums / n + QUOTIENT_FLOOR))

    def redundancy_with(i: int) -> FloatArray:
        return np.asarray(pairs.information(columns[i])[columns] / np.log(2))

    return scores_of_order(columns[forward_order(relevance, redundancy_with, worth, task.n_select)], n_features)


def three_state_codes(X: FloatArray) -> IntArray:
    """Return each column as codes: 0 below mean - sd, 1 in between, 2 above mean + sd; up to three values stay.

    Examples
    --------
    >>> three_state_codes(np.array([[0.0, 0.0], [4.0, 1.0], [5.0, 0.0], [6.0, 1.0], [10.0, 0.0]])).T
    array([[0, 1, 1, 1, 2],
           [0, 1, 0, 1, 0]], dtype=int8)
    """
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    codes: IntArray = (mean - deviation <= X).astype(np.int8) + (mean + deviation < X).astype(np.int8)
    for j, column in enumerate(X.T):
        distinct = np.unique(column)
        if len(distinct) <= 3:
            codes[:, j] = np.searchsorted(distinct, column)
    return codes


def forward_order(
    first: FloatArray,
    pairs_of: Callable[[int], FloatArray],
    worth: Callable[[FloatArray, int], FloatArray],
    n_added: int,
) -> IntArray:
    """Return all features in the order in which greedy selection adds them; of equal ones the first comes first.

    `first` is the worth of each feature as the first one. `pairs_of` a feature are its pairwise values with all
    features; `worth` takes their sums over the n chosen ones, and n, and returns the worth of each as the next one.
    After `n_added` features the rest is ordered by their worth as the next one.
    """
    order: list[int] = []
    sums, values = np.zeros(len(first)), first.copy()
    for n in range(min(n_added, len(first))):
        order.append(int(np.argmax(values)))
        sums = sums + pairs_of(order[n])
        values = worth(sums, n + 1).copy()
        values[order] = -np.inf
    return np.append(order, np.argsort(-values, kind="stable")[: len(first) - len(order)]).astype(np.intp)
