"""Compiled sweeps over a table ``Z`` (n_features, n_rows): centres, clusters, responsibilities, counts."""

import numpy as np

from puselect.clustering.cpu.kernels import (
    BLOCK,
    Array,
    block_distances,
    inner_kernel,
    kernel,
    mixture_constants,
    pack_strips,
)


@kernel
def move_centres(Z: Array, labels: Array, centres: Array) -> float:
    """Move each of `centres` to the mean of its rows, in place, and return the sum of the squared moves.

    A centre without rows stays where it is.
    """
    total = np.zeros(centres.shape)
    count = np.zeros(centres.shape[0])
    for i in range(labels.shape[0]):
        count[labels[i]] += 1
    for j in range(Z.shape[0]):
        z = Z[j]
        for i in range(labels.shape[0]):
            total[labels[i], j] += z[i]
    moved = 0.0
    for c in range(centres.shape[0]):
        if count[c] > 0:
            for j in range(Z.shape[0]):
                target = np.float32(total[c, j] / count[c])
                moved += (target - centres[c, j]) ** 2
                centres[c, j] = target
    return moved


@inner_kernel
def load_block(Z: Array, first: int, block: Array) -> int:
    """Copy the table rows from `first` on into `block`; return how many there were."""
    rows = min(block.shape[1], Z.shape[1] - first)
    for j in range(Z.shape[0]):
        z = Z[j, first : first + rows]
        for i in range(rows):
            block[j, i] = z[i]
    return rows


@kernel
def assign(Z: Array, size: Array, mean: Array, factor: Array, labels: Array) -> None:
    """Write the cluster of highest weight x density for every row."""
    n_clusters = size.shape[0]
    constant = mixture_constants(size, factor)
    strips, offset = pack_strips(factor, mean)
    block = np.zeros((Z.shape[0], BLOCK), np.float32)
    product = np.empty((offset.shape[1], BLOCK), np.float32)
    distance = np.empty((n_clusters, BLOCK), np.float32)
    for first in range(0, Z.shape[1], BLOCK):
        rows = load_block(Z, first, block)
        block_distances(block, strips, offset, constant, product, distance)
        found = labels[first : first + rows]
        found[:] = 0
        for c in range(1, n_clusters):
            d, best = distance[c], distance[0]
            for i in range(rows):
                closer = d[i] < best[i]
                found[i] = c if closer else found[i]
                best[i] = d[i] if closer else best[i]


@kernel
def expect(Z: Array, size: Array, mean: Array, factor: Array, share: Array) -> float:
    """Write the responsibilities (n_clusters, n_rows); return the mean log-likelihood of the rows."""
    n_clusters, n_rows = share.shape
    constant = mixture_constants(size, factor)
    strips, offset = pack_strips(factor, mean)
    block = np.zeros((Z.shape[0], BLOCK), np.float32)
    product = np.empty((offset.shape[1], BLOCK), np.float32)
    distance = np.empty((n_clusters, BLOCK), np.float32)
    best = np.empty(BLOCK, np.float32)
    total = np.empty(BLOCK, np.float32)
    likelihood = 0.0
    for first in range(0, n_rows, BLOCK):
        rows = load_block(Z, first, block)
        block_distances(block, strips, offset, constant, product, distance)
        best[:] = np.inf  # an array in place of the number would take numba two more seconds to compile
        for c in range(n_clusters):
            for i in range(BLOCK):
                best[i] = min(best[i], distance[c, i])
        total[:] = 0
        for c in range(n_clusters):
            part = share[c, first : first + rows]
            for i in range(rows):
                gap = best[i] - distance[c, i]
                # exp(-40) is below float32's resolution of 1: such a share is 0
                part[i] = np.exp(np.float32(0.5) * gap) if gap > -80 else np.float32(0)
                total[i] += part[i]
        for i in range(rows):
            likelihood += np.log(total[i]) - 0.5 * best[i]
            total[i] = 1 / total[i]
        for c in range(n_clusters):
            for i in range(rows):
                share[c, first + i] *= total[i]
    return likelihood / n_rows - 0.5 * Z.shape[0] * np.log(2 * np.pi)


@inner_kernel
def weighted_means(Z: Array, share: Array, size: Array, mean: Array) -> None:
    """Write the sum of the shares and the weighted mean of every cluster."""
    block = np.zeros((Z.shape[0], BLOCK), np.float32)
    weight = np.zeros((share.shape[0], BLOCK), np.float32)
    product = np.empty(mean.shape, np.float32)
    size[:] = 0
    mean[:] = 0
    for first in range(0, Z.shape[1], BLOCK):
        load_block(Z, first, block)
        if load_block(share, first, weight) < BLOCK:
            weight[:, Z.shape[1] - first :] = 0
        np.dot(weight, block.T, product)
        mean += product
        for c in range(size.shape[0]):
            size[c] += weight[c].sum()
    for c in range(size.shape[0]):
        for j in range(mean.shape[1]):
            mean[c, j] /= max(size[c], 1e-30)


@kernel
def maximise(Z: Array, share: Array, size: Array, mean: Array, cov: Array) -> None:
    """Write weighted count, mean and covariance of every cluster.

    Since the weighted differences from the mean add up to nothing, the covariance is also the weighted mean of
    ``z (z - mean)'``. That takes one product for all clusters in place of one for each, and nothing cancels.
    """
    weighted_means(Z, share, size, mean)
    n_features, n_clusters = Z.shape[0], size.shape[0]
    block = np.zeros((n_features, BLOCK), np.float32)
    weighted = np.zeros((n_clusters * n_features, BLOCK), np.float32)
    product = np.empty((n_features, n_clusters * n_features), np.float32)
    cov[:] = 0
    for first in range(0, Z.shape[1], BLOCK):
        rows = load_block(Z, first, block)
        if rows < BLOCK:
            weighted[:, rows:] = 0
        for c in range(n_clusters):
            r = share[c, first : first + rows]
            for j in range(n_features):
                centre, z, out = np.float32(mean[c, j]), block[j], weighted[c * n_features + j]
                for i in range(rows):
                    out[i] = r[i] * (z[i] - centre)
        np.dot(block, weighted.T, product)
        for c in range(n_clusters):
            for j in range(n_features):
                for i in range(n_features):
                    cov[c, j, i] += product[j, c * n_features + i]
    for c in range(n_clusters):
        for j in range(n_features):
            for i in range(n_features):
                cov[c, j, i] /= max(size[c], 1e-30)


@kernel
def count(labels: Array, positive: Array, unlabelled_weight: float, size: Array, hits: Array) -> None:
    """Add up rows and labelled positives per cluster; an unlabelled row counts `unlabelled_weight` times."""
    for i in range(labels.shape[0]):
        hits[labels[i]] += positive[i]
        size[labels[i]] += 1.0 if positive[i] else unlabelled_weight
