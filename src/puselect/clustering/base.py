"""The interface of the engines: masks in, counts per cluster out."""

from typing import NamedTuple, Protocol, Self

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray

EMPTY = 1e30  # squared distance to a cluster without rows: larger than any other


class ClusterTable(NamedTuple):
    """Counts per mask and cluster: the input of the objective."""

    size: FloatArray
    """Rows in each cluster, shape (n_masks, n_clusters)."""
    positive: FloatArray
    """Labelled positives in each cluster, shape (n_masks, n_clusters)."""
    degenerate: BoolArray
    """Masks whose clustering lost a cluster or needed more regularisation, shape (n_masks,)."""

    @classmethod
    def empty(cls, n_masks: int, n_clusters: int) -> Self:
        """Return counts of zero, to be filled in; a mask without columns keeps them, which have the worst score."""
        return cls(np.zeros((n_masks, n_clusters)), np.zeros((n_masks, n_clusters)), np.ones(n_masks, dtype=bool))


class Mixture(NamedTuple):
    """A fitted Gaussian mixture, in the units of the table its engine is bound to.

    The cluster of a row ``x`` is the one with the smallest ``constant + |factor (x - mean)|^2``.
    """

    mean: FloatArray
    """Shape (n_clusters, n_selected)."""
    factor: FloatArray
    """Inverses of the lower Cholesky factors of the covariances, shape (n_clusters, n_selected, n_selected)."""
    constant: FloatArray
    """-2 log(weight x determinant of the factor), shape (n_clusters,); `EMPTY` for a cluster without rows."""

    @classmethod
    def of(cls, size: FloatArray, mean: FloatArray, factor: FloatArray) -> Self:
        """Return the mixture whose clusters have these sizes."""
        log_factor = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        weight = np.log(np.maximum(size, 1e-300) / max(size.sum(), 1e-300))
        return cls(mean, factor, np.where(size > 0, -2 * (weight + log_factor), EMPTY))


class FinalFit(NamedTuple):
    """Several clusterings of one mask."""

    table: ClusterTable
    """The counts that `Engine.cluster` gives for the same mask and seeds, one line per seed."""
    mixtures: tuple[Mixture, ...] | None
    """The mixtures counted in the first lines of `table`; None for an empty mask and for other clusterers."""


class Engine(Protocol):
    """Clusters the columns of a mask; bound once to a table and to one or more label vectors.

    The table of a mask depends only on (mask, seed, data), never on the other masks of the batch, their order or
    the number of threads.
    """

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering.

        Parameters
        ----------
        masks : ndarray of bool, shape (n_masks, n_features)
        seeds : ndarray of int, shape (n_masks,)
            Seed of the start of each clustering; masks with the same seed start from the same rows.
        targets : ndarray of int, shape (n_masks,), optional
            The label vector to count for each mask; by default the first.
        """
        ...

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        """Cluster one mask from several seeds; return the counts and the mixtures behind them.

        Parameters
        ----------
        mask : ndarray of bool, shape (n_features,)
        seeds : ndarray of int, shape (n_seeds,)
        target : int, default=0
            The label vector to count.
        n_mixtures : int, optional
            Return only the mixtures of the first `n_mixtures` seeds, to save memory; by default all.
        """
        ...


def count_clusters(
    labels: IntArray, positive: BoolArray, n_clusters: int, unlabelled_weight: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return rows and labelled positives per cluster; each unlabelled row counts `unlabelled_weight` times."""
    hits = np.bincount(labels[positive], minlength=n_clusters).astype(np.float64)
    rest = np.bincount(labels, minlength=n_clusters) - hits
    return hits + unlabelled_weight * rest, hits
