"""Triton kernels of the Gaussian mixture; `puselect.engines.gpu.fused` starts them.

A program takes a tile of rows of one mask, or a split of the rows of one cluster. Tiles are R rows by P columns, with
zeros beyond the table. The order of every sum depends only on the shape of one mask, so that a mask gives the same
bits in every batch.
"""

import triton
import triton.language as tl


@triton.jit
def load_rows(Z, mask_index, first, n_rows, n_features, R: tl.constexpr, P: tl.constexpr):
    """Return R rows of one mask's table; zeros beyond its rows and columns."""
    row, column = first + tl.arange(0, R), tl.arange(0, P)
    inside = (row[:, None] < n_rows) & (column[None, :] < n_features)
    return tl.load(Z + mask_index * n_rows * n_features + row[:, None] * n_features + column[None, :], inside, 0.0)


@triton.jit
def gather_kernel(
    tables, table, rows, columns, out, n_all, n_rows, n_features, n_columns,
    R: tl.constexpr, P: tl.constexpr, sampled: tl.constexpr,
):
    """Copy a tile of one mask's rows and columns out of its table."""
    b, row, place = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R), tl.arange(0, P)
    column = tl.load(columns + b * n_columns + place, place < n_columns, 0)
    taken = tl.load(rows + b * n_rows + row, row < n_rows, 0) if sampled else row.to(tl.int64)
    inside = (row[:, None] < n_rows) & (place[None, :] < n_columns)
    source = (tl.load(table + b) * n_all + taken[:, None]) * n_features + column[None, :]
    value = tl.load(tables + source, inside, 0.0)
    tl.store(out + (b * n_rows + row[:, None]) * n_columns + place[None, :], value, inside)


@triton.jit
def distances_kernel(Z, points, out, n_rows, n_features, n_points, R: tl.constexpr, P: tl.constexpr):
    """Write the squared distances of a tile of rows from each of the points."""
    b, first = tl.program_id(0).to(tl.int64), tl.program_id(1) * R
    z = load_rows(Z, b, first, n_rows, n_features, R, P)
    row, column = first + tl.arange(0, R), tl.arange(0, P)
    for m in range(n_points):
        point = tl.load(points + (b * n_points + m) * n_features + column, column < n_features, 0.0)
        gap = z - point[None, :]
        tl.store(out + (b * n_points + m) * n_rows + row, tl.sum(gap * gap, axis=1), row < n_rows)


@triton.jit
def nearest_kernel(Z, points, out, n_rows, n_features, n_points, R: tl.constexpr, P: tl.constexpr):
    """Write which of the points is nearest to each of a tile of rows; of equally near ones the first."""
    b, first = tl.program_id(0).to(tl.int64), tl.program_id(1) * R
    z = load_rows(Z, b, first, n_rows, n_features, R, P)
    row, column = first + tl.arange(0, R), tl.arange(0, P)
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for m in range(n_points):
        point = tl.load(points + (b * n_points + m) * n_features + column, column < n_features, 0.0)
        gap = z - point[None, :]
        value = tl.sum(gap * gap, axis=1)
        found = tl.where(value < best, m, found)
        best = tl.minimum(value, best)
    tl.store(out + b * n_rows + row, found, row < n_rows)


@triton.jit
def cluster_distance(z, mean, factor, constant, cluster, n_features, P: tl.constexpr):
    """Return ``constant + |factor (z - mean)|^2`` of a tile of rows for one cluster."""
    column = tl.arange(0, P)
    centre = tl.load(mean + cluster * n_features + column, column < n_features, 0.0)
    turned = tl.load(factor + cluster * P * P + column[:, None] * P + column[None, :])
    white = tl.dot(z - centre[None, :], turned, input_precision="ieee")
    return tl.load(constant + cluster) + tl.sum(white * white, axis=1)


@triton.jit
def assign_kernel(
    Z, mean, factor, constant, out, n_rows, n_features, n_clusters, R: tl.constexpr, P: tl.constexpr
):
    """Write the cluster of smallest ``constant + |factor (z - mean)|^2`` for a tile of rows."""
    b, first = tl.program_id(0).to(tl.int64), tl.program_id(1) * R
    z = load_rows(Z, b, first, n_rows, n_features, R, P)
    row = first + tl.arange(0, R)
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for c in range(n_clusters):
        value = cluster_distance(z, mean, factor, constant, b * n_clusters + c, n_features, P)
        found = tl.where(value < best, c, found)
        best = tl.minimum(value, best)
    tl.store(out + b * n_rows + row, found, row < n_rows)


@triton.jit
def responsibilities_kernel(
    Z, mean, factor, constant, share, likelihood, n_rows, n_features, n_clusters,
    R: tl.constexpr, P: tl.constexpr, C: tl.constexpr,
):
    """Write the shares of a tile of rows in each of the clusters, and the sum of the rows' log-likelihoods."""
    b, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    z = load_rows(Z, b, tile * R, n_rows, n_features, R, P)
    row, cluster = tile * R + tl.arange(0, R), tl.arange(0, C)
    distance = tl.full((R, C), 1e30, dtype=tl.float32)
    for c in range(n_clusters):
        value = cluster_distance(z, mean, factor, constant, b * n_clusters + c, n_features, P)
        distance = tl.where(cluster[None, :] == c, value[:, None], distance)
    best = tl.min(distance, axis=1)
    part = tl.exp(0.5 * (best[:, None] - distance))
    total = tl.sum(part, axis=1)
    inside = (row[:, None] < n_rows) & (cluster[None, :] < n_clusters)
    tl.store(share + (b * n_clusters + cluster[None, :]) * n_rows + row[:, None], part / total[:, None], inside)
    value = tl.where(row < n_rows, tl.log(total) - 0.5 * best, 0.0).to(tl.float64)
    tl.store(likelihood + b * tl.num_programs(1) + tile, tl.sum(value, axis=0))


@triton.jit
def first_moments_kernel(
    Z, share, out, size, n_rows, n_features, n_clusters,
    R: tl.constexpr, P: tl.constexpr, C: tl.constexpr, S: tl.constexpr, hard: tl.constexpr,
):
    """Write the sums of the rows of every cluster, and of their shares, over one split of the rows."""
    b, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    cluster, column = tl.arange(0, C), tl.arange(0, P)
    total, amount = tl.zeros((C, P), dtype=tl.float32), tl.zeros((C,), dtype=tl.float32)
    for first in range(split * S, min(split * S + S, n_rows), R):
        z = load_rows(Z, b, first, n_rows, n_features, R, P)
        row = first + tl.arange(0, R)
        if hard:
            label = tl.load(share + b * n_rows + row, row < n_rows, -1)
            weight = (cluster[:, None] == label[None, :]).to(tl.float32)
        else:
            inside = (cluster[:, None] < n_clusters) & (row[None, :] < n_rows)
            weight = tl.load(share + (b * n_clusters + cluster[:, None]) * n_rows + row[None, :], inside, 0.0)
        total += tl.dot(weight, z, input_precision="ieee")
        amount += tl.sum(weight, axis=1)
    inside = (cluster[:, None] < n_clusters) & (column[None, :] < n_features)
    place = (split * tl.num_programs(0) + b) * n_clusters + cluster
    tl.store(out + place[:, None] * n_features + column[None, :], total, inside)
    tl.store(size + place, amount, cluster < n_clusters)


@triton.jit
def second_moments_kernel(
    Z, share, mean, out, n_rows, n_features, n_clusters,
    R: tl.constexpr, P: tl.constexpr, S: tl.constexpr, hard: tl.constexpr,
):
    """Write the sum of the weighted products of one cluster over one split of the rows."""
    cluster, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    b, column = cluster // n_clusters, tl.arange(0, P)
    centre = tl.load(mean + cluster * n_features + column, column < n_features, 0.0)
    total = tl.zeros((P, P), dtype=tl.float32)
    for first in range(split * S, min(split * S + S, n_rows), R):
        row = first + tl.arange(0, R)
        if hard:
            label = tl.load(share + b * n_rows + row, row < n_rows, -1)
            weight = (label == cluster % n_clusters).to(tl.float32)
        else:
            weight = tl.load(share + cluster * n_rows + row, row < n_rows, 0.0)
        if tl.max(weight, axis=0) > 0:  # the branch also keeps the loop from being pipelined, which is slower here
            gap = load_rows(Z, b, first, n_rows, n_features, R, P) - centre[None, :]
            total += tl.dot(tl.trans(gap * weight[:, None]), gap, input_precision="ieee")
    inside = (column[:, None] < n_features) & (column[None, :] < n_features)
    place = (split * tl.num_programs(0) + cluster) * n_features * n_features
    tl.store(out + place + column[:, None] * n_features + column[None, :], total, inside)


@triton.jit
def eliminate(cov, regularisation, n_features, P: tl.constexpr):
    """Return the inverse of the lower Cholesky factor of ``cov + regularisation * I`` and the smallest pivot.

    The steps that turn the matrix into its factor turn the identity into the inverse of that factor.
    """
    i, j = tl.arange(0, P)[:, None], tl.arange(0, P)[None, :]
    left = tl.where((i == j) & (i < n_features), cov + regularisation, cov)
    right = tl.where(i == j, 1.0, 0.0).to(tl.float64)
    smallest = tl.full((), float("inf"), tl.float64)
    for p in range(n_features):
        column = tl.sum(tl.where(j == p, left, 0.0), axis=1)
        pivot = tl.sum(tl.where(tl.arange(0, P) == p, column, 0.0), axis=0)
        smallest = tl.where(pivot > smallest, smallest, pivot)  # keeps a NaN
        root = tl.sqrt(tl.where(pivot > 0, pivot, 1.0))
        row = tl.sum(tl.where(i == p, right, 0.0), axis=0) / root
        below = tl.where(tl.arange(0, P) > p, column / root, 0.0)
        left -= below[:, None] * below[None, :]
        right = tl.where(i == p, row[None, :], right - below[:, None] * row[None, :])
    return right, smallest


@triton.jit
def factorise_kernel(cov, factor, log_diagonal, failed, regularisation, n_features, P: tl.constexpr):
    """Write the inverse factor of one covariance; see `plain.factorise`."""
    cluster = tl.program_id(0).to(tl.int64)
    i, j = tl.arange(0, P)[:, None], tl.arange(0, P)[None, :]
    inside = (i < n_features) & (j < n_features)
    place = cluster * n_features * n_features + i * n_features + j
    matrix = tl.load(cov + place, inside, 0.0)
    inverse, smallest = eliminate(matrix, regularisation, n_features, P)
    bad = not (smallest > 1e-3 * regularisation)
    if bad:
        inverse, smallest = eliminate(matrix, 100 * regularisation, n_features, P)
        if not (smallest > 0.1 * regularisation):
            variance = tl.where(matrix > 0, matrix, 0.0) + regularisation
            inverse = tl.where(i == j, 1.0 / tl.sqrt(variance), 0.0)
    diagonal = tl.where((i == j) & inside, inverse, 1.0)
    turned = cluster * P * P + j * P + i
    tl.store(factor + turned, tl.where(inside, inverse, 0.0).to(tl.float32))
    tl.store(log_diagonal + cluster, tl.sum(tl.sum(tl.log(diagonal), axis=1), axis=0))
    tl.store(failed + cluster, bad)
