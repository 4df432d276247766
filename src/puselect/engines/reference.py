"""The reference engine: any scikit-learn clusterer, one mask at a time."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines.base import ClusterTable, count_clusters
from puselect.engines.mixture import HardMixture, MixtureSpec

ATTEMPTS: tuple[dict[str, Any], ...] = ({}, {"reg_covar": 1e-4}, {"covariance_type": "diag"})


class ReferenceEngine:
    """Slow and obviously right: the oracle of the other engines.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The scaled table.
    positive : ndarray of bool, shape (n_targets, n_rows)
        One or more label vectors.
    clusterer : estimator or MixtureSpec
        A scikit-learn clusterer with `fit_predict`, cloned for each mask and given the seed as its `random_state`
        where it has one (most clusterers ignore the labels, which are passed as `y`); or a spec, which means
        ``GaussianMixture`` for soft EM and ``HardMixture`` for hard EM.
    """

    def __init__(self, X: FloatArray, positive: BoolArray, clusterer: Any) -> None:
        self.X = np.ascontiguousarray(X, dtype=np.float64)
        self.positive = np.atleast_2d(positive)
        self.clusterer = mixture_estimator(clusterer) if isinstance(clusterer, MixtureSpec) else clusterer

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering; see `Engine.cluster`."""
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else targets
        labels = [
            self._labels(mask, int(seed), self.positive[target])
            for mask, seed, target in zip(masks, seeds, chosen, strict=True)
        ]
        n_clusters = max(self._n_clusters(), 1 + max(int(row.max(initial=0)) for row, _ in labels))
        size = np.zeros((len(masks), n_clusters))
        positive = np.zeros((len(masks), n_clusters))
        for i, (row, _) in enumerate(labels):
            if len(row):
                size[i], positive[i] = count_clusters(row, self.positive[chosen[i]], n_clusters)
        return ClusterTable(size, positive, np.array([degenerate for _, degenerate in labels]))

    def _n_clusters(self) -> int:
        params = self.clusterer.get_params()
        spec = params.get("spec")
        return int(spec.n_clusters if spec else params.get("n_components") or params.get("n_clusters") or 1)

    def _labels(self, mask: BoolArray, seed: int, positive: BoolArray) -> tuple[IntArray, bool]:
        """Return the labels of the rows and whether the clustering was degenerate; no labels when nothing works."""
        columns = self.X[:, mask]
        for attempt, changes in enumerate(ATTEMPTS):
            clusterer = clone(self.clusterer)
            known = clusterer.get_params()
            wanted = {"random_state": seed, **changes}
            clusterer.set_params(**{name: value for name, value in wanted.items() if name in known})
            try:
                labels, short = quiet_fit_predict(clusterer, columns, positive)
            except ValueError:  # an ill-defined covariance, or more clusters than rows
                continue
            labels = np.unique(labels, return_inverse=True)[1] if labels.min() < 0 else labels
            return labels, short or attempt > 0
        return np.empty(0, dtype=np.intp), True


def mixture_estimator(spec: MixtureSpec) -> Any:
    """Return the scikit-learn clusterer that fits as the spec says."""
    if spec.em == "hard":
        return HardMixture(spec)
    return GaussianMixture(
        spec.n_clusters,
        covariance_type=spec.covariance_type,
        tol=spec.tol,
        max_iter=spec.em_steps,
        reg_covar=spec.reg_covar,
    )


def quiet_fit_predict(clusterer: Any, X: FloatArray, positive: BoolArray | None = None) -> tuple[IntArray, bool]:
    """Return the labels and whether fewer clusters than wanted were found, which k-means tells by a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = clusterer.fit_predict(X, positive)
    short = False
    for warning in caught:
        distinct = "distinct clusters" in str(warning.message)
        short |= distinct
        if not issubclass(warning.category, ConvergenceWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return np.asarray(labels), short
