"""Columns of artificial data: Gaussian clusters of two classes or outliers, and irrelevant columns."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from puselect.arrays import BoolArray, FloatArray

Law = Callable[[Generator, FloatArray, int], FloatArray]

MEAN_BOUND = 5.0
CLUSTER_VARIANCE = 10.0
OUTLIER_VARIANCE = 25.0

_UNIFORM_BOUND = 10.0
_N_NUISANCE_CLUSTERS = 6
_N_FACTORS = 5


def irrelevant_columns(law: str, rng: Generator, relevant: FloatArray, n_columns: int, n_redundant: int) -> FloatArray:
    """Return irrelevant columns of a law; the last `n_redundant` are noisy copies of others.

    `relevant` holds the relevant columns, shape (n_rows, n_relevant); laws may take their number of rows or, permuted,
    their values.
    """
    columns = _DRAW[law](rng, relevant, n_columns - n_redundant)
    copied = rng.permutation(columns.shape[1])[:n_redundant]
    return np.hstack([columns, columns[:, copied] + rng.normal(0, 1, (len(relevant), n_redundant))])


def _nuisance(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    means = rng.uniform(-MEAN_BOUND, MEAN_BOUND, (_N_NUISANCE_CLUSTERS, n_columns))
    cluster = rng.integers(_N_NUISANCE_CLUSTERS, size=len(relevant))
    return means[cluster] + rng.normal(0, np.sqrt(CLUSTER_VARIANCE), (len(relevant), n_columns))


def _correlated(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    factors, loadings = rng.normal(size=(len(relevant), _N_FACTORS)), rng.normal(0, 2, (_N_FACTORS, n_columns))
    return np.asarray(factors @ loadings + rng.normal(0, 2, (len(relevant), n_columns)))


def _permuted(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    origin = np.resize(rng.permutation(relevant.shape[1]), n_columns)
    return rng.permuted(relevant[:, origin], axis=0)


_DRAW: dict[str, Law] = {
    "uniform": lambda rng, relevant, n: rng.uniform(-_UNIFORM_BOUND, _UNIFORM_BOUND, (len(relevant), n)),
    "gaussian": lambda rng, relevant, n: rng.normal(0, 4, (len(relevant), n)),
    "nuisance": _nuisance,
    "correlated": _correlated,
    "heavy": lambda rng, relevant, n: 3 * rng.standard_t(3, (len(relevant), n)),
    "skewed": lambda rng, relevant, n: rng.lognormal(0, 1.2, (len(relevant), n)),
    "permuted": _permuted,
}

LAWS = tuple(_DRAW)
"""The laws of irrelevant columns, as `make_pu_clusters` names them; "uniform" is the paper's."""


def relevant_columns(
    rng: Generator, clusters: tuple[int, int] | None, n_rows: tuple[int, int], n_columns: int
) -> tuple[FloatArray, BoolArray]:
    """Return rows of two classes in `clusters` (negative, positive), or, for None, positives that are outliers.

    Negative rows come first. The second array tells which positives a bias in labelling prefers.
    """
    n_positive = n_rows[1]
    if clusters is None:
        rows = rng.normal(0, np.sqrt(OUTLIER_VARIANCE), (sum(n_rows), n_columns))
        is_outlier = np.zeros(len(rows), dtype=bool)
        is_outlier[np.argsort(np.linalg.norm(rows, axis=1))[-n_positive:]] = True
        return np.vstack([rows[~is_outlier], rows[is_outlier]]), rows[is_outlier, 0] > 0
    blocks = [_gaussian_clusters(rng, n, k, n_columns) for n, k in zip(n_rows, clusters, strict=True)]
    return np.vstack(blocks), np.arange(n_positive) * clusters[1] < n_positive


def _gaussian_clusters(rng: Generator, n_rows: int, n_clusters: int, n_columns: int) -> FloatArray:
    means = rng.uniform(-MEAN_BOUND, MEAN_BOUND, (n_clusters, n_columns))
    own_mean = means[np.arange(n_rows) * n_clusters // n_rows]
    return np.asarray(own_mean + rng.normal(0, np.sqrt(CLUSTER_VARIANCE), (n_rows, n_columns)))
