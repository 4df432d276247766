"""An engine bound to several tables that needs no GPU, for tests of searches in lockstep."""

from dataclasses import replace

import numpy as np

from puselect.clustering.base import ClusterTable
from puselect.fscpu.problem import problem_engine


class SeveralTables:
    """One CPU engine per target, behind the call of a single engine."""

    def __init__(self, tasks):
        self.engines = [problem_engine(replace(task.settings, engine="cpu"), task.problem) for task in tasks]

    def cluster(self, masks, seeds, targets):
        parts = [
            self.engines[target].cluster(masks[i : i + 1], seeds[i : i + 1]) for i, target in enumerate(targets)
        ]
        return ClusterTable(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def fit_final(self, mask, seeds, target=0, n_mixtures=None):
        return self.engines[target].fit_final(mask, seeds, n_mixtures=n_mixtures)
