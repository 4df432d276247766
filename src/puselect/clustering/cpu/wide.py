"""The short hard fit for many columns: only clusters with more rows than columns get a covariance of their own.

The default shrinks the covariance of a cluster with no more rows than columns to the pooled variances completely, so
that its density needs no factor: the fit is the same as `hard_fit`'s up to rounding, at a cost linear in the columns.
"""

from typing import NamedTuple

import numpy as np

from puselect.arrays import Float32Array, FloatArray, IntArray
from puselect.clustering.cpu.fits import MixtureFit, Parameters, lloyd
from puselect.clustering.cpu.kernels import (
    BLOCK,
    Array,
    block_distances,
    factorise_all,
    kernel,
    load_block,
    pack_strips,
)
from puselect.clustering.mixture import MixtureSpec


class WideParameters(NamedTuple):
    """The parameters of a mixture in which most clusters share their variances."""

    size: FloatArray
    mean: FloatArray
    scale: FloatArray
    """One over the pooled standard deviations, shape (n_features,)."""
    large: IntArray
    """Clusters with a covariance of their own."""
    factor: FloatArray
    """Inverses of their lower Cholesky factors, shape (n_large, n_features, n_features)."""

    @property
    def constant(self) -> Float32Array:
        """-2 log(weight x determinant of the factor) of every cluster; a huge number for an empty one."""
        log_factor = np.full(len(self.size), np.log(self.scale).sum())
        log_factor[self.large] = np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1)
        weight = np.log(np.maximum(self.size, 1e-300) / self.size.sum())
        return np.where(self.size > 0, -2 * (weight + log_factor), 1e30).astype(np.float32)

    def dense(self) -> Parameters:
        """Return the parameters with a factor for every cluster."""
        n_clusters, n_features = self.mean.shape
        factor = np.zeros((n_clusters, n_features, n_features))
        diagonal = np.arange(n_features)
        factor[:, diagonal, diagonal] = self.scale
        factor[self.large] = self.factor
        return Parameters(self.size, self.mean, np.empty((0, n_features, n_features)), factor)


class WideFit(NamedTuple):
    """A fitted mixture and the clusters of the rows."""

    labels: IntArray
    degenerate: bool
    found: WideParameters

    def dense(self) -> MixtureFit:
        """Return the fit with a factor for every cluster."""
        return MixtureFit(self.labels, self.degenerate, self.found.dense())


def wide_fit(Z: Float32Array, centres: Float32Array, spec: MixtureSpec) -> WideFit:
    """Assign rows to the nearest centre, then run EM steps with hard labels; see `hard_fit`."""
    labels = lloyd(Z, centres, 1)
    degenerate = False
    for step in range(spec.em_steps):
        found, failed = _parameters(Z, labels, len(centres), spec)
        degenerate |= failed or (step == 0 and not found.size.all())
        _assign(Z, found, labels)
    return WideFit(labels, bool(degenerate), found)


def _parameters(Z: Float32Array, labels: IntArray, n_clusters: int, spec: MixtureSpec) -> tuple[WideParameters, bool]:
    """Return the parameters of the clusters, and whether a covariance needed more regularisation."""
    n_features = len(Z)
    size, mean, variance = np.zeros(n_clusters), np.empty((n_clusters, n_features)), np.empty(n_features)
    centred = np.empty_like(Z)
    pooled_moments(Z, labels, size, mean, variance, centred)
    large = np.flatnonzero(size > spec.shrinkage * n_features)
    factor = np.empty((len(large), n_features, n_features))
    failed = False
    if len(large):
        cov = np.empty_like(factor)
        large_covariances(centred, size, large, spec.shrinkage, variance, cov)
        failed = bool(factorise_all(cov, spec.reg_covar, factor))
    return WideParameters(size, mean, 1 / np.sqrt(variance + spec.reg_covar), large, factor), failed


def _assign(Z: Float32Array, found: WideParameters, labels: IntArray) -> None:
    """Write the most probable cluster of every row."""
    is_small = np.ones(len(found.size), dtype=bool)
    is_small[found.large] = False
    small, large = np.flatnonzero(is_small), found.large
    constant, scale = found.constant, found.scale.astype(np.float32)
    best = np.empty(Z.shape[1], dtype=np.float32)
    assign_pooled(Z, constant[small], found.mean[small].astype(np.float32), scale, small, best, labels)
    if len(large):
        assign_factored(Z, constant[large], found.mean[large], found.factor, large, best, labels)


@kernel
def pooled_moments(Z: Array, labels: Array, size: Array, mean: Array, variance: Array, centred: Array) -> None:
    """Write counts and means of the clusters, and the variances around them pooled over all clusters.

    `centred` gets the rows in the order of their clusters, less the means.
    """
    n_features, n_rows = Z.shape
    for i in range(n_rows):
        size[labels[i]] += 1
    place = (np.cumsum(size) - size).astype(np.int64)
    order = np.empty(n_rows, np.int32)
    for i in range(n_rows):
        order[place[labels[i]]] = i
        place[labels[i]] += 1
    for j in range(n_features):
        z, out, squares = Z[j], centred[j], 0.0
        for i in range(n_rows):
            out[i] = z[order[i]]
        for c in range(size.shape[0]):
            own, s = out[place[c] - int(size[c]) : place[c]], 0.0
            for i in range(own.shape[0]):
                s += own[i]
            mean[c, j] = s / max(size[c], 1.0)
            centre = np.float32(mean[c, j])
            for i in range(own.shape[0]):
                own[i] -= centre
                squares += np.float64(own[i]) * own[i]
        variance[j] = squares / n_rows


@kernel
def large_covariances(
    centred: Array, size: Array, large: Array, shrinkage: float, variance: Array, cov: Array
) -> None:
    """Write the covariances of the large clusters, shrunken to the pooled variances; `centred` of `pooled_moments`."""
    n_features = centred.shape[0]
    first = (np.cumsum(size) - size).astype(np.int64)
    product = np.empty((n_features, n_features), np.float32)
    for k in range(large.shape[0]):
        c = large[k]
        n_blocks = (int(size[c]) + BLOCK - 1) // BLOCK
        width = ((int(size[c]) + n_blocks - 1) // n_blocks + 15) // 16 * 16
        block = np.zeros((n_features, width), np.float32)
        cov[k] = 0
        for b in range(n_blocks):
            begin, end = b * width, min((b + 1) * width, int(size[c]))
            # Numbers, not arrays: numba takes four seconds to compile the error that two shapes do not fit.
            for j in range(n_features):
                own = centred[j, first[c] + begin : first[c] + end]
                for i in range(own.shape[0]):
                    block[j, i] = own[i]
            block[:, end - begin :] = 0
            np.dot(block, block.T, product)
            for j in range(n_features):
                for i in range(n_features):
                    cov[k, j, i] += product[j, i]
        amount = (shrinkage * n_features / size[c]) ** 2
        for j in range(n_features):
            for i in range(n_features):
                cov[k, j, i] *= (1 - amount) / size[c]
            cov[k, j, j] += amount * variance[j]


@kernel
def assign_pooled(
    Z: Array, constant: Array, mean: Array, scale: Array, numbers: Array, nearest: Array, labels: Array
) -> None:
    """Write the most probable of the clusters that share the pooled variances, and the distance to it.

    `numbers` are the labels of these clusters.
    """
    n_features, n_rows = Z.shape
    distance = np.empty(BLOCK, np.float32)
    nearest[:] = np.inf
    for first in range(0, n_rows, BLOCK):
        rows = min(BLOCK, n_rows - first)
        best, found = nearest[first : first + rows], labels[first : first + rows]
        for c in range(constant.shape[0]):
            distance[:] = constant[c]
            for j in range(n_features):
                z, centre, s = Z[j, first : first + rows], mean[c, j], scale[j]
                for i in range(rows):
                    d = (z[i] - centre) * s
                    distance[i] += d * d
            for i in range(rows):
                closer = distance[i] < best[i]
                best[i] = distance[i] if closer else best[i]
                found[i] = numbers[c] if closer else found[i]


@kernel
def assign_factored(
    Z: Array, constant: Array, mean: Array, factor: Array, numbers: Array, best: Array, labels: Array
) -> None:
    """Write the most probable of the large clusters for the rows to which one is nearer than `best`."""
    n_clusters, n_rows = constant.shape[0], Z.shape[1]
    strips, offset = pack_strips(factor, mean)
    n_blocks = (n_rows + BLOCK - 1) // BLOCK
    width = ((n_rows + n_blocks - 1) // n_blocks + 15) // 16 * 16  # even blocks: tables this wide have few rows
    block = np.zeros((Z.shape[0], width), np.float32)
    product = np.empty((offset.shape[1], width), np.float32)
    distance = np.empty((n_clusters, width), np.float32)
    for first in range(0, n_rows, width):
        rows = load_block(Z, first, block)
        block_distances(block, strips, offset, constant, product, distance)
        nearest, found = best[first : first + rows], labels[first : first + rows]
        for c in range(n_clusters):
            d = distance[c]
            for i in range(rows):
                closer = d[i] < nearest[i]
                found[i] = numbers[c] if closer else found[i]
                nearest[i] = d[i] if closer else nearest[i]
