"""The engine for sparse tables: only the columns of a mask, and of the rows of a sample, are made dense."""

import numpy as np
from joblib import effective_n_jobs

from puselect.arrays import BoolArray, Float32Array
from puselect.clustering.cpu.engine import CPUEngine, Rows
from puselect.clustering.mixture import MixtureSpec
from puselect.clustering.precision import regularised
from puselect.clustering.sample import draw_sample
from puselect.sparse_table import SparseTable


class SparseColumns:
    """Lines of features as the kernels want them, made dense when they are asked for.

    Parameters
    ----------
    values : sparse array in columns, shape (n_rows, n_features)
    """

    def __init__(self, values: object) -> None:
        self.values = values.tocsc()  # type: ignore[attr-defined]

    @property
    def shape(self) -> tuple[int, int]:
        """Features and rows."""
        return self.values.shape[1], self.values.shape[0]

    def __getitem__(self, mask: BoolArray) -> Float32Array:
        """Return the lines of a mask's features, shape (n_selected, n_rows)."""
        chosen = self.values[:, np.flatnonzero(mask)]
        lines = np.zeros(chosen.shape[::-1], dtype=np.float32)
        feature = np.repeat(np.arange(chosen.shape[1]), np.diff(chosen.indptr))
        lines[feature, chosen.indices] = chosen.data
        return lines


class SparseEngine(CPUEngine):
    """Fits mixtures as `CPUEngine` does; columns are centred at their most frequent value instead of their mean.

    Parameters
    ----------
    X : SparseTable
    positive, spec, n_jobs, max_samples
        As in `CPUEngine`.
    """

    def __init__(
        self,
        X: SparseTable,
        positive: BoolArray,
        spec: MixtureSpec,
        n_jobs: int | None = None,
        max_samples: int | None = None,
    ) -> None:
        self.centre = X.offset
        self.positive = np.atleast_2d(positive)
        self.spec = regularised(spec, X)
        self.n_threads = effective_n_jobs(n_jobs)
        self.max_samples = max_samples if max_samples is not None and max_samples < len(X) else None
        self.n_clusters = min(spec.n_clusters, self.max_samples or len(X))
        self.rows = None if self.max_samples is None else X.values.tocsr()
        self.all_rows = SparseColumns(X.values) if self.max_samples is None else None

    def _rows(self, seed: int, target: int, used: BoolArray) -> Rows:
        """Return the rows of a seed, with all features."""
        sample = draw_sample(self.positive[target], self.spec, seed, self.max_samples)
        lines = self.all_rows if self.rows is None else SparseColumns(self.rows[sample.rows])
        return Rows(seed, lines, np.ones(len(used), dtype=bool), sample)  # type: ignore[arg-type]
