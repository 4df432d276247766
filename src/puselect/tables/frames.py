"""Tables in memory as polars frames, and back: pandas, polars, arrays. The only module that imports polars."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from puselect.arrays import AnyArray

try:
    import polars as pl
except ImportError as error:
    raise ImportError("tables of any types need polars: pip install polars") from error

__all__ = ["as_polars", "like", "pl"]


def as_polars(X: Any) -> pl.DataFrame:
    """Return a table in memory as a polars frame; a ValueError for anything else.

    Ordered categories of pandas become enumerations, which have an order, too.

    Examples
    --------
    >>> as_polars(np.zeros((2, 3))).columns
    ['x0', 'x1', 'x2']
    """
    if isinstance(X, pl.LazyFrame):
        raise ValueError("X is a polars LazyFrame, which has no rows yet; call X.collect() first")
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "iloc") and hasattr(X, "dtypes"):
        names = [str(name) for name in X.columns]
        if len(set(names)) < len(names):
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"column names must be unique, got {', '.join(repeated)} more than once")
        return pl.DataFrame([_series(name, X.iloc[:, place]) for place, name in enumerate(names)])
    if issparse(X):
        raise ValueError("X must be a data frame or an array, got a sparse matrix; pass X.toarray() if it is small")
    array = _filled(X) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must be a data frame or an array with rows and columns, got shape {array.shape}")
    return pl.DataFrame([_from_values(f"x{j}", array[:, j]) for j in range(array.shape[1])])


def _filled(X: np.ma.MaskedArray[Any, Any]) -> AnyArray:
    """Return a masked array with NaN, or None where that is no value of its kind, in place of masked values."""
    kind, hole = (float, np.nan) if X.dtype.kind in "biuf" else (object, None)
    return np.asarray(np.ma.filled(X.astype(kind), hole))


def _series(name: str, column: Any) -> pl.Series:
    """Return a pandas column as a polars series."""
    kind = str(column.dtype)
    if kind == "category" and column.cat.ordered:
        order = [str(value) for value in column.cat.categories]
        return pl.Series(name, _texts(column), dtype=pl.Enum(order))
    if kind.startswith("datetime64"):
        plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if getattr(column.dt, "tz", None) else column
        return pl.Series(name, plain.to_numpy().astype("datetime64[us]"))
    if kind.startswith("timedelta64"):
        return pl.Series(name, column.to_numpy().astype("timedelta64[us]"))
    if kind.lower().startswith(("int", "uint", "float", "bool")) and column.isna().any():
        return pl.Series(name, column.astype("float64").to_numpy(na_value=np.nan))
    if kind in ("category", "str", "string"):
        return pl.Series(name, _texts(column), dtype=pl.String)
    return _from_values(name, column.to_numpy())


def _texts(column: Any) -> list[str | None]:
    missing = column.isna().to_numpy()
    return [None if lost else str(value) for value, lost in zip(column.tolist(), missing, strict=True)]


def _from_values(name: str, values: AnyArray) -> pl.Series:
    if values.dtype.kind != "O":
        return pl.Series(name, values.astype(np.float64) if values.dtype == np.longdouble else values)
    plain = [None if value is None or value != value else value for value in values.tolist()]
    kinds = {type(value) for value in plain if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float, bool}:
        plain = [None if value is None else str(value) for value in plain]
    return pl.Series(name, plain, strict=False)


def like(frame: pl.DataFrame, X: Any) -> Any:
    """Return a polars frame as the kind of table that `X` is: pandas with its index, an array, or polars."""
    if isinstance(X, pl.DataFrame):
        return frame
    if hasattr(X, "iloc"):
        return type(X)({name: frame[name].to_numpy() for name in frame.columns}, index=X.index)
    return frame.to_numpy()
