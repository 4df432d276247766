"""Fits of the mixtures of many masks at once, with the steps of `puselect.clustering.cpu.fits`.

All masks of a batch have the same number of columns, so that nothing is padded. Buffers stay from call to call: on a
GPU each part of a fit is recorded as a graph and replayed, one launch for all its kernels. Kernels skip fits that have
converged; the host asks now and then whether any still runs.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import ModuleType
from typing import NamedTuple
from weakref import WeakMethod

import numpy as np
import torch
from torch import Tensor

from puselect.arrays import FloatArray, IntArray
from puselect.clustering.gpu import plain
from puselect.clustering.gpu.plain import Mixtures, distances
from puselect.clustering.mixture import MixtureSpec

KMEANS_STEPS, KMEANS_TOL = 300, 1e-4  # scikit-learn's; the tolerance is relative to the mean variance of the columns
MOST_FUSED_FEATURES = 64
FUSED_STEPS, PLAIN_STEPS = 25, 5  # before the host looks whether any fit still runs: plain torch skips none
GRAPH_LOCK = Lock()  # torch allows no replay in one thread while another records


def sweeps(device: torch.device, n_columns: int, spec: MixtureSpec) -> ModuleType:
    """Return the functions that sweep over the rows: fused kernels on a GPU, plain torch elsewhere."""
    if device.type == "cuda" and n_columns <= MOST_FUSED_FEATURES and spec.covariance_type == "full":
        try:
            from puselect.clustering.gpu import fused
        except ImportError:  # torch without Triton
            return plain
        return fused
    return plain


class Recorded:
    """A function of tensors that stay where they are: recorded as a graph at its second call, replayed from then on.

    On the CPU the function itself is called. The owner of the function owns this, too, and is not kept alive by it:
    graphs and buffers are freed with their owner, at once.
    """

    def __init__(self, function: Callable[[], None], device: torch.device) -> None:
        self.function = WeakMethod(function)
        self.n_calls = 0 if device.type == "cuda" else -1
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Call the function or replay its graph."""
        function = self.function()
        assert function is not None
        if self.n_calls == 1:
            self.graph = torch.cuda.CUDAGraph()
            with GRAPH_LOCK, _uncollected(), torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
                function()
        if self.n_calls >= 0:
            self.n_calls += 1
        if self.graph is None:
            function()
        else:
            with GRAPH_LOCK:
                self.graph.replay()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python from collecting garbage: a graph that is freed while another is recorded spoils that one."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Inputs(NamedTuple):
    """The inputs of a batch, one line per mask: indices, and random numbers in double precision."""

    table: Tensor
    target: Tensor
    columns: Tensor
    """Shape (n_masks, n_columns)."""
    rows: Tensor | None
    """The rows used, shape (n_masks, n_rows); None for all of them."""
    start: Tensor
    """Rows that clusters start from, shape (n_masks, n_clusters); with k-means++ only the first."""
    uniform: Tensor | None
    """The random numbers of k-means++, shape (n_masks, n_clusters - 1, n_trials)."""

    def on(self, device: torch.device) -> "Inputs":
        """Return a copy on a device."""
        return Inputs(*(None if part is None else part.to(device, copy=True) for part in self))


class BatchFits:
    """Fits up to as many masks at once as the batch `like` has, all with its number of columns."""

    def __init__(
        self, tables: Tensor, labelled: list[Tensor], spec: MixtureSpec, n_clusters: int, like: Inputs
    ) -> None:
        self.tables, self.labelled, self.spec, self.n_clusters = tables, labelled, spec, n_clusters
        device, (n_masks, n_columns) = tables.device, like.columns.shape
        self.do = sweeps(device, n_columns, spec)
        self.n_at_once = PLAIN_STEPS if self.do is plain else FUSED_STEPS
        self.given = like.on(device)
        n_rows = tables.shape[1] if like.rows is None else like.rows.shape[1]
        self.member = torch.zeros(n_masks, dtype=torch.bool, device=device)
        self.running = torch.zeros(n_masks, dtype=torch.bool, device=device)
        self.goes_on = torch.zeros(n_masks, dtype=torch.bool, device=device)
        self.degenerate = torch.zeros(n_masks, dtype=torch.bool, device=device)
        self.Z = tables.new_empty(n_masks, n_rows, n_columns)
        self.labels = torch.empty(n_masks, n_rows, dtype=torch.int32, device=device)
        self.bound = torch.empty(n_masks, dtype=torch.float64, device=device)
        self.limit = torch.empty(n_masks, dtype=torch.float64, device=device)
        width = n_columns if self.do is plain else self.do.tile_width(n_columns)
        self.current = Mixtures(
            tables.new_empty(n_masks, n_clusters, n_columns),
            tables.new_empty(n_masks, n_clusters, width, width),
            tables.new_empty(n_masks, n_clusters),
        )
        self.counts = torch.empty(n_masks, (len(labelled) + 1) * n_clusters + 1, dtype=torch.int64, device=device)
        parts = (self._begin, self._lloyd_steps, self._after_lloyd, self._em_steps, self._end)
        self.begin, self.lloyd_steps, self.after_lloyd, self.em_steps, self.end = (Recorded(p, device) for p in parts)

    def __call__(self, batch: Inputs) -> IntArray:
        """Fit the masks of a batch.

        Returns rows, labelled rows, any checked negatives of each cluster, and which fits are degenerate, shape
        (n_masks, 2 or 3 n_clusters + 1).
        """
        n_masks = len(batch.columns)
        for held, part in zip(self.given, batch, strict=True):
            if held is not None and part is not None:
                held[:n_masks].copy_(part)
        self.member[:n_masks], self.member[n_masks:] = True, False
        self.begin()
        if self.spec.is_soft:
            self._repeat(self.lloyd_steps, KMEANS_STEPS)
        self.after_lloyd()
        if self.spec.is_soft:
            self._repeat(self.em_steps, self.spec.em_steps)
        self.end()
        found: IntArray = self.counts[:n_masks].cpu().numpy()
        return found

    def mixtures(self, numbers: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return means, factors (lower triangles) and constants of the clusters of some of the last fits."""
        chosen = torch.from_numpy(numbers).to(self.Z.device)
        mean, factor, constant = (part[chosen].double().cpu().numpy() for part in self.current)
        if self.do is not plain:  # transposed, in whole tiles
            factor = factor[..., : mean.shape[2], : mean.shape[2]].swapaxes(-1, -2)
        return mean, factor, constant

    def _repeat(self, steps: Recorded, most: int) -> None:
        """Repeat steps until no fit runs any more; they do nothing for fits that are over."""
        for _ in range(0, most, self.n_at_once):
            steps()
            if not self.running.any():
                return

    def _begin(self) -> None:
        """Collect the columns and start from the first centres."""
        given = self.given
        self.do.gather(self.tables, given.table, given.rows, given.columns, self.Z)
        mask = torch.arange(len(self.Z), device=self.Z.device)[:, None]
        if given.uniform is None:
            self.current.mean.copy_(self.Z[mask, given.start])
        else:
            self.current.mean.copy_(plus_plus(self.Z, given.start[:, 0], given.uniform))
        self.labels.fill_(-1)
        self.running.copy_(self.member)
        if self.spec.is_soft:
            self.limit.copy_(KMEANS_TOL * self.Z.double().var(dim=1, correction=0).mean(dim=1))

    def _lloyd_steps(self) -> None:
        """Assign rows to the nearest centres and move these; fits in which nothing changes stop."""
        for _ in range(self.n_at_once):
            self.do.lloyd_step(self.Z, self.labels, self.current.mean, self.limit, self.running)

    def _after_lloyd(self) -> None:
        """Assign rows to the nearest centres, and take the mixtures of these clusters."""
        self.running.copy_(self.member)
        self.do.relabel(self.Z, self.current.mean, self.labels, self.running)
        self.degenerate.zero_()
        if self.spec.is_soft:
            self.bound.fill_(-torch.inf)
            self.goes_on.zero_()
        self._maximise(self.labels)

    def _em_steps(self) -> None:
        """Do steps of EM; fits whose mean log-likelihood changed by less than the tolerance stop."""
        for _ in range(self.n_at_once):
            share = self.do.responsibilities(
                self.Z, self.current, self.spec.tol, self.bound, self.goes_on, self.running
            )
            self._maximise(share)
            self.running.copy_(self.goes_on)

    def _maximise(self, share: Tensor) -> None:
        """Set the mixtures of the running fits from the shares of the rows."""
        self.do.maximise(self.Z, share, self.current, self.spec, self.running, self.degenerate)

    def _end(self) -> None:
        """Place the rows and count those of the clusters."""
        self.labels.copy_(self.do.assign(self.Z, *self.current, self.member))
        given = self.given
        for kind, marked in enumerate(self.labelled, start=1):
            size, hits = self.do.counts(self.labels, marked, given.target, given.rows, self.n_clusters)
            self.counts[:, : self.n_clusters] = size
            self.counts[:, kind * self.n_clusters : (kind + 1) * self.n_clusters] = hits
        self.counts[:, -1] = self.degenerate


def draw_starts(seeds: Iterable[int], n_rows: int, n_clusters: int) -> dict[int, tuple[int, FloatArray]]:
    """Return the random numbers of ``sklearn.cluster.kmeans_plusplus`` for each seed; they do not depend on the data.

    They are the first row, and uniform numbers of shape (n_clusters - 1, n_trials). The row is ``choice(n_rows,
    p=1/n_rows)``: the place of a uniform number among the cumulated probabilities.
    """
    random, n_trials = np.random.RandomState(0), 2 + int(np.log(n_clusters))
    draws = {}
    for seed in dict.fromkeys(seeds):
        random.seed(seed)  # a new generator would take 30 times as long: it asks the system for entropy first
        first = min(int(random.random_sample() * n_rows), n_rows - 1)
        draws[seed] = first, random.uniform(size=(n_clusters - 1, n_trials))
    return draws


def plus_plus(Z: Tensor, first: Tensor, uniform: Tensor) -> Tensor:
    """Return the centres (n_masks, n_clusters, n_features): greedy k-means++ (Arthur & Vassilvitskii, SODA 2007).

    Each further centre is the best of a few rows drawn in proportion to their squared distance from the nearest
    centre so far: the one that leaves the smallest sum of these distances. See `draw_starts` for the numbers.
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
