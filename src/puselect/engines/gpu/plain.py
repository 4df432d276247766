"""The sweeps over the rows in plain torch, for any device: what the fused kernels are tested against.

Tables come as ``Z`` (n_masks, n_rows, n_features), float32 and centred. A ``share`` of the rows in the clusters has
shape (n_masks, n_clusters, n_rows), or holds the one cluster of each row, (n_masks, n_rows). Sums over rows are
float32 within `CHUNK` rows and float64 beyond.
"""

import torch
from torch import Tensor

CHUNK = 4096


def gather(tables: Tensor, table: Tensor, rows: Tensor | None, columns: Tensor) -> Tensor:
    """Return the columns of each mask, shape (n_masks, n_rows, n_columns).

    `tables` has shape (n_tables, n_rows, n_features); `table` says which one each mask looks at, `columns` and `rows`
    (n_masks, ...) which of its columns and rows, all rows when None.
    """
    if rows is None:
        rows = torch.arange(tables.shape[1], device=tables.device)[None]
    return tables[table[:, None, None], rows[:, :, None], columns[:, None, :]]


def distances(Z: Tensor, points: Tensor) -> Tensor:
    """Return squared distances to `points` (n_masks, n_points, n_features), shape (n_masks, n_points, n_rows)."""
    return torch.stack([(Z - point[:, None, :]).square().sum(-1) for point in points.unbind(1)], dim=1)


def nearest(Z: Tensor, points: Tensor) -> Tensor:
    """Return the nearest of `points` for every row, of equally near ones the first; shape (n_masks, n_rows)."""
    return distances(Z, points).argmin(dim=1)


def densities(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> Tensor:
    """Return ``constant + |factor (z - mean)|^2`` of every cluster, shape (n_masks, n_clusters, n_rows)."""
    squares = [
        torch.bmm(Z - mean[:, c, None, :], factor[:, c].mT).square().sum(-1) for c in range(mean.shape[1])
    ]
    return torch.stack(squares, dim=1) + constant[:, :, None]


def assign(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> Tensor:
    """Return the cluster of highest weight x density of every row, shape (n_masks, n_rows)."""
    return densities(Z, mean, factor, constant).argmin(dim=1)


def responsibilities(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> tuple[Tensor, Tensor]:
    """Return the shares of the rows in the clusters and the mean log-likelihood of the rows, less its constant term."""
    distance = densities(Z, mean, factor, constant)
    best = distance.amin(dim=1, keepdim=True)
    part = (0.5 * (best - distance)).exp()
    total = part.sum(dim=1, keepdim=True)
    return part / total, (total.log() - 0.5 * best).mean(dim=(1, 2), dtype=torch.float64)


def shares(share: Tensor, n_clusters: int) -> Tensor:
    """Return the shares of the rows in the clusters; a row with one cluster has shares of one and zero."""
    if share.ndim == 3:
        return share
    return (share[:, None, :] == torch.arange(n_clusters, device=share.device)[:, None]).float()


def first_moments(Z: Tensor, share: Tensor, n_clusters: int) -> tuple[Tensor, Tensor]:
    """Return, in float64, the sizes (n_masks, n_clusters) and the sums of the rows (.., n_features) of each cluster."""
    weight = shares(share, n_clusters)
    parts = zip(weight.split(CHUNK, dim=2), Z.split(CHUNK, dim=1), strict=True)
    total = torch.stack([torch.bmm(w, z).double() for w, z in parts]).sum(dim=0)
    return weight.sum(dim=2, dtype=torch.float64), total


def second_moments(Z: Tensor, share: Tensor, mean: Tensor) -> Tensor:
    """Return the sum of ``(z - mean)(z - mean)'`` in float64, shape (n_masks, n_clusters, n_features, n_features)."""
    n_masks, n_clusters, n_features = mean.shape
    total = torch.zeros(n_masks, n_clusters, n_features, n_features, dtype=torch.float64, device=Z.device)
    weight = shares(share, n_clusters)
    for w, z in zip(weight.split(CHUNK, dim=2), Z.split(CHUNK, dim=1), strict=True):
        for c in range(n_clusters):
            centred = z - mean[:, c, None, :]
            total[:, c] += torch.bmm((centred * w[:, c, :, None]).mT, centred)
    return total


def factorise(cov: Tensor, regularisation: float) -> tuple[Tensor, Tensor, Tensor]:
    """Factorise covariances (n_masks, n_clusters, n_features, n_features), given in float64.

    Returns the inverses of the lower Cholesky factors in float32, the sums of the logarithms of their diagonals, and
    which failed: those are repeated with 100 times the regularisation, then as diagonals.
    """
    flat = cov.flatten(0, 1)
    chol, failed = cholesky(flat, regularisation)
    if failed.any():
        again, failed_again = cholesky(flat[failed], 100 * regularisation)
        variance = flat[failed].diagonal(dim1=1, dim2=2).clamp_min(0) + regularisation
        chol[failed] = torch.where(failed_again[:, None, None], torch.diag_embed(variance.sqrt()), again)
    eye = torch.eye(cov.shape[-1], dtype=cov.dtype, device=cov.device).expand_as(chol)
    factor = torch.linalg.solve_triangular(chol, eye, upper=False)
    log_diagonal = -chol.diagonal(dim1=1, dim2=2).log().sum(-1)
    shape = cov.shape[:2]
    return factor.float().reshape(cov.shape), log_diagonal.reshape(shape), failed.reshape(shape)


def cholesky(cov: Tensor, regularisation: float) -> tuple[Tensor, Tensor]:
    """Return the lower Cholesky factors of ``cov + regularisation * I``, and which are not accurate."""
    eye = torch.eye(cov.shape[-1], dtype=cov.dtype, device=cov.device)
    chol, info = torch.linalg.cholesky_ex(cov + regularisation * eye)
    pivot = chol.diagonal(dim1=1, dim2=2).square()
    return chol, (info != 0) | ~(pivot > 1e-3 * regularisation).all(dim=1)


def square_factors(factor: Tensor, n_features: int) -> Tensor:
    """Return factors as `factorise` makes them as lower triangles (.., n_features, n_features)."""
    return factor
