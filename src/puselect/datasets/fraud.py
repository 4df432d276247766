"""Artificial tables like those of fraud detection, tidy and as a messy export of a database."""

from typing import Any

import numpy as np
from numpy.random import Generator

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.datasets.synthetic import Seed, as_generator

_N_ROWS, _N_POSITIVE, _N_LABELLED = 30_000, 900, 60
_SHIFTED = ((0, 1, 2, 3, 4), (2, 3, 4, 5, 6), (4, 5, 6, 7, 0))  # latent columns in which each cluster differs
_KINDS = {"amount": (3, 8), "count": (2, 4), "imputed": (2, 4), "ratio": (1, 6), "dummy": (0, 10)}
"""Numbers of relevant and of other columns of each kind."""
_RELEVANT_NAMES = [f"{kind}_{i + 1}" for kind, (n, _) in _KINDS.items() for i in range(n)]
_IRRELEVANT_NAMES = [f"{kind}_{first + i + 1}" for kind, (first, n) in _KINDS.items() for i in range(n)]
FRAUD_COLUMNS = (*_RELEVANT_NAMES, *_IRRELEVANT_NAMES)
"""Names of the columns of `make_fraud_table`, in their order without shuffling: the eight relevant ones first."""


def make_fraud_table(*, random_state: Seed = None) -> tuple[FloatArray, IntArray, BoolArray]:
    """Draw a table with the columns that fraud data have: 30,000 rows, 40 columns, 60 known of 900 positives.

    The positives form three clusters. Each differs from the other rows in five of eight latent normal columns: its
    mean is shifted by 1.2 to 2 standard deviations, up or down, and its standard deviation is 0.6. These eight become
    the relevant columns: three log-normal amounts with a long tail, two counts (log-normal, rounded down), two columns
    with 15 % of their values imputed by the median, and a ratio left as it is. The other 32 are independent of the
    class: eight such amounts, four Poisson counts, four normal columns with imputed values, six ratios that share two
    factors, and ten dummies that are 1 in 3 % of the rows.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        Seed of all random numbers.

    Returns
    -------
    X : ndarray of shape (30000, 40)
        Raw values, not scaled.
    y : int ndarray of shape (30000,)
        Labels: 1 labelled positive, 0 unlabelled.
    relevant : bool ndarray of shape (40,)
        The columns a selector should find.

    Examples
    --------
    >>> from puselect.datasets import make_fraud_table
    >>> X, y, relevant = make_fraud_table(random_state=0)
    >>> X.shape, int(y.sum()), int(relevant.sum())
    ((30000, 40), 60, 8)
    """
    return fraud_arrays(as_generator(random_state))[:3]


def fraud_arrays(
    rng: Generator, shuffle: bool = True
) -> tuple[FloatArray, IntArray, BoolArray, IntArray, list[str]]:
    """Return the table, the labels, which columns are relevant, the classes and the names of the columns.

    Without shuffling, relevant columns and positive rows come first.
    """
    X = np.hstack([_relevant_columns(rng, _latent_columns(rng)), _irrelevant_columns(rng)])
    classes = (np.arange(_N_ROWS) < _N_POSITIVE).astype(np.int64)
    y = np.zeros(_N_ROWS, dtype=np.int64)
    y[rng.permutation(_N_POSITIVE)[:_N_LABELLED]] = 1
    rows, columns = np.arange(_N_ROWS), np.arange(X.shape[1])
    if shuffle:
        rows, columns = rng.permutation(rows), rng.permutation(columns)
    names = [FRAUD_COLUMNS[column] for column in columns]
    return X[np.ix_(rows, columns)], y[rows], columns < len(_RELEVANT_NAMES), classes[rows], names


def _latent_columns(rng: Generator) -> FloatArray:
    """Return eight normal columns; the positives, which come first, are shifted in some of them."""
    latent = rng.normal(size=(_N_ROWS, len(_RELEVANT_NAMES)))
    for cluster, columns in enumerate(map(np.array, _SHIFTED)):
        rows = np.arange(cluster, _N_POSITIVE, len(_SHIFTED))
        shift = rng.choice([-1, 1], len(columns)) * rng.uniform(1.2, 2.0, len(columns))
        latent[np.ix_(rows, columns)] = shift + rng.normal(0, 0.6, (len(rows), len(columns)))
    return latent


def _relevant_columns(rng: Generator, latent: FloatArray) -> FloatArray:
    amounts, counts, imputed, ratio = np.split(latent, [3, 5, 7], axis=1)
    return np.hstack([np.exp(2.5 * amounts + 3), np.floor(np.exp(1.3 * counts + 1)), _imputed(rng, imputed), ratio])


def _irrelevant_columns(rng: Generator) -> FloatArray:
    n_amounts, n_counts, n_imputed, n_ratios, n_dummies = (n for _, n in _KINDS.values())
    amounts = np.exp(2.5 * rng.normal(size=(_N_ROWS, n_amounts)) + 3)
    counts = rng.poisson(2, (_N_ROWS, n_counts)).astype(np.float64)
    imputed = _imputed(rng, rng.normal(size=(_N_ROWS, n_imputed)))
    factors = rng.normal(size=(_N_ROWS, 2))
    ratios = factors @ rng.normal(size=(2, n_ratios)) + rng.normal(size=(_N_ROWS, n_ratios))
    return np.hstack([amounts, counts, imputed, ratios, rng.random((_N_ROWS, n_dummies)) < 0.03])


def _imputed(rng: Generator, values: FloatArray) -> FloatArray:
    """Return the columns with 15 % of their values replaced by the median."""
    return np.where(rng.random(values.shape) < 0.15, np.median(values, axis=0), values)


def make_fraud_export(*, n_rows: int = 30_000, random_state: Seed = None) -> tuple[Any, Any]:
    """Draw the table of `make_fraud_table` as a messy export.

    Added to its 40 columns: two identifiers, a time stamp, a country, a channel related to fraud, an ordered risk
    class that is not, a second amount in another currency, an exact copy, a constant, a code for missing values, an
    analyst's note that only known cases have, and the truth. Two of the columns with imputed values have them missing
    instead; the others keep their spike at the median.

    Parameters
    ----------
    n_rows : int
        The known positives and the first of the other rows; at most 30,000.
    random_state : int, RandomState, Generator or None
        Seed of all random numbers.

    Returns
    -------
    table : DataFrame
        Of pandas, with the columns ``known_fraud`` ("yes" for 60 known cases, missing otherwise) and ``is_fraud`` (the
        truth, which does not belong into a table of features).
    relevant : list of str
        The columns a selector should find.

    Examples
    --------
    >>> from puselect.datasets import make_fraud_export
    >>> table, relevant = make_fraud_export(n_rows=1000, random_state=0)
    >>> table.shape, int(table["known_fraud"].notna().sum()), "channel" in relevant
    ((1000, 53), 60, True)
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("a table with column names needs pandas: pip install pandas") from error
    columns, relevant = fraud_export_columns(n_rows, random_state)
    return pd.DataFrame(columns), relevant


def fraud_export_columns(n_rows: int, random_state: Seed) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of `make_fraud_export` by name, and the relevant names; missing numbers are NaN."""
    rng = as_generator(random_state)
    X, y, is_relevant, classes, names = fraud_arrays(rng)
    others = np.flatnonzero(y == 0)[: n_rows - int(y.sum())]
    rows = rng.permutation(np.concatenate([np.flatnonzero(y == 1), others]))
    table: dict[str, Any] = dict(zip(names, X[rows].T, strict=True))
    is_known, is_fraud, n = y[rows] == 1, classes[rows] == 1, len(rows)
    relevant = [*np.array(names)[is_relevant].tolist(), "channel"]
    twin = next(name for name in relevant if name.startswith("amount"))
    numbers, minutes = 700_000 + rng.permutation(n), rng.integers(0, 60 * 24 * 180, n).astype("timedelta64[m]")
    table = {
        "transaction_id": numbers,
        "account": [f"A{number:06d}" for number in rng.permutation(n)],
        "booked_at": [str(moment).replace("T", " ") for moment in np.datetime64("2024-01-01T00:00") + minutes],
        **table,
        f"{twin}_usd": (table[twin] * rng.normal(1.08, 0.005, n)).round(2),
        "count_3_copy": table["count_3"],
        "currency": ["EUR"] * n,
        "days_as_customer": np.where(rng.random(n) < 0.04, -9, rng.integers(1, 4000, n)),
        "case_number": np.where(is_known, rng.integers(1000, 9999, n), np.nan),
    }
    channels = ("app", "phone", "shop", "web")
    usual = rng.choice(channels, n, p=(0.3, 0.1, 0.4, 0.2))
    table["country"] = rng.choice(("AT", "BE", "DE", "ES", "FR", "IT", "NL", "PL"), n)
    table["channel"] = np.where(is_fraud, rng.choice(channels, n, p=(0.1, 0.15, 0.05, 0.7)), usual)
    table["risk"] = rng.choice(("low", "medium", "high"), n)
    for name in ("imputed_1", "imputed_4"):
        values, counts = np.unique(table[name], return_counts=True)
        table[name] = np.where(table[name] == values[counts.argmax()], np.nan, table[name])
    table["is_fraud"] = is_fraud.astype(int)
    table["known_fraud"] = ["yes" if known else None for known in is_known]
    return table, relevant
