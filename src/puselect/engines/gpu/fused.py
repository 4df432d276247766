"""The sweeps of `puselect.engines.gpu.plain` as Triton kernels: each reads the rows once and keeps the rest on chip.

Every sum has a fixed order that depends on the shape of one mask alone, so that a mask gives the same bits in any
company. Products are float32 throughout, never TF32; sums beyond `SPLIT` rows and the factors are float64.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

SPLIT = 1024  # rows added up in float32


def tile_rows(width: int) -> int:
    """Return the number of rows of a tile: what was fastest on an H200."""
    return 128 if width <= 32 else 64


def tile_width(n: int) -> int:
    """Return the number of columns of a tile: a power of two, 16 at least."""
    return max(16, int(triton.next_power_of_2(n)))


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


def gather(tables: Tensor, table: Tensor, rows: Tensor | None, columns: Tensor) -> Tensor:
    """Return the columns of each mask; see `plain.gather`."""
    n_all, n_features = tables.shape[1:]
    n_masks, n_columns = columns.shape
    n_rows = n_all if rows is None else rows.shape[1]
    out = tables.new_empty(n_masks, n_rows, n_columns)
    gather_kernel[n_masks, triton.cdiv(n_rows, 64)](
        tables, table, columns if rows is None else rows, columns, out, n_all, n_rows, n_features, n_columns,
        R=64, P=tile_width(n_columns), sampled=rows is not None,
    )
    return out


def distances(Z: Tensor, points: Tensor) -> Tensor:
    """Return squared distances to `points`; see `plain.distances`."""
    n_masks, n_rows, n_features = Z.shape
    out = Z.new_empty(n_masks, points.shape[1], n_rows)
    width = tile_width(n_features)
    grid = (n_masks, triton.cdiv(n_rows, tile_rows(width)))
    distances_kernel[grid](
        Z, points.contiguous(), out, n_rows, n_features, points.shape[1], R=tile_rows(width), P=width
    )
    return out


def nearest(Z: Tensor, points: Tensor) -> Tensor:
    """Return the nearest of `points` for every row; see `plain.nearest`."""
    n_masks, n_rows, n_features = Z.shape
    width = tile_width(n_features)
    out = Z.new_empty(n_masks, n_rows, dtype=torch.int32)
    nearest_kernel[n_masks, triton.cdiv(n_rows, tile_rows(width))](
        Z, points.contiguous(), out, n_rows, n_features, points.shape[1], R=tile_rows(width), P=width
    )
    return out


def assign(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> Tensor:
    """Return the most probable cluster of every row, with factors as `factorise` makes them."""
    n_masks, n_rows, n_features = Z.shape
    width = tile_width(n_features)
    out = Z.new_empty(n_masks, n_rows, dtype=torch.int32)
    assign_kernel[n_masks, triton.cdiv(n_rows, tile_rows(width))](
        Z, mean, factor, constant, out, n_rows, n_features, mean.shape[1], R=tile_rows(width), P=width
    )
    return out


def responsibilities(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> tuple[Tensor, Tensor]:
    """Return the shares of the rows in the clusters and the mean log-likelihood; see `plain.responsibilities`."""
    n_masks, n_rows, n_features = Z.shape
    width, n_clusters = tile_width(n_features), mean.shape[1]
    n_tiles = triton.cdiv(n_rows, tile_rows(width))
    share = Z.new_empty(n_masks, n_clusters, n_rows)
    likelihood = Z.new_empty(n_masks, n_tiles, dtype=torch.float64)
    responsibilities_kernel[n_masks, n_tiles](
        Z, mean, factor, constant, share, likelihood, n_rows, n_features, n_clusters,
        R=tile_rows(width), P=width, C=tile_width(n_clusters),
    )
    return share, likelihood.sum(dim=1) / n_rows


def first_moments(Z: Tensor, share: Tensor, n_clusters: int) -> tuple[Tensor, Tensor]:
    """Return sizes and sums of the rows of each cluster in float64; see `plain.first_moments`."""
    n_masks, n_rows, n_features = Z.shape
    n_splits = triton.cdiv(n_rows, SPLIT)
    out = Z.new_empty(n_splits, n_masks, n_clusters, n_features)
    size = Z.new_empty(n_splits, n_masks, n_clusters)
    first_moments_kernel[n_masks, n_splits](
        Z, share, out, size, n_rows, n_features, n_clusters,
        R=64, P=tile_width(n_features), C=tile_width(n_clusters), S=SPLIT, hard=share.ndim == 2,
    )
    return size.sum(dim=0, dtype=torch.float64), out.sum(dim=0, dtype=torch.float64)


def second_moments(Z: Tensor, share: Tensor, mean: Tensor) -> Tensor:
    """Return the sum of ``(z - mean)(z - mean)'`` in float64; see `plain.second_moments`."""
    n_masks, n_rows, n_features = Z.shape
    n_clusters, n_splits = mean.shape[1], triton.cdiv(n_rows, SPLIT)
    out = Z.new_empty(n_splits, n_masks, n_clusters, n_features, n_features)
    second_moments_kernel[n_masks * n_clusters, n_splits](
        Z, share, mean, out, n_rows, n_features, n_clusters,
        R=64, P=tile_width(n_features), S=SPLIT, hard=share.ndim == 2,
    )
    return out.sum(dim=0, dtype=torch.float64)


def factorise(cov: Tensor, regularisation: float) -> tuple[Tensor, Tensor, Tensor]:
    """Factorise covariances, see `plain.factorise`; the factors come transposed and in whole tiles."""
    n_features, width = cov.shape[-1], tile_width(cov.shape[-1])
    factor = torch.empty((*cov.shape[:2], width, width), dtype=torch.float32, device=cov.device)
    log_diagonal = torch.empty(cov.shape[:2], dtype=torch.float64, device=cov.device)
    failed = torch.empty(cov.shape[:2], dtype=torch.bool, device=cov.device)
    factorise_kernel[(cov.shape[0] * cov.shape[1],)](
        cov.contiguous(), factor, log_diagonal, failed, regularisation, n_features,
        P=width, num_warps=1 if width <= 32 else 4,
    )
    return factor, log_diagonal, failed
