"""An artificial table like those of fraud detection: skewed amounts, counts, rare dummies, imputed values."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.datasets.synthetic import as_generator

_N_ROWS, _N_POSITIVE, _N_LABELLED = 30_000, 900, 60
_IMPUTED_SHARE, _DUMMY_SHARE = 0.15, 0.03
_SHIFT_BOUNDS, _CLUSTER_DEVIATION = (1.2, 2.0), 0.6
_AMOUNT_SKEW, _COUNT_SKEW = 2.5, 1.3  # standard deviations of the logarithms
_SHIFTED = ((0, 1, 2, 3, 4), (2, 3, 4, 5, 6), (4, 5, 6, 7, 0))  # latent columns in which each cluster differs


class _Kind(NamedTuple):
    """Columns of one kind: the relevant ones first."""

    name: str
    n_relevant: int
    n_irrelevant: int


_KINDS = (
    _Kind("amount", 3, 8),
    _Kind("count", 2, 4),
    _Kind("imputed", 2, 4),
    _Kind("ratio", 1, 6),
    _Kind("dummy", 0, 10),
)
_RELEVANT_NAMES = [f"{kind.name}_{i + 1}" for kind in _KINDS for i in range(kind.n_relevant)]
_IRRELEVANT_NAMES = [
    f"{kind.name}_{kind.n_relevant + i + 1}" for kind in _KINDS for i in range(kind.n_irrelevant)
]
FRAUD_COLUMNS = (*_RELEVANT_NAMES, *_IRRELEVANT_NAMES)
"""Names of the columns of `make_fraud_table`, in their order without shuffling: the eight relevant ones first."""


def make_fraud_table(
    *,
    shuffle: bool = True,
    as_frame: bool = False,
    return_classes: bool = False,
    random_state: int | RandomState | Generator | None = None,
) -> tuple[Any, ...]:
    """Draw a table with the columns that fraud data have: 30,000 rows, 40 columns, 60 known of 900 positives.

    The positives form three clusters. Each differs from the other rows in five of eight latent normal columns: its
    mean is shifted by 1.2 to 2 standard deviations, up or down, and its standard deviation is 0.6. These eight become
    the relevant columns: three log-normal amounts with a long tail, two counts (log-normal, rounded down), two columns
    with 15 % of their values imputed by the median, and a ratio left as it is. The other 32 say nothing about the
    class: eight such amounts, four Poisson counts, four normal columns with imputed values, six ratios that share two
    factors, and ten dummies that are 1 in 3 % of the rows.

    Parameters
    ----------
    shuffle : bool
        Whether rows and columns are in random order. If not, relevant columns and positive rows come first.
    as_frame : bool
        Whether `X` is a pandas DataFrame with the names of `FRAUD_COLUMNS`.
    return_classes : bool
        Whether to return the true classes too.
    random_state : int, RandomState, Generator or None
        Seed of all random numbers.

    Returns
    -------
    X : ndarray or DataFrame of shape (30000, 40)
        Raw values, not scaled.
    y : int ndarray of shape (30000,)
        What is seen: 1 labelled positive, 0 unlabelled.
    relevant : bool ndarray of shape (40,)
        The columns a selector should find.
    classes : int ndarray of shape (30000,)
        1 positive, 0 negative. Only with `return_classes`.

    Examples
    --------
    >>> from puselect.datasets import make_fraud_table
    >>> X, y, relevant = make_fraud_table(random_state=0)
    >>> X.shape, int(y.sum()), int(relevant.sum())
    ((30000, 40), 60, 8)
    """
    X, y, relevant, classes, names = fraud_arrays(as_generator(random_state), shuffle)
    result = (as_pandas(dict(zip(names, X.T, strict=True))) if as_frame else X, y, relevant)
    return (*result, classes) if return_classes else result


def fraud_arrays(
    rng: Generator, shuffle: bool = True
) -> tuple[FloatArray, IntArray, BoolArray, IntArray, list[str]]:
    """Return the table, the labels, which columns are relevant, the classes and the names of the columns."""
    X = np.hstack([_relevant_columns(rng, _latent_columns(rng)), _irrelevant_columns(rng)])
    classes = (np.arange(_N_ROWS) < _N_POSITIVE).astype(np.int64)
    y = np.zeros(_N_ROWS, dtype=np.int64)
    y[rng.permutation(_N_POSITIVE)[:_N_LABELLED]] = 1
    rows, columns = np.arange(_N_ROWS), np.arange(X.shape[1])
    if shuffle:
        rows, columns = rng.permutation(rows), rng.permutation(columns)
    names = [FRAUD_COLUMNS[column] for column in columns]
    return X[np.ix_(rows, columns)], y[rows], columns < len(_RELEVANT_NAMES), classes[rows], names


def as_pandas(columns: dict[str, Any]) -> Any:
    """Return columns as a data frame, or raise an ImportError that says what to install."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("a table with column names needs pandas: pip install pandas") from error
    return pd.DataFrame(columns)


def _latent_columns(rng: Generator) -> FloatArray:
    """Return eight normal columns; the positives, which come first, are shifted in some of them."""
    latent = rng.normal(size=(_N_ROWS, len(_RELEVANT_NAMES)))
    for cluster, columns in enumerate(map(np.array, _SHIFTED)):
        rows = np.arange(cluster, _N_POSITIVE, len(_SHIFTED))
        shift = rng.choice([-1, 1], len(columns)) * rng.uniform(*_SHIFT_BOUNDS, len(columns))
        latent[np.ix_(rows, columns)] = shift + rng.normal(0, _CLUSTER_DEVIATION, (len(rows), len(columns)))
    return latent


def _relevant_columns(rng: Generator, latent: FloatArray) -> FloatArray:
    amounts, counts, imputed, ratio = np.split(latent, [3, 5, 7], axis=1)
    return np.hstack([_amounts(amounts), np.floor(np.exp(_COUNT_SKEW * counts + 1)), _imputed(rng, imputed), ratio])


def _irrelevant_columns(rng: Generator) -> FloatArray:
    _, n_counts, n_imputed, n_ratios, n_dummies = (kind.n_irrelevant for kind in _KINDS)
    amounts = _amounts(rng.normal(size=(_N_ROWS, _KINDS[0].n_irrelevant)))
    counts = rng.poisson(2, (_N_ROWS, n_counts)).astype(np.float64)
    imputed = _imputed(rng, rng.normal(size=(_N_ROWS, n_imputed)))
    factors = rng.normal(size=(_N_ROWS, 2))
    ratios = factors @ rng.normal(size=(2, n_ratios)) + rng.normal(size=(_N_ROWS, n_ratios))
    dummies = (rng.random((_N_ROWS, n_dummies)) < _DUMMY_SHARE).astype(np.float64)
    return np.hstack([amounts, counts, imputed, ratios, dummies])


def _amounts(latent: FloatArray) -> FloatArray:
    return np.asarray(np.exp(_AMOUNT_SKEW * latent + 3))


def _imputed(rng: Generator, values: FloatArray) -> FloatArray:
    """Return the columns with 15 % of their values replaced by the median."""
    is_missing = rng.random(values.shape) < _IMPUTED_SHARE
    return np.where(is_missing, np.median(values, axis=0), values)
