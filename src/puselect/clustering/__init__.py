"""Engines cluster the columns of a mask and count rows and labelled positives per cluster."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs
from numpy.typing import NDArray

from puselect.arrays import BoolArray
from puselect.clustering.base import ClusterTable, Engine, FinalFit, Mixture
from puselect.clustering.dask.partitions import PartitionedTable
from puselect.clustering.mixture import MixtureSpec
from puselect.clustering.precision import check_range
from puselect.clustering.reference import ReferenceEngine
from puselect.clustering.timing import Work
from puselect.sparse_table import SparseTable

__all__ = ["ENGINES", "ClusterTable", "Engine", "FinalFit", "Mixture", "ReferenceEngine", "make_engine"]

ENGINES = ("auto", "cpu", "gpu", "reference", "dask")
GPU_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, of AMD, and of Windows for its Linux subsystem
EM_STEPS = 35  # of a soft clustering, on average


def make_engine(
    name: str,
    X: NDArray[Any] | SparseTable | PartitionedTable,
    positive: BoolArray,
    clusterer: MixtureSpec | Any,
    n_jobs: int | None = None,
    max_samples: int | None = None,
    n_selected: int | None = None,
    n_masks: tuple[int, int] = (8, 400),
) -> Engine:
    """Return the engine of that name, bound to a table and its labels.

    "auto" is "reference" for a clusterer of your own. For mixtures it is "gpu" if there is one that would be faster for
    masks of `n_selected` features, so many a step for so many steps (`n_masks`), and "cpu" otherwise.
    """
    if isinstance(X, PartitionedTable):
        if not isinstance(clusterer, MixtureSpec):
            raise ValueError("engine='dask' needs the mixture; a clusterer of your own needs all rows in one place")
        from puselect.clustering.dask.engine import PartitionedEngine

        return PartitionedEngine(X, positive, clusterer)
    if isinstance(X, SparseTable):
        return _sparse_engine(name, X, positive, clusterer, n_jobs, max_samples)
    if name == "auto":
        name = fastest_engine(X, clusterer, max_samples, n_selected, n_masks, n_jobs)
    check_range(name, X)
    if name == "reference":
        return ReferenceEngine(X, positive, clusterer)
    if not isinstance(clusterer, MixtureSpec):
        raise ValueError(f"a clusterer of your own needs engine='reference' or 'auto', got engine={name!r}")
    if name == "gpu":
        engine: Engine = gpu_engine_class()(X, positive, clusterer, max_samples=max_samples)
        return engine
    from puselect.clustering.cpu.engine import CPUEngine  # compiled code is loaded only when it is used

    return CPUEngine(X, positive, clusterer, n_jobs=n_jobs, max_samples=max_samples)


def _sparse_engine(
    name: str, X: SparseTable, positive: BoolArray, clusterer: Any, n_jobs: int | None, max_samples: int | None
) -> Engine:
    if name not in ("auto", "cpu") or not isinstance(clusterer, MixtureSpec):
        wanted = "engine='cpu' or 'auto', without a clusterer of your own"
        raise ValueError(f"a sparse X needs {wanted}, got engine={name!r}; pass X.toarray() if it fits into memory")
    check_range("cpu", X)
    from puselect.clustering.cpu.sparse import SparseEngine

    return SparseEngine(X, positive, clusterer, n_jobs=n_jobs, max_samples=max_samples)


def fastest_engine(
    X: NDArray[Any],
    clusterer: MixtureSpec | Any,
    max_samples: int | None,
    n_selected: int | None = None,
    n_masks: tuple[int, int] = (8, 400),
    n_jobs: int | None = None,
) -> str:
    """Return the engine that "auto" chooses; see `puselect.clustering.timing`."""
    if not isinstance(clusterer, MixtureSpec):
        return "reference"
    work = Work(
        n_rows=min(len(X), max_samples or len(X)),
        n_columns=X.shape[1] // 2 if n_selected is None else n_selected,
        n_clusters=clusterer.n_clusters,
        n_sweeps=1 if clusterer.em == "hard" else 2 * min(clusterer.em_steps, EM_STEPS),
        n_at_once=n_masks[0],
        n_steps=n_masks[1],
    )
    on_cpu = work.cpu_seconds(effective_n_jobs(n_jobs))
    return "gpu" if on_cpu > work.gpu_seconds(gpu_is_open()) and gpu_is_there() else "cpu"


def gpu_is_open() -> bool:
    """Return whether this process has used the GPU already."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def gpu_is_there() -> bool:
    """Return whether torch is installed and finds a GPU; torch is not imported where there is no driver for one."""
    if importlib.util.find_spec("torch") is None:
        return False
    if sys.platform == "linux" and not any(Path(driver).exists() for driver in GPU_DRIVERS):
        return False
    from puselect.clustering.gpu.engine import has_device

    return has_device()


def gpu_engine_class() -> Any:
    """Return the class of the GPU engine, or raise an error that says what is missing."""
    try:
        from puselect.clustering.gpu.engine import GPUEngine, has_device
    except ImportError as error:
        raise ImportError("engine='gpu' needs torch: pip install torch") from error
    if not has_device():
        raise ValueError("engine='gpu' needs a GPU that torch can use, but torch finds none; use 'cpu' or 'auto'")
    return GPUEngine
