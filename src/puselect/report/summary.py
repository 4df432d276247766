"""Summarise a fitted selector and its table: everything that a report shows."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from puselect._version import versions
from puselect.arrays import AnyArray, BoolArray, IntArray
from puselect.checks.suitability import Suitability
from puselect.checks.suspects import find_suspects
from puselect.fscpu.final_clusters import Candidates, Clusterings, known_rows
from puselect.fscpu.projection import LABELLED, principal_axes, row_kinds
from puselect.report.direction import day
from puselect.report.findings import array_leaks, find_problems, suspect_rows, table_findings
from puselect.report.model import Model
from puselect.report.panels import Portrait, Rows, cluster_portraits, feature_panels
from puselect.report.selection import (
    PROBABILITY,
    SCORE,
    WARNING,
    CandidateTable,
    Feature,
    Finding,
    Gathering,
    SearchRecord,
    Selection,
    View,
)
from puselect.scaling import as_numbers
from puselect.selectors.base import PUSelector
from puselect.selectors.diagnosis import filled
from puselect.selectors.result import FitResult
from puselect.tables.column_outcomes import ColumnOutcome
from puselect.tables.encoders import Encoder

if TYPE_CHECKING:
    from puselect.tables.prepare import Preparer

MOST_DENSE_CELLS = 10**8
MOST_CANDIDATES, SHOWN_VALUES = 5000, 60
MOST_POINTS = 3000  # on the map


def summarise(
    selector: PUSelector,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    method: str = "",
    feature_names: Sequence[str] | None = None,
    command: str | None = None,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    findings: Sequence[Finding] = (),
    suitability: Suitability | None = None,
    row_numbers: ArrayLike | None = None,
    row_name: str = "",
    columns: Sequence[ColumnOutcome] = (),
    recipes: Sequence[Encoder] = (),
    candidates: Candidates | None = None,
    preparer: "Preparer | None" = None,
) -> Selection:
    """Return everything that a report on a fitted selector shows.

    Parameters
    ----------
    selector : estimator
        Any fitted selector of `puselect.METHODS`.
    X, y : array-like, optional
        The table and labels of `fit`; without both there are no candidates, no map and no checks of the data.
    method : str, optional
        Its name; by default that of the class.
    feature_names : list of str, optional
        By default those the selector was fitted with, or x0, x1, ...
    command : str, optional
        The shell command that reproduces it; by default the Python expression is shown.
    seconds : float, optional
        How long the fit took.
    notes : list of str
        Shown with the settings.
    findings : list of Finding
        Shown with those about the data and the search.
    suitability : Suitability, optional
        From `puselect.checks.suitability.check_suitability`.
    row_numbers : array-like of shape (n_rows,), optional
        Name of each row of `X`, an integer or a string. By default the index of a data frame, or the position.
    row_name : str
        What these names are, such as the column they come from.
    columns : list of ColumnOutcome
        What became of each column of the file that `X` was made from; see `puselect.Preparer`.
    recipes : list of Encoder
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
    ('KBest', 2, True)
    """
    result = selector.result_ if feature_names is None else selector.result_.renamed(feature_names)
    if preparer is not None:
        columns, recipes = preparer.outcomes_, preparer.encoders_
        findings = [*findings, *table_findings(preparer.notes_)]
    dates = {recipe.column for recipe in recipes if recipe.kind == "date"}
    features, search, seed = _features(result, dates), result.search, result.settings["random_state"]
    table, positive, rows = None, None, {}
    if X is not None and y is not None:
        table = _read_table(X, selector)
        positive = known_rows(y, result.settings["pos_label"], len(table))
        names = _row_names(X, len(table), row_numbers)
        rows = _describe_rows(result, features, table, y, positive, names, row_name, candidates, dates)
        findings = [*findings, *suspect_rows(rows["suspects"], row_name)]
        if not recipes:  # leaks of columns are found before they are encoded
            findings += table_findings(array_leaks(table, positive, result.names))
    findings = [*findings, *find_problems(result, table, positive)]
    return Selection(
        method=method or type(selector).__name__,
        selected=tuple(feature.name for feature in features if feature.selected),
        n_features=len(features),
        objective=result.objective,
        seconds=seconds,
        command=python_expression(selector) if command is None else command,
        seed=int(seed) if isinstance(seed, Integral) else None if seed is None else repr(seed),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        score_name=SCORE if search is None else PROBABILITY,
        features=features,
        search=None if search is None else SearchRecord(search.n_iter, bool(search.converged), search.n_degenerate),
        gathering=None if result.clusterings is None else _gathering(result.clusterings),
        prior=None if result.row_model is None else result.row_model.prior,
        findings=tuple(sorted(findings, key=lambda finding: finding.level != WARNING)),
        notes=tuple(notes),
        suitability=suitability,
        path=result.path,
        stability=result.stability,
        columns=tuple(columns),
        recipes=tuple(recipes),
        model=Model.of(result.row_model, tuple(np.array(result.names, dtype=object)[result.support])),
        settings={name: repr(value) for name, value in result.settings.items()},
        versions=versions(),
        **rows,
    )


def python_expression(selector: PUSelector) -> str:
    """Return the Python call that creates and fits the selector, with the parameters that differ from the defaults."""
    values = selector.fit_settings_
    changed = [
        f"{name}={values[name]!r}"
        for name, parameter in inspect.signature(type(selector)).parameters.items()
        if name in values and repr(parameter.default) != repr(values[name])
    ]
    return f"{type(selector).__name__}({', '.join(changed)}).fit(X, y)"


def _row_names(X: object, n_rows: int, wanted: ArrayLike | None) -> AnyArray:
    """Return the name of each row: as given, from the index of a data frame, or its position."""
    index = getattr(X, "index", None)
    has_index = index is not None and not callable(index)
    names = np.asarray(wanted if wanted is not None else index if has_index else np.arange(n_rows))
    is_text = names.dtype.kind == "U" or (names.dtype == object and all(isinstance(name, str) for name in names.flat))
    if names.shape == (n_rows,) and (names.dtype.kind in "iu" or is_text):
        return names
    if wanted is None:
        return np.arange(n_rows)
    came = f"{names.dtype} of shape {names.shape}"
    raise ValueError(f"row_numbers must name each of the {n_rows} rows by an integer or a string, got {came}")


def _read_table(X: ArrayLike, selector: PUSelector) -> AnyArray:
    """Return the table as floats; raise a ValueError if it has other columns than the selector was fitted to."""
    medians, n_columns = selector.medians_, len(selector.support_)
    table = as_numbers(_dense(X), ensure_all_finite=True if medians is None else "allow-nan")
    if table.shape[1] != n_columns:
        raise ValueError(f"X must have the {n_columns} columns the selector was fitted to, got {table.shape[1]}")
    return table if medians is None else filled(table, medians)


def _dense(X: Any) -> Any:
    """Return a table that may be sparse as a dense one; raise a ValueError if it is too large for that."""
    is_frame = hasattr(X, "iloc") and all(str(kind).startswith("Sparse") for kind in X.dtypes)
    if not issparse(X) and not is_frame:
        return X
    if X.shape[0] * X.shape[1] > MOST_DENSE_CELLS:
        raise ValueError(f"a sparse X of {X.shape[0]} x {X.shape[1]} is too large for a report; pass some of its rows")
    return X.sparse.to_dense() if is_frame else X.toarray()


def _features(result: FitResult, dates: Collection[str]) -> tuple[Feature, ...]:
    """Return all features, best first; `dates` names those that are days since 1970."""
    return tuple(
        Feature(
            name=unit.name,
            column=unit.column,
            rank=int(result.ranking[unit.column]),
            selected=bool(result.support[unit.column]),
            score=float(result.scores[unit.column]) if np.isfinite(result.scores[unit.column]) else None,
            cost=None if result.costs is None else float(result.costs[unit.column]),
            members=unit.members,
            is_date=unit.name in dates,
        )
        for unit in result.units()
    )


def _describe_rows(
    result: FitResult,
    features: Sequence[Feature],
    table: AnyArray,
    y: ArrayLike,
    positive: BoolArray,
    names: AnyArray,
    row_name: str,
    candidates: Candidates | None,
    dates: Collection[str],
) -> dict[str, Any]:
    """Return the fields of a selection that need its table."""
    neg_label, model, columns = result.settings.get("neg_label"), result.row_model, table[:, result.support]
    known = positive if neg_label is None else positive | known_rows(y, neg_label, len(table))
    found, suspects = candidates, tuple[int, ...]()
    if model is not None:
        found = candidates or model.candidates(columns, known)
        suspects = find_suspects(model, columns, positive, ~known).rows
    kind, units, final = row_kinds(len(table), positive, found), result.selected_units(), result.clusterings
    rows, portraits = Rows.of(kind), tuple[Portrait, ...]()
    kept = np.unique(np.concatenate(rows))
    panels = feature_panels(table[kept], Rows(*(np.searchsorted(kept, part) for part in rows)), units, dates)
    if final is not None:
        shown = table[np.sort(np.concatenate([rows.known, rows.others]))]
        portraits = cluster_portraits(shown, final, _typical(final), result.support, units, dates)
    return {
        "n_rows": len(table),
        "n_labelled": int(positive.sum()),
        "view": _row_map(result, table, kind, names),
        "candidates": None if found is None else _list_candidates(found, table, result, features, names, row_name),
        "suspects": tuple(names[list(suspects)].tolist()),
        "panels": panels,
        "portraits": portraits,
    }


def _typical(final: Clusterings) -> int:
    """Return the clustering whose score is nearest to the mean."""
    return int(np.abs(final.score - final.score.mean()).argmin())


def _gathering(final: Clusterings) -> Gathering:
    """Return what the positive clusters of the typical clustering hold."""
    i = _typical(final)
    size, labelled, positive = final.size[i], final.labelled[i], final.positive[i] & (final.size[i] > 0)
    return Gathering(
        n_positive=int(positive.sum()),
        n_clusters=int((size > 0).sum()),
        labelled=float(labelled[positive].sum()),
        all_labelled=float(labelled.sum()),
        rows=float(size[positive].sum()),
        all_rows=float(size.sum()),
    )


def _list_candidates(
    found: Candidates,
    table: AnyArray,
    result: FitResult,
    features: Sequence[Feature],
    names: AnyArray,
    row_name: str,
) -> CandidateTable:
    """Return the most likely candidates with their values of the selected features."""
    shown = [feature for feature in features if feature.selected][:SHOWN_VALUES]
    listed = found.taken(slice(MOST_CANDIDATES))
    place = {name: column for column, name in enumerate(result.names)}
    values = [_shown_values(feature, table[listed.rows], place) for feature in shown]
    return CandidateTable(
        row=tuple(names[listed.rows].tolist()),
        lift=tuple(listed.lift.tolist()),
        confidence=() if listed.confidence is None else tuple(listed.confidence.tolist()),
        columns=tuple(feature.name for feature in shown),
        values=tuple(zip(*values, strict=True)) if values else ((),) * len(listed.rows),
        total=len(found.rows),
        row_name=row_name,
    )


def _shown_values(feature: Feature, rows: AnyArray, place: Mapping[str, int]) -> list[float | str]:
    """Return the values of a feature: numbers, dates, or the category of one-hot columns."""
    columns = [place[name] for name in feature.members if name.startswith(f"{feature.name}=")]
    if feature.is_date:
        return [day(value) for value in rows[:, place.get(feature.name, feature.column)]]
    if not columns:
        return [float(f"{value:.6g}") for value in rows[:, feature.column]]
    words = np.array([*(names.removeprefix(f"{feature.name}=") for names in feature.members), "other"])
    chosen = np.where(rows[:, columns].any(axis=1), rows[:, columns].argmax(axis=1), len(columns))
    return [str(word) for word in words[chosen]]


def _row_map(result: FitResult, table: AnyArray, kind: IntArray, names: AnyArray) -> View:
    """Return rows of the selected columns in their first two principal components.

    The components are those of all rows. Of more than `MOST_POINTS` rows a sample is shown: labelled rows, at most half
    of it, and others, of which candidates are in proportion.
    """
    points, _ = principal_axes(table[:, result.support], result.selected_groups())
    rng = np.random.default_rng(0)
    labelled = rng.permutation(np.flatnonzero(kind == LABELLED))[: MOST_POINTS // 2]
    others = rng.permutation(np.flatnonzero(kind != LABELLED))[: MOST_POINTS - len(labelled)]
    rows = rng.permutation(np.concatenate([labelled, others]))
    return View(
        x=tuple(points[rows, 0].round(4).tolist()),
        y=tuple(points[rows, 1].round(4).tolist()),
        row=tuple(names[rows].tolist()),
        kind=tuple(kind[rows].tolist()),
        n_rows=len(table),
    )
