"""The sweeps of `puselect.engines.gpu.plain` with Triton kernels: each reads the rows once, the rest stays on chip.

Products are float32 throughout, never TF32; sums beyond `SPLIT` rows and the factors are float64.
"""

import torch
import triton
from torch import Tensor

from puselect.engines.gpu.kernels import (
    assign_kernel,
    distances_kernel,
    factorise_kernel,
    first_moments_kernel,
    gather_kernel,
    nearest_kernel,
    responsibilities_kernel,
    second_moments_kernel,
)

SPLIT = 1024  # rows added up in float32


def tile_rows(width: int) -> int:
    """Return the number of rows of a tile: what was fastest on an H200."""
    return 128 if width <= 32 else 64


def tile_width(n: int) -> int:
    """Return the number of columns of a tile: a power of two, 16 at least."""
    return max(16, int(triton.next_power_of_2(n)))


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


def square_factors(factor: Tensor, n_features: int) -> Tensor:
    """Return factors as `factorise` makes them as lower triangles; see `plain.square_factors`."""
    return factor[..., :n_features, :n_features].mT
