"""The choice of an engine; `engine="auto"` takes the one of shorter estimated time."""

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import ClusterMixin

from puselect.arrays import AnyArray
from puselect.clustering.base import Engine, Labels
from puselect.clustering.mixture import MixtureSpec, check_range
from puselect.clustering.reference import ReferenceEngine
from puselect.sparse_table import SparseTable

if TYPE_CHECKING:
    from puselect.clustering.gpu.engine import GPUEngine

ENGINES = ("auto", "cpu", "gpu", "reference", "dask")

# Estimates of times, measured on an H200 and the CPU beside it.
CPU_MASK = 2e-4  # seconds of one thread for a mask, however small
CPU_RATE = 4.5e10  # operations per second of one thread
GPU_STEP = 6e-4  # seconds of a call for the masks of a step, however small
GPU_RATE = 1.0e13  # operations per second
GPU_OPENING = 3.5  # seconds: importing torch, opening the device, loading the kernels
WIDE, WIDE_STEP = 64, 5e-3  # columns above which steps are plain torch, and their seconds
EM_STEPS = 35  # of a soft clustering, on average
GPU_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, of AMD, and of Windows for its Linux subsystem


def make_engine(
    name: str,
    X: AnyArray | SparseTable,
    known: Labels,
    clusterer: MixtureSpec | ClusterMixin,
    n_jobs: int | None = None,
    max_samples: int | None = None,
    n_selected: int | None = None,
    n_masks: tuple[int, int] = (8, 400),
) -> Engine:
    """Return the engine of that name, bound to a table and its labels (see `Engine`).

    "auto", and "dask" for rows that were brought here, is "reference" for a clusterer of your own. For mixtures it is
    "gpu" if there is one that would be faster for masks of `n_selected` features, with `n_masks` masks per step and
    steps, and "cpu" otherwise.
    """
    if isinstance(X, SparseTable) and (name not in ("auto", "cpu") or not isinstance(clusterer, MixtureSpec)):
        wanted = "engine='cpu' or 'auto', without a clusterer of your own"
        raise ValueError(f"a sparse X needs {wanted}, got engine={name!r}; pass X.toarray() if it fits into memory")
    if name in ("auto", "dask"):
        name = fastest_engine(X, clusterer, max_samples, n_selected, n_masks, n_jobs)
    check_range(name, X)
    if name == "reference" and isinstance(X, np.ndarray):
        return ReferenceEngine(X, known, clusterer)
    if not isinstance(clusterer, MixtureSpec):
        raise ValueError(f"a clusterer of your own needs engine='reference' or 'auto', got engine={name!r}")
    if name == "gpu" and isinstance(X, np.ndarray):
        return gpu_engine_class()(X, known, clusterer, max_samples=max_samples)
    from puselect.clustering.cpu.engine import CPUEngine  # compiled code is loaded only when it is used

    return CPUEngine(X, known, clusterer, n_jobs=n_jobs, max_samples=max_samples)


def fastest_engine(
    X: AnyArray | SparseTable,
    clusterer: MixtureSpec | ClusterMixin,
    max_samples: int | None,
    n_selected: int | None = None,
    n_masks: tuple[int, int] = (8, 400),
    n_jobs: int | None = None,
) -> str:
    """Return the engine that "auto" chooses: the one of shorter estimated time."""
    if not isinstance(clusterer, MixtureSpec):
        return "reference"
    if isinstance(X, SparseTable):
        return "cpu"
    n_rows, n_columns = min(len(X), max_samples or len(X)), X.shape[1] // 2 if n_selected is None else n_selected
    n_sweeps = 2 * min(clusterer.em_steps, EM_STEPS) if clusterer.is_soft else 1
    # of one mask: differences times triangular factors, and their products
    operations = 2.0 * n_rows * n_columns**2 * clusterer.n_clusters * n_sweeps
    n_at_once, n_steps = n_masks
    cpu_seconds = n_steps * n_at_once * (CPU_MASK + operations / CPU_RATE) / effective_n_jobs(n_jobs)
    step_seconds = (GPU_STEP if n_columns <= WIDE else WIDE_STEP) + n_at_once * operations / GPU_RATE
    gpu_seconds = n_steps * step_seconds + (0.0 if gpu_is_open() else GPU_OPENING)
    return "gpu" if cpu_seconds > gpu_seconds and gpu_is_there() else "cpu"


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


def gpu_engine_class() -> "type[GPUEngine]":
    """Return the class of the GPU engine, or raise an error that names the missing part."""
    try:
        from puselect.clustering.gpu.engine import GPUEngine, has_device
    except ImportError as error:
        raise ImportError("engine='gpu' needs torch: pip install torch") from error
    if not has_device():
        raise ValueError("engine='gpu' needs a GPU that torch can use, but torch finds none; use 'cpu' or 'auto'")
    return GPUEngine
