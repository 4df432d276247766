"""The sweeps over the rows in plain torch, for any device; the fused kernels are tested against them.

Tables come as ``Z`` (n_masks, n_rows, n_features), float32 and centred. A ``share`` of the rows in the clusters has
shape (n_masks, n_clusters, n_rows), or holds the one cluster of each row, (n_masks, n_rows). Sums over rows are
float32 within `CHUNK` rows and float64 beyond.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from puselect.clustering.mixture import MixtureSpec


class Mixtures(NamedTuple):
    """The parameters of a batch of mixtures, in the precision the sweeps over the rows use."""

    mean: Tensor
    """Shape (n_masks, n_clusters, n_features)."""
    factor: Tensor
    """Inverses of the lower Cholesky factors, transposed and in whole tiles in the fused sweeps."""
    constant: Tensor
    """-2 log(weight) - log|factor|^2, shape (n_masks, n_clusters)."""


CHUNK = 4096
NOTHING_LEFT = 1e30  # the distance from an empty cluster


def gather(tables: Tensor, table: Tensor, rows: Tensor | None, columns: Tensor, out: Tensor) -> None:
    """Write the columns of each mask into `out`, shape (n_masks, n_rows, n_columns).

    `tables` has shape (n_tables, n_rows, n_features); `table` is the number of each mask's table, `columns` and `rows`
    (n_masks, ...) are its columns and rows, all rows when None.
    """
    if rows is None:
        rows = torch.arange(tables.shape[1], device=tables.device)[None]
    out.copy_(tables[table[:, None, None], rows[:, :, None], columns[:, None, :]])


def distances(Z: Tensor, points: Tensor) -> Tensor:
    """Return squared distances to `points` (n_masks, n_points, n_features), shape (n_masks, n_points, n_rows)."""
    return torch.stack([(Z - point[:, None, :]).square().sum(-1) for point in points.unbind(1)], dim=1)


def relabel(Z: Tensor, points: Tensor, labels: Tensor, running: Tensor) -> Tensor:
    """Overwrite the labels of the running fits with the nearest of `points`, of equally near ones the first.

    Returns how many labels of each fit have changed.
    """
    nearest = distances(Z, points).argmin(dim=1).int()
    changed = (nearest != labels).sum(dim=1)
    overwrite(labels, nearest, running)
    return changed


def densities(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor) -> Tensor:
    """Return ``constant + |factor (z - mean)|^2`` of every cluster, shape (n_masks, n_clusters, n_rows)."""
    squares = [
        torch.bmm(Z - mean[:, c, None, :], factor[:, c].mT).square().sum(-1) for c in range(mean.shape[1])
    ]
    return torch.stack(squares, dim=1) + constant[:, :, None]


def assign(Z: Tensor, mean: Tensor, factor: Tensor, constant: Tensor, running: Tensor) -> Tensor:
    """Return the cluster of highest weight x density of every row of the running fits, shape (n_masks, n_rows)."""
    return densities(Z, mean, factor, constant).argmin(dim=1).int()


def responsibilities(
    Z: Tensor, current: Mixtures, tol: float, bound: Tensor, goes_on: Tensor, running: Tensor
) -> Tensor:
    """Return the shares of the rows in the clusters.

    Overwrites, for the running fits, the mean log-likelihood of the rows, less its constant term, and whether it
    differs from the one before by `tol`.
    """
    distance = densities(Z, *current)
    best = distance.amin(dim=1, keepdim=True)
    part = (0.5 * (best - distance)).exp()
    total = part.sum(dim=1, keepdim=True)
    likelihood = (total.log() - 0.5 * best).mean(dim=(1, 2), dtype=torch.float64)
    overwrite(goes_on, (likelihood - bound).abs() >= tol, running)
    overwrite(bound, likelihood, running)
    return part / total


def counts(
    labels: Tensor, positive: Tensor, target: Tensor, rows: Tensor | None, n_clusters: int
) -> tuple[Tensor, Tensor]:
    """Return the rows and the labelled rows in each cluster, shape (n_masks, n_clusters).

    `positive` has shape (n_targets, n_rows), `target` is the number of each mask's label vector.
    """
    member = labels[:, None, :] == torch.arange(n_clusters, device=labels.device)[:, None]
    marked = positive[target] if rows is None else positive[target[:, None], rows]
    return member.sum(dim=2), (member & marked[:, None, :]).sum(dim=2)


def move_centres(Z: Tensor, labels: Tensor, centres: Tensor, running: Tensor) -> Tensor:
    """Move the centres of the running fits to the means of their clusters; return the sums of the squared moves."""
    size, total = first_moments(Z, labels, centres.shape[1])
    means = torch.where(size[:, :, None] > 0, total / size[:, :, None], centres).float()
    moved = (means - centres).double().square().sum(dim=(1, 2))
    overwrite(centres, means, running)
    return moved


def lloyd_step(Z: Tensor, labels: Tensor, centres: Tensor, limit: Tensor, running: Tensor) -> None:
    """Label the rows of the running fits, move their centres, and end those that hardly change.

    A fit ends if no label has changed, or if the sum of the squared moves is not above `limit`.
    """
    changed = relabel(Z, centres, labels, running)
    moved = move_centres(Z, labels, centres, running)
    running &= (changed > 0) & (moved > limit)


def maximise(
    Z: Tensor,
    share: Tensor,
    current: Mixtures,
    spec: MixtureSpec,
    running: Tensor,
    degenerate: Tensor,
) -> None:
    """Overwrite the mixtures of the running fits with those of the shares.

    The means in `current` are the centres so far, from which kernels measure. Sets `degenerate` for the running fits
    that needed more regularisation, and if rows have one cluster each for those with a cluster without rows.
    """
    size, total = first_moments(Z, share, current.mean.shape[1])
    filled = size.clamp_min(1e-30)
    mean = (total / filled[:, :, None]).float()
    cov = second_moments(Z, share, mean) / filled[:, :, None, None]
    factor, log_diagonal, failed = factorise(shape_covariances(cov, size, spec), spec.reg_covar)
    weight = size / size.sum(dim=1, keepdim=True)
    constant = torch.where(size > 0, -2 * (weight.log() + log_diagonal), NOTHING_LEFT).float()
    for whole, part in zip(current, (mean, factor, constant), strict=True):
        overwrite(whole, part, running)
    lost = failed | (size == 0) if share.ndim == 2 else failed
    degenerate |= lost.any(dim=1) & running


def overwrite(whole: Tensor, part: Tensor, running: Tensor) -> None:
    """Overwrite the lines of the fits that run."""
    whole.copy_(torch.where(running.view(-1, *[1] * (whole.ndim - 1)), part, whole))


def shape_covariances(cov: Tensor, size: Tensor, spec: MixtureSpec) -> Tensor:
    """Return the covariances in the shape given by `covariance_type`; see `puselect.clustering.mixture`."""
    if spec.covariance_type == "full" and spec.is_soft:
        return cov
    n_features = cov.shape[-1]
    weight = (size / size.sum(dim=1, keepdim=True))[:, :, None, None]
    pooled = (weight * cov).sum(dim=1, keepdim=True)
    if spec.covariance_type == "tied":
        return pooled.expand_as(cov).contiguous()
    if spec.covariance_type == "full":
        amount = (n_features / size.clamp_min(1)).clamp_max(1).square()[:, :, None, None]
        return (1 - amount) * cov + amount * torch.diag_embed(pooled.diagonal(dim1=2, dim2=3))
    variance = cov.diagonal(dim1=2, dim2=3)
    if spec.covariance_type == "spherical":
        variance = variance.mean(dim=2, keepdim=True).expand_as(variance)
    return torch.diag_embed(variance)


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
    again, failed_again = cholesky(flat, 100 * regularisation)  # of all: asking which need it would stop the device
    variance = flat.diagonal(dim1=1, dim2=2).clamp_min(0) + regularisation
    again = torch.where(failed_again[:, None, None], torch.diag_embed(variance.sqrt()), again)
    chol = torch.where(failed[:, None, None], again, chol)
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
