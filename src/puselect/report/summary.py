"""Summarise a fitted selector and its table: everything that a report shows."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from puselect.checks.suitability import Suitability
from puselect.fscpu.final_clusters import Candidates, Clusterings, known_positives
from puselect.fscpu.projection import row_kinds
from puselect.fscpu.row_model import RowModel
from puselect.methods import METHODS
from puselect.report.charts import row_map, search_record
from puselect.report.insight import day
from puselect.report.model import Model
from puselect.report.panels import Panel, Portrait, Unit, cluster_portraits, feature_panels, some_rows
from puselect.report.preparation import table_findings
from puselect.report.quality import find_leaking_columns, find_problems
from puselect.report.selection import (
    PROBABILITY,
    SCORE,
    WARNING,
    CandidateTable,
    Cluster,
    Clustering,
    Feature,
    Finding,
    Selection,
)
from puselect.scaling import as_numbers
from puselect.selectors.base import PUSelector
from puselect.tables.fates import Fate
from puselect.tables.recipes import Recipe

if TYPE_CHECKING:
    from puselect.tables.prepare import Preparer
from puselect.versions import versions

__all__ = ["Selection", "method_name", "summarise"]

MOST_DENSE_CELLS = 10**8
MOST_CANDIDATES, SHOWN_VALUES = 5000, 60


def summarise(
    selector: PUSelector,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    command: str | None = None,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    findings: Sequence[Finding] = (),
    suitability: Suitability | None = None,
    row_numbers: ArrayLike | None = None,
    row_name: str = "",
    columns: Sequence[Fate] = (),
    recipes: Sequence[Recipe] = (),
    candidates: Candidates | None = None,
    preparer: "Preparer | None" = None,
) -> Selection:
    """Return everything that a report on a fitted selector shows.

    Parameters
    ----------
    selector : estimator
        Any fitted selector of `puselect.METHODS`.
    X, y : array-like, optional
        The table and labels of `fit`; without them there are no candidates, no map and no checks of the data.
    feature_names : list of str, optional
        By default those the selector was fitted with, or x0, x1, ...
    command : str, optional
        The shell command that reproduces it; by default the Python expression is shown.
    seconds : float, optional
        How long the fit took.
    notes : list of str
        Shown with the settings.
    findings : list of Finding
        Shown with those about the data and the search, such as `puselect.report.preparation.table_findings`.
    suitability : Suitability, optional
        From `puselect.checks.suitability.check_suitability`.
    row_numbers : array-like of shape (n_rows,), optional
        Name of each row of `X`, an integer or a string, such as the row of the file that `X` is a sample of. By default
        the index of a data frame, if it has integers or strings, otherwise the position.
    row_name : str
        What these names are, such as the column they come from.
    columns : list of Fate
        What became of each column of the file that `X` was made from; see `puselect.Preparer`.
    recipes : list of Recipe
        How its columns became those of `X`; `puselect apply` needs them.
    candidates : Candidates, optional
        Those among the rows, where they are known already.
    preparer : Preparer, optional
        The one that made `X`; tells `columns`, `recipes` and some `findings`.

    Examples
    --------
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selection = summarise(KBest(2, random_state=0).fit(X, y), X, y)
    >>> selection.method, len(selection.selected), Selection.from_json(selection.to_json()) == selection
    ('kbest', 2, True)
    """
    check_is_fitted(selector)
    if preparer is not None:
        columns, recipes = preparer.fates_, preparer.recipes_
        findings = [*findings, *table_findings(preparer.notes_)]
    names = _names(selector, feature_names)
    features = _features(selector, names, {recipe.column for recipe in recipes if recipe.kind == "date"})
    table = None if X is None else _read_table(X, len(names))
    pos_label = selector.fit_settings_["pos_label"]
    positive = None if table is None or y is None else known_positives(y, pos_label, len(table))
    if table is not None and positive is not None and not recipes:  # reading a table finds its leaks
        findings = [*findings, *find_leaking_columns(table, positive, names)]
    rows = row_names(X, 0 if table is None else len(table), row_numbers)
    found = candidates or _candidates(selector, table, positive)
    panels, portraits = _insight(selector, table, positive, found, features)
    return Selection(
        method=method_name(selector),
        selected=tuple(feature.name for feature in features if feature.selected),
        n_features=len(features),
        n_rows=None if table is None else len(table),
        n_labelled=None if positive is None else int(positive.sum()),
        objective=getattr(selector, "objective_", None),
        seconds=seconds,
        command=python_expression(selector) if command is None else command,
        from_command_line=command is not None,
        seed=_seed(selector),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        score_name=PROBABILITY if hasattr(selector, "probabilities_") else SCORE,
        features=features,
        search=search_record(selector) if hasattr(selector, "history_") else None,
        clusterings=_clusterings(selector),
        view=None if table is None else row_map(selector, table, positive, found, rows),
        candidates=_candidate_table(found, table, names, features, rows, row_name),
        prior=getattr(selector, "prior_", None),
        findings=_by_level([*findings, *find_problems(selector, table, positive, names)]),
        notes=tuple(notes),
        suitability=suitability,
        path=getattr(selector, "path_", None),
        stability=getattr(selector, "stability_", None),
        reason=getattr(selector, "reason_", ""),
        panels=panels,
        portraits=portraits,
        columns=tuple(columns),
        recipes=tuple(recipes),
        model=Model.of(getattr(selector, "row_model_", None), tuple(np.array(names)[selector.support_].tolist())),
        settings={name: repr(value) for name, value in selector.fit_settings_.items()},
        versions=versions(),
    )


def parameters_of_fit(selector: PUSelector) -> dict[str, Any]:
    """Return the parameters that the selector was fitted with; its present ones if it is not fitted."""
    fitted: dict[str, Any] = getattr(selector, "fit_settings_", selector.get_params(deep=False))
    return fitted


def method_name(selector: PUSelector) -> str:
    """Return the name in `METHODS` whose parameters are nearest to the selector's, or else that of its class.

    Examples
    --------
    >>> method_name(METHODS["fscpu-mi"](5))
    'fscpu-mi'
    """
    mine = parameters_of_fit(selector)
    closeness: dict[str, int] = {}
    for name, factory in METHODS.items():
        made = factory()
        if type(made) is type(selector):
            theirs = made.get_params(deep=False)
            closeness[name] = sum(repr(theirs[key]) == repr(value) for key, value in mine.items())
    return max(closeness, key=closeness.__getitem__) if closeness else type(selector).__name__


def python_expression(selector: PUSelector) -> str:
    """Return the Python call that creates and fits the selector, with the parameters that differ from the defaults."""
    values = parameters_of_fit(selector)
    changed = [
        f"{name}={values[name]!r}"
        for name, parameter in inspect.signature(type(selector)).parameters.items()
        if repr(parameter.default) != repr(values[name])
    ]
    return f"{type(selector).__name__}({', '.join(changed)}).fit(X, y)"


def row_names(X: Any, n_rows: int, wanted: ArrayLike | None = None) -> NDArray[Any]:
    """Return the name of each row: as given, from the index of a data frame, or its position.

    Examples
    --------
    >>> row_names([[0.5], [0.7]], 2)
    array([0, 1])
    """
    if wanted is None:
        index = getattr(X, "index", None)
        names = np.arange(n_rows) if index is None or callable(index) else np.asarray(index)
        return names if _can_name(names, n_rows) else np.arange(n_rows)
    names = np.asarray(wanted)
    if not _can_name(names, n_rows):
        came = f"{names.dtype} of shape {names.shape}"
        raise ValueError(f"row_numbers must name each of the {n_rows} rows by an integer or a string, got {came}")
    return names


def _read_table(X: Any, n_columns: int) -> NDArray[Any]:
    """Return the table as floats; raise a ValueError if it has other columns than the selector was fitted to."""
    table = as_numbers(_dense(X))
    if table.shape[1] != n_columns:
        raise ValueError(f"X must have the {n_columns} columns the selector was fitted to, got {table.shape[1]}")
    return table


def _dense(X: Any) -> Any:
    """Return a table that may be sparse as a dense one; raise a ValueError if it is too large for that."""
    is_frame = hasattr(X, "iloc") and all(str(kind).startswith("Sparse") for kind in X.dtypes)
    if not issparse(X) and not is_frame:
        return X
    if X.shape[0] * X.shape[1] > MOST_DENSE_CELLS:
        raise ValueError(f"a sparse X of {X.shape[0]} x {X.shape[1]} is too large for a report; pass some of its rows")
    return X.sparse.to_dense() if is_frame else X.toarray()


def _names(selector: PUSelector, wanted: Sequence[str] | None) -> list[str]:
    n_features = len(selector.support_)
    if wanted is None:
        wanted = getattr(selector, "feature_names_in_", [f"x{i}" for i in range(n_features)])
    if len(wanted) != n_features:
        raise ValueError(f"feature_names must name each of the {n_features} features, got {len(wanted)} names")
    return [str(name) for name in wanted]


def _features(selector: PUSelector, names: Sequence[str], dates: Collection[str]) -> tuple[Feature, ...]:
    """Return all features, best first; `dates` names those that are days since 1970."""
    scores = getattr(selector, "probabilities_", getattr(selector, "scores_", None))
    costs = getattr(selector, "feature_costs_", None)
    group_of = {column: group for group, columns in _groups(selector).items() for column in columns}
    first = _first_columns(selector)
    return tuple(
        Feature(
            name=group_of.get(j, names[j]),
            column=j,
            rank=int(selector.ranking_[j]),
            selected=bool(selector.support_[j]),
            score=None if scores is None or not np.isfinite(scores[j]) else float(scores[j]),
            cost=None if costs is None else float(costs[j]),
            members=tuple(names[i] for i in _groups(selector)[group_of[j]]) if j in group_of else (),
            is_date=group_of.get(j, names[j]) in dates,
        )
        for j in np.argsort(selector.ranking_, kind="stable").tolist()
        if j not in group_of or j == first[group_of[j]]
    )


def _groups(selector: PUSelector) -> dict[str, list[int]]:
    """Return the columns of each group that was selected, or not, as a whole."""
    groups: dict[str, list[int]] = getattr(selector, "groups_", {})
    return groups


def _first_columns(selector: PUSelector) -> dict[str, int]:
    """Return the column that stands for each group: the one that the search knows it by."""
    searched = set(getattr(selector, "searched_", np.empty(0, dtype=int)).tolist())
    return {
        group: next((column for column in columns if column in searched), columns[0])
        for group, columns in _groups(selector).items()
    }


def _insight(
    selector: PUSelector,
    table: NDArray[Any] | None,
    positive: NDArray[np.bool_] | None,
    found: Candidates | None,
    features: Sequence[Feature],
) -> tuple[tuple[Panel, ...], tuple[Portrait, ...]]:
    """Return the distributions of the selected features, and what marks the positive clusters."""
    if table is None or positive is None:
        return (), ()
    kind = row_kinds(len(table), positive, found)
    rows = some_rows(kind)
    groups = _groups(selector)
    units = [Unit(f.name, tuple(groups.get(f.name, (f.column,))), f.members) for f in features if f.selected]
    panels = feature_panels(table[rows], kind[rows], units)
    final: Clusterings | None = getattr(selector, "clusterings_", None)
    if final is None:
        return panels, ()
    typical = int(np.argsort(np.abs(final.score - final.score.mean()), kind="stable")[0])
    return panels, cluster_portraits(table[rows], final, typical, selector.support_, units)


def _seed(selector: PUSelector) -> int | str | None:
    state = selector.fit_settings_["random_state"]
    return int(state) if isinstance(state, Integral) else None if state is None else repr(state)


def _clusterings(selector: PUSelector) -> tuple[Clustering, ...]:
    """Return the final clusterings, the one whose score is nearest to the mean first."""
    final = getattr(selector, "clusterings_", None)
    if final is None:
        return ()
    order = np.argsort(np.abs(final.score - final.score.mean()), kind="stable")
    return tuple(
        Clustering(
            float(final.score[i]),
            tuple(
                Cluster(float(final.size[i, c]), float(final.labelled[i, c]), bool(final.positive[i, c]))
                for c in np.flatnonzero(final.size[i])
            ),
        )
        for i in order
    )


def _candidates(
    selector: PUSelector, table: NDArray[Any] | None, positive: NDArray[np.bool_] | None
) -> Candidates | None:
    model: RowModel | None = getattr(selector, "row_model_", None)
    if table is None or model is None:
        return None
    return model.candidates(table[:, selector.support_], positive)


def _by_level(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return warnings before notes."""
    return tuple(sorted(found, key=lambda finding: finding.level != WARNING))


def _candidate_table(
    found: Candidates | None,
    table: NDArray[Any] | None,
    names: Sequence[str],
    features: Sequence[Feature],
    row_labels: NDArray[Any],
    row_name: str,
) -> CandidateTable | None:
    """Return the most likely candidates with their values of the selected features."""
    if found is None or table is None:
        return None
    shown = [feature for feature in features if feature.selected][:SHOWN_VALUES]
    rows = found.rows[:MOST_CANDIDATES]
    place = {name: column for column, name in enumerate(names)}
    values = [shown_values(feature, table[rows], place) for feature in shown]
    return CandidateTable(
        row=tuple(row_labels[rows].tolist()),
        lift=tuple(found.lift[:MOST_CANDIDATES].tolist()),
        confidence=() if found.confidence is None else tuple(found.confidence[:MOST_CANDIDATES].tolist()),
        columns=tuple(feature.name for feature in shown),
        values=tuple(zip(*values, strict=True)) if values else ((),) * len(rows),
        total=len(found.rows),
        row_name=row_name,
    )


def shown_values(feature: Feature, rows: NDArray[Any], place: Mapping[str, int]) -> list[float | str]:
    """Return the values of a feature: numbers, dates, or the category of one-hot columns."""
    columns = [place[name] for name in feature.members if name.startswith(f"{feature.name}=")]
    if feature.is_date:
        return [day(value) for value in rows[:, place.get(feature.name, feature.column)]]
    if not columns:
        return [float(f"{value:.6g}") for value in rows[:, feature.column]]
    words = np.array([*(names.removeprefix(f"{feature.name}=") for names in feature.members), "other"])
    chosen = np.where(rows[:, columns].any(axis=1), rows[:, columns].argmax(axis=1), len(columns))
    return [str(word) for word in words[chosen]]


def _can_name(names: NDArray[Any], n_rows: int) -> bool:
    is_text = names.dtype.kind == "U" or (names.dtype == object and all(isinstance(name, str) for name in names.flat))
    return names.shape == (n_rows,) and (names.dtype.kind in "iu" or is_text)
