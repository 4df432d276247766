"""The centres that clusters start from: scikit-learn's k-means++, with its random numbers, for a batch of masks."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from puselect.arrays import FloatArray
from puselect.clustering.gpu.plain import distances


class Draws(NamedTuple):
    """All random numbers that one k-means++ uses; they do not depend on the data."""

    first: int
    """The row of the first centre."""
    uniform: FloatArray
    """Shape (n_clusters - 1, n_trials)."""


def draw_each(seeds: Iterable[int], n_rows: int, n_clusters: int) -> dict[int, Draws]:
    """Draw, for each seed, the random numbers of ``sklearn.cluster.kmeans_plusplus``, in the same order.

    Its first row is ``choice(n_rows, p=1/n_rows)``: the place of a uniform number among the cumulated probabilities.
    """
    random, n_trials = np.random.RandomState(0), 2 + int(np.log(n_clusters))
    draws = {}
    for seed in seeds:
        random.seed(seed)  # a new generator would take 30 times as long: it asks the system for entropy first
        first = min(int(random.random_sample() * n_rows), n_rows - 1)
        draws[seed] = Draws(first, random.uniform(size=(n_clusters - 1, n_trials)))
    return draws


def plus_plus(Z: Tensor, first: Tensor, uniform: Tensor) -> Tensor:
    """Return the centres (n_masks, n_clusters, n_features): greedy k-means++ (Arthur & Vassilvitskii, SODA 2007).

    Each further centre is the best of a few rows drawn in proportion to their squared distance from the nearest
    centre so far: the one that leaves the smallest sum of these distances. `first` and `uniform` are the `Draws` of
    every mask.
    """
    batch = torch.arange(len(Z), device=Z.device)
    centres = [Z[batch, first]]
    closest = distances(Z, centres[0][:, None])[:, 0].double()
    for step in range(uniform.shape[1]):
        cumulated = closest.cumsum(dim=1)
        wanted = uniform[:, step] * closest.sum(dim=1, keepdim=True)
        candidates = torch.searchsorted(cumulated, wanted).clamp_max(Z.shape[1] - 1)
        points = Z[batch[:, None], candidates]
        left = torch.minimum(closest[:, None], distances(Z, points).double())
        best = left.sum(dim=2).argmin(dim=1)
        centres.append(points[batch, best])
        closest = left[batch, best]
    return torch.stack(centres, dim=1)
