"""The reference engine: any scikit-learn clusterer, one mask at a time."""

import warnings
from typing import NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.base import ClusterTable, FinalFit, Labels, start_rows
from puselect.clustering.mixture import EMPTY, Mixture, MixtureSpec, group_moments, regularised, shape_covariances

ATTEMPTS: tuple[dict[str, object], ...] = ({}, {"reg_covar": 1e-4}, {"covariance_type": "diag"})


class FittedClusters(NamedTuple):
    """One clustering of the rows."""

    clusterer: ClusterMixin | None
    """The fitted estimator; None if nothing worked."""
    labels: IntArray
    """The cluster of every row; empty if nothing worked."""
    degenerate: bool


NOTHING = FittedClusters(None, np.empty(0, dtype=np.intp), True)


class HardMixture(ClusterMixin, BaseEstimator):
    """The nearest of random rows, then a step of EM with hard labels, in plain NumPy: slow, but easy to verify."""

    def __init__(self, spec: MixtureSpec | None = None, random_state: int = 0) -> None:
        self.spec = spec
        self.random_state = random_state

    def fit(self, X: FloatArray, y: BoolArray | None = None) -> Self:
        spec = self.spec or MixtureSpec()
        means = X[start_rows(len(X), spec, self.random_state)]
        nearest = ((X[:, None, :] - means) ** 2).sum(axis=2).argmin(axis=1)
        size, means, cov = group_moments(X, nearest, means)
        cov = shape_covariances(cov, size, spec) + spec.reg_covar * np.eye(X.shape[1])
        self.mixture_ = Mixture.of(size, means, np.linalg.inv(np.linalg.cholesky(cov)))
        self.labels_ = self.mixture_.place(X)
        return self


class ReferenceEngine:
    """Slow, but easy to verify: the other engines are tested against it.

    A scikit-learn clusterer is cloned for each mask; the seed becomes its `random_state` if it has one, and the labels
    are passed as `y`, which most clusterers ignore. A spec means ``GaussianMixture`` or, for hard EM, ``HardMixture``.
    """

    def __init__(self, X: FloatArray, known: Labels, clusterer: ClusterMixin | MixtureSpec) -> None:
        self.X = np.ascontiguousarray(X, dtype=np.float64)
        self.known = np.atleast_2d(known)
        self.fits_mixtures = isinstance(clusterer, MixtureSpec)
        if isinstance(clusterer, MixtureSpec):
            self.n_clusters = min(clusterer.n_clusters, len(X))
            clusterer = mixture_estimator(regularised(clusterer, self.X))
        else:
            params = clusterer.get_params()
            self.n_clusters = int(params.get("n_components") or params.get("n_clusters") or 1)
        self.clusterer: ClusterMixin = clusterer

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        chosen = np.zeros(len(masks), dtype=np.intp) if targets is None else np.asarray(targets)
        fits = [self._fit(*each) for each in zip(masks, np.asarray(seeds).tolist(), chosen.tolist(), strict=True)]
        return self._count(fits, chosen)

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        fits = [self._fit(mask, seed, target) for seed in np.asarray(seeds).tolist()]
        table = self._count(fits, np.full(len(fits), target))
        if not self.fits_mixtures or not mask.any():
            return FinalFit(table, None)
        n_features = int(mask.sum())
        shape = (self.n_clusters, n_features)
        empty = Mixture(np.zeros(shape), np.zeros((*shape, n_features)), np.full(self.n_clusters, EMPTY))
        return FinalFit(table, tuple(fitted_mixture(fit.clusterer) or empty for fit in fits[:n_mixtures]))

    def _count(self, fits: list[FittedClusters], targets: IntArray) -> ClusterTable:
        """Return the counts of clusterings, each with the label vector of its target."""
        n_clusters = max(self.n_clusters, 1 + max(int(fit.labels.max(initial=0)) for fit in fits))
        table = ClusterTable.empty(len(fits), n_clusters)
        for i, fit in enumerate(fits):
            table.degenerate[i] = fit.degenerate
            if len(fit.labels):
                known = self.known[targets[i]]
                table.size[i], table.positive[i], table.negative[i], table.likely[i] = (
                    np.bincount(labels, minlength=n_clusters)
                    for labels in (fit.labels, fit.labels[known == 1], fit.labels[known < 0], fit.labels[known > 1])
                )
        return table

    def _fit(self, mask: BoolArray, seed: int, target: int) -> FittedClusters:
        """Return the clustering of a mask's columns; if it fails, try again with the settings in `ATTEMPTS`."""
        if not mask.any():
            return NOTHING
        for attempt, changes in enumerate(ATTEMPTS):
            clusterer = clone(self.clusterer)
            known = clusterer.get_params()
            wanted = {"random_state": seed, **changes}
            clusterer.set_params(**{name: value for name, value in wanted.items() if name in known})
            try:
                labels, short = quiet_fit_predict(clusterer, self.X[:, mask], self.known[target] == 1)
            except ValueError:  # an ill-defined covariance, or more clusters than rows
                continue
            labels = np.unique(labels, return_inverse=True)[1] if labels.min() < 0 else labels
            return FittedClusters(clusterer, labels, short or attempt > 0)
        return NOTHING


def fitted_mixture(clusterer: HardMixture | GaussianMixture | None) -> Mixture | None:
    """Return the mixture of a fitted estimator."""
    if not isinstance(clusterer, GaussianMixture):
        return None if clusterer is None else clusterer.mixture_
    upper, eye = np.asarray(clusterer.precisions_cholesky_), np.eye(clusterer.means_.shape[1])
    if clusterer.covariance_type in ("spherical", "diag"):
        upper = upper.reshape(len(upper), -1, 1) * eye
    factor = np.broadcast_to(upper.swapaxes(-1, -2), (len(clusterer.means_), *eye.shape))
    return Mixture.of(clusterer.weights_, clusterer.means_, factor)


def mixture_estimator(spec: MixtureSpec) -> ClusterMixin:
    """Return the scikit-learn clusterer for a spec."""
    if not spec.is_soft:
        return HardMixture(spec)
    return GaussianMixture(
        spec.n_clusters,
        covariance_type=spec.covariance_type,
        tol=spec.tol,
        max_iter=spec.em_steps,
        reg_covar=spec.reg_covar,
    )


def quiet_fit_predict(clusterer: ClusterMixin, X: FloatArray, positive: BoolArray) -> tuple[IntArray, bool]:
    """Return the labels and whether k-means warned that it found fewer clusters than requested."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = clusterer.fit_predict(X, positive)
    for warning in caught:
        if not issubclass(warning.category, ConvergenceWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return np.asarray(labels), any("distinct clusters" in str(warning.message) for warning in caught)
