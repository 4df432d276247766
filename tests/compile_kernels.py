"""Compile the kernels, for processes that then find them in the cache: ``python tests/compile_kernels.py``."""

import numpy as np

from puselect import FSCPU
from puselect.clustering.cpu.engine import CPUEngine
from puselect.clustering.mixture import MixtureSpec


def compile_kernels() -> None:
    """Use every kernel that takes long to compile."""
    rng = np.random.default_rng(0)
    X, positive = rng.random((300, 60)), np.arange(300) < 40
    for selector in (
        FSCPU(3, max_iter=1, n_jobs=1, random_state=0),
        FSCPU.published(3, criterion="cluster+mi", max_iter=1, n_jobs=1, random_state=0),
    ):
        selector.fit(X[:, :6], positive)
    for n_clusters in (2, 20):  # of more and of fewer rows than columns
        spec = MixtureSpec(n_clusters=n_clusters)
        CPUEngine(X.astype(np.float32), positive, spec).cluster(np.ones((1, 60), dtype=bool), np.zeros(1, dtype=int))


if __name__ == "__main__":
    compile_kernels()
