"""Triton kernels that compare rows with clusters, for few columns; `puselect.engines.gpu.fused` starts them.

Tables come turned: column by column, K columns of S rows for every mask, with zeros beyond the table. Each thread has
rows of its own, whose values stay in registers, and all threads read the same value of a factor at a time: products
of small tiles, which pass both sides through shared memory, are bound by that. Loops over columns are unrolled.
"""

import triton
import triton.language as tl


@triton.jit
def turn_kernel(Z, out, n_rows, n_features, S, R: tl.constexpr, P: tl.constexpr, K: tl.constexpr):
    """Write a tile of rows of one mask column by column."""
    b, row, column = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R), tl.arange(0, P)
    inside = (row[:, None] < n_rows) & (column[None, :] < n_features)
    z = tl.load(Z + (b * n_rows + row[:, None]) * n_features + column[None, :], inside, 0.0)
    tl.store(out + (b * K + column[:, None]) * S + row[None, :], tl.trans(z), column[:, None] < K)


@triton.jit
def row_distance(tile, mean, factor, constant, cluster, n_features, S, K: tl.constexpr, P: tl.constexpr):
    """Return ``constant + |factor (z - mean)|^2`` of a tile of rows for one cluster; the factor is a triangle."""
    gap = ()
    for j in tl.static_range(K):
        gap = gap + (tl.load(tile + j * S) - tl.load(mean + cluster * n_features + j, j < n_features, 0.0),)
    value = tl.load(constant + cluster)
    for i in tl.static_range(K):
        white = gap[0] * tl.load(factor + cluster * P * P + i)
        for j in tl.static_range(1, i + 1):
            white += gap[j] * tl.load(factor + cluster * P * P + j * P + i)
        value = value + white * white
    return value


@triton.jit
def assign_rows_kernel(
    T, mean, factor, constant, running, out, n_rows, n_features, n_clusters, S,
    R: tl.constexpr, K: tl.constexpr, P: tl.constexpr,
):
    """Write the cluster of smallest ``constant + |factor (z - mean)|^2`` for a tile of rows."""
    b, row = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R)
    if tl.load(running + b) == 0:
        return
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for c in range(n_clusters):
        cluster = b * n_clusters + c
        value = row_distance(T + b * K * S + row, mean, factor, constant, cluster, n_features, S, K, P)
        found = tl.where(value < best, c, found)
        best = tl.minimum(value, best)
    tl.store(out + b * n_rows + row, found, row < n_rows)


@triton.jit
def responsibilities_rows_kernel(
    T, mean, factor, constant, running, share, likelihood, n_rows, n_features, n_clusters, S,
    R: tl.constexpr, K: tl.constexpr, P: tl.constexpr,
):
    """Write the shares of a tile of rows in each of the clusters, and the sum of the rows' log-likelihoods."""
    b, row = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R)
    if tl.load(running + b) == 0:
        return
    there, own = row < n_rows, share + b * n_clusters * n_rows + row
    best = tl.full((R,), float("inf"), tl.float32)
    for c in range(n_clusters):
        cluster = b * n_clusters + c
        value = row_distance(T + b * K * S + row, mean, factor, constant, cluster, n_features, S, K, P)
        tl.store(own + c * n_rows, value, there)
        best = tl.minimum(value, best)
    total = tl.zeros((R,), tl.float32)
    for c in range(n_clusters):
        total += tl.exp(0.5 * (best - tl.load(own + c * n_rows, there, 0.0)))
    for c in range(n_clusters):
        part = tl.exp(0.5 * (best - tl.load(own + c * n_rows, there, 0.0)))
        tl.store(own + c * n_rows, part / total, there)
    value = tl.where(there, tl.log(total) - 0.5 * best, 0.0).to(tl.float64)
    tl.store(likelihood + b * tl.num_programs(1) + tl.program_id(1), tl.sum(value, axis=0))


@triton.jit
def nearest_rows_kernel(
    T, points, running, labels, changed, n_rows, n_features, n_points, S, R: tl.constexpr, K: tl.constexpr
):
    """Write which of the points is nearest to each of a tile of rows, of equally near ones the first.

    Adds the number of rows for which that is another one than before to `changed`.
    """
    b, row = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R)
    if tl.load(running + b) == 0:
        return
    z = ()
    for j in tl.static_range(K):
        z = z + (tl.load(T + (b * K + j) * S + row),)
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for m in range(n_points):
        value = tl.zeros((R,), tl.float32)
        for j in tl.static_range(K):
            gap = z[j] - tl.load(points + (b * n_points + m) * n_features + j, j < n_features, 0.0)
            value += gap * gap
        found = tl.where(value < best, m, found)
        best = tl.minimum(value, best)
    own = labels + b * n_rows + row
    before = tl.load(own, row < n_rows, 0)
    tl.store(own, found, row < n_rows)
    tl.atomic_add(changed + b, tl.sum(((before != found) & (row < n_rows)).to(tl.int32), axis=0))
