"""The objective: from masks to values, higher is better."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.base import ClusterTable, Engine
from puselect.objective.information import PairInformation
from puselect.objective.score import cluster_score, smoothing_rows


class ClusterObjective:
    """Recall times precision of the best clusters, and optionally the pair information.

    Parameters
    ----------
    engine : Engine
    cluster_choice : {"best", "greedy"}
        See `puselect.objective.score.best_clusters`.
    smoothing : float
        Rows added to any set of clusters, in mean cluster sizes.
    information : PairInformation, optional
        The second criterion, of FSCPU-MI.
    """

    def __init__(
        self,
        engine: Engine,
        cluster_choice: str = "best",
        smoothing: float = 0.0,
        information: PairInformation | None = None,
    ) -> None:
        self.engine = engine
        self.cluster_choice = cluster_choice
        self.smoothing = smoothing
        self.information = information
        self.n_degenerate = 0

    @property
    def n_criteria(self) -> int:
        """Number of criteria a call returns."""
        return 1 if self.information is None else 2

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, see `puselect.search.loop.Evaluate`."""
        table = self.engine.cluster(masks, seeds, targets)
        self.n_degenerate += int(table.degenerate.sum())
        return self.criteria(table, masks, targets)

    def criteria(self, table: ClusterTable, masks: BoolArray, targets: IntArray) -> FloatArray:
        """Return the criteria of masks from their counts."""
        extra_rows = smoothing_rows(table.size, self.smoothing)
        criteria = [cluster_score(table.size, table.positive, self.cluster_choice, extra_rows)]
        if self.information is not None:
            criteria.append(self.information(masks, targets))
        return np.stack(criteria, axis=1)
