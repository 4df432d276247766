"""Triton kernels that compare rows with clusters, for few columns; `puselect.engines.gpu.fused` starts them.

Tables come turned: column by column, K columns of S rows for every mask, with zeros beyond the table. Each thread has
rows of its own, whose values stay in registers, and all threads read the same value of a factor at a time: products
of small tiles, which pass both sides through shared memory, are bound by that. Loops over columns are unrolled.
"""

import triton
import triton.language as tl

from puselect.engines.gpu.kernels import note_nearest


@triton.jit
def turn_kernel(Z, out, n_rows, n_features, S, R: tl.constexpr, P: tl.constexpr, K: tl.constexpr):
    """Write a tile of rows of one mask column by column."""
    b, row, column = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R), tl.arange(0, P)
    inside = (row[:, None] < n_rows) & (column[None, :] < n_features)
    z = tl.load(Z + (b * n_rows + row[:, None]) * n_features + column[None, :], inside, 0.0)
    tl.store(out + (b * K + column[:, None]) * S + row[None, :], tl.trans(z), column[:, None] < K)


@triton.jit
def load_four(pointer, at_once: tl.constexpr):
    """Return four values in a row. All threads read the same, which takes as long as reading one, if `at_once`."""
    if at_once:
        four = tl.inline_asm_elementwise(
            "ld.global.v4.f32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l", [pointer],
            dtype=(tl.float32, tl.float32, tl.float32, tl.float32), is_pure=True, pack=1,
        )  # fmt: skip
    else:
        four = (tl.load(pointer), tl.load(pointer + 1), tl.load(pointer + 2), tl.load(pointer + 3))
    return four


@triton.jit
def row_distance(
    tile, mean, factor, constant, cluster, n_features, S, K: tl.constexpr, P: tl.constexpr, at_once: tl.constexpr
):
    """Return ``constant + |factor (z - mean)|^2`` of a tile of rows for one cluster; the factor is a triangle."""
    gap = ()
    for j in tl.static_range(K):
        gap = gap + (tl.load(tile + j * S) - tl.load(mean + cluster * n_features + j, j < n_features, 0.0),)
    value = tl.load(constant + cluster)
    for i in tl.static_range(0, K, 4):
        nothing = tl.zeros_like(gap[0])
        white = (nothing, nothing, nothing, nothing)
        for j in tl.static_range(i + 4):
            if j < K:
                part, more = load_four(factor + cluster * P * P + j * P + i, at_once), ()
                for p in tl.static_range(4):
                    more = more + (white[p] + gap[j] * part[p] if j <= i + p and i + p < K else white[p],)
                white = more
        for p in tl.static_range(4):
            if i + p < K:
                value = value + white[p] * white[p]
    return value


@triton.jit
def assign_rows_kernel(
    T, mean, factor, constant, running, out, n_rows, n_features, n_clusters, S,
    R: tl.constexpr, K: tl.constexpr, P: tl.constexpr, at_once: tl.constexpr,
):
    """Write the cluster of smallest ``constant + |factor (z - mean)|^2`` for a tile of rows."""
    b, row = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R)
    if tl.load(running + b) == 0:
        return
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for c in range(n_clusters):
        cluster = b * n_clusters + c
        value = row_distance(T + b * K * S + row, mean, factor, constant, cluster, n_features, S, K, P, at_once)
        found = tl.where(value < best, c, found)
        best = tl.minimum(value, best)
    tl.store(out + b * n_rows + row, found, row < n_rows)


@triton.jit
def responsibilities_rows_kernel(
    T, mean, factor, constant, running, share, likelihood, n_rows, n_features, n_clusters, S,
    R: tl.constexpr, K: tl.constexpr, P: tl.constexpr, at_once: tl.constexpr,
):
    """Write the shares of a tile of rows in each of the clusters, and the sum of the rows' log-likelihoods."""
    b, row = tl.program_id(0).to(tl.int64), tl.program_id(1) * R + tl.arange(0, R)
    if tl.load(running + b) == 0:
        return
    there, own = row < n_rows, share + b * n_clusters * n_rows + row
    best = tl.full((R,), float("inf"), tl.float32)
    for c in range(n_clusters):
        cluster = b * n_clusters + c
        value = row_distance(T + b * K * S + row, mean, factor, constant, cluster, n_features, S, K, P, at_once)
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
    """Write which of the points is nearest to each of a tile of rows, of equally near ones the first."""
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
    note_nearest(found, labels, changed, b, row, n_rows)


@triton.jit
def leading(value):
    """Return float32 values rounded to the ten bits that tensor cores take."""
    bits = value.to(tl.int32, bitcast=True)
    return ((bits + 0x1000) & -0x2000).to(tl.float32, bitcast=True)


@triton.jit
def soft_rows_kernel(
    T, share, centre, running, first_moment, second_moment, size, n_rows, n_features, n_clusters, one, S,
    R: tl.constexpr, K: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
):
    """Write the weighted moments of one cluster about its centre, over one split of B rows.

    Rows are multiplied by the roots of their weights, so that second moments are products of a matrix with itself. With
    a column of ones beside the K others, if there is room for it, they hold first moments and sizes as well.

    Products of the leading bits, and of these with what is left, are as exact as one in float32 (Ootomo and Yokota,
    International Journal of High Performance Computing Applications 36, 2022); that of what is left with the leading
    bits is the latter turned. Tensor cores cut sums off instead of rounding them, so that they add up the leading bits
    of R rows only: the product with `one` keeps the compiler from moving the other sum there.
    """
    cluster, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    b = cluster // n_clusters
    if tl.load(running + b) == 0:
        return
    column = tl.arange(0, A)
    lines, here = T + (b * K + column[:, None]) * S, column[:, None] < K
    origin = tl.load(centre + cluster * n_features + column, column < n_features, 0.0)
    square, cross = tl.zeros((A, A), tl.float32), tl.zeros((A, A), tl.float32)
    line, amount = tl.zeros((A,), tl.float32), tl.zeros((R,), tl.float32)
    for begin in range(split * B, min(split * B + B, n_rows), R):
        row = begin + tl.arange(0, R)
        weight = tl.load(share + cluster * n_rows + row, row < n_rows, 0.0)
        gap = tl.load(lines + row[None, :], here, 0.0) - origin[:, None]
        if K < A:
            gap = tl.where(column[:, None] == K, 1.0, gap)
        else:
            line += tl.sum(gap * weight[None, :], axis=1)
            amount += weight
        gap = gap * tl.sqrt_rn(weight)[None, :]
        most = leading(gap)
        cross = tl.dot(most, tl.trans(gap - most), cross, input_precision="tf32")
        square = tl.fma(tl.dot(most, tl.trans(most), input_precision="tf32"), one, square)
    square += cross + tl.trans(cross)
    total = tl.sum(amount, axis=0)
    if K < A:
        line = tl.sum(tl.where(column[None, :] == K, square, 0.0), axis=1)
        total = tl.sum(tl.where(column == K, line, 0.0), axis=0)
    place = split * tl.num_programs(0) + cluster
    tl.store(size + place, total)
    tl.store(first_moment + place * n_features + column, line, column < n_features)
    inside = (column[:, None] < n_features) & (column[None, :] < n_features)
    own = (place * n_features + column[:, None]) * n_features + column[None, :]
    tl.store(second_moment + own, square, inside)
