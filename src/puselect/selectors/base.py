"""Base class of all selectors: validation, labels, mask."""

import os
import warnings
from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.exceptions import FewerFeaturesWarning, FewLabelsWarning
from puselect.labels import labelled_positives, without_missing
from puselect.parameters import check_number
from puselect.scaling import check_unmasked, column_extremes
from puselect.selectors.diagnosis import check_frame, column_faults, column_medians, filled, warn_of_missing
from puselect.selectors.groups import feature_names, prepared_source
from puselect.selectors.result import FitResult
from puselect.sparse_table import canonical

if TYPE_CHECKING:
    from puselect.fscpu.stability import Stability

FEW_LABELS = 10

RandomSeed = int | np.random.RandomState | None
"""`random_state` of scikit-learn's estimators."""


class PUSelector(SelectorMixin, BaseEstimator):
    """A selector that learns from labelled positives and unlabelled rows.

    A subclass has the parameters `n_features_to_select`, `pos_label` and `random_state`, and sets `support_` in `fit`.

    Attributes
    ----------
    fit_settings_ : dict
        The parameters that the last `fit` was called with; a later `set_params` does not change them.
    medians_ : ndarray of float, shape (n_features,), or None
        The median of each column, which stands in for its missing values; None for tables that must not have any.
    """

    pos_label: object
    neg_label: object = None  # checked negatives are unlabelled rows to methods without this parameter
    n_negative_ = 0
    random_state: RandomSeed
    support_: BoolArray
    ranking_: IntArray
    feature_names_in_: NDArray[Any]
    stability_: "Stability | None" = None
    fit_settings_: dict[str, Any]
    medians_: FloatArray | None = None
    has_row_groups_ = False  # whether it is known which rows belong together
    _sparse_format: str | None = None
    """The format that sparse tables are converted to; None if they are refused."""

    def _read(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, BoolArray]:
        """Return the table as floats and which rows are labelled positives, or raise a clear ValueError."""
        self.fit_settings_ = clone(self, safe=False).get_params(deep=False)
        known = without_missing(y, self.pos_label)
        table, labels = self._validated(X, known, ensure_min_samples=2, ensure_min_features=2)
        self.medians_ = None if issparse(table) else column_medians(table)
        positive = labelled_positives(labels if known is y or np.ndim(y) != 1 else y, self.pos_label)
        warn_of_few_labels(int(positive.sum()))
        if self.medians_ is None:
            return table, positive
        warn_of_missing(table, column_names(self, X) or range(table.shape[1]))
        return filled(table, self.medians_), positive

    def _validated(self, *data: Any, **options: Any) -> Any:
        """Return X, or X and y, as `validate_data` checks them.

        Missing values are left as they are where the medians of the fit can replace them.
        """
        X = data[0]
        check_unmasked(X)
        check_frame(X)
        is_strict = issparse(X) or (options.get("reset") is False and self.medians_ is None)
        options |= {"dtype": [np.float64, np.float32], "ensure_all_finite": True if is_strict else "allow-nan"}
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up all values to find NaN
                checked = validate_data(self, *data, accept_sparse=self._sparse_format or False, **options)
        except (TypeError, ValueError) as error:
            faults = column_faults(X)
            if not faults:
                raise
            raise ValueError(faults) from error
        return canonical(checked) if len(data) == 1 else (canonical(checked[0]), *checked[1:])

    def _draw_entropy(self) -> int:
        """Return the seed of all random numbers of this fit."""
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @property
    def result_(self) -> FitResult:
        """The outcome of the fit in one typed object, which reports and plots read."""
        check_is_fitted(self)
        n_features = len(self.support_)
        has_names = hasattr(self, "feature_names_in_")
        return FitResult(
            support=self.support_,
            ranking=self.ranking_,
            scores=np.full(n_features, np.nan),
            names=tuple(map(str, self.feature_names_in_)) if has_names else tuple(f"x{i}" for i in range(n_features)),
            settings=self.fit_settings_,
            has_row_groups=self.has_row_groups_,
            stability=self.stability_,
        )

    @property
    def selected_columns_(self) -> list[str]:
        """The columns of your own table behind the selected features, in the order of the table.

        A group counts by its name, and a feature that `Preparer` made, such as "city=Rome", by that of its column.
        """
        result = self.result_
        names = feature_names(result.groups, [prepared_source(name) for name in result.names])
        return list(dict.fromkeys(names[column] for column in np.flatnonzero(result.support)))

    def to_sklearn(self) -> ColumnTransformer:
        """Return a fitted `ColumnTransformer` that selects the same columns and works where puselect is not installed.

        Columns of data frames go by name. The steps of a `Preparer` in front of the selector are not part of it.
        """
        chosen = np.flatnonzero(self.get_support())
        transformer = ColumnTransformer([("selected", "passthrough", chosen)], verbose_feature_names_out=False)
        transformer.fit(np.zeros((1, len(self.support_))))
        if hasattr(self, "feature_names_in_"):
            transformer.feature_names_in_ = self.feature_names_in_.copy()
        return transformer

    def report(
        self,
        path: str | os.PathLike[str],
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        preparer: Any = None,
    ) -> Path:
        """Write a report on the fitted selector to `path`: one HTML file that opens offline.

        Parameters
        ----------
        path : path
        X, y : array-like, optional
            The table and labels of `fit`, for the map of the rows, the candidate positives and the checks of the data.
        preparer : Preparer, optional
            The preparer of `X`, for the outcome of each column of the original table.
        """
        from puselect.report import summarise, write_report  # the last layer, and an extra: only when asked for

        return write_report(summarise(self, X, y, preparer=preparer), path)

    def transform(self, X: Any) -> Any:
        """Return the selected columns of a table, as `SelectorMixin.transform` does."""
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up all values to find NaN
            return super().transform(X)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._sparse_format is not None
        return tags


def resolve_n_features(wanted: int | float | str | None, n_features: int, words: Sequence[str] = ()) -> int:
    """Return how many features to select; None means half of them, rounded up (the paper's rule).

    A float between 0 and 1 is a share of the features, at least one. `words` are accepted by the caller.
    """
    if wanted is None:
        return -(-n_features // 2)
    if isinstance(wanted, float | np.floating) and 0 < wanted < 1:
        return max(1, round(float(wanted) * n_features))
    others = ["a share between 0 and 1", *map(repr, words)]
    check_number("n_features_to_select", wanted, 1, n_features, integer=True, others=others)
    return int(wanted)


def column_names(selector: PUSelector, X: Any) -> list[Any] | None:
    """Return the names of the columns of a table that was read, strings or integers; None if it has neither."""
    names = selector.feature_names_in_ if hasattr(selector, "feature_names_in_") else getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str | Integral) and not isinstance(name, bool) for name in names):
        return None
    return list(names)


def varying_columns(table: Any) -> BoolArray:
    """Return which columns of an array or a sparse matrix hold more than one value."""
    low, high = column_extremes(table)
    return np.asarray(low < high)


def warn_of_few_labels(n_labelled: int) -> None:
    """Warn if so few rows are labelled that the features may be chosen by chance."""
    if n_labelled < FEW_LABELS:
        rows = "one labelled positive" if n_labelled == 1 else f"{n_labelled} labelled positives"
        advice = "features may be selected by chance; label more rows, and compare several seeds"
        warnings.warn(f"{rows}: with fewer than {FEW_LABELS}, {advice}", FewLabelsWarning, stacklevel=4)


def warn_of_fewer(n_wanted: int, n_varying: int, n_never: int = 0) -> None:
    """Warn that all columns that vary are selected, but for `n_never`; raise a ValueError if none varies."""
    if n_varying == 0:
        raise ValueError("X must have a column that varies, got only constant ones")
    if n_wanted > n_varying - n_never > 0:
        others = "constant or in never_select" if n_never else "constant"
        message = f"{n_varying - n_never} instead of {n_wanted} features are selected: the other columns are {others}"
        warnings.warn(message, FewerFeaturesWarning, stacklevel=2)


def descending_order(scores: FloatArray, rng: np.random.Generator, last: BoolArray | None = None) -> IntArray:
    """Return the indices by falling score, those of `last` behind all others; equal scores come in random order."""
    is_last = np.zeros(len(scores), dtype=bool) if last is None else last
    return np.lexsort((rng.random(len(scores)), -np.asarray(scores), is_last))


def ranks_of(order: IntArray) -> IntArray:
    """Return the rank of each feature, 1 for the first of `order`."""
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks
