"""The BLAS libraries that the engines' kernels call."""

from collections.abc import Callable
from functools import cache

import scipy.linalg.blas  # noqa: F401  loads the BLAS that numba calls, so that it can be limited
from threadpoolctl import ThreadpoolController

from puselect.clustering.process_setting import ProcessSetting


@cache
def blas_threads() -> ThreadpoolController:
    """Return what limits their threads; looking for them takes as long as a small search."""
    return ThreadpoolController()


def _to_one_thread() -> Callable[[], object]:
    limit = blas_threads().limit(limits=1, user_api="blas")
    return lambda: limit.restore_original_limits()


one_blas_thread = ProcessSetting(_to_one_thread)
"""Keeps products of matrices to the thread that asks for them: small ones take longer over several."""
