"""The default engine: compiled kernels, masks over threads, BLAS at one thread."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import scipy.linalg.blas  # noqa: F401  loads the BLAS that numba calls, so that it can be limited
from joblib import effective_n_jobs
from sklearn.cluster import kmeans_plusplus
from threadpoolctl import ThreadpoolController

from puselect.arrays import BoolArray, Float32Array, FloatArray, IntArray
from puselect.engines.base import ClusterTable
from puselect.engines.cpu.fits import Clusters, Fit, hard_fit, soft_fit
from puselect.engines.cpu.sweeps import count
from puselect.engines.mixture import MixtureSpec
from puselect.engines.sample import Sample, draw_sample

SERIAL_WORK = 2_000_000  # multiplications below which handing a mask to a thread costs more than it saves


class Rows(NamedTuple):
    """The part of the table one seed looks at."""

    Z: Float32Array
    """One line per feature, shape (n_features, n_rows)."""
    sample: Sample


class CPUEngine:
    """Fits mixtures with compiled kernels in float32; sums over rows are kept in float64.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The scaled table. It is centred and copied once, as float32.
    positive : ndarray of bool, shape (n_targets, n_rows)
        One or more label vectors.
    spec : MixtureSpec
    n_jobs : int, optional
        Threads over masks, in joblib's convention. The result does not depend on it.
    max_samples : int, optional
        Tables with more rows are sampled anew for every seed: all labelled rows (at most half of the sample), the
        rest unlabelled ones drawn at random, which count for those left out.
    """

    def __init__(
        self,
        X: FloatArray | Float32Array,
        positive: BoolArray,
        spec: MixtureSpec,
        n_jobs: int | None = None,
        max_samples: int | None = None,
    ) -> None:
        self.Z = np.empty(X.shape[::-1], dtype=np.float32)
        self.centre = np.array([X[:, j].mean(dtype=np.float64) for j in range(X.shape[1])])
        for j in range(X.shape[1]):
            self.Z[j] = X[:, j] - self.centre[j]
        self.positive = np.atleast_2d(positive)
        self.spec = spec
        self.n_threads = effective_n_jobs(n_jobs)
        self.max_samples = max_samples if max_samples is not None and max_samples < len(X) else None
        self.n_clusters = min(spec.n_clusters, self.max_samples or len(X))
        self._blas = ThreadpoolController()

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering; see `Engine.cluster`."""
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        table = ClusterTable(
            np.zeros((len(masks), self.n_clusters)),
            np.zeros((len(masks), self.n_clusters)),
            np.zeros(len(masks), dtype=bool),
        )
        pairs = list(zip(np.asarray(seeds).tolist(), chosen.tolist(), strict=True))
        with self._blas.limit(limits=1, user_api="blas"):
            for seed, target in dict.fromkeys(pairs):
                members = [i for i, pair in enumerate(pairs) if pair == (seed, target)]
                self._cluster_alike(masks, members, seed, self._rows(seed, target), table)
        return table

    def mixture(self, mask: BoolArray, seed: int) -> Clusters:
        """Return the mixture that `cluster` counts for a mask and a seed, its means in the units of the table."""
        with self._blas.limit(limits=1, user_api="blas"):
            clusters = self._mixture(self._rows(seed, 0), mask, seed).clusters
        return clusters._replace(mean=clusters.mean + self.centre[mask])

    def _cluster_alike(
        self, masks: BoolArray, members: list[int], seed: int, rows: Rows, table: ClusterTable
    ) -> None:
        """Fill in the table of the masks that share seed and labels."""

        def one(i: int) -> None:
            table.degenerate[i] = self._fit(rows, masks[i], seed, table.size[i], table.positive[i])

        work = rows.Z.shape[1] * self.n_clusters * int(masks[members[0]].sum()) ** 2
        if self.n_threads == 1 or len(members) == 1 or work < SERIAL_WORK:
            for i in members:
                one(i)
        else:
            with ThreadPoolExecutor(min(self.n_threads, len(members))) as pool:
                list(pool.map(one, members))

    def _fit(self, rows: Rows, mask: BoolArray, seed: int, size: FloatArray, hits: FloatArray) -> bool:
        """Add the counts of one mask to `size` and `hits`; return whether its clustering was degenerate."""
        if not mask.any():
            return True  # no columns, no clusters: counts of zero have the worst score
        fit = self._mixture(rows, mask, seed)
        count(fit.labels, rows.sample.positive, rows.sample.weight, size, hits)
        return fit.degenerate

    def _mixture(self, rows: Rows, mask: BoolArray, seed: int) -> Fit:
        Z = rows.Z[mask]
        fit = hard_fit if self.spec.em == "hard" else soft_fit
        return fit(Z, self._centres(Z, rows.sample.start, seed), self.spec)

    def _centres(self, Z: Float32Array, start: IntArray, seed: int) -> Float32Array:
        """Return where the clusters start, shape (n_clusters, n_features)."""
        if self.spec.init == "rows":
            return np.ascontiguousarray(Z[:, start].T)
        centres, _ = kmeans_plusplus(Z.T.astype(np.float64), self.n_clusters, random_state=seed)
        return np.ascontiguousarray(centres, dtype=np.float32)

    def _rows(self, seed: int, target: int) -> Rows:
        """Return the part of the table a seed looks at."""
        sample = draw_sample(self.positive[target], self.spec, seed, target, self.max_samples)
        Z = self.Z if sample.rows is None else np.take(self.Z, sample.rows, axis=1)
        return Rows(Z, sample)
