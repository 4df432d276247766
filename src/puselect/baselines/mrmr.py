"""mRMR: much information about the labels, little about the features already chosen."""

from collections.abc import Callable
from typing import Any

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.baselines.forward_selection import MOST_PAIRED, forward_order
from puselect.objective.information import CodeArray, equal_width_codes, pair_information
from puselect.selectors.base import check_choice, check_number
from puselect.selectors.ranking import RankingSelector, Task, scores_of_order

QUOTIENT_FLOOR = 1e-4  # bits, added to the redundancy so that no quotient is infinite


class MRMR(RankingSelector):
    """Add the feature with most information about the labels and least about the chosen features (mRMR).

    Columns are discretised first.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    criterion : {"quotient", "difference"}, default="quotient"
        Relevance divided by the mean redundancy with the chosen features, or their difference; in bits.
    discretize : {"deviations", "equal-width"}, default="deviations"
        How columns are discretised: into three levels, cut one standard deviation below and above the mean, as the
        authors do; or into `n_bins` bins of equal width.
    n_bins : int, default=5
        Bins per column (with discretize="equal-width").
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Breaks ties between features.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The number of features for the one added first, down to 1; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the feature added first. Goes on beyond the selected ones; with more than 500 columns, in the order of
        their worth as the next one.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

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
        n_features_to_select: int | None = None,
        *,
        criterion: str = "quotient",
        discretize: str = "deviations",
        n_bins: int = 5,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.discretize = discretize
        self.n_bins = n_bins
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_choice("criterion", self.criterion, ("quotient", "difference"))
        check_choice("discretize", self.discretize, ("deviations", "equal-width"))
        check_number("n_bins", self.n_bins, 2, integer=True)
        if self.discretize == "equal-width":
            codes = equal_width_codes(task.X, self.n_bins)
        else:
            codes = three_state_codes(task.X)
        return mrmr_scores(task, codes, self.criterion, lambda relevance: task.rng.permutation(len(relevance)))


def mrmr_scores(
    task: Task, codes: CodeArray, criterion: str, tie_order: Callable[[FloatArray], IntArray]
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


def _pairs(task: Task, codes: CodeArray) -> Callable[[int], FloatArray]:
    """Return a function of a column that gives its information on every column and on the labels, in bits."""
    labelled = np.column_stack([codes, task.positive])
    if codes.shape[1] > MOST_PAIRED:
        from puselect.objective.pair_rows import PairRows  # compiled code is loaded only when it is used

        rows = PairRows(labelled, task.positive)
        return lambda column: rows.information(column) / np.log(2)
    table = pair_information(labelled) / np.log(2)
    return lambda column: np.asarray(table[column])


def mrmr_order(
    relevance: FloatArray, redundancy_of: Callable[[int], FloatArray], criterion: str, n_added: int | None = None
) -> IntArray:
    """Return the features in the order of mRMR, both kinds of information in bits; see `forward_order`."""
    if criterion == "quotient":
        def worth(sums: FloatArray, n: int) -> FloatArray:
            return np.asarray(relevance / (sums / n + QUOTIENT_FLOOR))
    else:
        def worth(sums: FloatArray, n: int) -> FloatArray:
            return np.asarray(relevance - sums / n)
    return forward_order(relevance, redundancy_of, worth, n_added)


def three_state_codes(X: FloatArray) -> CodeArray:
    """Return each column as codes: 0 below mean - sd, 1 in between, 2 above mean + sd; up to three values stay.

    Examples
    --------
    >>> three_state_codes(np.array([[0.0, 0.0], [4.0, 1.0], [5.0, 0.0], [6.0, 1.0], [10.0, 0.0]])).T
    array([[0, 1, 1, 1, 2],
           [0, 1, 0, 1, 0]], dtype=int8)
    """
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    codes: CodeArray = (mean - deviation <= X).astype(np.int8) + (mean + deviation < X).astype(np.int8)
    for j, column in enumerate(X.T):
        distinct = np.unique(column)
        if len(distinct) <= 3:
            codes[:, j] = np.searchsorted(distinct, column)
    return codes
