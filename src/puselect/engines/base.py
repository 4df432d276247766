"""The seam between speed and meaning: masks in, counts per cluster out."""

from typing import NamedTuple, Protocol

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray


class ClusterTable(NamedTuple):
    """Two counts per cluster and mask: all that the objective needs."""

    size: FloatArray
    """Rows in each cluster, shape (n_masks, n_clusters)."""
    positive: FloatArray
    """Labelled positives in each cluster, shape (n_masks, n_clusters)."""
    degenerate: BoolArray
    """Masks whose clustering lost a cluster or needed more regularisation, shape (n_masks,)."""


class Engine(Protocol):
    """Clusters the columns of a mask; bound once to a table and to one or more label vectors.

    The table of a mask depends on (mask, seed, data) alone, never on the other masks of the batch, their order or
    the number of threads.
    """

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering.

        Parameters
        ----------
        masks : ndarray of bool, shape (n_masks, n_features)
        seeds : ndarray of int, shape (n_masks,)
            Where the clustering of each mask starts from; equal seeds start alike.
        targets : ndarray of int, shape (n_masks,), optional
            Which of the bound label vectors is counted for each mask; the first when omitted.
        """
        ...


def count_clusters(
    labels: IntArray, positive: BoolArray, n_clusters: int, unlabelled_weight: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return rows and labelled positives per cluster; each unlabelled row counts `unlabelled_weight` times."""
    hits = np.bincount(labels[positive], minlength=n_clusters).astype(np.float64)
    rest = np.bincount(labels, minlength=n_clusters) - hits
    return hits + unlabelled_weight * rest, hits
