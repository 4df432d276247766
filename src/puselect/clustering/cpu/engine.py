"""The default engine: compiled kernels, masks over threads, BLAS at one thread; dense and sparse tables."""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import csc_array
from sklearn.cluster import kmeans_plusplus

from puselect.arrays import AnyArray, BoolArray, Float32Array, IntArray, map_blocks
from puselect.clustering.base import ClusterTable, FinalFit, Labels, Sample, centred_lines, draw_sample
from puselect.clustering.cpu.blas import one_blas_thread
from puselect.clustering.cpu.fits import MixtureFit, fit_mixture
from puselect.clustering.cpu.kernels import count
from puselect.clustering.mixture import MixtureSpec, regularised
from puselect.sparse_table import SparseTable

SERIAL_WORK = 2_000_000  # multiplications below which a thread per mask is slower


class Rows(NamedTuple):
    """The rows used with one seed."""

    seed: int
    Z: Float32Array | csc_array
    """One line per feature in use, shape (n_used, n_rows); all columns of the rows of a sparse table."""
    used: BoolArray
    """Which features are, shape (n_features,)."""
    sample: Sample

    def lines(self, mask: BoolArray) -> Float32Array:
        """Return the lines of a mask's features, shape (n_selected, n_rows)."""
        if isinstance(self.Z, np.ndarray):
            return self.Z[mask[self.used]]
        chosen = self.Z[:, np.flatnonzero(mask)].toarray(order="F")
        return np.ascontiguousarray(chosen.T, dtype=np.float32)


class CPUEngine:
    """Fits mixtures with compiled kernels in float32; sums over rows are kept in float64.

    A dense table is centred and copied once. Columns of a sparse one are centred at their most frequent value; only
    those of a mask, and of the rows of a sample, are made dense. Tables of more than `max_samples` rows are sampled,
    with a new sample for every seed; see `draw_sample`. The result does not depend on `n_jobs`, the number of threads.
    """

    def __init__(
        self,
        X: AnyArray | SparseTable,
        known: Labels,
        spec: MixtureSpec,
        n_jobs: int | None = None,
        max_samples: int | None = None,
    ) -> None:
        self.known = np.atleast_2d(known)
        self.spec = regularised(spec, X)
        self.n_threads = effective_n_jobs(n_jobs)
        self.max_samples = max_samples if max_samples is not None and max_samples < len(X) else None
        self.n_clusters = min(spec.n_clusters, self.max_samples or len(X))
        self.Z: Float32Array | csc_array
        if isinstance(X, SparseTable):
            self.centre, self.Z = X.offset, X.values
            self.sparse_rows = X.values.tocsr()
        else:
            self.centre, self.Z = centred_lines(X)

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        pairs = list(zip(np.asarray(seeds).tolist(), chosen.tolist(), strict=True))
        table = ClusterTable.empty(len(masks), self.n_clusters)
        with one_blas_thread:
            for seed, target in dict.fromkeys(pairs):
                members = [i for i, pair in enumerate(pairs) if pair == (seed, target)]
                used = np.asarray(masks[members].any(axis=0))
                self._cluster_alike(masks, members, self._rows(seed, target, used), table)
        return table

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        if not mask.any():
            return FinalFit(self.cluster(np.repeat(mask[None], len(seeds), axis=0), seeds), None)
        table = ClusterTable.empty(len(seeds), self.n_clusters)
        mixtures = []
        with one_blas_thread:
            for i, seed in enumerate(np.asarray(seeds).tolist()):
                rows = self._rows(seed, target, mask)
                fit = self._fit(rows, mask)
                self._count(fit, rows.sample, table, i)
                if n_mixtures is None or i < n_mixtures:
                    mixtures.append(fit.parameters.mixture(self.centre[mask]))
        return FinalFit(table, tuple(mixtures))

    def _cluster_alike(self, masks: BoolArray, members: list[int], rows: Rows, table: ClusterTable) -> None:
        """Fill in the lines of `table` for masks that share seed and labels."""

        def fill(part: slice) -> None:
            for i in members[part]:
                if masks[i].any():
                    self._count(self._fit(rows, masks[i]), rows.sample, table, i)

        work = len(rows.sample.known) * self.n_clusters * int(masks[members[0]].sum()) ** 2
        n_threads = 1 if work < SERIAL_WORK else min(self.n_threads, len(members))
        map_blocks(fill, len(members), 1, n_threads)

    def _count(self, fit: MixtureFit, sample: Sample, table: ClusterTable, line: int) -> None:
        """Fill in one line of `table`."""
        table.degenerate[line] = fit.degenerate
        counts = table.size[line], table.positive[line], table.negative[line], table.likely[line]
        count(fit.labels, sample.known, sample.weight, sample.checked_weight, *counts)

    def _fit(self, rows: Rows, mask: BoolArray) -> MixtureFit:
        """Return the mixture of a mask's columns."""
        Z = rows.lines(mask)
        centres = Z[:, rows.sample.start].T
        if self.spec.is_soft:
            centres, _ = kmeans_plusplus(Z.T.astype(np.float64), self.n_clusters, random_state=rows.seed)
        return fit_mixture(Z, np.ascontiguousarray(centres, dtype=np.float32), self.spec)

    def _rows(self, seed: int, target: int, used: BoolArray) -> Rows:
        """Return the rows of a seed, with the features in use."""
        sample = draw_sample(self.known[target], self.spec, seed, self.max_samples)
        everything = np.ones(len(used), dtype=bool)
        if sample.rows is None:
            return Rows(seed, self.Z, everything, sample)
        if not isinstance(self.Z, np.ndarray):
            return Rows(seed, self.sparse_rows[sample.rows].tocsc(), everything, sample)
        Z = np.empty((int(used.sum()), len(sample.rows)), dtype=np.float32)
        for line, j in zip(Z, np.flatnonzero(used), strict=True):
            np.take(self.Z[j], sample.rows, out=line)
        return Rows(seed, Z, used, sample)
