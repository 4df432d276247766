"""Columns of artificial data: Gaussian clusters of two classes or outliers, irrelevant columns, units and types."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from puselect.arrays import BoolArray, FloatArray, IntArray

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


WEAK_FACTOR = 0.3

_OUTLIER_VARIANCE = 25.0


@dataclass(frozen=True)
class ClusterLaw:
    """How clusters differ from the paper's; the defaults are the paper's. See `make_pu_clusters`."""

    cluster_balance: float = 1.0
    shape_spread: float = 0.0
    correlation: float = 0.0
    weak_share: float = 0.0


class RelevantBlock(NamedTuple):
    """The relevant columns of a table, negative rows first."""

    values: FloatArray
    """Shape (n_rows, n_columns)."""
    favoured: BoolArray
    """The positives that a bias in labelling prefers, shape (n_positive,)."""


class _Columns(NamedTuple):
    """Strength and sign of each column, the same for all clusters."""

    strength: FloatArray
    sign: FloatArray


def relevant_columns(
    rng: Generator, clusters: tuple[int, int] | None, n_rows: tuple[int, int], n_columns: int, law: ClusterLaw
) -> RelevantBlock:
    """Return rows of two classes in `clusters` (negative, positive), or, for None, positives that are outliers."""
    columns = _draw_columns(rng, n_columns, law)
    n_positive = n_rows[1]
    if clusters is None:
        values = _outliers_last(rng, sum(n_rows), n_positive, columns, law)
        return RelevantBlock(values, values[-n_positive:, 0] > 0)
    blocks = [_gaussian_clusters(rng, n, k, columns, law) for n, k in zip(n_rows, clusters, strict=True)]
    return RelevantBlock(np.vstack(blocks), _cluster_of_rows(n_positive, clusters[1], law.cluster_balance) == 0)


def _draw_columns(rng: Generator, n_columns: int, law: ClusterLaw) -> _Columns:
    # Nothing is drawn for options that are off: the paper's data stay the same for the same seed.
    strength, sign = np.ones(n_columns), np.ones(n_columns)
    if law.weak_share:
        strength[rng.permutation(n_columns)[: round(law.weak_share * n_columns)]] = WEAK_FACTOR
    if law.correlation:
        sign = rng.choice([-1.0, 1.0], n_columns)
    return _Columns(strength, sign)


def _gaussian_clusters(rng: Generator, n_rows: int, n_clusters: int, columns: _Columns, law: ClusterLaw) -> FloatArray:
    shape = (n_clusters, len(columns.sign))
    means = rng.uniform(-MEAN_BOUND, MEAN_BOUND, shape) * columns.strength
    spread = np.exp(rng.normal(0, law.shape_spread, shape)) if law.shape_spread else np.ones(shape)
    cluster = _cluster_of_rows(n_rows, n_clusters, law.cluster_balance)
    return means[cluster] + spread[cluster] * _deviations(rng, n_rows, CLUSTER_VARIANCE, columns, law.correlation)


def _cluster_of_rows(n_rows: int, n_clusters: int, balance: float) -> IntArray:
    """Return the cluster of each row, in order; each cluster has `balance` times the rows of the one before."""
    if balance == 1:
        return np.arange(n_rows) * n_clusters // n_rows
    share = np.cumsum(balance ** np.arange(n_clusters))
    ends = np.rint(share / share[-1] * (n_rows - n_clusters)).astype(np.int64) + np.arange(1, n_clusters + 1)
    return np.searchsorted(ends, np.arange(n_rows), side="right")


def _deviations(rng: Generator, n_rows: int, variance: float, columns: _Columns, correlation: float) -> FloatArray:
    """Return rows of N(0, variance), two columns of which have the correlation, or minus it."""
    own = rng.normal(0, np.sqrt(variance), (n_rows, len(columns.sign)))
    if not correlation:
        return own
    shared = rng.normal(0, np.sqrt(variance), (n_rows, 1)) * columns.sign
    return np.asarray(np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared)


def _outliers_last(rng: Generator, n_rows: int, n_outliers: int, columns: _Columns, law: ClusterLaw) -> FloatArray:
    rows = _deviations(rng, n_rows, _OUTLIER_VARIANCE, columns, law.correlation)
    outlier = np.zeros(n_rows, dtype=bool)
    outlier[np.argsort(np.linalg.norm(rows * columns.strength, axis=1))[-n_outliers:]] = True
    return np.vstack([rows[~outlier], rows[outlier]])


_RAREST_DUMMY = 0.05


def mix_columns(
    rng: Generator, X: FloatArray, relevant: BoolArray, discrete_share: float, scale_spread: float
) -> FloatArray:
    """Return the table with a share of its columns discrete and the others in different units."""
    if not discrete_share and not scale_spread:
        return X
    mixed = X.copy()
    discrete = np.concatenate([_some(rng, np.flatnonzero(kind), discrete_share) for kind in (relevant, ~relevant)])
    integer, binary = discrete[::2], discrete[1::2]
    mixed[:, integer] = np.rint(X[:, integer])
    mixed[:, binary] = _dummies(rng, X[:, binary])
    real = np.setdiff1d(np.arange(X.shape[1]), discrete)
    mixed[:, real] *= 10 ** rng.uniform(-scale_spread, scale_spread, len(real))
    return mixed


def _some(rng: Generator, columns: IntArray, share: float) -> IntArray:
    return rng.permutation(columns)[: round(share * len(columns))]


def _dummies(rng: Generator, X: FloatArray) -> FloatArray:
    """Return for each column whether its values are among the largest; 1 in 5 % to 50 % of the rows."""
    share = rng.uniform(_RAREST_DUMMY, 0.5, X.shape[1])
    n_ones = np.maximum(1, np.rint(share * len(X))).astype(np.int64)
    threshold = np.take_along_axis(np.sort(X, axis=0), (len(X) - n_ones)[None], axis=0)
    return (threshold <= X).astype(np.float64)
