"""The objective: from masks to values, higher is better."""

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines.base import ClusterTable, Engine
from puselect.objective.information import PairInformation
from puselect.objective.score import cluster_score, random_labels, smoothing_rows


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
    draws_chance : bool, default=False
        Whether calls return one more column: the score of the first mask of each seed if as many labels were spread
        over its clusters at random, and NaN for all other masks.
    """

    def __init__(
        self,
        engine: Engine,
        cluster_choice: str = "best",
        smoothing: float = 0.0,
        information: PairInformation | None = None,
        draws_chance: bool = False,
    ) -> None:
        self.engine = engine
        self.cluster_choice = cluster_choice
        self.smoothing = smoothing
        self.information = information
        self.draws_chance = draws_chance
        self.n_degenerate = 0

    @property
    def n_criteria(self) -> int:
        """Number of criteria a call returns."""
        return 1 if self.information is None else 2

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, see `puselect.search.loop.Evaluate`."""
        table = self.engine.cluster(masks, seeds, targets)
        self.n_degenerate += int(table.degenerate.sum())
        return self.criteria(table, masks, seeds, targets)

    def criteria(self, table: ClusterTable, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of masks from their counts."""
        extra_rows = smoothing_rows(table.size, self.smoothing)
        criteria = [cluster_score(table.size, table.positive, self.cluster_choice, extra_rows)]
        if self.information is not None:
            criteria.append(self.information(masks, targets))
        if self.draws_chance:
            criteria.append(self._chance(table, seeds, targets))
        return np.stack(criteria, axis=1)

    def _chance(self, table: ClusterTable, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the score of random labels for the first mask of each seed and target, NaN for the others."""
        _, first = np.unique(np.stack([seeds, targets]), axis=1, return_index=True)
        size = table.size[first]
        hits = [random_labels(*counts) for counts in zip(size, table.positive[first], seeds[first], strict=True)]
        scores = np.full(len(seeds), np.nan)
        scores[first] = cluster_score(size, hits, self.cluster_choice, smoothing_rows(size, self.smoothing))
        return scores
