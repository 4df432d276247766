"""The reference engine: any scikit-learn clusterer, one mask at a time."""

import warnings
from typing import NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.base import ClusterTable, FinalFit, Labels, Mixture, count_clusters, start_rows
from puselect.clustering.mixture import MixtureSpec, hard_clusters, regularised

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
    """The short hard fit as a scikit-learn clusterer, in plain NumPy: slow, but easy to verify."""

    def __init__(self, spec: MixtureSpec | None = None, random_state: int = 0) -> None:
        self.spec = spec
        self.random_state = random_state

    def fit(self, X: FloatArray, y: BoolArray | None = None) -> Self:
        spec = self.spec or MixtureSpec()
        self.clusters_ = hard_clusters(X, start_rows(len(X), spec, self.random_state), spec)
        self.labels_ = self.clusters_.labels
        return self

    def fit_predict(self, X: FloatArray, y: BoolArray | None = None) -> IntArray:
        return self.fit(X, y).labels_


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
            clusterer = mixture_estimator(regularised(clusterer, self.X))
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
        shape = (table.size.shape[1], int(mask.sum()))
        return FinalFit(table, tuple(fitted_mixture(fit.clusterer, *shape) for fit in fits[:n_mixtures]))

    def _count(self, fits: list[FittedClusters], targets: IntArray) -> ClusterTable:
        """Return the counts of clusterings, each with the label vector of its target."""
        n_clusters = max(self._n_clusters(), 1 + max(int(fit.labels.max(initial=0)) for fit in fits))
        size, positive, negative = np.zeros((3, len(fits), n_clusters))
        for i, fit in enumerate(fits):
            if len(fit.labels):
                size[i], positive[i], negative[i] = count_clusters(fit.labels, self.known[targets[i]], n_clusters)
        return ClusterTable(size, positive, np.array([fit.degenerate for fit in fits]), negative)

    def _n_clusters(self) -> int:
        params = self.clusterer.get_params()
        spec = params.get("spec")
        return int(spec.n_clusters if spec else params.get("n_components") or params.get("n_clusters") or 1)

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
                labels, short = quiet_fit_predict(clusterer, self.X[:, mask], self.known[target] > 0)
            except ValueError:  # an ill-defined covariance, or more clusters than rows
                continue
            labels = np.unique(labels, return_inverse=True)[1] if labels.min() < 0 else labels
            return FittedClusters(clusterer, labels, short or attempt > 0)
        return NOTHING


def fitted_mixture(clusterer: HardMixture | GaussianMixture | None, n_clusters: int, n_features: int) -> Mixture:
    """Return the mixture of a fitted estimator; clusters that it does not have are empty."""
    size, mean = np.zeros(n_clusters), np.zeros((n_clusters, n_features))
    factor = np.repeat(np.eye(n_features)[None], n_clusters, axis=0)
    if isinstance(clusterer, GaussianMixture):
        size[:], mean[:] = clusterer.weights_, clusterer.means_
        factor[:] = inverse_factors(clusterer)
    elif clusterer is not None:
        found = clusterer.clusters_
        n_found = len(found.size)
        size[:n_found], mean[:n_found] = found.size, found.means
        for c in np.flatnonzero(found.size):
            factor[c] = np.linalg.inv(np.linalg.cholesky(found.covariances[c]))
    return Mixture.of(size, mean, factor)


def inverse_factors(mixture: GaussianMixture) -> FloatArray:
    """Return the inverses of the lower Cholesky factors, shape (n_clusters, n_features, n_features)."""
    upper = np.asarray(mixture.precisions_cholesky_)
    if mixture.covariance_type == "spherical":
        upper = upper[:, None]
    eye = np.eye(mixture.means_.shape[1])
    return upper[:, :, None] * eye if mixture.covariance_type in ("spherical", "diag") else upper.swapaxes(-1, -2)


def mixture_estimator(spec: MixtureSpec) -> ClusterMixin:
    """Return the scikit-learn clusterer for a spec."""
    if spec.em == "hard":
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
    short = False
    for warning in caught:
        distinct = "distinct clusters" in str(warning.message)
        short |= distinct
        if not issubclass(warning.category, ConvergenceWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return np.asarray(labels), short
