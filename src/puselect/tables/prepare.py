"""Prepare a table of any types for a selector, as ``--prepare`` does on the command line."""

import logging
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from puselect.arrays import AnyArray
from puselect.exceptions import LeakWarning, UnreadValuesWarning
from puselect.labels import labelled_positives
from puselect.parameters import check_number
from puselect.tables.column import Column, Feature, table_columns, table_like
from puselect.tables.column_outcomes import column_outcomes, leak_text
from puselect.tables.columns import ColumnRules, finish_columns, read_columns
from puselect.tables.errors import LeakNote, LeftOut

logger = logging.getLogger("puselect")


class Preparer(TransformerMixin, BaseEstimator):
    """Turn columns of any types into numbers without missing values, and leave out those that are no features.

    Numbers and booleans stay. Dates become days since 1970, with hour and weekday where the time of day varies, ordered
    categories (of pandas, Enum of polars, or named in `orders`) 0, 1, 2, ..., other text one-hot columns. Missing
    values are filled with the median, and another feature tells where, if 1 % or more are missing. Constant and empty
    columns, identifiers and exact copies are left out; `use` brings them back. With `y`, a `LeakWarning` names columns
    that may give the labels away; `drop` leaves them out. `outcomes_` lists what became of each column.

    Parameters
    ----------
    drop : list of str, optional
        Columns to leave out.
    use : list of str, optional
        Columns to use although they look like identifiers or copies.
    orders : dict of str to list of str, optional
        Columns with ordered values, and these from low to high.
    categories : list of str, optional
        Columns that hold categories although they look like numbers, such as zip codes.
    max_categories : int, default=20
        Of text with more different values the most frequent are encoded, the others are pooled; it is left out if
        these others have half the rows or more.
    drop_duplicates : float, optional
        Leave out columns whose rank correlation with an earlier one is this or more; by default only exact copies.
    missing_codes : list of float or str, optional
        Values that stand for missing, such as -9, 999 and "refused", or "age=0" in one column only.
    decimal : {".", ","}, optional
        Decimal mark of numbers in text, where "1,299" may also be a thousand.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive.

    Attributes
    ----------
    outcomes_ : tuple of ColumnOutcome
        One for each column: `column`, the `features` made from it, `action`, and a `text`.
    groups_ : dict of str to list of str
        Features that were made from one column, for ``FSCPU(groups=...)``.
    encoders_ : tuple of Encoder
        How each column that is used becomes features.
    notes_ : tuple of Note
        What else is worth knowing, such as interchangeable columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> import polars as pl
    >>> from puselect import Preparer
    >>> table = pl.DataFrame({"day": ["2024-01-02", "2024-01-05", None], "size": ["s", "m", "l"], "n": [1, 2, 4]})
    >>> preparer = Preparer(orders={"size": ["s", "m", "l"]}).fit(table)
    >>> preparer.transform(table).columns
    ['day', 'day is missing', 'size', 'n']
    >>> print(preparer.outcomes_[1])
    size: ordered: s < m < l
    """

    def __init__(
        self,
        *,
        drop: Sequence[str] | None = None,
        use: Sequence[str] | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        categories: Sequence[str] | None = None,
        max_categories: int = 20,
        drop_duplicates: float | None = None,
        missing_codes: Sequence[float | str] | None = None,
        decimal: str | None = None,
        pos_label: object = 1,
    ) -> None:
        self.drop = drop
        self.use = use
        self.orders = orders
        self.categories = categories
        self.max_categories = max_categories
        self.drop_duplicates = drop_duplicates
        self.missing_codes = missing_codes
        self.decimal = decimal
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn what to do with each column; with the labels `y`, columns that may give them away are noted."""
        self._learn(table_columns(X), y)
        return self

    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> Any:
        """Learn what to do with each column, and return the features; faster than `fit` and `transform`."""
        columns = table_columns(X)
        return table_like(X, columns, self._learn(columns, y))

    def transform(self, X: Any) -> Any:
        """Return the features of a table with the same columns.

        Columns are read by the types and formats of `fit`. New categories are 0 in all one-hot columns; values that are
        missing or cannot be read are filled as in `fit`. They are counted: in the log, in an `UnreadValuesWarning` if
        they are 5 % more than in `fit`, in a ValueError if most cannot be read.
        """
        check_is_fitted(self)
        columns = table_columns(X)
        missing = [encoder.column for encoder in self.encoders_ if encoder.column not in columns]
        if missing:
            raise ValueError(f"X must have the columns of fit, got none named {', '.join(map(repr, missing[:5]))}")
        made = []
        for encoder in self.encoders_:
            features, unread = encoder.features(columns[encoder.column])
            made += features
            if unread is not None and unread.is_many:
                warnings.warn(str(unread), UnreadValuesWarning, stacklevel=3)  # scikit-learn wraps this method
            elif unread is not None:
                logger.info("%s", unread)
        return table_like(X, columns, made)

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the features."""
        check_is_fitted(self)
        return np.array([name for encoder in self.encoders_ for name in encoder.names], dtype=object)

    def _learn(self, table: Mapping[str, Column], y: ArrayLike | None) -> list[Feature]:
        names, n_rows = list(table), max((len(column.values) for column in table.values()), default=0)
        positive = None if y is None else labelled_positives(y, self.pos_label)
        if positive is not None and len(positive) != n_rows:
            raise ValueError(f"y must hold one label for each of the {n_rows} rows of X, got {len(positive)}")
        dropped, rules = self._known("drop", self.drop, names), self._rules(names)
        columns = read_columns(table, [name for name in names if name not in dropped], rules, positive)
        features = finish_columns(columns, rules)
        self.encoders_ = tuple(columns.used.values())
        self.notes_ = tuple(columns.notes)
        leaks = [note for note in self.notes_ if isinstance(note, LeakNote)]
        if leaks:
            accused = ", ".join(repr(note.name) for note in leaks)
            message = f"{'; '.join(map(leak_text, leaks))}; leave out what may give the labels away (drop=[{accused}])"
            warnings.warn(message, LeakWarning, stacklevel=4)  # scikit-learn wraps this method
        left_out = [*columns.left_out, *(LeftOut(name, "drop", "as asked") for name in dropped)]
        self.outcomes_ = column_outcomes(self.encoders_, left_out, columns.notes, names)
        self.groups_ = {encoder.column: list(encoder.names) for encoder in self.encoders_ if len(encoder.names) > 1}
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        if not features:
            reasons = "; ".join(map(str, self.outcomes_[:5]))
            raise ValueError(f"X must have at least one usable column, got none ({reasons})")
        return features

    def _rules(self, columns: Sequence[str]) -> ColumnRules:
        check_number("max_categories", self.max_categories, 2, integer=True)
        if self.drop_duplicates is not None:
            check_number("drop_duplicates", self.drop_duplicates, 0, 1, open_low=True)
        codes = [code if isinstance(code, str) else f"{code:g}" for code in self.missing_codes or ()]
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal must be '.' or ',', got {self.decimal!r}")
        orders = self.orders or {}
        return ColumnRules(
            prepare=True,
            max_categories=self.max_categories,
            drop_duplicates=self.drop_duplicates,
            missing_codes=tuple(codes),
            decimal=self.decimal,
            orders=tuple((name, tuple(map(str, orders[name]))) for name in self._known("orders", orders, columns)),
            use=self._known("use", self.use, columns),
            categories=self._known("categories", self.categories, columns),
        )

    @staticmethod
    def _known(parameter: str, names: Iterable[str] | None, columns: Sequence[str]) -> tuple[str, ...]:
        """Return names of columns, or raise a ValueError for one that there is not."""
        if isinstance(names, str):
            raise ValueError(f"{parameter} must be a list of column names, got {names!r}")
        for name in names or ():
            if name not in columns:
                raise ValueError(f"{parameter} must name columns of X, got {name!r}")
        return tuple(names or ())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def prepare(X: Any, y: ArrayLike | None = None, **parameters: Any) -> Any:
    """Return a table of any types as features: numbers, nothing missing.

    A shortcut for ``Preparer(**parameters).fit_transform(X, y)``.

    Parameters
    ----------
    X : DataFrame of pandas or polars, or array-like of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), optional
        Labels; with them, columns that may give them away are noted.
    **parameters
        Of `Preparer`.

    Returns
    -------
    features : DataFrame or ndarray
        Of the kind of `X`, with floats only.

    Examples
    --------
    >>> import polars as pl
    >>> import puselect
    >>> puselect.prepare(pl.DataFrame({"a": [1, 2, None], "city": ["Rome", "Oslo", "Rome"]})).rows()
    [(1.0, 0.0, 1.0), (2.0, 0.0, 0.0), (1.5, 1.0, 1.0)]
    """
    return Preparer(**parameters).fit_transform(X, y)
