"""Information of one column together with every other: a line of the table of all pairs, by compiled counts."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.clustering.cpu.kernels import Array, kernel
from puselect.objective.information import CodeArray, entropy, information_on_labels, number_of_codes


@kernel
def count_pairs_of(codes: Array, column: int, positive: Array, everywhere: Array, labelled: Array) -> None:
    """Add up how many rows, and how many labelled ones, hold each pair of codes of `column` and of every column.

    `codes` has a line per column; the counts have the shape (n_columns, n_codes, n_codes).
    """
    own = codes[column]
    for j in range(codes.shape[0]):
        other, every, some = codes[j], everywhere[j], labelled[j]
        for i in range(codes.shape[1]):
            every[own[i], other[i]] += 1
            if positive[i]:
                some[own[i], other[i]] += 1


class PairRows:
    """Information of one column at a time together with every column, where a table of all pairs would be too large.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows, n_columns)
    positive : ndarray of bool, shape (n_rows,)
    """

    def __init__(self, codes: CodeArray, positive: BoolArray) -> None:
        self.codes = np.ascontiguousarray(codes.T)
        self.positive = positive
        self.n_codes = number_of_codes(codes)

    def information(self, column: int) -> FloatArray:
        """Return I(X_column; X_j) in nats for every j: a line of `pair_information`."""
        everywhere, _ = self._counts(column)
        own = entropy(everywhere[0].sum(axis=1))
        return own + entropy(everywhere.sum(axis=1)) - entropy(everywhere.reshape(len(everywhere), -1))

    def joint_information(self, column: int) -> FloatArray:
        """Return I((X_column, X_j); s) in nats for every j: a line of the table `joint_information`."""
        return information_on_labels(*self._counts(column), float(self.positive.mean()))

    def _counts(self, column: int) -> tuple[FloatArray, FloatArray]:
        everywhere, labelled = np.zeros((2, len(self.codes), self.n_codes, self.n_codes))
        count_pairs_of(self.codes, column, self.positive, everywhere, labelled)
        return everywhere, labelled
