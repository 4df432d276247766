"""Triton kernels of the Gaussian mixture; `puselect.clustering.gpu.fused` starts them.

A program takes a tile of rows of one mask, or a split of the rows of one cluster. Tiles are R rows by P columns, with
zeros beyond the table. The order of every sum depends only on the shape of one mask, so that a mask gives the same
bits in every batch.
"""

import triton
import triton.language as tl


@triton.jit
def load_rows(Z, mask_index, first, n_rows, n_features, R: tl.constexpr, P: tl.constexpr, skipped: tl.constexpr = 0):
    """Return R rows and P columns of one mask's table, after those skipped; zeros beyond it."""
    row, column = first + tl.arange(0, R), skipped + tl.arange(0, P)
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
def nearest_kernel(Z, points, running, labels, changed, n_rows, n_features, n_points, R: tl.constexpr, P: tl.constexpr):
    """Write which of the points is nearest to each of a tile of rows, of equally near ones the first.

    The number of labels that are new is added to `changed`.
    """
    b, first = tl.program_id(0).to(tl.int64), tl.program_id(1) * R
    if tl.load(running + b) == 0:
        return
    z = load_rows(Z, b, first, n_rows, n_features, R, P)
    row, column = first + tl.arange(0, R), tl.arange(0, P)
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for m in range(n_points):
        point = tl.load(points + (b * n_points + m) * n_features + column, column < n_features, 0.0)
        gap = z - point[None, :]
        value = tl.sum(gap * gap, axis=1)
        found = tl.where(value < best, m, found)
        best = tl.minimum(value, best)
    own = labels + b * n_rows + row
    before = tl.load(own, row < n_rows, 0)
    tl.store(own, found, row < n_rows)
    tl.atomic_add(changed + b, tl.sum(((before != found) & (row < n_rows)).to(tl.int32), axis=0))


@triton.jit
def load_vector(values, cluster, n_features, P: tl.constexpr, skipped: tl.constexpr = 0):
    """Return P values of one cluster, after those skipped; zeros beyond the columns."""
    column = skipped + tl.arange(0, P)
    return tl.load(values + cluster * n_features + column, column < n_features, 0.0)


@triton.jit
def load_factor(
    factor, cluster, P: tl.constexpr, down: tl.constexpr, A: tl.constexpr, right: tl.constexpr, B: tl.constexpr
):
    """Return an A x B block of one cluster's factor, which is stored transposed."""
    i, j = down + tl.arange(0, A), right + tl.arange(0, B)
    return tl.load(factor + cluster * P * P + i[:, None] * P + j[None, :])


@triton.jit
def cluster_distance(
    left, right, mean, factor, constant, cluster, n_features, A: tl.constexpr, B: tl.constexpr, P: tl.constexpr
):
    """Return ``constant + |factor (z - mean)|^2`` of a tile of rows for one cluster.

    The rows come as their first A and next B columns: the factor is a triangle, so that one of four blocks is empty.
    """
    gap = left - load_vector(mean, cluster, n_features, A)[None, :]
    white = tl.dot(gap, load_factor(factor, cluster, P, 0, A, 0, A), input_precision="ieee")
    value = tl.load(constant + cluster) + tl.sum(white * white, axis=1)
    if B > 0:
        white = tl.dot(gap, load_factor(factor, cluster, P, 0, A, A, B), input_precision="ieee")
        gap = right - load_vector(mean, cluster, n_features, B, A)[None, :]
        white += tl.dot(gap, load_factor(factor, cluster, P, A, B, A, B), input_precision="ieee")
        value += tl.sum(white * white, axis=1)
    return value


@triton.jit
def assign_kernel(
    Z, mean, factor, constant, running, out, n_rows, n_features, n_clusters,
    R: tl.constexpr, A: tl.constexpr, B: tl.constexpr, P: tl.constexpr,
):
    """Write the cluster of smallest ``constant + |factor (z - mean)|^2`` for a tile of rows."""
    b, first = tl.program_id(0).to(tl.int64), tl.program_id(1) * R
    if tl.load(running + b) == 0:
        return
    left = load_rows(Z, b, first, n_rows, n_features, R, A)
    right = load_rows(Z, b, first, n_rows, n_features, R, B, A) if B > 0 else left
    row = first + tl.arange(0, R)
    best, found = tl.full((R,), float("inf"), tl.float32), tl.zeros((R,), tl.int32)
    for c in range(n_clusters):
        value = cluster_distance(left, right, mean, factor, constant, b * n_clusters + c, n_features, A, B, P)
        found = tl.where(value < best, c, found)
        best = tl.minimum(value, best)
    tl.store(out + b * n_rows + row, found, row < n_rows)


@triton.jit
def count_kernel(
    labels, positive, target, rows, out, n_all, n_rows, R: tl.constexpr, C: tl.constexpr, sampled: tl.constexpr
):
    """Add the rows of a tile, and the labelled ones of them, to the counts of their clusters: whole numbers."""
    b, cluster = tl.program_id(0).to(tl.int64), tl.arange(0, C)
    row = tl.program_id(1) * R + tl.arange(0, R)
    label = tl.load(labels + b * n_rows + row, row < n_rows, -1)
    taken = tl.load(rows + b * n_rows + row, row < n_rows, 0) if sampled else row.to(tl.int64)
    marked = tl.load(positive + tl.load(target + b) * n_all + taken, row < n_rows, 0).to(tl.int32)
    inside = (label[:, None] == cluster[None, :]).to(tl.int32)
    tl.atomic_add(out + (b * 2) * C + cluster, tl.sum(inside, axis=0))
    tl.atomic_add(out + (b * 2 + 1) * C + cluster, tl.sum(inside * marked[:, None], axis=0))


@triton.jit
def responsibilities_kernel(
    Z, mean, factor, constant, running, share, likelihood, n_rows, n_features, n_clusters,
    R: tl.constexpr, A: tl.constexpr, B: tl.constexpr, P: tl.constexpr, C: tl.constexpr,
):
    """Write the shares of a tile of rows in each of the clusters, and the sum of the rows' log-likelihoods."""
    b, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    if tl.load(running + b) == 0:
        return
    left = load_rows(Z, b, tile * R, n_rows, n_features, R, A)
    right = load_rows(Z, b, tile * R, n_rows, n_features, R, B, A) if B > 0 else left
    row, cluster = tile * R + tl.arange(0, R), tl.arange(0, C)
    distance = tl.full((R, C), 1e30, dtype=tl.float32)
    for c in range(n_clusters):
        value = cluster_distance(left, right, mean, factor, constant, b * n_clusters + c, n_features, A, B, P)
        distance = tl.where(cluster[None, :] == c, value[:, None], distance)
    best = tl.min(distance, axis=1)
    part = tl.exp(0.5 * (best[:, None] - distance))
    total = tl.sum(part, axis=1)
    inside = (row[:, None] < n_rows) & (cluster[None, :] < n_clusters)
    tl.store(share + (b * n_clusters + cluster[None, :]) * n_rows + row[:, None], part / total[:, None], inside)
    value = tl.where(row < n_rows, tl.log(total) - 0.5 * best, 0.0).to(tl.float64)
    tl.store(likelihood + b * tl.num_programs(1) + tile, tl.sum(value, axis=0))


@triton.jit
def likelihood_kernel(parts, running, bound, goes_on, tol, n_parts, n_rows, R: tl.constexpr):
    """Write the mean of the log-likelihoods of one mask, and whether it differs from the one before by `tol`."""
    b = tl.program_id(0).to(tl.int64)
    if tl.load(running + b) == 0:
        return
    total = tl.zeros((R,), tl.float64)
    for first in range(0, n_parts, R):
        place = first + tl.arange(0, R)
        total += tl.load(parts + b * n_parts + place, place < n_parts, 0.0)
    mean = tl.sum(total, axis=0) / n_rows
    tl.store(goes_on + b, tl.abs(mean - tl.load(bound + b)) >= tol)
    tl.store(bound + b, mean)


@triton.jit
def centres_kernel(
    Z, labels, running, out, size, n_rows, n_features, n_clusters,
    R: tl.constexpr, P: tl.constexpr, C: tl.constexpr, S: tl.constexpr,
):
    """Write the sums and the numbers of the rows of every cluster, over one split of the rows."""
    b, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    if tl.load(running + b) == 0:
        return
    cluster, column = tl.arange(0, C), tl.arange(0, P)
    total, amount = tl.zeros((C, P), dtype=tl.float32), tl.zeros((C,), dtype=tl.float32)
    for first in range(split * S, min(split * S + S, n_rows), R):
        z = load_rows(Z, b, first, n_rows, n_features, R, P)
        row = first + tl.arange(0, R)
        label = tl.load(labels + b * n_rows + row, row < n_rows, -1)
        weight = (cluster[:, None] == label[None, :]).to(tl.float32)
        total += tl.dot(weight, z, input_precision="ieee")
        amount += tl.sum(weight, axis=1)
    inside = (cluster[:, None] < n_clusters) & (column[None, :] < n_features)
    place = (split * tl.num_programs(0) + b) * n_clusters + cluster
    tl.store(out + place[:, None] * n_features + column[None, :], total, inside)
    tl.store(size + place, amount, cluster < n_clusters)


@triton.jit
def move_kernel(
    sums, size, changed, limit, running, centre, n_splits, n_features, n_clusters, P: tl.constexpr, C: tl.constexpr
):
    """Move the centres of one mask to the means of their clusters; end it if no label changed or they hardly moved."""
    b, n_masks = tl.program_id(0).to(tl.int64), tl.num_programs(0)
    if tl.load(running + b) == 0:
        return
    cluster, column = tl.arange(0, C), tl.arange(0, P)
    inside = (cluster[:, None] < n_clusters) & (column[None, :] < n_features)
    total, amount = tl.zeros((C, P), tl.float64), tl.zeros((C,), tl.float64)
    for split in range(n_splits):
        place = (split * n_masks + b) * n_clusters + cluster
        amount += tl.load(size + place, cluster < n_clusters, 0.0).to(tl.float64)
        total += tl.load(sums + place[:, None] * n_features + column[None, :], inside, 0.0).to(tl.float64)
    own = centre + (b * n_clusters + cluster[:, None]) * n_features + column[None, :]
    before = tl.load(own, inside, 0.0)
    after = tl.where(amount[:, None] > 0, (total / tl.maximum(amount, 1e-30)[:, None]).to(tl.float32), before)
    gap = tl.where(inside, after - before, 0.0).to(tl.float64)
    tl.store(own, after, inside)
    moved = tl.sum(tl.sum(gap * gap, axis=1), axis=0)
    tl.store(running + b, (tl.load(changed + b) > 0) & (moved > tl.load(limit + b)))


@triton.jit
def soft_moments_kernel(
    Z, share, centre, running, first_moment, second_moment, size, n_rows, n_features, n_clusters,
    R: tl.constexpr, A: tl.constexpr, B: tl.constexpr, S: tl.constexpr,
):
    """Write the weighted moments of one cluster about its centre, over one split of the rows.

    Of the second moments, which are symmetric, the blocks of A and B columns on and below the diagonal.
    """
    cluster, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    b = cluster // n_clusters
    if tl.load(running + b) == 0:
        return
    E: tl.constexpr = B if B > 0 else 16
    origin, other = load_vector(centre, cluster, n_features, A), load_vector(centre, cluster, n_features, E, A)
    upper, lower, last = tl.zeros((A, A), tl.float32), tl.zeros((E, A), tl.float32), tl.zeros((E, E), tl.float32)
    line, rest, amount = tl.zeros((A,), tl.float32), tl.zeros((E,), tl.float32), tl.zeros((R,), tl.float32)
    for begin in range(split * S, min(split * S + S, n_rows), R):
        row = begin + tl.arange(0, R)
        weight = tl.load(share + cluster * n_rows + row, row < n_rows, 0.0)
        amount += weight
        if tl.max(weight, axis=0) > 0:  # the branch also keeps the loop from being pipelined, which is slower here
            gap = load_rows(Z, b, begin, n_rows, n_features, R, A) - origin[None, :]
            weighted = gap * weight[:, None]
            line += tl.sum(weighted, axis=0)
            upper += tl.dot(tl.trans(weighted), gap, input_precision="ieee")
            if B > 0:
                beyond = load_rows(Z, b, begin, n_rows, n_features, R, E, A) - other[None, :]
                weighted = beyond * weight[:, None]
                rest += tl.sum(weighted, axis=0)
                lower += tl.dot(tl.trans(weighted), gap, input_precision="ieee")
                last += tl.dot(tl.trans(weighted), beyond, input_precision="ieee")
    place = split * tl.num_programs(0) + cluster
    tl.store(size + place, tl.sum(amount, axis=0))
    write_moments(place, line, rest, upper, lower, last, first_moment, second_moment, n_features, A, B, E)


@triton.jit
def hard_moments_kernel(
    Z, labels, centre, running, members, first_moment, second_moment, size, n_rows, n_features, n_clusters,
    R: tl.constexpr, A: tl.constexpr, B: tl.constexpr, S: tl.constexpr,
):
    """Write the moments of the rows of one cluster about its centre, over one split of the rows.

    The rows of the cluster are listed first, so that no other row is read. See `soft_moments_kernel` for the blocks.
    """
    cluster, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    b = cluster // n_clusters
    if tl.load(running + b) == 0:
        return
    row = split * S + tl.arange(0, S)
    label = tl.load(labels + b * n_rows + row, row < n_rows, -1)
    own = (label == (cluster % n_clusters).to(tl.int32)).to(tl.int32)
    place = split * tl.num_programs(0) + cluster
    tl.store(members + place * S + tl.cumsum(own, axis=0) - 1, row, own == 1)
    n_own = tl.sum(own, axis=0)
    tl.debug_barrier()
    E: tl.constexpr = B if B > 0 else 16
    origin, other = load_vector(centre, cluster, n_features, A), load_vector(centre, cluster, n_features, E, A)
    upper, lower, last = tl.zeros((A, A), tl.float32), tl.zeros((E, A), tl.float32), tl.zeros((E, E), tl.float32)
    line, rest = tl.zeros((A,), tl.float32), tl.zeros((E,), tl.float32)
    for begin in range(0, n_own, R):
        index = begin + tl.arange(0, R)
        taken = tl.load(members + place * S + index, index < n_own, 0)
        gap = listed_gaps(Z, b, taken, index < n_own, origin, n_rows, n_features, A, 0)
        line += tl.sum(gap, axis=0)
        upper += tl.dot(tl.trans(gap), gap, input_precision="ieee")
        if B > 0:
            beyond = listed_gaps(Z, b, taken, index < n_own, other, n_rows, n_features, E, A)
            rest += tl.sum(beyond, axis=0)
            lower += tl.dot(tl.trans(beyond), gap, input_precision="ieee")
            last += tl.dot(tl.trans(beyond), beyond, input_precision="ieee")
    tl.store(size + place, n_own.to(tl.float32))
    write_moments(place, line, rest, upper, lower, last, first_moment, second_moment, n_features, A, B, E)


@triton.jit
def listed_gaps(Z, b, taken, there, origin, n_rows, n_features, P: tl.constexpr, skipped: tl.constexpr):
    """Return P columns of listed rows, after those skipped, less the centre; zeros for rows that are not there."""
    column = skipped + tl.arange(0, P)
    inside = there[:, None] & (column[None, :] < n_features)
    z = tl.load(Z + (b * n_rows + taken[:, None]) * n_features + column[None, :], inside, 0.0)
    return tl.where(inside, z - origin[None, :], 0.0)


@triton.jit
def write_moments(
    place, line, rest, upper, lower, last, first_moment, second_moment, n_features,
    A: tl.constexpr, B: tl.constexpr, E: tl.constexpr,
):
    """Write the moments of one cluster and split."""
    near, far = tl.arange(0, A), A + tl.arange(0, E)
    square = second_moment + place * n_features * n_features
    inside = (near[:, None] < n_features) & (near[None, :] < n_features)
    tl.store(first_moment + place * n_features + near, line, near < n_features)
    tl.store(square + near[:, None] * n_features + near[None, :], upper, inside)
    if B > 0:
        tl.store(first_moment + place * n_features + far, rest, far < n_features)
        beyond = far[:, None] < n_features
        tl.store(square + far[:, None] * n_features + near[None, :], lower, beyond)
        tl.store(square + far[:, None] * n_features + far[None, :], last, beyond & (far[None, :] < n_features))


@triton.jit
def pooled_kernel(
    first_moment, second_moment, size, running, pooled, n_splits, n_features, n_clusters,
    P: tl.constexpr, C: tl.constexpr,
):
    """Write the variances within the clusters of one mask, pooled over them."""
    b, n_all = tl.program_id(0).to(tl.int64), tl.num_programs(0) * n_clusters
    if tl.load(running + b) == 0:
        return
    cluster, column = b * n_clusters + tl.arange(0, C), tl.arange(0, P)
    amount, line = tl.zeros((C,), tl.float64), tl.zeros((C, P), tl.float64)
    square = tl.zeros((C, P), tl.float64)
    there = tl.arange(0, C) < n_clusters
    inside = there[:, None] & (column[None, :] < n_features)
    for split in range(n_splits):
        place = split * n_all + cluster
        amount += tl.load(size + place, there, 0.0).to(tl.float64)
        flat = place[:, None] * n_features + column[None, :]
        line += tl.load(first_moment + flat, inside, 0.0).to(tl.float64)
        square += tl.load(second_moment + flat * n_features + column[None, :], inside, 0.0).to(tl.float64)
    within = square - line * line / tl.maximum(amount, 1e-30)[:, None]
    tl.store(pooled + b * P + column, tl.sum(within, axis=0) / tl.sum(amount, axis=0))


@triton.jit
def eliminate(cov, regularisation, n_features, P: tl.constexpr):
    """Return the inverse of the lower Cholesky factor of ``cov + regularisation * I`` and the smallest pivot.

    The steps that turn the matrix into its factor turn the identity into the inverse of that factor. Both are in one
    square: what is left of the matrix to the right of the pivot, the inverse to its left.
    """
    i, j, place = tl.arange(0, P)[:, None], tl.arange(0, P)[None, :], tl.arange(0, P)
    both = tl.where((i == j) & (i < n_features), cov + regularisation, cov)
    smallest = tl.full((), float("inf"), tl.float64)
    for p in range(n_features):
        row = tl.sum(tl.where(i == p, both, 0.0), axis=0)  # equal to the column from the pivot on
        pivot = tl.sum(tl.where(place == p, row, 0.0), axis=0)
        smallest = tl.where(pivot > smallest, smallest, pivot)  # keeps a NaN
        row = tl.where(place == p, 1.0, row) / tl.sqrt(tl.where(pivot > 0, pivot, 1.0))
        below = tl.where(place > p, row, 0.0)
        both = tl.where(j == p, 0.0, both) - below[:, None] * row[None, :]
        both = tl.where(i == p, row[None, :], both)
    return tl.where(i >= j, both, 0.0), smallest


@triton.jit
def mixture_kernel(
    first_moment, second_moment, size, running, pooled, mean, factor, constant, degenerate,
    regularisation, n_splits, n_features, n_clusters, P: tl.constexpr, C: tl.constexpr, is_soft: tl.constexpr,
    E: tl.constexpr,
):
    """Write mean, inverse factor and constant of one cluster from its moments about the mean so far.

    See `plain.maximise`; with E an empty cluster makes a fit degenerate.
    """
    cluster = tl.program_id(0).to(tl.int64)
    b, n_all = cluster // n_clusters, tl.num_programs(0)
    if tl.load(running + b) == 0:
        return
    i, j = tl.arange(0, P)[:, None], tl.arange(0, P)[None, :]
    inside = (i < n_features) & (j < n_features)
    lower = tl.maximum(i, j) * n_features + tl.minimum(i, j)  # the same bits above and below the diagonal
    square, down, across = tl.zeros((P, P), tl.float64), tl.zeros((P, 1), tl.float64), tl.zeros((1, P), tl.float64)
    amount = tl.full((), 0.0, tl.float64)
    for split in range(n_splits):
        place = split * n_all + cluster
        amount += tl.load(size + place).to(tl.float64)
        square += tl.load(second_moment + place * n_features * n_features + lower, inside, 0.0).to(tl.float64)
        down += tl.load(first_moment + place * n_features + i, i < n_features, 0.0).to(tl.float64)
        across += tl.load(first_moment + place * n_features + j, j < n_features, 0.0).to(tl.float64)
    filled = tl.maximum(amount, 1e-30)
    cov = square / filled - (down / filled) * (across / filled)
    if not is_soft:
        share = tl.minimum(n_features / tl.maximum(amount, 1.0), 1.0)
        cov = (1 - share * share) * cov + tl.where(i == j, share * share * tl.load(pooled + b * P + j), 0.0)
    inverse, smallest = eliminate(cov, regularisation, n_features, P)
    bad = not (smallest > 1e-3 * regularisation)
    if bad:
        inverse, smallest = eliminate(cov, 100 * regularisation, n_features, P)
        if not (smallest > 0.1 * regularisation):
            variance = tl.where(cov > 0, cov, 0.0) + regularisation
            inverse = tl.where(i == j, 1.0 / tl.sqrt(variance), 0.0)
    diagonal = tl.where((i == j) & inside, inverse, 1.0)
    log_diagonal = tl.sum(tl.sum(tl.log(diagonal), axis=1), axis=0)
    tl.store(factor + cluster * P * P + j * P + i, tl.where(inside, inverse, 0.0).to(tl.float32))
    own = mean + cluster * n_features + j
    origin = tl.load(own, j < n_features, 0.0).to(tl.float64)
    tl.store(own, (origin + across / filled).to(tl.float32), j < n_features)
    total = tl.full((), 0.0, tl.float64)
    for split in range(n_splits):
        each = tl.load(size + split * n_all + b * n_clusters + tl.arange(0, C), tl.arange(0, C) < n_clusters, 0.0)
        total += tl.sum(each.to(tl.float64), axis=0)
    value = tl.where(amount > 0, -2 * (tl.log(filled / total) + log_diagonal), 1e30)
    tl.store(constant + cluster, value.to(tl.float32))
    lost = bad | (amount == 0) if E else bad
    tl.store(degenerate + b, lost, lost)
