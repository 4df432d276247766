"""Compiled fits of a whole mixture: the short hard one of the default preset, and EM as published.

Both read ``Z`` (n_features, n_rows), write the cluster of every row into `labels`, and return how many of the
clusters were degenerate: empty at the start, or with a covariance that had to be regularised further.
"""

import numpy as np

from puselect._kernels import (
    BLOCK,
    Array,
    block_distances,
    factorise_all,
    hard_moments,
    kernel,
    mixture_constants,
    nearest,
    pack_strips,
    shape_covariances,
    weighted_moments,
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


@kernel
def lloyd(Z: Array, centres: Array, steps: int, tolerance: float, labels: Array) -> None:
    """Run `steps` Lloyd steps, fewer when the centres move by `tolerance` or less; `centres` is overwritten."""
    for step in range(steps):
        if nearest(Z, centres, labels) == 0 or step == steps - 1:
            return
        if move_centres(Z, labels, centres) <= tolerance:
            nearest(Z, centres, labels)
            return


@kernel
def count_empty(size: Array) -> int:
    """Return how many clusters have no rows."""
    empty = 0
    for c in range(size.shape[0]):
        empty += size[c] == 0
    return empty


@kernel
def load_block(Z: Array, first: int, block: Array) -> int:
    """Copy the table rows from `first` on into `block`; return how many there were."""
    rows = min(BLOCK, Z.shape[1] - first)
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
def hard_fit(
    Z: Array,
    centres: Array,
    lloyd_steps: int,
    em_steps: int,
    kind: int,
    regularisation: float,
    shrinkage: float,
    labels: Array,
) -> int:
    """Cluster from `centres`: Lloyd steps, then EM steps in which every row belongs to one cluster alone."""
    n_clusters, n_features = centres.shape
    size = np.empty(n_clusters)
    mean = np.empty((n_clusters, n_features))
    cov = np.empty((n_clusters, n_features, n_features))
    factor = np.empty((n_clusters, n_features, n_features))
    labels[:] = -1
    lloyd(Z, centres, lloyd_steps, 0.0, labels)
    degenerate = 0
    for step in range(em_steps):
        hard_moments(Z, labels, size, mean, cov)
        shape_covariances(cov, size, kind, shrinkage)
        degenerate += factorise_all(cov, regularisation, factor)
        if step == 0:
            degenerate += count_empty(size)
        assign(Z, size, mean, factor, labels)
    return degenerate


@kernel
def expect(Z: Array, size: Array, mean: Array, factor: Array, share: Array) -> float:
    """Write the responsibilities (n_clusters, n_rows); return the mean log-likelihood of the rows."""
    n_clusters, n_rows = share.shape
    constant = mixture_constants(size, factor)
    strips, offset = pack_strips(factor, mean)
    block = np.zeros((Z.shape[0], BLOCK), np.float32)
    product = np.empty((offset.shape[1], BLOCK), np.float32)
    distance = np.empty((n_clusters, BLOCK), np.float32)
    likelihood = 0.0
    for first in range(0, n_rows, BLOCK):
        rows = load_block(Z, first, block)
        block_distances(block, strips, offset, constant, product, distance)
        for i in range(rows):
            best = distance[0, i]
            for c in range(1, n_clusters):
                best = min(best, distance[c, i])
            total = 0.0
            for c in range(n_clusters):
                gap = best - distance[c, i]
                # exp(-40) is below float32's resolution of 1: such a share is 0
                share[c, first + i] = np.exp(np.float32(0.5) * gap) if gap > -80 else np.float32(0)
                total += share[c, first + i]
            for c in range(n_clusters):
                share[c, first + i] /= total
            likelihood += np.log(total) - 0.5 * best
    return likelihood / n_rows - 0.5 * Z.shape[0] * np.log(2 * np.pi)


@kernel
def maximise(Z: Array, share: Array, size: Array, mean: Array, cov: Array) -> None:
    """Write weighted count, mean and covariance of every cluster; rows without a share cost nothing."""
    n_clusters, n_rows = share.shape
    rows = np.empty(n_rows, np.int32)
    root = np.empty(n_rows, np.float32)
    for c in range(n_clusters):
        m, total = 0, 0.0
        for i in range(n_rows):
            if share[c, i] > 1e-9:
                rows[m] = i
                root[m] = np.sqrt(share[c, i])
                total += share[c, i]
                m += 1
        size[c] = total
        weighted_moments(Z, rows[:m], root[:m], max(total, 1e-30), mean[c], cov[c])


@kernel
def soft_fit(
    Z: Array,
    centres: Array,
    lloyd_tol: float,
    em_steps: int,
    em_tol: float,
    kind: int,
    regularisation: float,
    shrinkage: float,
    labels: Array,
) -> int:
    """Cluster from `centres`: k-means, then EM until the mean log-likelihood changes by less than `em_tol`."""
    n_clusters, n_features = centres.shape
    labels[:] = -1
    lloyd(Z, centres, 300, lloyd_tol, labels)
    size = np.empty(n_clusters)
    mean = np.empty((n_clusters, n_features))
    cov = np.empty((n_clusters, n_features, n_features))
    factor = np.empty((n_clusters, n_features, n_features))
    share = np.empty((n_clusters, Z.shape[1]), np.float32)
    hard_moments(Z, labels, size, mean, cov)
    shape_covariances(cov, size, kind, shrinkage)
    degenerate = factorise_all(cov, regularisation, factor) + count_empty(size)
    bound = -1e300
    for _ in range(em_steps):
        previous, bound = bound, expect(Z, size, mean, factor, share)
        maximise(Z, share, size, mean, cov)
        shape_covariances(cov, size, kind, shrinkage)
        degenerate += factorise_all(cov, regularisation, factor)
        if abs(bound - previous) < em_tol:
            break
    assign(Z, size, mean, factor, labels)
    return degenerate


@kernel
def count(labels: Array, positive: Array, unlabelled_weight: float, size: Array, hits: Array) -> None:
    """Add up rows and labelled positives per cluster; an unlabelled row counts `unlabelled_weight` times."""
    for i in range(labels.shape[0]):
        hits[labels[i]] += positive[i]
        size[labels[i]] += 1.0 if positive[i] else unlabelled_weight
