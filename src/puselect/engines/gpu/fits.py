"""Mixtures of many masks fitted in lockstep; the same steps as in `puselect.engines.cpu.fits`.

A batch holds masks with the same number of columns, so that nothing is padded. A fit that has converged leaves it.
"""

from types import ModuleType
from typing import NamedTuple

import torch
from torch import Tensor

from puselect.engines.gpu import plain
from puselect.engines.mixture import MixtureSpec

KMEANS_STEPS, KMEANS_TOL = 300, 1e-4  # scikit-learn's; the tolerance is relative to the mean variance of the columns
NOTHING_LEFT = 1e30  # the distance from an empty cluster
MOST_FUSED_FEATURES = 64


class Mixtures(NamedTuple):
    """The parameters of a batch of mixtures, in the precision the sweeps over the rows use."""

    mean: Tensor
    """Shape (n_masks, n_clusters, n_features)."""
    factor: Tensor
    """Inverses of the lower Cholesky factors, shape (n_masks, n_clusters, n_features, n_features)."""
    constant: Tensor
    """-2 log(weight) - log|factor|^2, shape (n_masks, n_clusters)."""


def sweeps(device: torch.device, n_columns: int) -> ModuleType:
    """Return the functions that sweep over the rows: fused kernels on a GPU, plain torch elsewhere."""
    if device.type == "cuda" and n_columns <= MOST_FUSED_FEATURES:
        try:
            from puselect.engines.gpu import fused
        except ImportError:  # torch without Triton
            return plain
        return fused
    return plain


def hard_fit(do: ModuleType, Z: Tensor, centres: Tensor, spec: MixtureSpec) -> tuple[Tensor, Tensor]:
    """Lloyd steps, then EM steps in which every row belongs to one cluster; return labels and degenerate fits."""
    labels = lloyd(do, Z, centres, spec.lloyd_steps)
    degenerate = torch.zeros(len(Z), dtype=torch.bool, device=Z.device)
    for step in range(spec.em_steps):
        mixtures, failed, empty = maximise(do, Z, labels, centres.shape[1], spec)
        degenerate |= failed | empty if step == 0 else failed
        labels = do.assign(Z, *mixtures)
    return labels, degenerate


def soft_fit(do: ModuleType, Z: Tensor, centres: Tensor, spec: MixtureSpec) -> tuple[Tensor, Tensor]:
    """Run k-means, then EM until the mean log-likelihood changes by less than the tolerance."""
    n_clusters = centres.shape[1]
    tolerance = KMEANS_TOL * Z.double().var(dim=1, correction=0).mean(dim=1)
    final, failed, empty = maximise(do, Z, lloyd(do, Z, centres, KMEANS_STEPS, tolerance), n_clusters, spec)
    degenerate = failed | empty
    active = torch.arange(len(Z), device=Z.device)
    rows, current = Z, final
    bound = torch.full((len(Z),), -torch.inf, dtype=torch.float64, device=Z.device)
    for _ in range(spec.em_steps):
        previous = bound
        share, bound = do.responsibilities(rows, *current)
        current, failed, _ = maximise(do, rows, share, n_clusters, spec)
        degenerate[active] |= failed
        running = ((bound - previous).abs() >= spec.tol).nonzero()[:, 0]
        if len(running) < len(active):
            put(final, active, current)
            active, rows, bound = active[running], rows[running], bound[running]
            current = Mixtures(*(part[running] for part in current))
        if not len(active):
            break
    put(final, active, current)
    return do.assign(Z, *final), degenerate


def put(all_mixtures: Mixtures, index: Tensor, some: Mixtures) -> None:
    """Overwrite the mixtures at `index` with `some`."""
    for whole, part in zip(all_mixtures, some, strict=True):
        whole[index] = part


def lloyd(do: ModuleType, Z: Tensor, centres: Tensor, steps: int, tolerance: Tensor | float = 0.0) -> Tensor:
    """Return the labels after so many k-means steps, fewer for fits whose centres or labels hardly move."""
    final = centres.clone()
    active = torch.arange(len(Z), device=Z.device)
    limit = torch.as_tensor(tolerance, dtype=torch.float64, device=Z.device).expand(len(Z))
    rows, current = Z, centres
    labels = torch.full(Z.shape[:2], -1, device=Z.device)
    for _ in range(steps - 1):
        before, labels = labels, do.nearest(rows, current)
        size, total = do.first_moments(rows, labels, centres.shape[1])
        moved_to = torch.where(size[:, :, None] > 0, total / size[:, :, None], current).float()
        moved = (moved_to - current).double().square().sum(dim=(1, 2))
        current = moved_to
        running = ((labels != before).any(dim=1) & (moved > limit)).nonzero()[:, 0]
        if len(running) < len(active):
            final[active] = current
            active, rows, limit = active[running], rows[running], limit[running]
            current, labels = current[running], labels[running]
        if not len(active):
            break
    final[active] = current
    return do.nearest(Z, final)


def maximise(
    do: ModuleType, Z: Tensor, share: Tensor, n_clusters: int, spec: MixtureSpec
) -> tuple[Mixtures, Tensor, Tensor]:
    """Return the mixtures that the shares make, and which fits needed more regularisation, which lost clusters."""
    size, total = do.first_moments(Z, share, n_clusters)
    filled = size.clamp_min(1e-30)
    mean = (total / filled[:, :, None]).float()
    cov = do.second_moments(Z, share, mean) / filled[:, :, None, None]
    factor, log_diagonal, failed = do.factorise(shape_covariances(cov, size, spec), spec.reg_covar)
    weight = size / size.sum(dim=1, keepdim=True)
    constant = torch.where(size > 0, -2 * (weight.log() + log_diagonal), NOTHING_LEFT).float()
    return Mixtures(mean, factor, constant), failed.any(dim=1), (size == 0).any(dim=1)


def shape_covariances(cov: Tensor, size: Tensor, spec: MixtureSpec) -> Tensor:
    """Return the covariances in the shape the spec asks for; see `puselect.engines.mixture.shape_covariances`."""
    if spec.covariance_type == "full" and spec.shrinkage == 0:
        return cov
    n_features = cov.shape[-1]
    weight = (size / size.sum(dim=1, keepdim=True))[:, :, None, None]
    pooled = (weight * cov).sum(dim=1, keepdim=True)
    if spec.covariance_type == "tied":
        return pooled.expand_as(cov).contiguous()
    if spec.covariance_type == "full":
        amount = (spec.shrinkage * n_features / size.clamp_min(1)).square().clamp_max(1)[:, :, None, None]
        return (1 - amount) * cov + amount * torch.diag_embed(pooled.diagonal(dim1=2, dim2=3))
    variance = cov.diagonal(dim1=2, dim2=3)
    if spec.covariance_type == "spherical":
        variance = variance.mean(dim=2, keepdim=True).expand_as(variance)
    return torch.diag_embed(variance)
