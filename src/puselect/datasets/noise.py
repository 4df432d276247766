"""Laws of irrelevant columns: what the columns of artificial data look like that say nothing about the class."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from puselect.arrays import FloatArray

Law = Callable[[Generator, FloatArray, int], FloatArray]

MEAN_BOUND = 5.0
CLUSTER_VARIANCE = 10.0

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


def _uniform(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    return rng.uniform(-_UNIFORM_BOUND, _UNIFORM_BOUND, (len(relevant), n_columns))


def _gaussian(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    return rng.normal(0, 4, (len(relevant), n_columns))


def _nuisance(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    means = rng.uniform(-MEAN_BOUND, MEAN_BOUND, (_N_NUISANCE_CLUSTERS, n_columns))
    cluster = rng.integers(_N_NUISANCE_CLUSTERS, size=len(relevant))
    return means[cluster] + rng.normal(0, np.sqrt(CLUSTER_VARIANCE), (len(relevant), n_columns))


def _correlated(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    factors, loadings = rng.normal(size=(len(relevant), _N_FACTORS)), rng.normal(0, 2, (_N_FACTORS, n_columns))
    return np.asarray(factors @ loadings + rng.normal(0, 2, (len(relevant), n_columns)))


def _heavy(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    return 3 * rng.standard_t(3, (len(relevant), n_columns))


def _skewed(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    return rng.lognormal(0, 1.2, (len(relevant), n_columns))


def _permuted(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    origin = np.resize(rng.permutation(relevant.shape[1]), n_columns)
    return rng.permuted(relevant[:, origin], axis=0)


_DRAW: dict[str, Law] = {
    "uniform": _uniform,
    "gaussian": _gaussian,
    "nuisance": _nuisance,
    "correlated": _correlated,
    "heavy": _heavy,
    "skewed": _skewed,
    "permuted": _permuted,
}

LAWS = tuple(_DRAW)
"""The laws of irrelevant columns, as `make_pu_clusters` names them; "uniform" is the paper's."""
