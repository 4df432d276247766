"""Compiled kernels of the Gaussian mixture: labels, moments, factors, densities, responsibilities, counts.

Tables come as ``Z`` (n_features, n_rows): one row of ``Z`` per selected feature, so that the inner loops
run over consecutive table rows. ``Z`` is float32 and centred; every sum over rows is kept in float64.
"""

import functools
import logging
from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np

from puselect.arrays import AnyArray

Array = AnyArray
Kernel = TypeVar("Kernel", bound=Callable[..., object])

logger = logging.getLogger(__name__)

# Sums may be reordered and vectorised. NaN and infinity are not ruled out: with "nnan" or "ninf" a comparison with one
# would be undefined, and labels, by which kernels write, are made of comparisons.
FAST = {"nsz", "contract", "reassoc"}
BLOCK = 512  # rows per block: their densities for all clusters fit into the L2 cache
STRIP = 8  # rows of the triangular factors multiplied at a time


def kernel(function: Kernel, **options: bool) -> Kernel:
    """Compile `function` without the interpreter lock; machine code is cached on disk where that is possible."""
    compiler = functools.partial(numba.njit, nogil=True, fastmath=FAST, error_model="numpy", **options)
    try:
        return cast(Kernel, compiler(cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        log_no_cache()
        return cast(Kernel, compiler()(function))


def inner_kernel(function: Kernel) -> Kernel:
    """Compile a part of other kernels, always inlined.

    As a function of its own, a part may be optimised once more in the cached code of its caller, with sums in another
    order: a process that compiles and one that reads the cache would then differ in the last bits.
    """
    return kernel(function, forceinline=True)


@functools.cache
def log_no_cache() -> None:
    """Say once that every process compiles the kernels again."""
    logger.warning(
        "compiled code cannot be cached, because no cache folder is writable: the first fit of every process takes "
        "some seconds longer; set NUMBA_CACHE_DIR to a writable folder to avoid this"
    )


@kernel
def nearest(Z: Array, centres: Array, labels: Array) -> int:
    """Write into `labels` the nearest of `centres` (n_clusters, n_features) for every row; return how many changed."""
    n_features, n_rows = Z.shape
    changed = 0
    distance = np.empty(BLOCK, np.float32)
    best = np.empty(BLOCK, np.float32)
    found = np.empty(BLOCK, np.int32)
    for first in range(0, n_rows, BLOCK):
        rows = min(BLOCK, n_rows - first)
        best[:] = np.inf
        found[:] = 0  # for a row whose distances are all infinite
        for c in range(centres.shape[0]):
            distance[:] = 0
            for j in range(n_features):
                z, centre = Z[j, first : first + rows], centres[c, j]
                for i in range(rows):
                    distance[i] += (z[i] - centre) * (z[i] - centre)
            for i in range(rows):
                closer = distance[i] < best[i]
                best[i] = distance[i] if closer else best[i]
                found[i] = c if closer else found[i]
        for i in range(rows):
            changed += labels[first + i] != found[i]
            labels[first + i] = found[i]
    return changed


@kernel
def hard_moments(Z: Array, labels: Array, size: Array, mean: Array, cov: Array) -> None:
    """Write count, mean and covariance (divided by the count) of the rows of each label."""
    n_rows = Z.shape[1]
    start = np.zeros(size.shape[0] + 1, np.int64)
    for i in range(n_rows):
        start[labels[i] + 1] += 1
    for c in range(size.shape[0]):
        size[c] = start[c + 1]
        start[c + 1] += start[c]
    order = np.empty(n_rows, np.int32)
    place = start.copy()
    for i in range(n_rows):
        order[place[labels[i]]] = i
        place[labels[i]] += 1
    for c in range(size.shape[0]):
        moments(Z, order[start[c] : start[c + 1]], mean[c], cov[c])


@inner_kernel
def moments(Z: Array, rows: Array, mean: Array, cov: Array) -> None:
    """Write mean and covariance of the given rows; zeros when there are none."""
    n_features, m = Z.shape[0], rows.shape[0]
    mean[:] = 0
    cov[:] = 0
    if m == 0:
        return
    # the rows side by side in blocks: gathered once, read twice
    n_blocks = (m + BLOCK - 1) // BLOCK
    width = min(BLOCK, (m + 15) // 16 * 16)
    blocks = np.zeros((n_blocks, n_features, width), np.float32)
    for b in range(n_blocks):
        part = rows[b * width : b * width + width]
        for j in range(n_features):
            z, out, s = Z[j], blocks[b, j], 0.0
            for i in range(part.shape[0]):
                out[i] = z[part[i]]
                s += out[i]
            mean[j] += s
    mean /= m
    product = np.empty((n_features, n_features), np.float32)
    for b in range(n_blocks):
        filled = min(width, m - b * width)
        for j in range(n_features):
            out, centre = blocks[b, j], np.float32(mean[j])
            for i in range(filled):
                out[i] -= centre
        np.dot(blocks[b], blocks[b].T, product)
        cov += product
    cov /= m


@inner_kernel
def factorise(cov: Array, regularisation: float, factor: Array) -> bool:
    """Write the inverse of the lower Cholesky factor of ``cov + regularisation * I``; return whether that worked."""
    n = cov.shape[0]
    chol = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = cov[i, j]
            for p in range(j):
                s -= chol[i, p] * chol[j, p]
            if i == j:
                s += regularisation
                if not s > 1e-3 * regularisation:
                    return False
                chol[j, j] = np.sqrt(s)
            else:
                chol[i, j] = s / chol[j, j]
    factor[:] = 0
    for i in range(n):
        factor[i, i] = 1 / chol[i, i]
        for p in range(i):
            s = -chol[i, p] * factor[i, i]
            for j in range(p + 1):
                factor[i, j] += s * factor[p, j]
    return True


@kernel
def factorise_all(cov: Array, regularisation: float, factor: Array) -> int:
    """Factorise all; retry failures with more regularisation, then as diagonals. Return the number of failures."""
    failed = 0
    n_features = cov.shape[1]
    for c in range(cov.shape[0]):
        if factorise(cov[c], regularisation, factor[c]):
            continue
        failed += 1
        if factorise(cov[c], 100 * regularisation, factor[c]):
            continue
        factor[c] = 0
        for j in range(n_features):
            factor[c, j, j] = 1 / np.sqrt(max(cov[c, j, j], 0.0) + regularisation)
    return failed


@inner_kernel
def pack_strips(factor: Array, mean: Array) -> tuple[Array, Array]:
    """Return the factors cut into strips of rows for one product per strip, and the factors times the means.

    Strip q holds rows ``q*height`` to ``(q+1)*height`` of every factor. They end at column ``(q+1)*height``, since
    the factors are lower triangular: nearly half of the multiplications are saved.
    """
    n_clusters, n_features = mean.shape
    n_strips = (n_features + STRIP - 1) // STRIP
    height = (n_features + n_strips - 1) // n_strips
    strips = np.zeros(n_clusters * height * n_features * n_strips, np.float32)
    offset = np.zeros((n_strips, n_clusters * height), np.float32)
    for q in range(n_strips):
        width = min(n_features, (q + 1) * height)
        start = q * n_clusters * height * n_features
        strip = strips[start : start + n_clusters * height * width].reshape(n_clusters * height, width)
        for c in range(n_clusters):
            for r in range(q * height, width):
                s = 0.0
                for j in range(r + 1):
                    strip[c * height + r - q * height, j] = factor[c, r, j]
                    s += factor[c, r, j] * mean[c, j]
                offset[q, c * height + r - q * height] = s
    return strips, offset


@inner_kernel
def block_distances(
    block: Array, strips: Array, offset: Array, constant: Array, product: Array, distance: Array,
) -> None:
    """Write ``constant + |factor (z - mean)|^2`` of every cluster (rows) for the table rows of one block (columns)."""
    n_clusters, n_features = constant.shape[0], block.shape[0]
    height = offset.shape[1] // n_clusters
    for c in range(n_clusters):
        distance[c] = constant[c]
    for q in range(offset.shape[0]):
        width = min(n_features, (q + 1) * height)
        start = q * n_clusters * height * n_features
        strip = strips[start : start + n_clusters * height * width].reshape(n_clusters * height, width)
        np.dot(strip, block[:width], product)
        for c in range(n_clusters):
            d = distance[c]
            for r in range(c * height, c * height + width - q * height):
                p, o = product[r], offset[q, r]
                for i in range(p.shape[0]):
                    d[i] += (p[i] - o) * (p[i] - o)


@inner_kernel
def mixture_constants(size: Array, factor: Array) -> Array:
    """Return -2 log(weight) - 2 log|factor| of every cluster; a huge number for an empty one."""
    constant = np.full(size.shape[0], np.float32(1e30))
    for c in range(size.shape[0]):
        if size[c] > 0:
            s = np.log(size[c] / size.sum())
            for j in range(factor.shape[1]):
                s += np.log(factor[c, j, j])
            constant[c] = -2 * s
    return constant


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
def count(
    labels: Array, known: Array, weight: float, checked_weight: float, size: Array, hits: Array, against: Array
) -> None:
    """Add up rows, labelled positives and checked negatives per cluster; an unlabelled row counts `weight` times."""
    for i in range(labels.shape[0]):
        if known[i] > 0:
            hits[labels[i]] += 1.0
            size[labels[i]] += 1.0
        elif known[i] < 0:
            against[labels[i]] += checked_weight
            size[labels[i]] += checked_weight
        else:
            size[labels[i]] += weight
