"""Compiled kernels of the Gaussian mixture: labels, moments, factors, densities, counts.

Tables come as ``Z`` (n_features, n_rows): one row of ``Z`` per selected feature, so that the inner loops
run over consecutive table rows. ``Z`` is float32 and centred; sums over more than `BLOCK` rows are kept in float64.
Covariances and factors are triangles of a few dozen columns: plain loops over half of them, which the compiler
vectorises, take half of the time of a BLAS that multiplies the whole, and compile in a fraction of it.
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
BLOCK = 256  # rows at a time: their values in 25 columns fit into the L1 cache
CACHE_LINE = 16  # values
GROUP = 4  # columns at a time: a row's sum or weight is read once for all of them


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


@inner_kernel
def padded(n_features: int) -> int:
    """Return the number of columns rounded up to whole groups."""
    return (n_features + GROUP - 1) // GROUP * GROUP


@inner_kernel
def aligned_zeros(n_lines: int, n_rows: int) -> Array:
    """Return lines of zeros from the beginning of a cache line on: a third faster where vectors are as long as one."""
    n_values = n_lines * n_rows
    values = np.zeros(n_values + CACHE_LINE, np.float32)
    begin = -(values.ctypes.data >> 2) % CACHE_LINE
    return values[begin : begin + n_values].reshape((n_lines, n_rows))


@inner_kernel
def add_products(line: Array, block: Array, n_lines: int, sums: Array) -> None:
    """Add to `sums` the products of `line` and each of the first `n_lines` lines of `block`, summed over the rows."""
    for p in range(0, n_lines, GROUP):
        z0, z1, z2, z3 = block[p], block[p + 1], block[p + 2], block[p + 3]
        s0 = s1 = s2 = s3 = np.float32(0)
        for i in range(line.shape[0]):
            s0 += line[i] * z0[i]
            s1 += line[i] * z1[i]
            s2 += line[i] * z2[i]
            s3 += line[i] * z3[i]
        sums[p] += s0
        sums[p + 1] += s1
        sums[p + 2] += s2
        sums[p + 3] += s3


@kernel
def hard_moments(
    Z: Array, labels: Array, is_full: Array, size: Array, mean: Array, variance: Array, cov: Array
) -> None:
    """Write means and variances of the rows of each label, and the lower triangles of full covariances.

    `size` has the numbers of rows; `cov` a place for each cluster that is full, in their order.
    """
    n_features, n_rows = Z.shape
    end = (np.cumsum(size) - size).astype(np.int64)
    order = np.empty(n_rows, np.int32)
    for i in range(n_rows):
        order[end[labels[i]]] = i
        end[labels[i]] += 1
    sums = np.empty((n_features if is_full.any() else 0, padded(n_features)))
    n_full = 0
    for c in range(size.shape[0]):
        n_own = int(size[c])
        own, width = order[end[c] - n_own : end[c]], min(BLOCK, (n_own // CACHE_LINE + 1) * CACHE_LINE)
        n_blocks = (n_own + width - 1) // width
        blocks = aligned_zeros(n_blocks * padded(n_features), width).reshape((n_blocks, padded(n_features), width))
        for j in range(n_features):  # gathered once, read twice
            z, total = Z[j], 0.0
            for b in range(n_blocks):
                part, line = own[b * width : b * width + width], blocks[b, j]
                for i in range(part.shape[0]):
                    line[i] = z[part[i]]
                    total += line[i]
            mean[c, j] = total / max(n_own, 1)
        variance[c] = 0
        if is_full[c]:
            sums[:] = 0
        for b in range(n_blocks):
            block, rows = blocks[b], min(width, n_own - b * width)
            for j in range(n_features):
                line, centre, squares = block[j, :rows], np.float32(mean[c, j]), np.float32(0)
                for i in range(rows):
                    line[i] -= centre
                    squares += line[i] * line[i]
                if is_full[c]:
                    add_products(line, block, j + 1, sums[j])
                else:
                    variance[c, j] += squares
        for j in range(n_features):
            variance[c, j] = (sums[j, j] if is_full[c] else variance[c, j]) / max(n_own, 1)
            if is_full[c]:
                for p in range(j + 1):
                    cov[n_full, j, p] = sums[j, p] / max(n_own, 1)
        n_full += is_full[c]


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
def place_rows(
    Z: Array, constant: Array, mean: Array, scale: Array, is_full: Array, factor: Array, distance: Array, labels: Array
) -> None:
    """Write ``constant + |factor (z - mean)|^2`` of every cluster and row, and the cluster where it is smallest.

    `factor` has the lower triangles of the full clusters, in their order; the others have a `scale` of each column.
    """
    n_clusters, n_features = mean.shape
    weights = np.zeros((factor.shape[0], n_features, padded(n_features)), np.float32)
    offset = np.zeros((factor.shape[0], n_features), np.float32)
    n_full = 0
    for c in range(n_clusters):
        if is_full[c]:
            for r in range(n_features):
                total = 0.0
                for j in range(r + 1):
                    weights[n_full, r, j] = factor[n_full, r, j]
                    total += factor[n_full, r, j] * mean[c, j]
                offset[n_full, r] = -total
            n_full += 1
    block = aligned_zeros(padded(n_features) + 2, BLOCK)
    line, best = block[-2], block[-1]
    for first in range(0, Z.shape[1], BLOCK):
        rows = load_block(Z, first, block)
        found = labels[first : first + rows]
        found[:] = 0  # for a row whose distances are all infinite
        best[:] = np.inf
        n_full = 0
        for c in range(n_clusters):
            d = distance[c, first : first + rows]
            d[:] = constant[c]
            for r in range(n_features):
                if is_full[c]:
                    line[:] = offset[n_full, r]
                    add_weighted(block, weights[n_full, r], r + 1, line)
                    for i in range(rows):
                        d[i] += line[i] * line[i]
                else:
                    z, centre, s = block[r], np.float32(mean[c, r]), np.float32(scale[c, r])
                    for i in range(rows):
                        d[i] += ((z[i] - centre) * s) ** 2
            n_full += is_full[c]
            for i in range(rows):
                closer = d[i] < best[i]
                best[i] = d[i] if closer else best[i]
                found[i] = c if closer else found[i]


@inner_kernel
def add_weighted(block: Array, weights: Array, n_lines: int, out: Array) -> None:
    """Add to `out` the weighted sum of the first `n_lines` lines of `block`."""
    for p in range(0, n_lines, GROUP):
        z0, z1, z2, z3 = block[p], block[p + 1], block[p + 2], block[p + 3]
        w0, w1, w2, w3 = weights[p], weights[p + 1], weights[p + 2], weights[p + 3]
        for i in range(out.shape[0]):
            out[i] += w0 * z0[i] + w1 * z1[i] + w2 * z2[i] + w3 * z3[i]


@kernel
def maximise(Z: Array, share: Array, size: Array, mean: Array, cov: Array) -> None:
    """Write weighted count, mean and lower triangle of the covariance of every cluster.

    Since the weighted differences from the mean add up to nothing, the covariance is also the weighted mean of
    ``z (z - mean)'``: the table is read as it is, only one of two factors is weighted, and nothing cancels.
    """
    n_features, n_clusters = Z.shape[0], size.shape[0]
    block = aligned_zeros(padded(n_features) + 1, BLOCK)
    line = block[-1]
    total = np.zeros((n_clusters, padded(n_features)))
    product = np.zeros((n_clusters, n_features, padded(n_features)))
    size[:] = 0
    for first in range(0, Z.shape[1], BLOCK):
        rows = load_block(Z, first, block)
        for c in range(n_clusters):
            part = share[c, first : first + rows]
            size[c] += part.sum()
            add_products(part, block, n_features, total[c])
    for c in range(n_clusters):
        for j in range(n_features):
            mean[c, j] = total[c, j] / max(size[c], 1e-30)
    for first in range(0, Z.shape[1], BLOCK):
        rows = load_block(Z, first, block)
        for c in range(n_clusters):
            part, weighted = share[c, first : first + rows], line[:rows]
            for j in range(n_features):
                z, centre = block[j], np.float32(mean[c, j])
                for i in range(rows):
                    weighted[i] = part[i] * (z[i] - centre)
                add_products(weighted, block, j + 1, product[c, j])
    for c in range(n_clusters):
        for j in range(n_features):
            for p in range(j + 1):
                cov[c, j, p] = product[c, j, p] / max(size[c], 1e-30)


@kernel
def count(
    labels: Array, known: Array, weight: float, checked_weight: float,
    size: Array, hits: Array, against: Array, likely: Array,
) -> None:  # fmt: skip
    """Add up rows and rows of each kind (see `Labels`) per cluster; an unlabelled row counts `weight` times."""
    for i in range(labels.shape[0]):
        if known[i] == 1:
            hits[labels[i]] += 1.0
            size[labels[i]] += 1.0
        elif known[i] < 0:
            against[labels[i]] += checked_weight
            size[labels[i]] += checked_weight
        else:
            size[labels[i]] += weight
            if known[i] > 1:
                likely[labels[i]] += 1.0
