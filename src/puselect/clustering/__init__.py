"""Engines cluster the columns of a mask and count rows and labelled positives per cluster."""

import numpy as np
from sklearn.base import ClusterMixin

from puselect.arrays import AnyArray, BoolArray
from puselect.clustering.base import ClusterTable, Engine, FinalFit, Mixture
from puselect.clustering.dask.partitions import PartitionedTable
from puselect.clustering.mixture import MixtureSpec, check_range
from puselect.clustering.reference import ReferenceEngine
from puselect.clustering.timing import fastest_engine, gpu_engine_class
from puselect.sparse_table import SparseTable

__all__ = [
    "ENGINES",
    "ClusterTable",
    "Engine",
    "FinalFit",
    "Mixture",
    "ReferenceEngine",
    "gpu_engine_class",
    "make_engine",
]

ENGINES = ("auto", "cpu", "gpu", "reference", "dask")


def make_engine(
    name: str,
    X: AnyArray | SparseTable | PartitionedTable,
    positive: BoolArray,
    clusterer: MixtureSpec | ClusterMixin,
    n_jobs: int | None = None,
    max_samples: int | None = None,
    n_selected: int | None = None,
    n_masks: tuple[int, int] = (8, 400),
) -> Engine:
    """Return the engine of that name, bound to a table and its labels.

    "auto" is "reference" for a clusterer of your own. For mixtures it is "gpu" if there is one that would be faster for
    masks of `n_selected` features, with `n_masks` masks per step and steps, and "cpu" otherwise.
    """
    if isinstance(X, PartitionedTable):
        if not isinstance(clusterer, MixtureSpec):
            raise ValueError("engine='dask' needs the mixture; a clusterer of your own needs all rows in one place")
        from puselect.clustering.dask.engine import PartitionedEngine

        return PartitionedEngine(X, positive, clusterer)
    if isinstance(X, SparseTable) and (name not in ("auto", "cpu") or not isinstance(clusterer, MixtureSpec)):
        wanted = "engine='cpu' or 'auto', without a clusterer of your own"
        raise ValueError(f"a sparse X needs {wanted}, got engine={name!r}; pass X.toarray() if it fits into memory")
    if name == "auto":
        name = fastest_engine(X, clusterer, max_samples, n_selected, n_masks, n_jobs)
    check_range(name, X)
    if name == "reference" and isinstance(X, np.ndarray):
        return ReferenceEngine(X, positive, clusterer)
    if not isinstance(clusterer, MixtureSpec):
        raise ValueError(f"a clusterer of your own needs engine='reference' or 'auto', got engine={name!r}")
    if name == "gpu" and isinstance(X, np.ndarray):
        return gpu_engine_class()(X, positive, clusterer, max_samples=max_samples)
    from puselect.clustering.cpu.engine import CPUEngine  # compiled code is loaded only when it is used

    return CPUEngine(X, positive, clusterer, n_jobs=n_jobs, max_samples=max_samples)
