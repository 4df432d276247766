"""A fraud table as it comes out of a database: identifiers, dates, text, copies, missing values, leaks."""

from typing import Any

import numpy as np
from numpy.random import Generator, RandomState

from puselect.arrays import AnyArray, BoolArray
from puselect.datasets.fraud import as_pandas, fraud_arrays
from puselect.datasets.synthetic import as_generator

_COUNTRIES = ("AT", "BE", "DE", "ES", "FR", "IT", "NL", "PL")
_CHANNELS = ("app", "phone", "shop", "web")
_CHANNEL_SHARES, _POSITIVE_SHARES = (0.3, 0.1, 0.4, 0.2), (0.1, 0.15, 0.05, 0.7)
_RISKS = ("low", "medium", "high")
_MINUTES = 60 * 24 * 180


def make_fraud_export(
    *, n_rows: int = 30_000, random_state: int | RandomState | Generator | None = None
) -> tuple[Any, Any]:
    """Draw the table of `make_fraud_table` as a messy export.

    Added to its 40 columns: two identifiers, a time stamp, a country, a channel that tells about fraud, an ordered risk
    class that does not, a second amount in another currency, an exact copy, a constant, a code for missing values, an
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
    columns, relevant = fraud_export_columns(n_rows, random_state)
    return as_pandas(columns), relevant


def fraud_export_columns(
    n_rows: int, random_state: int | RandomState | Generator | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of `make_fraud_export` by name, and the relevant names; missing numbers are NaN."""
    rng = as_generator(random_state)
    X, y, is_relevant, classes, names = fraud_arrays(rng)
    others = np.flatnonzero(y == 0)[: n_rows - int(y.sum())]
    rows = rng.permutation(np.concatenate([np.flatnonzero(y == 1), others]))
    table: dict[str, Any] = dict(zip(names, X[rows].T, strict=True))
    is_known, is_fraud = y[rows] == 1, classes[rows] == 1
    relevant = [*np.array(names)[is_relevant].tolist(), "channel"]
    twin = next(name for name in relevant if name.startswith("amount"))
    table = _with_odd_columns(rng, table, is_known, twin)
    _add_categories(rng, table, is_fraud)
    for name in ("imputed_1", "imputed_4"):
        values, counts = np.unique(table[name], return_counts=True)
        table[name] = np.where(table[name] == values[counts.argmax()], np.nan, table[name])
    table["is_fraud"] = is_fraud.astype(int)
    table["known_fraud"] = ["yes" if known else None for known in is_known]
    return table, relevant


def _with_odd_columns(rng: Generator, table: dict[str, Any], is_known: BoolArray, twin: str) -> dict[str, Any]:
    """Return the columns with identifiers, a time stamp, copies, a constant, a code and a leak."""
    n_rows = len(is_known)
    numbers = 700_000 + rng.permutation(n_rows)
    begin = np.datetime64("2024-01-01T00:00")
    moments = begin + rng.integers(0, _MINUTES, n_rows).astype("timedelta64[m]")
    accounts = [f"A{number:06d}" for number in rng.permutation(n_rows)]
    when = [str(moment).replace("T", " ") for moment in moments]
    table = {"transaction_id": numbers, "account": accounts, "booked_at": when, **table}
    table[f"{twin}_usd"] = (table[twin] * rng.normal(1.08, 0.005, n_rows)).round(2)
    table["count_3_copy"] = table["count_3"]
    table["currency"] = ["EUR"] * n_rows
    table["days_as_customer"] = np.where(rng.random(n_rows) < 0.04, -9, rng.integers(1, 4000, n_rows))
    table["case_number"] = np.where(is_known, rng.integers(1000, 9999, n_rows), np.nan)
    return table


def _add_categories(rng: Generator, table: dict[str, Any], is_fraud: AnyArray) -> None:
    n_rows = len(is_fraud)
    usual = rng.choice(_CHANNELS, n_rows, p=_CHANNEL_SHARES)
    table["country"] = rng.choice(_COUNTRIES, n_rows)
    table["channel"] = np.where(is_fraud, rng.choice(_CHANNELS, n_rows, p=_POSITIVE_SHARES), usual)
    table["risk"] = rng.choice(_RISKS, n_rows)
