"""Greedy selection by mutual information: semi-JMI and mRMR."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.baselines.quicksort import quicksort_order
from puselect.objective.information import CodeArray, equal_width_codes, joint_information, pair_information
from puselect.selectors.base import check_choice, check_number
from puselect.selectors.ranking import RankingSelector, Task, scores_of_order

QUOTIENT_FLOOR = 1e-4  # bits, added to the redundancy so that no quotient is infinite


class SemiJMI(RankingSelector):
    """Add the feature whose pairs with those already chosen tell most about the labels (joint mutual information).

    Labels that are missing are completed with a surrogate class, see `surrogate`; on positive-unlabelled data
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
        Orders features of equal information.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The number of features for the one added first, down to 1; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the feature added first. Goes on beyond the selected ones.
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
        if self.refine is not None:
            check_choice("refine", self.refine, ("swap",))
        columns = task.rng.permutation(np.flatnonzero(task.X.any(axis=0)))
        table = joint_information(equal_width_codes(task.X, self.n_bins), task.positive)[np.ix_(columns, columns)]
        order = forward_order(np.diag(table), table, lambda sums, n: sums)
        if self.refine == "swap":
            order = swap_refined(order, table, task.n_select)
        return scores_of_order(columns[order], task.X.shape[1])


class MRMR(RankingSelector):
    """Add the feature that tells much about the labels and little about the features already chosen (mRMR).

    Columns are discretised first. `MRMR.published` is what the FSCPU paper ran: values cut to integers,
    which leaves of a scaled column only where its maximum is. Nearly all features are then equal, and the order of
    the columns decides; it is a reproduction of that row and nothing to select features with.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    scheme : {"MIQ", "MID"}, default="MIQ"
        Relevance divided by the mean redundancy with the chosen features, or their difference; in bits.
    states : {"three", "equal-width", "truncated"}, default="three"
        How a column is discretised: more than a standard deviation below the mean, in between, and above, as the
        authors do; `n_bins` bins of equal width; or cut to integers, ties in the order of the original program.
    n_bins : int, default=5
        Bins per column (with states="equal-width").
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Orders features of equal worth, unless states="truncated".

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The number of features for the one added first, down to 1; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the feature added first. Goes on beyond the selected ones.
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
        scheme: str = "MIQ",
        states: str = "three",
        n_bins: int = 5,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scheme = scheme
        self.states = states
        self.n_bins = n_bins
        self.pos_label = pos_label
        self.random_state = random_state

    @classmethod
    def published(cls, n_features_to_select: int | None = None, **changes: Any) -> Self:
        """Return the selector behind the mRMR row of the FSCPU paper; `changes` override some settings.

        It chooses what the program pymrmr chooses from a scaled table. The paper's figures come out only where the
        relevant columns come first.

        Examples
        --------
        >>> from puselect.datasets import make_pu_clusters
        >>> X, y, relevant = make_pu_clusters("40/8/1", shuffle=False, random_state=0)
        >>> for columns in (np.arange(50), np.arange(50)[::-1]):
        ...     selector = MRMR.published(25).fit(X[:, columns], y)
        ...     print((selector.get_support() & relevant[columns]).sum() / 25)
        0.08
        0.92
        """
        return cls(n_features_to_select, **{"scheme": "MIQ", "states": "truncated", **changes})

    def _score(self, task: Task) -> FloatArray:
        check_choice("scheme", self.scheme, ("MIQ", "MID"))
        check_choice("states", self.states, ("three", "equal-width", "truncated"))
        check_number("n_bins", self.n_bins, 2, integer=True)
        table = pair_information(np.column_stack([self._codes(task.X), task.positive])) / np.log(2)
        relevance, redundancy = table[:-1, -1], table[:-1, :-1]
        truncated = self.states == "truncated"
        columns = quicksort_order(relevance) if truncated else task.rng.permutation(len(relevance))
        columns = columns[task.X[:, columns].any(axis=0)]  # scaled: a constant column is all zeros
        order = mrmr_order(relevance[columns], redundancy[np.ix_(columns, columns)], self.scheme)
        return scores_of_order(columns[order], len(relevance))

    def _codes(self, X: FloatArray) -> CodeArray:
        if self.states == "equal-width":
            return equal_width_codes(X, self.n_bins)
        return three_state_codes(X) if self.states == "three" else X.astype(np.int8)


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


def forward_order(
    first: FloatArray, pairs: FloatArray, worth: Callable[[FloatArray, int], FloatArray]
) -> IntArray:
    """Return all features in the order in which greedy selection adds them; of equal ones the first comes first.

    Parameters
    ----------
    first : ndarray of shape (n_features,)
        Worth of each feature as the first one.
    pairs : ndarray of shape (n_features, n_features)
    worth : callable
        Takes the sums of `pairs` over the n chosen features, shape (n_features,), and n; returns the worth of each
        feature as the next one.
    """
    order = np.empty(len(first), dtype=np.intp)
    taken = np.zeros(len(first), dtype=bool)
    sums, values = np.zeros(len(first)), first
    for n in range(len(first)):
        order[n] = np.argmax(np.where(taken, -np.inf, values))
        taken[order[n]] = True
        sums = sums + pairs[order[n]]
        values = worth(sums, n + 1)
    return order


def mrmr_order(relevance: FloatArray, redundancy: FloatArray, scheme: str) -> IntArray:
    """Return the features in the order of mRMR, both kinds of information in bits."""
    if scheme == "MIQ":
        return forward_order(relevance, redundancy, lambda sums, n: relevance / (sums / n + QUOTIENT_FLOOR))
    return forward_order(relevance, redundancy, lambda sums, n: relevance - sums / n)


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
