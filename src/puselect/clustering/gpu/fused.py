"""The sweeps of `puselect.clustering.gpu.plain` with Triton kernels: each reads the rows once, the rest stays on chip.

Products are as exact as in float32, sums beyond `SPLIT` rows and the factors float64. Kernels skip the fits
that do not run any more.
"""

import torch
import triton
from torch import Tensor

from puselect.clustering.gpu.kernels import (
    assign_kernel,
    centres_kernel,
    count_kernel,
    gather_kernel,
    hard_moments_kernel,
    likelihood_kernel,
    mixture_kernel,
    move_kernel,
    nearest_kernel,
    pooled_kernel,
    responsibilities_kernel,
    soft_moments_kernel,
)
from puselect.clustering.gpu.plain import Mixtures
from puselect.clustering.mixture import MixtureSpec

SPLIT, CENTRE_SPLIT = 1024, 256  # rows added up in float32: of clusters, by centres
COUNTED_ROWS = 256  # by one program
HARD_ROWS, SOFT_ROWS, MOMENT_WARPS = 16, 32, 1  # of a program that adds up moments


def tile_rows(width: int) -> int:
    """Return the number of rows of a tile: the fastest on an H200."""
    return 128 if width <= 32 else 64


def tile_width(n: int) -> int:
    """Return the number of columns of a tile: a power of two, 16 at least."""
    return max(16, int(triton.next_power_of_2(n)))


def factor_warps(width: int) -> int:
    """Return the number of warps that factorise one matrix."""
    return 4 if width <= 32 else 8


def gather(tables: Tensor, table: Tensor, rows: Tensor | None, columns: Tensor, out: Tensor) -> None:
    """Write the columns of each mask; see `plain.gather`."""
    n_all, n_features = tables.shape[1:]
    n_masks, n_rows, n_columns = out.shape
    gather_kernel[n_masks, triton.cdiv(n_rows, 64)](
        tables, table, columns if rows is None else rows, columns, out, n_all, n_rows, n_features, n_columns,
        R=64, P=tile_width(n_columns), sampled=rows is not None,
    )


def relabel(Z: Tensor, points: Tensor, labels: Tensor, running: Tensor) -> Tensor:
    """Overwrite the labels of the running fits with the nearest of `points`; see `plain.relabel`."""
    n_masks, n_rows, n_features = Z.shape
    width = tile_width(n_features)
    changed = torch.zeros(n_masks, dtype=torch.int32, device=Z.device)
    nearest_kernel[n_masks, triton.cdiv(n_rows, tile_rows(width))](
        Z, points, running, labels, changed, n_rows, n_features, points.shape[1], R=tile_rows(width), P=width
    )
    return changed


def blocks(n_features: int) -> dict[str, int]:
    """Return the columns of the two blocks that tiles are cut into; together they hold all columns."""
    first = 16 if n_features <= 32 else 32
    left = n_features - first
    return {"A": first, "B": 0 if left <= 0 else 16 if left <= 16 else 32}


def assign(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor, running: Tensor) -> Tensor:
    """Return the most probable cluster of every row, with factors as `maximise` makes them."""
    n_masks, n_rows, n_features = Z.shape
    width = tile_width(n_features)
    out = Z.new_empty(n_masks, n_rows, dtype=torch.int32)
    assign_kernel[n_masks, triton.cdiv(n_rows, tile_rows(width))](
        Z, mean, factor, constant, running, out, n_rows, n_features, mean.shape[1],
        R=tile_rows(width), P=width, **blocks(n_features),
    )
    return out


def counts(
    labels: Tensor, positive: Tensor, target: Tensor, rows: Tensor | None, n_clusters: int
) -> tuple[Tensor, Tensor]:
    """Return the rows and the labelled rows in each cluster; see `plain.counts`."""
    n_masks, n_rows = labels.shape
    width = tile_width(n_clusters)
    out = torch.zeros(n_masks, 2, width, dtype=torch.int32, device=labels.device)
    count_kernel[n_masks, triton.cdiv(n_rows, COUNTED_ROWS)](
        labels, positive, target, target if rows is None else rows, out, positive.shape[1], n_rows,
        R=COUNTED_ROWS, C=width, sampled=rows is not None,
    )
    return out[:, 0, :n_clusters], out[:, 1, :n_clusters]


def responsibilities(
    Z: Tensor, current: Mixtures, tol: float, bound: Tensor, goes_on: Tensor, running: Tensor
) -> Tensor:
    """Return the shares of the rows in the clusters; note how the likelihood changes. See `plain.responsibilities`."""
    n_masks, n_rows, n_features = Z.shape
    width, n_clusters = tile_width(n_features), current.mean.shape[1]
    n_tiles = triton.cdiv(n_rows, tile_rows(width))
    share = Z.new_empty(n_masks, n_clusters, n_rows)
    likelihood = Z.new_empty(n_masks, n_tiles, dtype=torch.float64)
    responsibilities_kernel[n_masks, n_tiles](
        Z, *current, running, share, likelihood, n_rows, n_features, n_clusters,
        R=tile_rows(width), P=width, C=tile_width(n_clusters), **blocks(n_features),
    )
    likelihood_kernel[(n_masks,)](likelihood, running, bound, goes_on, tol, n_tiles, n_rows, R=64)
    return share


def lloyd_step(Z: Tensor, labels: Tensor, centres: Tensor, limit: Tensor, running: Tensor) -> None:
    """Label the rows of the running fits, move their centres, and end those that hardly change; see `plain`."""
    n_masks, n_rows, n_features = Z.shape
    n_clusters, n_splits = centres.shape[1], triton.cdiv(n_rows, CENTRE_SPLIT)
    changed = relabel(Z, centres, labels, running)
    sums, size = Z.new_empty(n_splits, n_masks, n_clusters, n_features), Z.new_empty(n_splits, n_masks, n_clusters)
    tile = {"P": tile_width(n_features), "C": tile_width(n_clusters)}
    centres_kernel[n_masks, n_splits](
        Z, labels, running, sums, size, n_rows, n_features, n_clusters, R=64, S=CENTRE_SPLIT, **tile, num_warps=2
    )
    move_kernel[(n_masks,)](sums, size, changed, limit, running, centres, n_splits, n_features, n_clusters, **tile)


def maximise(
    Z: Tensor,
    share: Tensor,
    current: Mixtures,
    spec: MixtureSpec,
    running: Tensor,
    degenerate: Tensor,
) -> None:
    """Overwrite the mixtures of the running fits with those of the shares, for full covariances; see `plain.maximise`.

    Moments are measured from the centres so far, so that means and covariances need one pass over the rows. Factors
    are written transposed and in whole tiles.
    """
    n_masks, n_rows, n_features = Z.shape
    n_clusters, width = current.mean.shape[1], tile_width(n_features)
    n_splits = triton.cdiv(n_rows, SPLIT)
    n_all = n_masks * n_clusters
    first, second = Z.new_empty(n_splits, n_all, n_features), Z.new_empty(n_splits, n_all, n_features, n_features)
    size = Z.new_empty(n_splits, n_all)
    given, sums = (Z, share, current.mean, running), (first, second, size, n_rows, n_features, n_clusters)
    if share.ndim == 2:
        members = torch.empty(n_splits, n_all, SPLIT, dtype=torch.int32, device=Z.device)
        hard_moments_kernel[n_all, n_splits](
            *given, members, *sums, R=HARD_ROWS, S=SPLIT, **blocks(n_features), num_warps=MOMENT_WARPS
        )
    else:
        soft_moments_kernel[n_all, n_splits](
            *given, *sums, R=SOFT_ROWS, S=SPLIT, **blocks(n_features), num_warps=MOMENT_WARPS
        )
    tile = {"P": width, "C": tile_width(n_clusters)}
    pooled = torch.empty(n_masks, 0 if spec.is_soft else width, dtype=torch.float64, device=Z.device)
    if not spec.is_soft:
        pooled_kernel[(n_masks,)](first, second, size, running, pooled, n_splits, n_features, n_clusters, **tile)
    mixture_kernel[(n_all,)](
        first, second, size, running, pooled, *current, degenerate,
        spec.reg_covar, n_splits, n_features, n_clusters, **tile,
        is_soft=spec.is_soft, E=share.ndim == 2, num_warps=factor_warps(width),
    )
