"""Greedy selection by mutual information: mRMR and semi-JMI."""

from collections.abc import Callable

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.objective.information import (
    PairRows,
    equal_width_codes,
    joint_information,
    pair_information,
)
from puselect.parameters import check_choice, check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask, scores_of_order

MOST_PAIRED = 500  # columns of which all pairs are computed at once; beyond, only the pairs of chosen ones
QUOTIENT_FLOOR = 1e-4  # bits, added to the redundancy so that no quotient is infinite


class MRMR(RankingSelector):
    """Add the feature with most information about the labels and least about the chosen features (mRMR).

    Columns are discretised first, as the authors do: cut one standard deviation below and above the mean.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    criterion : {"quotient", "difference"}, default="quotient"
        Relevance divided by the mean redundancy with the chosen features, or their difference; in bits.

    Attributes
    ----------
    scores_, ranking_, support_
        As in `RankingSelector`. The score is the number of features for the one added first, down to 1; 0 for constant
        columns. The ranking goes on beyond the selected ones; with more than 500 columns, in the order of their worth
        as the next one.

    References
    ----------
    H. Peng, F. Long and C. Ding, "Feature Selection Based on Mutual Information: Criteria of Max-Dependency,
    Max-Relevance, and Min-Redundancy", IEEE Trans. Pattern Analysis and Machine Intelligence 27, 2005.

    Examples
    --------
    >>> from puselect.baselines import MRMR
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = MRMR(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    19
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        criterion: str = "quotient",
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.criterion = criterion

    def _score(self, task: RankingTask) -> FloatArray:
        check_choice("criterion", self.criterion, ("quotient", "difference"))
        codes = three_state_codes(task.X)
        return mrmr_scores(task, codes, self.criterion, lambda relevance: task.rng.permutation(len(relevance)))


class SemiJMI(RankingSelector):
    """Add the feature whose pairs with the chosen ones have most information about the labels (JMI).

    Features j are added by the largest sum over chosen features i of I(X_i, X_j; s). Unlabelled rows count as
    negatives, which the authors show to be the better surrogate if there are no labelled negatives.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    n_bins : int, default=5
        Bins of equal width per column; a column with fewer values keeps its values. The FSCPU paper does not state it;
        5 gives its results, and fewer bins better ones.

    Attributes
    ----------
    scores_, ranking_, support_
        As in `MRMR`.

    References
    ----------
    K. Sechidis and G. Brown, "Simple Strategies for Semi-Supervised Feature Selection", Machine Learning 107, 2018.

    Examples
    --------
    >>> from puselect.baselines import SemiJMI
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = SemiJMI(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    24
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_bins: int = 5,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_bins = n_bins

    def _score(self, task: RankingTask) -> FloatArray:
        check_number("n_bins", self.n_bins, 2, integer=True)
        columns = task.rng.permutation(np.flatnonzero(task.X.any(axis=0)))
        if not len(columns):  # they vary by less than a float can tell
            return np.zeros(task.X.shape[1])
        codes = equal_width_codes(task.X[:, columns], self.n_bins)
        pairs_of: Callable[[int], FloatArray]
        if len(columns) > MOST_PAIRED:
            alone = PairRows(np.column_stack([codes, task.positive]), task.positive).information(len(columns))[:-1]
            pairs_of, n_added = PairRows(codes, task.positive).joint_information, task.n_select
        else:
            table = joint_information(codes, task.positive)
            alone, pairs_of, n_added = np.diag(table), table.__getitem__, None
        order = forward_order(alone, pairs_of, lambda sums, n: sums, n_added)
        return scores_of_order(columns[order], task.X.shape[1])


def mrmr_scores(
    task: RankingTask, codes: IntArray, criterion: str, tie_order: Callable[[FloatArray], IntArray]
) -> FloatArray:
    """Return scores of discretised columns; of equal ones, the first in `tie_order` of their relevance is added."""
    n_features = codes.shape[1]
    pairs_of = _pairs(task, codes)
    relevance = pairs_of(n_features)[:-1]  # with the labels, which come last
    columns = tie_order(relevance)
    columns = columns[task.X[:, columns].any(axis=0)]  # scaled: a constant column is all zeros
    n_added = task.n_select if n_features > MOST_PAIRED else None
    order = mrmr_order(relevance[columns], lambda i: pairs_of(columns[i])[columns], criterion, n_added)
    return scores_of_order(columns[order], n_features)


def _pairs(task: RankingTask, codes: IntArray) -> Callable[[int], FloatArray]:
    """Return a function of a column that gives its information on every column and on the labels, in bits."""
    labelled = np.column_stack([codes, task.positive])
    if codes.shape[1] > MOST_PAIRED:
        rows = PairRows(labelled, task.positive)
        return lambda column: rows.information(column) / np.log(2)
    table = pair_information(labelled) / np.log(2)
    return lambda column: np.asarray(table[column])


def mrmr_order(
    relevance: FloatArray, redundancy_of: Callable[[int], FloatArray], criterion: str, n_added: int | None = None
) -> IntArray:
    """Return the features in the order of mRMR, both kinds of information in bits; see `forward_order`."""

    def worth(sums: FloatArray, n: int) -> FloatArray:
        redundancy = sums / n
        return relevance / (redundancy + QUOTIENT_FLOOR) if criterion == "quotient" else relevance - redundancy

    return forward_order(relevance, redundancy_of, worth, n_added)


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
    n_added: int | None = None,
) -> IntArray:
    """Return all features in the order in which greedy selection adds them; of equal ones the first comes first.

    `first` is the worth of each feature as the first one. `pairs_of` a feature are its pairwise values with all
    features; `worth` takes their sums over the n chosen ones, and n, and returns the worth of each as the next one.
    After `n_added` features, by default all, the rest is ordered by their worth as the next one.
    """
    n_features = len(first)
    order = np.empty(n_features, dtype=np.intp)
    taken = np.zeros(n_features, dtype=bool)
    sums, values = np.zeros(n_features), first
    n_added = n_features if n_added is None else min(n_added, n_features)
    for n in range(n_added):
        order[n] = np.argmax(np.where(taken, -np.inf, values))
        taken[order[n]] = True
        sums = sums + pairs_of(int(order[n]))
        values = worth(sums, n + 1)
    rest = np.flatnonzero(~taken)
    order[n_added:] = rest[np.argsort(-values[rest], kind="stable")]
    return order
