"""Compile the kernels, for processes that then find them in the cache: ``python tests/compile_kernels.py``."""

import numpy as np

from puselect import FSCPU


def compile_kernels() -> None:
    """Use every kernel that takes long to compile."""
    rng = np.random.default_rng(0)
    X, positive = rng.random((300, 6)), np.arange(300) < 40
    for selector in (
        FSCPU(3, max_iter=1, n_jobs=1, random_state=0),
        FSCPU.published(3, criterion="cluster+mi", max_iter=1, n_jobs=1, random_state=0),
    ):
        selector.fit(X, positive)


if __name__ == "__main__":
    compile_kernels()
