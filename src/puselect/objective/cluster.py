"""The objective: from masks to values, higher is better."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.base import Engine
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
    n_targets : int, default=1
        Tables or label vectors that the engine is bound to.
    """

    def __init__(
        self,
        engine: Engine,
        cluster_choice: str = "best",
        smoothing: float = 0.0,
        information: PairInformation | None = None,
        n_targets: int = 1,
    ) -> None:
        self.engine = engine
        self.cluster_choice = cluster_choice
        self.smoothing = smoothing
        self.information = information
        self.n_criteria = 1 if information is None else 2
        self.n_degenerate: IntArray = np.zeros(n_targets, dtype=np.intp)

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, see `puselect.search.loop.Evaluate`."""
        table = self.engine.cluster(masks, seeds, targets)
        np.add.at(self.n_degenerate, targets, table.degenerate)
        extra_rows = smoothing_rows(table.size, self.smoothing)
        criteria = [cluster_score(table.size, table.positive, self.cluster_choice, extra_rows)]
        if self.information is not None:
            criteria.append(self.information(masks, targets))
        return np.stack(criteria, axis=1)
