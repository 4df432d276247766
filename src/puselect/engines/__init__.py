"""Engines: from masks to the two counts per cluster that the objective needs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puselect.engines.base import BoolArray, ClusterTable, Engine
from puselect.engines.reference import ReferenceEngine
from puselect.gmm import MixtureSpec

__all__ = ["ENGINES", "ClusterTable", "Engine", "ReferenceEngine", "make_engine"]

ENGINES = ("auto", "cpu", "reference")


def make_engine(
    name: str,
    X: NDArray[Any],
    positive: BoolArray,
    clusterer: MixtureSpec | Any,
    n_jobs: int | None = None,
    max_samples: int | None = None,
) -> Engine:
    """Return the engine of that name, bound to a scaled table and its labels.

    "auto" is the fastest that can do the work: "cpu" for mixtures, "reference" for any other clusterer.
    """
    if name == "auto":
        name = "cpu" if isinstance(clusterer, MixtureSpec) else "reference"
    if name == "reference":
        return ReferenceEngine(X, positive, clusterer)
    if not isinstance(clusterer, MixtureSpec):
        raise ValueError(f"a clusterer of your own needs engine='reference' or 'auto', got engine={name!r}")
    if max(X.max(), -X.min()) > np.finfo(np.float32).max / 1e4:
        raise ValueError("engine='cpu' computes in float32 and cannot hold such values; leave scale=True")
    from puselect.engines.cpu import CPUEngine  # compiled code is loaded only when it is used

    return CPUEngine(X, positive, clusterer, n_jobs=n_jobs, max_samples=max_samples)
