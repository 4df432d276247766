"""Plug-in mutual information between discretised columns and labels, for pairs of columns.

Counts of all pairs at once come from one matrix product of indicator columns; `PairRows` gives the pairs of one column
at a time.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray

CHUNK = 8192  # rows whose indicators are held at once; counts within a chunk are exact in float32


def equal_width_codes(X: AnyArray, n_bins: int = 5) -> IntArray:
    """Return each column as codes 0 .. n_bins - 1: bins of equal width, or the values where there are few.

    Examples
    --------
    >>> equal_width_codes(np.array([[0.0, 7.0], [0.1, 9.0], [0.5, 7.0], [0.7, 7.0], [0.9, 7.0], [1.0, 7.0]])).T
    array([[0, 0, 2, 3, 4, 4],
           [0, 1, 0, 0, 0, 0]], dtype=int8)
    """
    codes = np.empty(X.shape, dtype=np.int8 if n_bins <= 127 else np.int32)
    for j, column in enumerate(X.T):
        distinct = np.unique(column)
        if len(distinct) <= n_bins:
            codes[:, j] = np.searchsorted(distinct, column)
        else:
            width = (distinct[-1] - distinct[0]) / n_bins
            codes[:, j] = np.minimum((column - distinct[0]) / width, n_bins - 1)
    return codes


def pair_counts(codes: IntArray, n_codes: int) -> FloatArray:
    """Return how many rows hold codes (a, b) in columns (i, j), shape (n_columns, n_columns, n_codes, n_codes)."""
    n_rows, n_columns = codes.shape
    total = np.zeros((n_columns * n_codes, n_columns * n_codes))
    for first in range(0, n_rows, CHUNK):
        part = codes[first : first + CHUNK]
        hot = (part[:, :, None] == np.arange(n_codes)).reshape(len(part), -1).astype(np.float32)
        total += hot.T @ hot
    return total.reshape(n_columns, n_codes, n_columns, n_codes).transpose(0, 2, 1, 3)


def number_of_codes(codes: IntArray) -> int:
    """Return one more than the largest code."""
    return int(codes.max(initial=0)) + 1


def joint_information(codes: IntArray, positive: BoolArray) -> FloatArray:
    """Return I((X_i, X_j); s) in nats, shape (n_columns, n_columns); the diagonal holds I(X_i; s)."""
    n_codes = number_of_codes(codes)
    everywhere = pair_counts(codes, n_codes)
    labelled = pair_counts(codes[positive], n_codes)
    return information_on_labels(everywhere, labelled, float(positive.mean()))


def information_on_labels(everywhere: FloatArray, labelled: FloatArray, share: float) -> FloatArray:
    """Return I((X_i, X_j); s) from counts (.., n_codes, n_codes) in all rows and in the labelled share of them."""
    cells = np.stack([labelled, everywhere - labelled], axis=-1)
    pairs = everywhere.shape[:-2]
    of_target = entropy(np.array([share, 1 - share]))
    of_pair = entropy(everywhere.reshape(*pairs, -1))
    return of_target + of_pair - entropy(cells.reshape(*pairs, -1))


def entropy(counts: FloatArray) -> FloatArray:
    """Return the entropy in nats of the distributions along the last axis."""
    share = counts / counts.sum(axis=-1, keepdims=True)
    return np.asarray(-np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=-1))


@dataclass(frozen=True)
class PairInformation:
    """Mean joint information of the pairs of selected features about the labels (the criterion of semi-JMI).

    Adding the feature that raises the sum over pairs the most is one step of semi-JMI (Sechidis & Brown, Machine
    Learning 107, 2018), so this is the set function behind that method. The FSCPU paper does not print its
    formula: this reading is ours.
    """

    tables: FloatArray
    """Joint information of every pair of features about each label vector, (n_targets, n_features, n_features)."""


    @classmethod
    def of(cls, X: AnyArray, positive: BoolArray) -> Self:
        """Return the information in the columns of `X`, in five bins of equal width, about one label vector."""
        return cls(joint_information(equal_width_codes(X), positive)[None])

    def __call__(self, masks: BoolArray, targets: IntArray) -> FloatArray:
        """Return the criterion of each mask, shape (n_masks,)."""
        return np.array([self._mean(mask, self.tables[t]) for mask, t in zip(masks, targets, strict=True)])

    @staticmethod
    def _mean(mask: BoolArray, table: FloatArray) -> float:
        chosen = table[np.ix_(mask, mask)]
        n = len(chosen)
        if n <= 1:
            return float(chosen.sum())
        return float((chosen.sum() - np.trace(chosen)) / (n * (n - 1)))


class PairRows:
    """Information of one column at a time together with every column, for methods that need few of all pairs."""

    def __init__(self, codes: IntArray, positive: BoolArray) -> None:
        self.codes = np.ascontiguousarray(codes.T)
        self.positive = positive
        self.n_codes = number_of_codes(codes)

    def information(self, column: int) -> FloatArray:
        """Return I(X_column; X_j) in nats for every j."""
        everywhere, _ = self._counts(column)
        own = entropy(everywhere[0].sum(axis=1))
        return own + entropy(everywhere.sum(axis=1)) - entropy(everywhere.reshape(len(everywhere), -1))

    def joint_information(self, column: int) -> FloatArray:
        """Return I((X_column, X_j); s) in nats for every j: a line of the table `joint_information`."""
        return information_on_labels(*self._counts(column), float(self.positive.mean()))

    def _counts(self, column: int) -> tuple[FloatArray, FloatArray]:
        from puselect.columns.kernels import count_pairs_of  # compiled code is loaded only when it is used

        everywhere, labelled = np.zeros((2, len(self.codes), self.n_codes, self.n_codes))
        count_pairs_of(self.codes, column, self.positive, everywhere, labelled)
        return everywhere, labelled
