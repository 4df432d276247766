"""The objective: from masks to values, higher is better."""

from dataclasses import dataclass, field

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.base import Engine
from puselect.objective.information import PairInformation
from puselect.objective.score import best_clusters


@dataclass
class ClusterObjective:
    """Recall times precision of the best clusters, and optionally the pair information."""

    engine: Engine
    cluster_choice: str = "best"
    """Which prefix of the clusters counts; see `puselect.objective.score.best_clusters`."""
    smoothing: float = 0.0
    """Rows added to any set of clusters, in mean cluster sizes."""
    information: PairInformation | None = None
    """The second criterion, of FSCPU-MI."""
    agreement: FloatArray = field(default_factory=lambda: np.zeros(1))
    """How much the likely rows of each of the engine's label vectors count, see `ClusterTable.evident_positive`."""

    def __post_init__(self) -> None:
        self.n_criteria = 1 if self.information is None else 2
        self.n_degenerate: IntArray = np.zeros(len(self.agreement), dtype=np.intp)

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        table = self.engine.cluster(masks, seeds, targets)
        np.add.at(self.n_degenerate, targets, table.degenerate)
        evident = table.evident_positive(self.agreement[targets])
        score = best_clusters(table.evident_size, evident, self.cluster_choice, self.smoothing).score
        criteria = [score * table.positive.sum(axis=1) / np.maximum(evident.sum(axis=1), 1)]
        if self.information is not None:
            criteria.append(self.information(masks, targets))
        return np.stack(criteria, axis=1)
