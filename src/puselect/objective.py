"""The objective: from masks to values, higher is better."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from puselect.engines.base import BoolArray, ClusterTable, Engine, FloatArray, IntArray
from puselect.mutual_information import equal_width_codes, joint_information
from puselect.score import cluster_score


class PairInformation:
    """Mean joint information of the pairs of selected features about the labels (the criterion of semi-JMI).

    Adding the feature that raises the sum over pairs the most is one step of semi-JMI (Sechidis & Brown, Machine
    Learning 107, 2018), so this is the set function behind that method. The FSCPU paper does not print its
    formula: this reading is ours.

    Parameters
    ----------
    tables : ndarray of shape (n_targets, n_features, n_features)
        Joint information of every pair of features about each label vector.
    """

    def __init__(self, tables: FloatArray) -> None:
        self.tables = tables

    @classmethod
    def of(cls, X: NDArray[np.floating], positive: BoolArray, n_bins: int = 5) -> Self:
        """Return the information in the columns of `X` about `positive` (n_targets, n_rows), in bins of equal width."""
        codes = equal_width_codes(X, n_bins)
        return cls(np.stack([joint_information(codes, row) for row in np.atleast_2d(positive)]))

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


class ClusterObjective:
    """Recall times precision of the best clusters, and the pair information beside it where wanted.

    Parameters
    ----------
    engine : Engine
    rule : {"exact", "printed"}
        See `puselect.score.best_clusters`.
    smoothing : float
        Rows added to any set of clusters, in mean cluster sizes.
    information : PairInformation, optional
        Makes FSCPU-MI of FSCPU: a second criterion.
    """

    def __init__(
        self,
        engine: Engine,
        rule: str = "exact",
        smoothing: float = 0.0,
        information: PairInformation | None = None,
    ) -> None:
        self.engine = engine
        self.rule = rule
        self.smoothing = smoothing
        self.information = information
        self.n_degenerate = 0

    @property
    def n_criteria(self) -> int:
        """Number of columns a call returns."""
        return 1 if self.information is None else 2

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, shape (n_masks, n_criteria)."""
        table = self.engine.cluster(masks, seeds, targets)
        self.n_degenerate += int(table.degenerate.sum())
        return self.criteria(table, masks, targets)

    def criteria(self, table: ClusterTable, masks: BoolArray, targets: IntArray) -> FloatArray:
        """Return the criteria of masks that have been clustered already."""
        extra_rows = self.smoothing * table.size.mean(axis=1)
        criteria = [cluster_score(table.size, table.positive, self.rule, extra_rows)]
        if self.information is not None:
            criteria.append(self.information(masks, targets))
        return np.stack(criteria, axis=1)
