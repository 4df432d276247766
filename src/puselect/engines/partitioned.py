"""The engine for tables in partitions: every step of a clustering is a map over partitions and a sum."""

from typing import Any

import numpy as np

from puselect.arrays import BoolArray, Float32Array, FloatArray, IntArray
from puselect.engines.base import ClusterTable, FinalFit, Mixture
from puselect.engines.cpu.fits import Parameters
from puselect.engines.cpu.kernels import hard_moments, nearest
from puselect.engines.cpu.sweeps import assign, count
from puselect.engines.mixture import MixtureSpec, start_rows
from puselect.engines.partitions import PartitionedTable


class PartitionedEngine:
    """Fits the short hard mixture to all rows of all partitions; the same clusters as `CPUEngine` but for rounding.

    Start rows and labels travel, tables do not: besides sums this process sees as many rows at a time as there are
    clusters.

    Parameters
    ----------
    table : PartitionedTable
    positive : ndarray of bool, shape (n_rows,)
    spec : MixtureSpec
        With init="rows", em="hard" and one Lloyd step.
    """

    def __init__(self, table: PartitionedTable, positive: BoolArray, spec: MixtureSpec) -> None:
        if spec.init != "rows" or spec.em != "hard" or spec.lloyd_steps != 1 or spec.em_steps < 1:
            raise ValueError(
                "engine='dask' needs init='rows', em='hard', lloyd_steps=1 and at least one of em_steps; "
                "other clusterings need all rows in one place"
            )
        if table.scaling is None:
            raise ValueError("engine='dask' needs a scale, got scale=None")
        self.table = table
        self.positive = np.atleast_2d(positive)
        self.spec = spec
        self.n_clusters = min(spec.n_clusters, len(table))
        (total,) = table.sums(_column_sums)
        self.centre = total / len(table)

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering; see `Engine.cluster`."""
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        pairs = list(zip(np.asarray(seeds).tolist(), chosen.tolist(), strict=True))
        shape = (len(masks), self.n_clusters)
        table = ClusterTable(np.zeros(shape), np.zeros(shape), np.asarray(~masks.any(axis=1)))
        for seed, target in dict.fromkeys(pairs):
            members = [i for i, pair in enumerate(pairs) if pair == (seed, target) and masks[i].any()]
            fits, degenerate = self._fit(masks[members], seed, target)
            size, hits = self._count(masks[members], fits, target)
            table.size[members], table.positive[members], table.degenerate[members] = size, hits, degenerate
        return table

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        """Return the counts of several clusterings of a mask and their mixtures; see `Engine.fit_final`."""
        table = self.cluster(np.repeat(mask[None], len(seeds), axis=0), seeds, np.full(len(seeds), target))
        if not mask.any():
            return FinalFit(table, None)
        mixtures = []
        for seed in np.asarray(seeds).tolist()[:n_mixtures]:
            (found,), _ = self._fit(mask[None], seed, target)
            mixtures.append(Mixture.of(found.size, found.mean + self.centre[mask], found.factor))
        return FinalFit(table, tuple(mixtures))

    def _fit(self, masks: BoolArray, seed: int, target: int) -> tuple[list[Parameters], BoolArray]:
        """Return the mixtures of masks that start from the same rows, and which of them are degenerate."""
        rows = self.table[start_rows(self.positive[target], self.spec, seed)]
        centres = np.ascontiguousarray(rows - self.centre, dtype=np.float32)
        degenerate = np.zeros(len(masks), dtype=bool)
        fits: list[Parameters] | None = None
        for step in range(self.spec.em_steps):
            sums = self.table.sums(partition_moments, self.centre, masks, centres, fits) if len(masks) else ()
            fits = []
            for i in range(len(masks)):
                found, failed = self._parameters(*sums[3 * i : 3 * i + 3])
                fits.append(found)
                degenerate[i] |= failed or (step == 0 and not found.size.all())
        return fits or [], degenerate

    def _parameters(self, size: FloatArray, total: FloatArray, cross: FloatArray) -> tuple[Parameters, bool]:
        """Return the mixture of sums over all rows, and whether a covariance needed more regularisation."""
        count = np.maximum(size, 1)[:, None]
        mean = total / count
        cov = cross / count[:, :, None] - mean[:, :, None] * mean[:, None, :]
        found = Parameters(size, mean, cov, np.empty_like(cov))
        return found, found.factorise(self.spec)

    def _count(self, masks: BoolArray, fits: list[Parameters], target: int) -> tuple[FloatArray, FloatArray]:
        if not len(masks):
            return np.zeros((0, self.n_clusters)), np.zeros((0, self.n_clusters))
        slim = [found._replace(cov=np.empty(0)) for found in fits]
        size, hits = self.table.sums(partition_counts, self.centre, masks, slim, of_rows=self.positive[target])
        return size, hits


def partition_moments(
    lines: Float32Array, centre: FloatArray, masks: BoolArray, centres: Float32Array, fits: list[Parameters] | None
) -> tuple[Any, ...]:
    """Return counts, sums and sums of products of the rows of every cluster, one after another for every mask.

    Clusters are those of the nearest of `centres`, or of `fits` where there are any.
    """
    sums: list[FloatArray] = []
    for i, mask in enumerate(masks):
        Z, labels = _labels(lines, centre, mask, centres, None if fits is None else fits[i])
        n_clusters, k = len(centres), len(Z)
        size, mean, cov = np.zeros(n_clusters), np.zeros((n_clusters, k)), np.zeros((n_clusters, k, k))
        if Z.shape[1]:
            hard_moments(Z, labels, size, mean, cov)
        weight = size[:, None]
        sums += [size, weight * mean, weight[:, :, None] * (cov + mean[:, :, None] * mean[:, None, :])]
    return tuple(sums)


def partition_counts(
    lines: Float32Array, centre: FloatArray, masks: BoolArray, fits: list[Parameters], positive: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return rows and labelled rows of every cluster, shape (n_masks, n_clusters)."""
    size = np.zeros((len(masks), len(fits[0].size)))
    hits = np.zeros_like(size)
    for i, mask in enumerate(masks):
        if lines.shape[1]:
            _, labels = _labels(lines, centre, mask, np.empty((0, 0), dtype=np.float32), fits[i])
            count(labels, positive, 1.0, size[i], hits[i])
    return size, hits


def _labels(
    lines: Float32Array, centre: FloatArray, mask: BoolArray, centres: Float32Array, found: Parameters | None
) -> tuple[Float32Array, IntArray]:
    Z = (lines[mask] - centre[mask][:, None]).astype(np.float32)
    labels = np.zeros(Z.shape[1], dtype=np.int32)
    if Z.shape[1] and found is None:
        nearest(Z, np.ascontiguousarray(centres[:, mask]), labels)
    elif Z.shape[1] and found is not None:
        assign(Z, found.size, found.mean, found.factor, labels)
    return Z, labels


def _column_sums(lines: Float32Array) -> tuple[FloatArray]:
    return (lines.sum(axis=1, dtype=np.float64),)
