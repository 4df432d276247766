"""From a fitted selector and its table to everything a report shows."""

import inspect
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from puselect._version import __version__
from puselect.methods import METHODS
from puselect.report.listing import list_candidates, row_names
from puselect.report.quality import find_problems
from puselect.report.selection import Cluster, Clustering, Feature, Finding, Selection
from puselect.report.tracks import search_record
from puselect.report.view import draw_view
from puselect.selectors.clusterings import Candidates, Clusterings, known_positives
from puselect.selectors.suitability import Suitability

__all__ = ["Selection", "method_name", "summarise", "versions"]

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def summarise(
    selector: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    command: str | None = None,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    suitability: Suitability | None = None,
    row_numbers: ArrayLike | None = None,
) -> Selection:
    """Return everything that a report on a fitted selector shows.

    Parameters
    ----------
    selector : estimator
        Any fitted selector of `puselect.METHODS`.
    X, y : array-like, optional
        The table and labels it was fitted to; without them there are no candidates, no map and no checks of the data.
    feature_names : list of str, optional
        By default those the selector was fitted with, or x0, x1, ...
    command : str, optional
        What to type to do it again; by default the Python expression.
    seconds : float, optional
        How long the fit took.
    notes : list of str
        Sentences for the reader, shown with the settings.
    suitability : Suitability, optional
        From `puselect.selectors.suitability.check_suitability`.
    row_numbers : array-like of shape (n_rows,), optional
        What each row of `X` is called, integers or strings: the row of the file where `X` is a sample of it. By default
        the index of a data frame, if it is of integers or strings, otherwise the position.

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
    names = _names(selector, feature_names)
    features = _features(selector, names)
    table = None if X is None else check_array(X, dtype=[np.float64, np.float32])
    if table is not None and table.shape[1] != len(names):
        raise ValueError(f"X must have the {len(names)} columns the selector was fitted to, got {table.shape[1]}")
    positive = None if table is None or y is None else known_positives(y, selector.pos_label, len(table))
    rows = row_names(X, 0 if table is None else len(table), row_numbers)
    found = _candidates(selector, table, positive)
    return Selection(
        method=method_name(selector),
        selected=tuple(feature.name for feature in features if feature.selected),
        n_features=len(names),
        n_rows=None if table is None else len(table),
        n_labelled=None if positive is None else int(positive.sum()),
        objective=getattr(selector, "objective_", None),
        seconds=seconds,
        command=python_expression(selector) if command is None else command,
        seed=_seed(selector),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        score_name="probability" if hasattr(selector, "probabilities_") else "score",
        features=features,
        search=search_record(selector) if hasattr(selector, "history_") else None,
        clusterings=_clusterings(selector),
        view=None if table is None else draw_view(table[:, selector.support_], positive, found, rows),
        candidates=None if found is None or table is None else list_candidates(found, table, features, rows),
        findings=_findings(selector, table, positive, names),
        notes=tuple(notes),
        suitability=suitability,
        settings={name: repr(value) for name, value in selector.get_params(deep=False).items()},
        versions=versions(),
    )


def method_name(selector: Any) -> str:
    """Return the name in `METHODS` whose settings are nearest to the selector's, or that of its class.

    Examples
    --------
    >>> method_name(METHODS["fscpu-mi"](5))
    'fscpu-mi'
    """
    mine = selector.get_params(deep=False)
    closeness: dict[str, int] = {}
    for name, factory in METHODS.items():
        made = factory()
        if type(made) is type(selector):
            theirs = made.get_params(deep=False)
            closeness[name] = sum(repr(theirs[key]) == repr(value) for key, value in mine.items())
    return max(closeness, key=closeness.__getitem__) if closeness else type(selector).__name__


def python_expression(selector: Any) -> str:
    """Return the call that makes and fits the selector, with the parameters that are not at their defaults."""
    values = selector.get_params(deep=False)
    changed = [
        f"{name}={values[name]!r}"
        for name, parameter in inspect.signature(type(selector)).parameters.items()
        if repr(parameter.default) != repr(values[name])
    ]
    return f"{type(selector).__name__}({', '.join(changed)}).fit(X, y)"


def versions() -> dict[str, str]:
    """Return the versions of everything that results may depend on."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"puselect": __version__, "Python": platform.python_version(), **libraries, "system": platform.platform()}


def _names(selector: Any, wanted: Sequence[str] | None) -> list[str]:
    n_features = len(selector.support_)
    if wanted is None:
        wanted = getattr(selector, "feature_names_in_", [f"x{i}" for i in range(n_features)])
    if len(wanted) != n_features:
        raise ValueError(f"feature_names must name each of the {n_features} features, got {len(wanted)} names")
    return [str(name) for name in wanted]


def _features(selector: Any, names: Sequence[str]) -> tuple[Feature, ...]:
    """Return all features, best first."""
    scores = getattr(selector, "probabilities_", getattr(selector, "scores_", None))
    costs = _costs(selector, names)
    return tuple(
        Feature(
            name=names[j],
            column=int(j),
            rank=int(selector.ranking_[j]),
            selected=bool(selector.support_[j]),
            score=None if scores is None or not np.isfinite(scores[j]) else float(scores[j]),
            cost=None if costs is None else costs[j],
        )
        for j in np.argsort(selector.ranking_, kind="stable")
    )


def _costs(selector: Any, names: Sequence[str]) -> list[float] | None:
    costs = getattr(selector, "feature_costs", None)
    if costs is None:
        return None
    if hasattr(costs, "keys") and list(costs.keys()) != list(range(len(names))):
        return [float(costs[name]) for name in names]
    return [float(cost) for cost in (costs.values() if isinstance(costs, dict) else costs)]


def _seed(selector: Any) -> int | str | None:
    state = selector.random_state
    return int(state) if isinstance(state, Integral) else None if state is None else repr(state)


def _clusterings(selector: Any) -> tuple[Clustering, ...]:
    """Return the final clusterings, the most typical first: that whose score is nearest to the mean."""
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


def _candidates(selector: Any, table: NDArray[Any] | None, positive: NDArray[np.bool_] | None) -> Candidates | None:
    final: Clusterings | None = getattr(selector, "clusterings_", None)
    if table is None or final is None:
        return None
    return final.candidates(table[:, selector.support_], positive)


def _findings(
    selector: Any, table: NDArray[Any] | None, positive: NDArray[np.bool_] | None, names: Sequence[str]
) -> tuple[Finding, ...]:
    found = find_problems(selector, table, positive, names)
    return tuple(sorted(found, key=lambda finding: finding.level != "warning"))
