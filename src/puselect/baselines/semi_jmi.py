"""semi-JMI: greedy selection by joint mutual information."""

from typing import Any

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.baselines.forward_selection import MOST_PAIRED, forward_order
from puselect.objective.information import CodeArray, equal_width_codes, joint_information
from puselect.selectors.base import check_choice, check_number
from puselect.selectors.ranking import RankingSelector, Task, scores_of_order


class SemiJMI(RankingSelector):
    """Add the feature whose pairs with the chosen ones have most information about the labels (JMI).

    Missing labels are replaced by a surrogate class, see `surrogate`; on positive-unlabelled data
    that is always "negative". Features j are added by the largest sum over chosen features i of I(X_i, X_j; s).

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_bins : int, default=5
        Bins of equal width per column; a column with fewer values keeps its values. The FSCPU paper does not state it;
        5 gives its results, and fewer bins better ones.
    refine : {"swap"}, optional
        "swap" exchanges a chosen feature for another one as long as the sum over all chosen pairs grows: our reading of
        the "removing" in the FSCPU paper. The authors' method only adds.
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
        n_features_to_select: int | None = None,
        *,
        n_bins: int = 5,
        refine: str | None = None,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.refine = refine
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_bins", self.n_bins, 2, integer=True)
        check_choice("refine", self.refine, ("swap", None))
        columns = task.rng.permutation(np.flatnonzero(task.X.any(axis=0)))
        if not len(columns):  # they vary by less than a float can tell
            return np.zeros(task.X.shape[1])
        codes = equal_width_codes(task.X[:, columns], self.n_bins)
        if len(columns) > MOST_PAIRED and self.refine is None:
            return scores_of_order(columns[_wide_order(codes, task)], task.X.shape[1])
        table = joint_information(codes, task.positive)
        order = forward_order(np.diag(table), table.__getitem__, lambda sums, n: sums)
        if self.refine == "swap":
            order = swap_refined(order, table, task.n_select)
        return scores_of_order(columns[order], task.X.shape[1])


def _wide_order(codes: CodeArray, task: Task) -> IntArray:
    """Return the order of columns of which only the pairs with chosen ones are computed."""
    from puselect.objective.pair_rows import PairRows  # compiled code is loaded only when it is used

    labelled = task.positive.astype(np.int8)
    alone = PairRows(np.column_stack([codes, labelled]), task.positive).information(codes.shape[1])[:-1]
    pairs = PairRows(codes, task.positive)
    return forward_order(alone, pairs.joint_information, lambda sums, n: sums, task.n_select)


def surrogate(n_positive: int, n_negative: int, n_missing: int, prior: float) -> str:
    """Return the better completion of missing labels: "Y0" takes them for negatives, "Y1" for positives.

    Sechidis & Brown (2018): the better one leaves a test of independence the more power. It depends only on the
    side of a threshold on which the prior probability of a positive lies, so a rough idea of it is enough.
    Without labelled negatives the answer is always "Y0".

    Parameters
    ----------
    n_positive, n_negative, n_missing : int
        Rows labelled positive, labelled negative, and not labelled.
    prior : float
        Believed share of positives among all rows, in (0, 1).

    Examples
    --------
    >>> surrogate(50, 0, 4450, 0.9), surrogate(50, 50, 400, 0.3), surrogate(50, 50, 400, 0.7)
    ('Y0', 'Y0', 'Y1')
    """
    of_positive = np.sqrt(n_positive * (n_positive + n_missing))
    of_negative = np.sqrt(n_negative * (n_negative + n_missing))
    return "Y0" if prior * (of_positive + of_negative) < of_positive else "Y1"


def swap_refined(order: IntArray, pairs: FloatArray, n_select: int) -> IntArray:
    """Return the order with the first `n_select` features improved by best swaps, until none raises their pair sum."""
    chosen = np.zeros(len(order), dtype=bool)
    chosen[order[:n_select]] = True
    off_diagonal = pairs - np.diag(np.diag(pairs))
    while not chosen.all():
        inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        sums = off_diagonal[:, inside].sum(axis=1)
        gain = sums[outside] - sums[inside, None] - off_diagonal[np.ix_(inside, outside)]
        leaver, comer = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[leaver, comer] <= 1e-12 * sums.max():  # rounding is no gain
            break
        chosen[inside[leaver]], chosen[outside[comer]] = False, True
    return np.concatenate([order[chosen[order]], order[~chosen[order]]])
