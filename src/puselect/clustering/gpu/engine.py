"""The engine that clusters on a GPU with torch; tests run it on torch's CPU device."""

import logging
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from puselect.arrays import AnyArray, BoolArray, IntArray
from puselect.clustering.base import ClusterTable, FinalFit, Labels, Sample, centred_lines, draw_sample
from puselect.clustering.cpu.blas import ProcessSetting
from puselect.clustering.gpu.fits import BatchFits, Inputs, draw_starts
from puselect.clustering.mixture import Mixture, MixtureSpec, regularised

logger = logging.getLogger("puselect")

MEMORY_SHARE = 0.5  # of the free memory, for one batch
MOST_WIDTHS = 4  # numbers of columns whose buffers are kept


class GPUEngine:
    """Fits the mixtures of all masks at once; `cluster` copies only the counts back.

    `X` is a table, or several of one shape (n_tables, n_rows, n_features); they are centred and copied to the device
    once, as float32. Of the label vectors `known`, (n_targets, n_rows), the i-th belongs to the i-th table, or all to a
    single one. Rows are sampled as in `CPUEngine`.
    """

    def __init__(
        self,
        X: AnyArray,
        known: Labels,
        spec: MixtureSpec,
        max_samples: int | None = None,
        device: str = "cuda",
    ) -> None:
        if device == "cuda" and not torch.cuda.is_initialized():
            logger.info("opening the GPU takes seconds; its first use on a machine also compiles kernels, once")
        tables = X[None] if X.ndim == 2 else X
        self.device = torch.device(device)
        self.spec = regularised(spec, X)
        self.known = np.atleast_2d(known)
        self.table_of = np.zeros(len(self.known), dtype=np.intp) if X.ndim == 2 else np.arange(len(tables))
        n_rows = tables.shape[1]
        self.max_samples = max_samples if max_samples is not None and max_samples < n_rows else None
        self.n_clusters = min(spec.n_clusters, self.max_samples or n_rows)
        self._at_once: dict[int, int] = {}
        self._fits: dict[int, BatchFits] = {}
        self.centre = np.empty((len(tables), tables.shape[2]))
        try:
            self.tables = torch.empty(tables.shape, dtype=torch.float32, device=self.device)
            for i, table in enumerate(tables):
                self.centre[i], lines = centred_lines(table)
                self.tables[i] = torch.from_numpy(lines).to(self.device).T
        except torch.OutOfMemoryError as error:
            need, there = 4e-9 * tables.size, 1e-9 * free_memory(self.device)
            raise MemoryError(
                f"the table needs {need:.1f} GB on {self.device}, which has {there:.1f} GB free; use engine='cpu'"
            ) from error
        self.kinds = [1, *(kind for kind in (-1, 2) if (self.known == kind).any())]
        self.labelled = [torch.tensor(self.known == kind, device=self.device) for kind in self.kinds]

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        table = ClusterTable.empty(len(masks), self.n_clusters)
        for _ in self._batches(masks, list(zip(np.asarray(seeds).tolist(), chosen.tolist(), strict=True)), table):
            pass
        return table

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        table = ClusterTable.empty(len(seeds), self.n_clusters)
        mixtures: dict[int, Mixture] = {}
        pairs = [(seed, target) for seed in np.asarray(seeds).tolist()]
        centre = self.centre[self.table_of[target]][mask]
        for members, fits in self._batches(np.repeat(mask[None], len(seeds), axis=0), pairs, table):
            wanted = np.flatnonzero(members < (len(seeds) if n_mixtures is None else n_mixtures))
            for i, mean, factor, constant in zip(members[wanted].tolist(), *fits.mixtures(wanted), strict=True):
                mixtures[i] = Mixture(mean + centre, factor, constant)
        return FinalFit(table, tuple(mixtures[i] for i in sorted(mixtures)) if mask.any() else None)

    def _batches(
        self, masks: BoolArray, pairs: list[tuple[int, int]], table: ClusterTable
    ) -> Iterator[tuple[IntArray, BatchFits]]:
        """Fit the masks, each with its seed and target, as many at a time as the memory holds; fill in `table`.

        Yields the numbers of the masks of each batch, and their fits.
        """
        samples = {
            (seed, target): draw_sample(self.known[target], self.spec, seed, self.max_samples)
            for seed, target in dict.fromkeys(pairs)
        }
        widths = masks.sum(axis=1)
        with exact_float32:
            for width in np.unique(widths[widths > 0]).tolist():
                at_once = self._most_at_once(width)
                members = np.flatnonzero(widths == width)
                waiting: list[IntArray] = np.split(members, range(at_once, len(members), at_once))
                while waiting:
                    part = waiting.pop()
                    own = [pairs[i] for i in part]
                    try:
                        fits = self._fit(part, masks[part], own, [samples[pair] for pair in own], table)
                    except torch.OutOfMemoryError:
                        self._free_memory(len(part), width)
                        waiting += np.array_split(part, 2)
                        continue
                    yield part, fits

    def _free_memory(self, n_masks: int, width: int) -> None:
        """Free all buffers and halve the batches, which were too large; raise a MemoryError for a batch of one."""
        if n_masks == 1:
            rows = self.max_samples or self.tables.shape[1]
            raise MemoryError(
                f"one mask of {width} columns on {rows} rows does not fit into the memory of {self.device}; "
                "lower max_samples, or use engine='cpu'"
            )
        self._at_once[width] = n_masks // 2
        self._fits.clear()
        torch.cuda.empty_cache()

    def _most_at_once(self, width: int) -> int:
        """Return how many masks with `width` columns fit into the memory that is free at the first call."""
        if width not in self._at_once:
            n_rows = self.max_samples or self.tables.shape[1]
            per_row = 4 * (6 * width + 6 * self.n_clusters) + 8 * width
            need = n_rows * per_row + 64 * self.n_clusters * width**2
            self._at_once[width] = max(1, int(MEMORY_SHARE * free_memory(self.device) / need))
        return self._at_once[width]

    def _fit(
        self,
        members: IntArray,
        masks: BoolArray,
        pairs: list[tuple[int, int]],
        samples: list[Sample],
        table: ClusterTable,
    ) -> BatchFits:
        """Fit masks with equally many columns, and fill in their lines of `table`."""
        batch = self._inputs(masks, pairs, samples)
        fits = self._fits_for(batch)
        found = fits(batch).astype(np.float64)
        size, *parts = np.split(found[:, :-1], len(self.kinds) + 1, axis=1)
        of_kind = dict(zip(self.kinds, parts, strict=True))
        hits, against, likely = (of_kind.get(kind, np.zeros_like(size)) for kind in (1, -1, 2))
        weight, checked_weight = np.array([(s.weight, s.checked_weight) for s in samples]).T[:, :, None]
        table.positive[members], table.negative[members] = hits, checked_weight * against
        table.likely[members] = likely
        table.size[members] = hits + weight * (size - hits - against) + checked_weight * against
        table.degenerate[members] = found[:, -1] > 0
        return fits

    def _inputs(self, masks: BoolArray, pairs: list[tuple[int, int]], samples: list[Sample]) -> Inputs:
        """Return the inputs of a batch of masks with equally many columns."""
        seeds, targets = zip(*pairs, strict=True)
        columns = np.nonzero(masks)[1].reshape(len(masks), -1)
        rows = None if self.max_samples is None else _indices([s.rows for s in samples if s.rows is not None])
        mask_parts = _indices(self.table_of[list(targets)]), _indices(targets), _indices(columns), rows
        if not self.spec.is_soft:
            return Inputs(*mask_parts, _indices([sample.start for sample in samples]), None)
        draws = draw_starts(seeds, self.max_samples or self.tables.shape[1], self.n_clusters)
        first, uniform = zip(*(draws[seed] for seed in seeds), strict=True)
        return Inputs(*mask_parts, _indices(first)[:, None], torch.from_numpy(np.stack(uniform)))

    def _fits_for(self, batch: Inputs) -> BatchFits:
        """Return buffers of that width that hold the batch: those of an earlier call, unless they are too small."""
        n_masks, width = batch.columns.shape
        held = self._fits.pop(width, None)
        if held is None or len(held.Z) < n_masks:
            held = BatchFits(self.tables, self.labelled, self.spec, self.n_clusters, batch)
        self._fits[width] = held
        while len(self._fits) > MOST_WIDTHS:
            del self._fits[next(iter(self._fits))]
        return held


def _indices(values: ArrayLike) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64))


def has_device() -> bool:
    """Return whether torch finds a GPU."""
    return bool(torch.cuda.is_available())


def free_memory(device: torch.device) -> float:
    """Return the free bytes on the device; for the CPU a number that keeps batches small."""
    if device.type != "cuda":
        return 1e9
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return float(torch.cuda.mem_get_info(device)[0] + unused)


def _to_highest_precision() -> Callable[[], None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    return lambda: torch.set_float32_matmul_precision(before)


exact_float32 = ProcessSetting(_to_highest_precision)
"""Keeps products of float32 matrices in float32, whatever precision the user has set in torch."""
