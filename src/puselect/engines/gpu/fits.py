"""Fits of the mixtures of many masks at once, with the steps of `puselect.engines.cpu.fits`.

All masks of a batch have the same number of columns, so that nothing is padded. Converged fits leave the batch.
"""

from collections.abc import Callable
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
    """Inverses of the lower Cholesky factors, laid out as `factorise` of the sweeps does it."""
    constant: Tensor
    """-2 log(weight) - log|factor|^2, shape (n_masks, n_clusters)."""


class BatchFit(NamedTuple):
    """A batch of fitted mixtures and the clusters of the rows."""

    labels: Tensor
    """The cluster of every row, shape (n_masks, n_rows)."""
    degenerate: Tensor
    """Fits that lost a cluster at the start or needed more regularisation, shape (n_masks,)."""
    mixtures: Mixtures
    """The mixtures that gave the labels."""
    square_factors: Callable[[Tensor, int], Tensor]
    """Turns the layout of the factors into lower triangles."""

    def mixture(self, number: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return mean, factor (lower triangles) and constant of the clusters of one fit."""
        mean, factor, constant = (part[number] for part in self.mixtures)
        return mean, self.square_factors(factor, mean.shape[1]), constant


def sweeps(device: torch.device, n_columns: int) -> ModuleType:
    """Return the functions that sweep over the rows: fused kernels on a GPU, plain torch elsewhere."""
    if device.type == "cuda" and n_columns <= MOST_FUSED_FEATURES:
        try:
            from puselect.engines.gpu import fused
        except ImportError:  # torch without Triton
            return plain
        return fused
    return plain


def hard_fit(do: ModuleType, Z: Tensor, centres: Tensor, spec: MixtureSpec) -> BatchFit:
    """Run Lloyd steps, then EM steps in which every row belongs to one cluster."""
    labels, centres = lloyd(do, Z, centres, spec.lloyd_steps)
    degenerate = torch.zeros(len(Z), dtype=torch.bool, device=Z.device)
    mixtures = None
    for step in range(spec.em_steps):
        mixtures, failed, empty = maximise(do, Z, labels, centres.shape[1], spec)
        degenerate |= failed | empty if step == 0 else failed
        labels = do.assign(Z, *mixtures)
    return BatchFit(labels, degenerate, mixtures or unit_spheres(do, centres), do.square_factors)


def unit_spheres(do: ModuleType, centres: Tensor) -> Mixtures:
    """Return the mixtures that assign every row to its nearest centre."""
    n_masks, n_clusters, n_features = centres.shape
    eye = torch.eye(n_features, dtype=torch.float64, device=centres.device)
    factor, _, _ = do.factorise(eye.expand(n_masks, n_clusters, -1, -1).contiguous(), 0.0)
    return Mixtures(centres, factor, centres.new_zeros(n_masks, n_clusters))


def soft_fit(do: ModuleType, Z: Tensor, centres: Tensor, spec: MixtureSpec) -> BatchFit:
    """Run k-means, then EM until the mean log-likelihood changes by less than the tolerance."""
    n_clusters = centres.shape[1]
    tolerance = KMEANS_TOL * Z.double().var(dim=1, correction=0).mean(dim=1)
    labels, _ = lloyd(do, Z, centres, KMEANS_STEPS, tolerance)
    final, failed, empty = maximise(do, Z, labels, n_clusters, spec)
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
    return BatchFit(do.assign(Z, *final), degenerate, final, do.square_factors)


def put(all_mixtures: Mixtures, index: Tensor, some: Mixtures) -> None:
    """Overwrite the mixtures at `index` with `some`."""
    for whole, part in zip(all_mixtures, some, strict=True):
        whole[index] = part


def lloyd(
    do: ModuleType, Z: Tensor, centres: Tensor, steps: int, tolerance: Tensor | float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return labels and centres after at most `steps` k-means steps; see `puselect.engines.cpu.fits.lloyd`."""
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
    return do.nearest(Z, final), final


def maximise(
    do: ModuleType, Z: Tensor, share: Tensor, n_clusters: int, spec: MixtureSpec
) -> tuple[Mixtures, Tensor, Tensor]:
    """Return the mixtures of the shares, which fits needed more regularisation, and which lost clusters."""
    size, total = do.first_moments(Z, share, n_clusters)
    filled = size.clamp_min(1e-30)
    mean = (total / filled[:, :, None]).float()
    cov = do.second_moments(Z, share, mean) / filled[:, :, None, None]
    factor, log_diagonal, failed = do.factorise(shape_covariances(cov, size, spec), spec.reg_covar)
    weight = size / size.sum(dim=1, keepdim=True)
    constant = torch.where(size > 0, -2 * (weight.log() + log_diagonal), NOTHING_LEFT).float()
    return Mixtures(mean, factor, constant), failed.any(dim=1), (size == 0).any(dim=1)


def shape_covariances(cov: Tensor, size: Tensor, spec: MixtureSpec) -> Tensor:
    """Return the covariances in the shape given by `covariance_type`; see `puselect.engines.mixture`."""
    if spec.covariance_type == "full" and spec.shrinkage == 0:
        return cov
    n_features = cov.shape[-1]
    weight = (size / size.sum(dim=1, keepdim=True))[:, :, None, None]
    pooled = (weight * cov).sum(dim=1, keepdim=True)
    if spec.covariance_type == "tied":
        return pooled.expand_as(cov).contiguous()
    if spec.covariance_type == "full":
        amount = (spec.shrinkage * n_features / size.clamp_min(1)).clamp_max(1).square()[:, :, None, None]
        return (1 - amount) * cov + amount * torch.diag_embed(pooled.diagonal(dim1=2, dim2=3))
    variance = cov.diagonal(dim1=2, dim2=3)
    if spec.covariance_type == "spherical":
        variance = variance.mean(dim=2, keepdim=True).expand_as(variance)
    return torch.diag_embed(variance)
