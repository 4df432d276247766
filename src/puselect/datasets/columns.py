"""Scales and types of columns: a table of normal numbers becomes one of mixed units, integers and dummies."""

import numpy as np
from numpy.random import Generator

from puselect.arrays import BoolArray, FloatArray, IntArray

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
