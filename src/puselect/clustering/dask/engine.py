"""The engine for tables in partitions: every step of a clustering is a map over partitions and a sum."""

import numpy as np

from puselect.arrays import BoolArray, Float32Array, FloatArray, IntArray
from puselect.clustering.base import ClusterTable, FinalFit, Mixture, start_rows
from puselect.clustering.cpu.fits import Parameters
from puselect.clustering.cpu.kernels import assign, hard_moments, nearest
from puselect.clustering.dask.partitions import Arrays, PartitionedTable
from puselect.clustering.mixture import MixtureSpec


class PartitionedEngine:
    """Fits the short hard mixture to all rows of all partitions; the same clusters as `CPUEngine` up to rounding.

    Start rows and the positions of labelled rows travel, tables do not: besides sums this process sees the start rows
    of a step. The spec must have init="rows" and em="hard".
    """

    def __init__(self, table: PartitionedTable, positive: BoolArray, spec: MixtureSpec) -> None:
        if spec.init != "rows" or spec.em != "hard":
            raise ValueError("engine='dask' needs preset='default'; other clusterings need all rows in one place")
        if table.scaling is None:
            raise ValueError("engine='dask' needs a scale, got scale=None")
        self.table = table
        self.positive = np.atleast_2d(positive)
        self.spec = spec
        self.n_clusters = min(spec.n_clusters, len(table))
        (total,) = table.sums(_column_sums)
        self.centre = total / len(table)

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        return self._cluster(masks, seeds, chosen)[0]

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        table, fits = self._cluster(np.repeat(mask[None], len(seeds), axis=0), seeds, np.full(len(seeds), target))
        if not mask.any():
            return FinalFit(table, None)
        kept = fits[:n_mixtures]
        return FinalFit(
            table, tuple(Mixture.of(found.size, found.mean + self.centre[mask], found.factor) for found in kept)
        )

    def _cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> tuple[ClusterTable, list[Parameters]]:
        """Return the counts of all clusterings and the mixtures of those that have columns; three maps for all."""
        table = ClusterTable.empty(len(masks), self.n_clusters)
        used = np.flatnonzero(masks.any(axis=1))
        if not len(used):
            return table, []
        fits, table.degenerate[used] = self._fit(masks[used], np.asarray(seeds)[used].tolist(), targets[used].tolist())
        slim = [found._replace(cov=np.empty(0)) for found in fits]
        for target in np.unique(targets[used]):
            own = np.flatnonzero(targets[used] == target)
            rows = np.flatnonzero(self.positive[target])
            size, hits = self.table.sums(
                partition_counts, self.centre, masks[used[own]], [slim[i] for i in own], rows=rows
            )
            table.size[used[own]], table.positive[used[own]] = size, hits
        return table, fits

    def _fit(self, masks: BoolArray, seeds: list[int], targets: list[int]) -> tuple[list[Parameters], BoolArray]:
        """Return a mixture for each mask, and which of them are degenerate."""
        centres = self._starts(seeds, targets)
        degenerate = np.zeros(len(masks), dtype=bool)
        fits: list[Parameters] | None = None
        for step in range(self.spec.em_steps):
            sums = self.table.sums(partition_moments, self.centre, masks, centres, fits)
            fits = []
            for i in range(len(masks)):
                found, failed = self._parameters(*sums[3 * i : 3 * i + 3])
                fits.append(found)
                degenerate[i] |= failed or (step == 0 and not found.size.all())
        return fits or [], degenerate

    def _starts(self, seeds: list[int], targets: list[int]) -> list[Float32Array]:
        """Return the rows that each clustering starts from, less the centre."""
        pairs = list(zip(seeds, targets, strict=True))
        rows = {(seed, target): start_rows(self.positive.shape[1], self.spec, seed) for seed, target in set(pairs)}
        wanted = np.unique(np.concatenate(list(rows.values())))
        values = np.ascontiguousarray(self.table[wanted] - self.centre, dtype=np.float32)
        return [values[np.searchsorted(wanted, rows[pair])] for pair in pairs]

    def _parameters(self, size: FloatArray, total: FloatArray, cross: FloatArray) -> tuple[Parameters, bool]:
        """Return the mixture of sums over all rows, and whether a covariance needed more regularisation."""
        count = np.maximum(size, 1)[:, None]
        mean = total / count
        cov = cross / count[:, :, None] - mean[:, :, None] * mean[:, None, :]
        found = Parameters(size, mean, cov, np.empty_like(cov))
        return found, found.factorise(self.spec)


def partition_moments(
    lines: Float32Array,
    centre: FloatArray,
    masks: BoolArray,
    centres: list[Float32Array],
    fits: list[Parameters] | None,
) -> Arrays:
    """Return counts, sums and sums of products of the rows of every cluster, one after another for every mask.

    Clusters are those of the nearest of the mask's `centres`, or of `fits` where there are any.
    """
    centred, sums = _centred(lines, centre), []
    for i, mask in enumerate(masks):
        Z, labels = _labels(centred, mask, centres[i], None if fits is None else fits[i])
        n_clusters, k = len(centres[i]), len(Z)
        size, mean, cov = np.zeros(n_clusters), np.zeros((n_clusters, k)), np.zeros((n_clusters, k, k))
        if Z.shape[1]:
            hard_moments(Z, labels, size, mean, cov)
        weight = size[:, None]
        sums += [size, weight * mean, weight[:, :, None] * (cov + mean[:, :, None] * mean[:, None, :])]
    return tuple(sums)


def partition_counts(
    lines: Float32Array, centre: FloatArray, masks: BoolArray, fits: list[Parameters], labelled: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return rows and labelled rows of every cluster, shape (n_masks, n_clusters)."""
    n_clusters = len(fits[0].size)
    size, hits = np.zeros((len(masks), n_clusters)), np.zeros((len(masks), n_clusters))
    centred = _centred(lines, centre)
    for i, mask in enumerate(masks):
        _, labels = _labels(centred, mask, np.empty((0, 0), dtype=np.float32), fits[i])
        size[i] = np.bincount(labels, minlength=n_clusters)
        hits[i] = np.bincount(labels[labelled], minlength=n_clusters)
    return size, hits


def _centred(lines: Float32Array, centre: FloatArray) -> Float32Array:
    """Return the lines less their centres, rounded as in an engine that has the table in memory."""
    return np.subtract(lines, centre[:, None], out=np.empty_like(lines), casting="same_kind")


def _labels(
    centred: Float32Array, mask: BoolArray, centres: Float32Array, found: Parameters | None
) -> tuple[Float32Array, IntArray]:
    """Return the columns of a mask, and the clusters of the rows: of the nearest centres, or of a mixture."""
    Z = centred[mask]
    labels = np.zeros(Z.shape[1], dtype=np.int32)
    if Z.shape[1] and found is None:
        nearest(Z, np.ascontiguousarray(centres[:, mask]), labels)
    elif Z.shape[1] and found is not None:
        assign(Z, found.size, found.mean, found.factor, labels)
    return Z, labels


def _column_sums(lines: Float32Array) -> tuple[FloatArray]:
    return (lines.sum(axis=1, dtype=np.float64),)
