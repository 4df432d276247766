"""The BLAS libraries that the engines' kernels call."""

from functools import cache

import scipy.linalg.blas  # noqa: F401  loads the BLAS that numba calls, so that it can be limited
from threadpoolctl import ThreadpoolController


@cache
def blas_threads() -> ThreadpoolController:
    """Return what limits their threads; looking for them takes as long as a small search."""
    return ThreadpoolController()
